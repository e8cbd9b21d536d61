// Repeats a recording of touches without a window: to compare the hashes in it, or as a run into a folder.
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "touch.h"

typedef struct replay_line {
    unsigned number; // in the file
    uint64_t step;
    char *text;
} replay_line;

typedef struct replay {
    progress bar; // first: the functions of a run get a pointer to both
    const char *path;
    char scene[PATH_MAX];
    const char **override;
    size_t overrides;
    replay_line *item;
    size_t count, next;
    uint64_t seen, last_step, last_hash; // seen: step of the world before
    size_t compared;
    int code; // what went wrong, and was said
} replay;

// ---- Reading.

static int wrong_line(const replay *r, unsigned line, const char *why) {
    return say_usage("%s:%u: %s", r->path, line, why);
}

static bool grow(void *list, size_t count, size_t size) {
    void *old, *more;
    memcpy(&old, list, sizeof old);
    if (!(more = realloc(old, (count + 1) * size))) return false;
    memcpy(list, &more, sizeof more);
    return true;
}

static int out_of_memory(const replay *r) { return say_failed("out of memory while reading '%s'", r->path); }

static int read_touch(replay *r, unsigned number, const char *text) {
    char *rest;
    uint64_t step = strtoull(text, &rest, 10);
    if (rest == text || *rest != ' ') return wrong_line(r, number, "wanted 'at STEP TOUCH'");
    if (!r->scene[0]) return wrong_line(r, number, "touches before the line 'scene PATH'");
    if (r->count > 0 && step < r->item[r->count - 1].step)
        return wrong_line(r, number, "this step is before that of the line before");
    if (!grow(&r->item, r->count, sizeof *r->item)) return out_of_memory(r);
    r->item[r->count] = (replay_line){number, step, strdup(rest + 1)};
    return r->item[r->count++].text ? EXIT_DONE : out_of_memory(r);
}

static int read_line(replay *r, unsigned number, const char *line) {
    if (line[0] == 0 || line[0] == '#') return EXIT_DONE;
    if (strncmp(line, "at ", 3) == 0) return read_touch(r, number, line + 3);
    if (strncmp(line, "scene ", 6) == 0) {
        if (strlen(line + 6) >= sizeof r->scene) return wrong_line(r, number, "this path is too long");
        memcpy(r->scene, line + 6, strlen(line + 6) + 1);
        return EXIT_DONE;
    }
    if (strncmp(line, "override ", 9) != 0)
        return wrong_line(r, number, "wanted 'scene PATH', 'override KEY=VALUE' or 'at STEP TOUCH'");
    if (!grow(&r->override, r->overrides, sizeof *r->override)) return out_of_memory(r);
    r->override[r->overrides] = strdup(line + 9);
    return r->override[r->overrides++] ? EXIT_DONE : out_of_memory(r);
}

static int read_all(replay *r, FILE *file) {
    char *line = NULL;
    size_t room = 0;
    int code = EXIT_DONE;
    for (unsigned number = 1; code == EXIT_DONE && getline(&line, &room, file) >= 0; number++) {
        line[strcspn(line, "\n")] = 0;
        if (number > 1)
            code = read_line(r, number, line);
        else if (strcmp(line, "firn touches 1") != 0)
            code = wrong_line(r, 1,
                              "this is not a recording of touches: its first line must be 'firn touches 1'");
    }
    free(line);
    if (code == EXIT_DONE && !r->scene[0]) code = wrong_line(r, 1, "this recording names no scene");
    return code;
}

// ---- Doing.

static int compare(replay *r, const replay_line *l, const firn_world *world) {
    uint64_t wanted = strtoull(l->text + 5, NULL, 16);
    r->last_step = l->step;
    r->last_hash = firn_world_hash(world);
    r->compared++;
    if (r->last_hash == wanted) return EXIT_DONE;
    return say_failed("%s:%u: the state after step %" PRIu64 " has the hash %016" PRIx64
                      ", recorded was %016" PRIx64,
                      r->path, l->number, l->step, r->last_hash, wanted);
}

