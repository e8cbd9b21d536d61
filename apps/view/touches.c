// Recordings of touches: a text file with the scene, its overrides and a line per touch.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void touches_cut(touches *t, size_t count) {
    if (count >= t->count) return;
    cut_to(t, count);
    write_again(t);
}

bool touches_keep(const touches *t, char *why, size_t room) {
    char path[PATH_MAX + 16];
    if (!t->path[0]) return true;
    for (unsigned number = 1; number < 1000; number++) {
        snprintf(path, sizeof path, "%s.%u", t->path, number);
        if (access(path, F_OK) != 0) return touches_write(t, path, why, room);
    }
    snprintf(why, room, "there are 999 recordings beside '%s' already", t->path);
    return false;
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
