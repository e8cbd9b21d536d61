// Opens a scene, lets it run for a moment, draws it, and keeps the picture as a PPM file, whose name has a
// hash of the scene's file and the version of firn.
#include "thumbs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <firn/firn.h>

#include "apps/command.h"
#include "thread.h"

static const double PATIENCE = 1.5; // s of wall time that a scene may run for

typedef struct thumb {
    size_t number;
    char path[PATH_MAX];
    uint8_t *rgba; // NULL: not made yet
    struct thumb *next;
} thumb;

struct thumbs {
    monitor *lock;
    worker *thread;
    void (*notify)(void *context);
    void *context;
    // Under the lock.
    bool quit, forget;
    thumb *wanted, *ready;
    // Of the thread.
    char folder[PATH_MAX - 64]; // "": there is none
};

enum { BYTES = 4 * THUMB_WIDTH * THUMB_HEIGHT };

static void free_list(thumb *t) {
    for (thumb *next; t; t = next) {
        next = t->next;
        free(t->rgba);
        free(t);
    }
}

static void append(thumb **list, thumb *t) {
    while (*list) list = &(*list)->next;
    *list = t;
}

// ---- Files.

static void find_folder(thumbs *t) {
    const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (given && given[0] == '/')
        snprintf(t->folder, sizeof t->folder, "%.3900s", given);
    else if (home && home[0] == '/')
        snprintf(t->folder, sizeof t->folder, "%.3900s/.cache", home);
    else
        return;
    mkdir(t->folder, 0700);
    strcat(t->folder, "/firn");
    if (mkdir(t->folder, 0700) != 0 && errno != EEXIST) t->folder[0] = 0;
}

static uint64_t mixed(uint64_t hash, const void *data, size_t bytes) { // FNV-1a
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const uint8_t *)data)[i]) * 1099511628211u;
    return hash;
}

static bool file_of(const thumbs *t, const char *path, char *out, size_t room) {
    struct stat status;
    if (!t->folder[0] || stat(path, &status) != 0) return false;
    const char *version = firn_version();
    uint64_t hash = mixed(14695981039346656037u, path, strlen(path));
    hash = mixed(hash, &status.st_mtim.tv_sec, sizeof status.st_mtim.tv_sec);
    hash = mixed(hash, &status.st_size, sizeof status.st_size);
    hash = mixed(hash, version, strlen(version));
    snprintf(out, room, "%s/scene-%016" PRIx64 ".ppm", t->folder, hash);
    return true;
}

static bool read_file(const char *path, uint8_t *rgba) {
    FILE *file = fopen(path, "rb");
    int width = 0, height = 0;
    bool good = file && fscanf(file, "P6 %d %d 255", &width, &height) == 2 && fgetc(file) != EOF &&
                width == THUMB_WIDTH && height == THUMB_HEIGHT;
    for (size_t i = 0; i < BYTES && good; i += 4) {
        good = fread(rgba + i, 1, 3, file) == 3;
        rgba[i + 3] = 255;
    }
    if (file) fclose(file);
    return good;
}

// Another process may write the same one: whole or not at all. Not worth a message if it cannot be written.
static void write_file(const char *path, const uint8_t *rgba) {
    char part[PATH_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    if (!file) return;
    bool good = fprintf(file, "P6 %d %d 255\n", THUMB_WIDTH, THUMB_HEIGHT) > 0;
    for (size_t i = 0; i < BYTES && good; i += 4) good = fwrite(rgba + i, 1, 3, file) == 3;
    if (fclose(file) != 0 || !good || rename(part, path) != 0) remove(part);
}

// ---- Pictures.

static bool asked_to_stop(void *context) {
    thumbs *t = context;
    monitor_enter(t->lock);
    bool stop = t->quit || t->forget;
    monitor_leave(t->lock);
    return stop;
}

// Up to a third of its duration, since at the start most scenes show nothing of what they are about.
static firn_status run_a_moment(thumbs *t, firn_world *world) {
    double begun = seconds_now(), end = firn_world_duration(world) / 3;
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && firn_world_time(world) < end && seconds_now() - begun < PATIENCE) {
        status = firn_world_step(world);
        if (asked_to_stop(t)) status = FIRN_INTERRUPTED;
    }
    return status;
}

