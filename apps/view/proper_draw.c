// The drawing process: reads a job, opens the scene or run, loads each state and draws it. Prints its
// progress.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/command.h"
#include "proper.h"

enum { ITEMS = 64, LINE = 1 << 16 };

// A job is text, one line for each: "scene FILE" or "run FOLDER"; "set NAME=VALUE" of the scene, "look
// NAME=VALUE" of the picture; "size W H"; "quality draft|final"; "fps N"; "camera NAME" or "view FROM TO
// LENS"; "output FILE"; then "state FILE" or "frame INDEX", one or, for a movie, many; none: the scene's
// start.
typedef struct job {
    char *scene, *run, *output, *camera_name;
    const char *set[ITEMS], *look[ITEMS];
    size_t sets, looks;
    char **shown; // lines of states or frames
    size_t count, drawn;
    firn_camera camera;
    bool by_hand;
    int width, height;
    double fps;
    firn_quality quality;
    char *text; // that all the above is part of
    firn_world *world;
    firn_player *player;
    firn_renderer *renderer;
    uint8_t *pixels;
} job;

static bool read_line(job *j, char *line) {
    char *value = strchr(line, ' ');
    if (!value) return false;
    *value++ = 0;
    double n[7];
    if (strcmp(line, "scene") == 0) return j->scene = value, true;
    if (strcmp(line, "run") == 0) return j->run = value, true;
    if (strcmp(line, "output") == 0) return j->output = value, true;
    if (strcmp(line, "camera") == 0) return j->camera_name = value, true;
    if (strcmp(line, "set") == 0 && j->sets < ITEMS) return j->set[j->sets++] = value, true;
    if (strcmp(line, "look") == 0 && j->looks < ITEMS) return j->look[j->looks++] = value, true;
    if (strcmp(line, "size") == 0) return sscanf(value, "%d %d", &j->width, &j->height) == 2;
    if (strcmp(line, "fps") == 0) return (j->fps = strtod(value, NULL)) > 0;
    if (strcmp(line, "quality") == 0) {
        j->quality = strcmp(value, "final") == 0 ? FIRN_QUALITY_FINAL : FIRN_QUALITY_DRAFT;
        return true;
    }
    if (strcmp(line, "view") == 0) {
        j->by_hand = sscanf(value, "%lf %lf %lf %lf %lf %lf %lf", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5],
                            &n[6]) == 7;
        j->camera = (firn_camera){.from = {n[0], n[1], n[2]}, .to = {n[3], n[4], n[5]}, .lens = n[6]};
        return j->by_hand;
    }
    if (strcmp(line, "state") != 0 && strcmp(line, "frame") != 0) return false;
    char **more = realloc(j->shown, (j->count + 1) * sizeof *more);
    if (!more) return false;
    j->shown = more;
    j->shown[j->count++] = value;
    return true;
}

static bool read_job(job *j, const char *path) {
    FILE *file = fopen(path, "r");
    size_t length = 0, room = 0;
    bool good = file != NULL;
    while (good && !feof(file)) {
        if (room - length < LINE) {
            char *more = realloc(j->text, room += 4 * LINE);
            if (!more) break;
            j->text = more;
        }
        length += fread(j->text + length, 1, LINE - 1, file);
        good = !ferror(file);
    }
    if (file) fclose(file);
    if (!j->text) return false;
    j->text[length] = 0;
    char *rest = NULL;
    for (char *line = strtok_r(j->text, "\n", &rest); line && good; line = strtok_r(NULL, "\n", &rest))
        good = read_line(j, line);
    return good && j->output && (j->scene || j->run) && j->width > 0;
}

// ---- Drawing.

static void say_progress(void *context, double share, double eta) {
    const job *j = context;
    size_t all = j->count > 0 ? j->count : 1;
    printf("progress %.4f %.1f\n", ((double)j->drawn + share) / (double)all, eta);
    fflush(stdout);
}

static bool is_movie(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".png") != 0;
}

static firn_status load(job *j, size_t i) {
    if (i >= j->count) return FIRN_OK;
    return j->player ? firn_player_show(j->player, strtoull(j->shown[i], NULL, 10))
                     : firn_world_load_file(j->world, j->shown[i]);
}

static firn_status open_all(job *j) {
    char scene[4096 + 16];
    firn_status status;
    if (j->run) {
        status = firn_player_open(j->run, &j->player);
        if (status == FIRN_OK) status = load(j, 0);
        if (status == FIRN_OK) j->world = firn_player_world(j->player);
        snprintf(scene, sizeof scene, "%.4000s/scene.yaml", j->run);
    } else {
        status = firn_world_open_with(j->scene, (firn_overrides){j->set, j->sets}, &j->world);
        snprintf(scene, sizeof scene, "%.4000s", j->scene);
    }
    if (status != FIRN_OK) return status;
    firn_renderer_options o = firn_renderer_options_default();
    o.scene = scene;
    o.overrides = (firn_overrides){j->look, j->looks};
    o.width = j->width;
    o.height = j->height;
    o.quality = j->quality;
    o.progress = say_progress;
    o.context = j;
    return firn_renderer_open(j->world, &o, &j->renderer);
}

static firn_status draw_one(job *j, size_t i) {
    firn_camera named = {.name = j->camera_name};
    firn_status status = load(j, i);
    const firn_camera *camera = j->by_hand ? &j->camera : j->camera_name ? &named : NULL;
    return status == FIRN_OK ? firn_renderer_draw(j->renderer, camera, j->pixels, 0) : status;
}

static firn_status draw_all(job *j) {
    if (!is_movie(j->output)) {
        firn_status status = draw_one(j, 0);
        return status == FIRN_OK ? firn_picture_write(j->output, j->width, j->height, j->pixels, 0) : status;
    }
    firn_movie *movie = NULL;
    firn_status status = firn_movie_open(j->output, j->width, j->height, j->fps, &movie);
    for (; j->drawn < j->count && status == FIRN_OK; j->drawn++) {
        say_progress(j, 0, 0);
        status = draw_one(j, j->drawn);
        if (status == FIRN_OK) status = firn_movie_add(movie, j->pixels, 0);
    }
    firn_status closed = firn_movie_close(movie, status == FIRN_OK);
    return status == FIRN_OK ? closed : status;
}

int proper_draw(const char *path) {
    job j = {.fps = 30};
    int code = EXIT_DONE;
    if (nice(10) < 0) {
    } // the window comes first; if not, no harm is done
    if (!read_job(&j, path)) {
        code = say_usage("'%s' is not a job of the viewer", path);
    } else {
        j.pixels = malloc(4 * (size_t)j.width * (size_t)j.height);
        firn_status status = j.pixels ? open_all(&j) : FIRN_NO_MEMORY;
        if (status == FIRN_OK) status = draw_all(&j);
        if (status != FIRN_OK) code = say_report(status, firn_last_error());
    }
    firn_renderer_close(j.renderer);
    if (!j.player) firn_world_close(j.world);
    firn_player_close(j.player);
    free(j.pixels);
    free(j.shown);
    free(j.text);
    return code;
}
