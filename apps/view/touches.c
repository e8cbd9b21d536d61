// Recordings of touches: a text file with the scene, its overrides and a line per touch.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "touch.h"

enum { LINE_ROOM = TOUCH_ROOM + 64 };

typedef struct touch_line {
    uint64_t step;
    char *text;
} touch_line;

struct touches {
    char *head; // first lines of the file
    touch_line *item;
    size_t count, capacity;
    FILE *file;
    char path[PATH_MAX];
    bool failed;
};

touches *touches_create(void) { return calloc(1, sizeof(touches)); }

static void cut_to(touches *t, size_t count) {
    while (t->count > count) free(t->item[--t->count].text);
}

void touches_free(touches *t) {
    if (!t) return;
    cut_to(t, 0);
    if (t->file) fclose(t->file);
    free(t->item);
    free(t->head);
    free(t);
}

static bool write_all(const touches *t, FILE *file) {
    if (t->head) fputs(t->head, file);
    for (size_t i = 0; i < t->count; i++)
        fprintf(file, "at %" PRIu64 " %s\n", t->item[i].step, t->item[i].text);
    return fflush(file) == 0 && !ferror(file);
}

static void write_again(touches *t) {
    if (!t->path[0]) return;
    if (t->file) fclose(t->file);
    t->file = fopen(t->path, "w");
    t->failed = !t->file || !write_all(t, t->file);
}

void touches_begin(touches *t, const char *scene, firn_overrides overrides) {
    char whole[PATH_MAX];
    size_t bytes = 0;
    cut_to(t, 0);
    free(t->head);
    t->head = NULL;
    FILE *head = open_memstream(&t->head, &bytes);
    if (head) {
        fprintf(head, "firn touches 1\nscene %s\n", realpath(scene, whole) ? whole : scene);
        for (size_t i = 0; i < overrides.count; i++) fprintf(head, "override %s\n", overrides.items[i]);
        fclose(head);
    }
    write_again(t);
}

void touches_add(touches *t, uint64_t step, const char *line) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 256;
        touch_line *item = realloc(t->item, capacity * sizeof *item);
        if (!item) return;
        t->item = item;
        t->capacity = capacity;
    }
    t->item[t->count] = (touch_line){step, strdup(line)};
    if (!t->item[t->count].text) return;
    t->count++;
    if (!t->file || t->failed) return;
    fprintf(t->file, "at %" PRIu64 " %s\n", step, line);
    t->failed = fflush(t->file) != 0 || ferror(t->file);
}

void touches_cut(touches *t, uint64_t step) {
    size_t count = t->count;
    while (count > 0 && t->item[count - 1].step >= step) count--;
    if (count == t->count) return;
    cut_to(t, count);
    write_again(t);
}

size_t touches_count(const touches *t) { return t->count; }
bool touches_failed(const touches *t) { return t->failed; }

bool touches_write(const touches *t, const char *path, char *why, size_t room) {
    FILE *file = fopen(path, "w");
    bool good = file && write_all(t, file);
    int reason = errno;
    if (file && fclose(file) != 0) good = false;
    if (!good) snprintf(why, room, "cannot write '%s': %s", path, strerror(reason));
    return good;
}

bool touches_to(touches *t, const char *path, char *why, size_t room) {
    snprintf(t->path, sizeof t->path, "%s", path);
    write_again(t);
    if (t->failed) snprintf(why, room, "cannot write '%s': %s", path, strerror(errno));
    return !t->failed;
}

// ---- Replay.

typedef struct replay {
    const char *path;
    FILE *file;
    unsigned line;
    char scene[PATH_MAX];
    const char **override;
    size_t overrides, compared;
    uint64_t last_step, last_hash;
    firn_world *world;
} replay;

static int wrong_line(const replay *r, const char *why) {
    return say_usage("%s:%u: %s", r->path, r->line, why);
}

static bool next_line(replay *r, char *line) {
    if (!fgets(line, LINE_ROOM, r->file)) return false;
    line[strcspn(line, "\n")] = 0;
    r->line++;
    return true;
}