static firn_status make(thumbs *t, const char *path, uint8_t *rgba) {
    static const char *const looks[] = {"picture.labels=no", "picture.samples=2"};
    firn_world *world = NULL;
    firn_renderer *renderer = NULL;
    firn_renderer_options o = firn_renderer_options_default();
    o.scene = path;
    o.overrides = (firn_overrides){looks, 2};
    o.width = THUMB_WIDTH;
    o.height = THUMB_HEIGHT;
    firn_status status = firn_world_open(path, &world);
    if (status == FIRN_OK) status = run_a_moment(t, world);
    if (status == FIRN_OK) status = firn_renderer_open(world, &o, &renderer);
    if (status == FIRN_OK) status = firn_renderer_draw(renderer, NULL, rgba, 0);
    firn_renderer_close(renderer);
    firn_world_close(world);
    return status;
}

// One that cannot be made stays as it is: black.
static bool fill(thumbs *t, thumb *one) {
    char file[PATH_MAX];
    bool kept = file_of(t, one->path, file, sizeof file);
    one->rgba = calloc(1, BYTES);
    if (!one->rgba || (kept && read_file(file, one->rgba))) return one->rgba != NULL;
    firn_status status = make(t, one->path, one->rgba);
    if (status == FIRN_OK && kept) write_file(file, one->rgba);
    return status != FIRN_INTERRUPTED;
}

static void work(void *context) {
    thumbs *t = context;
    firn_set_stop(asked_to_stop, t);
    for (;;) {
        monitor_enter(t->lock);
        while (!t->wanted && !t->quit) monitor_wait(t->lock, 10);
        thumb *one = t->wanted;
        bool quit = t->quit;
        if (!quit) {
            t->wanted = one->next;
            t->forget = false;
        }
        monitor_leave(t->lock);
        if (quit) return;
        one->next = NULL;
        bool good = fill(t, one);
        monitor_enter(t->lock);
        if (good) append(&t->ready, one);
        monitor_leave(t->lock);
        if (!good) free_list(one);
        t->notify(t->context);
    }
}

// ---- The window's side.

thumbs *thumbs_start(void (*notify)(void *context), void *context) {
    thumbs *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (thumbs){.lock = monitor_create(), .notify = notify, .context = context};
    find_folder(t);
    if (t->lock) t->thread = worker_start(work, t);
    if (t->thread) return t;
    thumbs_end(t);
    return NULL;
}

void thumbs_end(thumbs *t) {
    if (!t) return;
    if (t->thread) {
        monitor_enter(t->lock);
        t->quit = true;
        monitor_wake(t->lock);
        monitor_leave(t->lock);
        worker_join(t->thread);
    }
    free_list(t->wanted);
    free_list(t->ready);
    monitor_free(t->lock);
    free(t);
}

void thumbs_want(thumbs *t, size_t number, const char *path) {
    thumb *one = calloc(1, sizeof *one);
    if (!one) return;
    one->number = number;
    snprintf(one->path, sizeof one->path, "%s", path);
    monitor_enter(t->lock);
    append(&t->wanted, one);
    monitor_wake(t->lock);
    monitor_leave(t->lock);
}

void thumbs_forget(thumbs *t) {
    monitor_enter(t->lock);
    thumb *all = t->wanted;
    t->wanted = NULL;
    t->forget = true;
    monitor_leave(t->lock);
    free_list(all);
}

uint8_t *thumbs_next(thumbs *t, size_t *number) {
    monitor_enter(t->lock);
    thumb *one = t->ready;
    if (one) t->ready = one->next;
    monitor_leave(t->lock);
    if (!one) return NULL;
    uint8_t *rgba = one->rgba;
    *number = one->number;
    free(one);
    return rgba;
}