static int repeat(replay *r, const replay_line *l, firn_world *world) {
    char why[1024];
    if (strncmp(l->text, "hash ", 5) == 0) return compare(r, l, world);
    return touch_apply(world, l->text, why, sizeof why) == FIRN_OK ? EXIT_DONE
                                                                   : wrong_line(r, l->number, why);
}

// What was recorded before this step of the world. A run may go back, and a world that was loaded has what
// came before.
static int repeat_now(replay *r, firn_world *world) {
    uint64_t step = firn_world_steps(world);
    if (step < r->seen) r->next = 0;
    r->seen = step;
    while (r->next < r->count && r->item[r->next].step < step) r->next++;
    for (; r->code == EXIT_DONE && r->next < r->count && r->item[r->next].step == step; r->next++)
        r->code = repeat(r, &r->item[r->next], world);
    return r->code;
}

static int repeat_all(replay *r, bool json) {
    firn_world *world;
    int code =
        say_status(firn_world_open_with(r->scene, (firn_overrides){r->override, r->overrides}, &world));
    if (code != EXIT_DONE) return code;
    while ((code = repeat_now(r, world)) == EXIT_DONE && r->next < r->count) {
        if (interrupt_asked(NULL))
            code = EXIT_INTERRUPTED;
        else
            code = say_status(firn_world_step(world));
        if (code != EXIT_DONE) break;
    }
    if (code == EXIT_DONE && r->compared == 0) {
        r->last_step = firn_world_steps(world);
        r->last_hash = firn_world_hash(world);
    }
    firn_world_close(world);
    if (code == EXIT_DONE && json)
        printf("{\"event\": \"replayed\", \"step\": %" PRIu64 ", \"hash\": \"%016" PRIx64
               "\", \"compared\": %zu}\n",
               r->last_step, r->last_hash, r->compared);
    else if (code == EXIT_DONE)
        printf("step %" PRIu64 " hash %016" PRIx64 ", %zu compared\n", r->last_step, r->last_hash,
               r->compared);
    return code;
}

static firn_status before_step(void *context, firn_world *world) {
    return repeat_now(context, world) == EXIT_DONE ? FIRN_OK : FIRN_BAD_INPUT;
}

static int run_all(replay *r, const arguments *given) {
    progress_start(&r->bar, "run", given);
    firn_run_options o = firn_run_options_default();
    o.scene = r->scene;
    o.folder = given->output;
    o.overrides = (firn_overrides){r->override, r->overrides};
    o.frames = given->frames;
    o.force = given->force;
    o.progress = progress_run;
    o.stop = progress_stop;
    o.before_step = before_step;
    o.context = r;
    firn_status status = firn_run(&o);
    progress_end(&r->bar);
    if (r->code != EXIT_DONE) return r->code;
    if (status == FIRN_INTERRUPTED) return EXIT_INTERRUPTED;
    if (status != FIRN_OK) return say_status(status);
    if (r->next < r->count && r->seen > 0)
        say_note("%zu touches came after the last frame; --frames makes the run longer", r->count - r->next);
    say_note("done; 'firn render %s -o movie.mp4' draws it", given->output);
    return EXIT_DONE;
}

int touches_replay(const arguments *given) {
    replay r = {.path = given->replay};
    FILE *file = fopen(r.path, "r");
    if (!file) return say_usage("cannot read '%s': %s", r.path, strerror(errno));
    int code = read_all(&r, file);
    fclose(file);
    if (code == EXIT_DONE && given->output) code = output_folder_check(given->output);
    if (code == EXIT_DONE) code = given->output ? run_all(&r, given) : repeat_all(&r, given->json);
    for (size_t i = 0; i < r.overrides; i++) free((void *)r.override[i]);
    for (size_t i = 0; i < r.count; i++) free(r.item[i].text);
    free(r.override);
    free(r.item);
    return code;
}
