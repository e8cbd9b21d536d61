// Memory that this process may use (/proc, cgroups), and its CPU time.
#include "base/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROOM = 4096, KIB = 1024 };

// "Name:  123 kB" of /proc/meminfo or /proc/self/status; 0: not there.
static uint64_t read_entry(const char *text, const char *name) {
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strlen(name);
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            return strtoull(line + length + 1, NULL, 10) * KIB;
    }
    return 0;
}

static bool read_small(const char *root, const char *name, char out[ROOM]) {
    char path[2 * ROOM];
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "re");
    if (!file) return false;
    size_t length = fread(out, 1, ROOM - 1, file);
    fclose(file);
    out[length] = 0;
    return length > 0;
}

static void lower(machine_memory *m, uint64_t limit, uint64_t used, const char *source) {
    if (limit < m->limit) m->limit = limit, m->source = source;
    uint64_t left = limit > used ? limit - used : 0;
    if (left < m->available) m->available = left;
}

// A number of a file of its own; "max": none.
static bool read_number(const char *folder, const char *name, uint64_t *out) {
    char text[ROOM];
    if (!read_small(folder, name, text) || text[0] < '0' || text[0] > '9') return false;
    *out = strtoull(text, NULL, 10);
    return true;
}

typedef struct group_tree {
    const char *controller; // how /proc/self/cgroup names the tree
    const char *folder, *most, *now;
} group_tree;

static const group_tree VERSION_1 = {":memory:", "/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                     "/memory.usage_in_bytes"};
static const group_tree VERSION_2 = {"0::", "/sys/fs/cgroup", "/memory.max", "/memory.current"};

// Every group above ours may have a limit of its own.
static void lower_by_groups(machine_memory *m, const char *root, const group_tree *tree) {
    char groups[ROOM], folder[2 * ROOM];
    if (!read_small(root, "/proc/self/cgroup", groups)) return;
    const char *own = strstr(groups, tree->controller);
    if (!own) return;
    own += strlen(tree->controller);
    int length = (int)strcspn(own, "\n");
    for (; length >= 0; length--) {
        if (length > 0 && own[length] != '/' && own[length] != '\n' && own[length] != 0) continue;
        snprintf(folder, sizeof folder, "%s%s%.*s", root, tree->folder, length, own);
        uint64_t limit, used = 0;
        if (!read_number(folder, tree->most, &limit)) continue;
        read_number(folder, tree->now, &used);
        lower(m, limit, used, "the control group (cgroup) allows");
    }
}

machine_memory machine_memory_below(const char *root) {
    machine_memory m = {UINT64_MAX, UINT64_MAX, "this machine has"};
    char text[ROOM];
    if (read_small(root, "/proc/meminfo", text)) {
        uint64_t all = read_entry(text, "MemTotal") + read_entry(text, "SwapTotal");
        uint64_t left = read_entry(text, "MemAvailable") + read_entry(text, "SwapFree");
        if (all) lower(&m, all, all > left ? all - left : 0, m.source);
    }
    lower_by_groups(&m, root, &VERSION_1);
    lower_by_groups(&m, root, &VERSION_2);
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        read_small(root, "/proc/self/status", text))
        lower(&m, limit.rlim_cur, read_entry(text, "VmSize"), "the limit of this process (ulimit -v) allows");
    const char *given = getenv("FIRN_MEMORY_LIMIT");
    if (given && *given) lower(&m, strtoull(given, NULL, 10), 0, "FIRN_MEMORY_LIMIT allows");
    return m;
}

machine_memory machine_memory_now(void) { return machine_memory_below(""); }

double machine_cpu_seconds(void) {
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return 0;
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}