static int open_world(replay *r) {
    if (r->world) return EXIT_DONE;
    if (!r->scene[0]) return wrong_line(r, "touches before the line 'scene PATH'");
    return say_status(firn_world_open_with(r->scene, (firn_overrides){r->override, r->overrides}, &r->world));
}

static int compare(replay *r, uint64_t step, const char *text) {
    uint64_t wanted = strtoull(text, NULL, 16);
    r->last_step = step;
    r->last_hash = firn_world_hash(r->world);
    r->compared++;
    if (r->last_hash == wanted) return EXIT_DONE;
    return say_failed("%s:%u: the state after step %" PRIu64 " has the hash %016" PRIx64
                      ", recorded was %016" PRIx64,
                      r->path, r->line, step, r->last_hash, wanted);
}

static int repeat(replay *r, const char *text) {
    char *rest, why[1024];
    uint64_t step = strtoull(text, &rest, 10);
    if (rest == text || *rest != ' ') return wrong_line(r, "wanted 'at STEP TOUCH'");
    rest++;
    int code = open_world(r);
    if (code != EXIT_DONE) return code;
    if (firn_world_steps(r->world) > step)
        return wrong_line(r, "this step is before that of the line before");
    while (firn_world_steps(r->world) < step) {
        if (interrupt_asked(NULL)) return EXIT_INTERRUPTED;
        firn_status status = firn_world_step(r->world);
        if (status != FIRN_OK) return say_status(status);
    }
    if (strncmp(rest, "hash ", 5) == 0) return compare(r, step, rest + 5);
    return touch_apply(r->world, rest, why, sizeof why) == FIRN_OK ? EXIT_DONE : wrong_line(r, why);
}

static int read_line(replay *r, const char *line) {
    if (line[0] == 0 || line[0] == '#') return EXIT_DONE;
    if (strncmp(line, "scene ", 6) == 0) {
        snprintf(r->scene, sizeof r->scene, "%s", line + 6);
        return EXIT_DONE;
    }
    if (strncmp(line, "override ", 9) == 0) {
        const char **more = realloc(r->override, (r->overrides + 1) * sizeof *more);
        char *copy = more ? strdup(line + 9) : NULL;
        if (more) r->override = more;
        if (!copy) return say_failed("out of memory while reading '%s'", r->path);
        r->override[r->overrides++] = copy;
        return EXIT_DONE;
    }
    if (strncmp(line, "at ", 3) == 0) return repeat(r, line + 3);
    return wrong_line(r, "wanted 'scene PATH', 'override KEY=VALUE' or 'at STEP TOUCH'");
}

static int read_all(replay *r) {
    char line[LINE_ROOM];
    if (!next_line(r, line) || strcmp(line, "firn touches 1") != 0)
        return wrong_line(r, "this is not a recording of touches: its first line must be 'firn touches 1'");
    int code = EXIT_DONE;
    while (code == EXIT_DONE && next_line(r, line)) code = read_line(r, line);
    if (code != EXIT_DONE) return code;
    code = open_world(r);
    if (code == EXIT_DONE && r->compared == 0) {
        r->last_step = firn_world_steps(r->world);
        r->last_hash = firn_world_hash(r->world);
    }
    return code;
}

int touches_replay(const char *path, bool json) {
    replay r = {.path = path, .file = fopen(path, "r")};
    if (!r.file) return say_usage("cannot read '%s': %s", path, strerror(errno));
    int code = read_all(&r);
    if (code == EXIT_DONE && json)
        printf("{\"event\": \"replayed\", \"step\": %" PRIu64 ", \"hash\": \"%016" PRIx64
               "\", \"compared\": %zu}\n",
               r.last_step, r.last_hash, r.compared);
    else if (code == EXIT_DONE)
        printf("step %" PRIu64 " hash %016" PRIx64 ", %zu compared\n", r.last_step, r.last_hash, r.compared);
    firn_world_close(r.world);
    fclose(r.file);
    for (size_t i = 0; i < r.overrides; i++) free((void *)r.override[i]);
    free(r.override);
    return code;
}
