// Level sets built before, for all programs of this user. Files appear by rename and go by unlink, so any
// number of processes may share the folder; the least recently used are evicted when it grows too large.
// Errors only cost time and are ignored.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "geom/solid_file.h"
#include "par/par.h"

static par_lock lock = PAR_LOCK_INIT;
static char cache_folder[PATH_ROOM]; // empty: none
static uint64_t cache_bytes;
static bool complained;

void firn_set_cache(const char *folder, uint64_t bytes) {
    par_lock_take(&lock);
    snprintf(cache_folder, sizeof cache_folder, "%s", folder ? folder : "");
    cache_bytes = bytes;
    complained = false;
    par_lock_release(&lock);
}

static bool cache_now(char folder[PATH_ROOM], uint64_t *bytes) {
    par_lock_take(&lock);
    memcpy(folder, cache_folder, PATH_ROOM);
    *bytes = cache_bytes;
    par_lock_release(&lock);
    return folder[0] && *bytes;
}

bool solid_cache_read(uint64_t key, solid *out) {
    char folder[PATH_ROOM], path[PATH_ROOM];
    uint64_t most;
    if (!cache_now(folder, &most)) return false;
    solid_path(folder, key, path, sizeof path);
    if (solid_read(NULL, path, key, out) != FIRN_OK) return false;
    utimensat(AT_FDCWD, path, NULL, 0); // used now
    return true;
}

typedef struct cached {
    char *name;
    uint64_t bytes;
    struct timespec used;
} cached;

static int older_first(const void *a, const void *b) {
    const struct timespec *p = &((const cached *)a)->used, *q = &((const cached *)b)->used;
    if (p->tv_sec != q->tv_sec) return p->tv_sec < q->tv_sec ? -1 : 1;
    return (p->tv_nsec > q->tv_nsec) - (p->tv_nsec < q->tv_nsec);
}

static void remove_oldest(const char *folder, cached *files, size_t count, uint64_t total, uint64_t most) {
    qsort(files, count, sizeof *files, older_first);
    for (size_t i = 0; i < count && total > most; i++) {
        char path[PATH_ROOM];
        path_join(folder, files[i].name, path, sizeof path);
        file_remove(path);
        total -= files[i].bytes;
    }
}

static void trim(const char *folder, uint64_t most) {
    file_names names;
    if (file_list(folder, ".solid", &names) != FIRN_OK) return;
    cached *files = mem_zero(names.count, sizeof *files);
    uint64_t total = 0;
    for (size_t i = 0; files && i < names.count; i++) {
        char path[PATH_ROOM];
        struct stat about;
        files[i].name = names.items[i];
        path_join(folder, names.items[i], path, sizeof path);
        if (stat(path, &about) != 0) continue; // removed by another process
        files[i].bytes = (uint64_t)about.st_size;
        files[i].used = about.st_mtim;
        total += files[i].bytes;
    }
    if (files && total > most) remove_oldest(folder, files, names.count, total, most);
    mem_free(files);
    file_names_free(&names);
}

static void complain(const char *folder) {
    par_lock_take(&lock);
    bool again = complained;
    complained = true;
    par_lock_release(&lock);
    if (!again) log_note("the cache '%s' is not used: %s", folder, firn_last_error());
}

void solid_cache_write(const solid *s, uint64_t key) {
    char folder[PATH_ROOM], path[PATH_ROOM];
    uint64_t most;
    if (!cache_now(folder, &most) || levelset_bytes(s->set) > most) return;
    solid_path(folder, key, path, sizeof path);
    if (file_make_folders(folder) != FIRN_OK || solid_write(s, key, NULL, path) != FIRN_OK)
        complain(folder);
    else
        trim(folder, most);
}
