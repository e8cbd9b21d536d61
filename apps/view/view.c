// The window's loop and what its panels, keys and scripts do.
#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "apps/command.h"

enum { KEPT_BYTES = 768 << 20 };

void view_say(view *v, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(v->message, sizeof v->message, format, list);
    va_end(list);
}

// ---- Scenes.

static void note_modified(view *v) {
    struct stat status;
    if (stat(v->scene, &status) == 0) v->modified = status.st_mtim;
}

void view_open(view *v, const char *path, bool run) {
    compare_end(v);
    snprintf(v->scene, sizeof v->scene, "%s", path);
    v->run = run;
    v->camera_name[0] = 0;
    v->camera_known = v->by_hand = false;
    v->camera = (firn_camera){0};
    v->looks = v->own_looks = v->keys = 0;
    v->color = 0;
    v->index = run ? 0 : -1;
    v->playing_run = run;
    v->run_time = 0;
    v->message[0] = 0;
    v->pending_count = 0;
    v->show_chooser = false;
    chooser_leave(v);
    v->made = 0;
    v->mesh[0] = 0;
    v->steer_body[0] = 0;
    snprintf(v->config.scene, sizeof v->config.scene, "%s", path);
    note_modified(v);
    char title[256];
    const char *slash = strrchr(path, '/');
    snprintf(title, sizeof title, "%.200s - firn", slash ? slash + 1 : path);
    gui_title(v->gui, title);
    bool first = strcmp(path, v->options.path ? v->options.path : "") == 0;
    if (run)
        drawer_open_run(v->drawer, path);
    else
        drawer_open(v->drawer, path, first ? v->options.set : (firn_overrides){0}, true, !v->options.script);
    if (v->width) camera_send(v);
}

// All that differs from the file: live changes, what the command line gave, and what waits for a restart.
static char **changes(const view *v, size_t *count) {
    char **item = calloc(v->settings.count + v->pending_count + 1, sizeof *item);
    char yaml[SETTING_YAML];
    *count = 0;
    for (size_t i = 0; item && i < v->settings.count; i++) {
        const setting *s = &v->settings.item[i];
        if (!setting_changed(s) || s->added || view_pending(v, s->name)) continue;
        if (asprintf(&item[*count], "%s=%s", s->name, setting_yaml(s, s->text, yaml)) >= 0) (*count)++;
    }
    for (size_t i = 0; item && i < v->pending_count; i++) {
        const pending *p = &v->pending[i];
        const setting *s = settings_find(&v->settings, p->name);
        if (s && s->base[0] && strcmp(s->base, p->text) == 0) continue; // back to what the file says
        const char *text = s ? setting_yaml(s, p->text, yaml) : p->text;
        if (asprintf(&item[*count], "%s=%s", p->name, text) >= 0) (*count)++;
    }
    return item;
}

// What waits is no longer needed when the next world opens; if it cannot be opened, it waits on.
static void send_pending(view *v) {
    for (size_t i = 0; i < v->pending_count; i++) v->pending[i].sent = true;
}

static void drop_sent(view *v) {
    size_t left = 0;
    for (size_t i = 0; i < v->pending_count; i++)
        if (!v->pending[i].sent) v->pending[left++] = v->pending[i];
    v->pending_count = left;
}

void view_restart(view *v) {
    if (v->run) {
        view_show(v, 0);
        return;
    }
    size_t count;
    bool play = v->now.phase == SIM_RUNNING;
    char **item = changes(v, &count);
    drawer_open(v->drawer, v->scene, (firn_overrides){(const char *const *)item, count}, false, play);
    for (size_t i = 0; i < count; i++) free(item[i]);
    free(item);
    v->index = -1;
    send_pending(v);
    compare_restart(v);
    camera_send(v);
}

const pending *view_pending(const view *v, const char *name) {
    for (size_t i = 0; i < v->pending_count; i++)
        if (strcmp(v->pending[i].name, name) == 0) return &v->pending[i];
    return NULL;
}

void view_set(view *v, const char *name, const char *value) {
    const setting *s = settings_find(&v->settings, name);
    if (!s) {
        view_say(v, "this world has no parameter '%s'", name);
        return;
    }
    if (s->row->live) {
        sim_do(v->sim, "touch set %s %s", name, value);
        return;
    }
    pending *p = (pending *)view_pending(v, name);
    if (!p) {
        pending *more = realloc(v->pending, (v->pending_count + 1) * sizeof *more);
        if (!more) return;
        v->pending = more;
        p = &v->pending[v->pending_count++];
    }
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->text, sizeof p->text, "%s", value);
    p->sent = false;
}

void view_reset(view *v, const char *name) {
    const setting *s = settings_find(&v->settings, name);
    const pending *p = view_pending(v, name);
    if (p) v->pending[p - v->pending] = v->pending[--v->pending_count];
    if (s && s->base[0] && setting_changed(s)) view_set(v, name, s->base);
}

bool view_opening(const view *v) {
    return v->shown.opening || (!v->shown.run && v->shown.generation != v->now.generation);
}

// A scene that changes on disk is read again; if it is wrong, the world stays as it is.
static void watch_file(view *v) {
    struct stat status;
    double now = seconds_now();
    if (v->run || !v->scene[0] || now - v->looked < 0.5) return;
    v->looked = now;
    if (stat(v->scene, &status) != 0) return;
    bool same = status.st_mtim.tv_sec == v->modified.tv_sec && status.st_mtim.tv_nsec == v->modified.tv_nsec;
    if (same || view_opening(v)) return;
    v->modified = status.st_mtim;
    send_pending(v);
    drawer_open(v->drawer, v->scene, (firn_overrides){0}, true, v->now.phase == SIM_RUNNING);
}

// ---- Results.

bool view_save_picture(view *v, const char *path) {
    const picture *p = &v->picture;
    if (!p->rgba) return false;
    bool good = firn_picture_write(path, p->width, p->height, p->rgba, 0) == FIRN_OK;
    view_say(v, good ? "Saved %s" : "%s", good ? path : firn_last_error());
    return good;
}

void view_screenshot(view *v, const char *path) {
    v->shoot = true;
    snprintf(v->shot, sizeof v->shot, "%s", path);
}

static void shoot(view *v) {
    int width, height;
    uint8_t *pixels = gui_screenshot(v->gui, &width, &height);
    v->shoot = false;
    if (!pixels || firn_picture_write(v->shot, width, height, pixels, 0) != FIRN_OK) {
        view_say(v, "cannot write '%s': %s", v->shot, pixels ? firn_last_error() : "out of memory");
        if (v->options.script) v->code = EXIT_FAILED;
    }
    free(pixels);
}

bool view_film(view *v, const char *path) {
    const double fps = 12;
    bool good = !v->film && firn_movie_open(path, v->width & ~1, v->height & ~1, fps, &v->film) == FIRN_OK;
    if (!good) view_say(v, "%s", v->film ? "another film is not finished" : firn_last_error());
    return good;
}

bool view_film_end(view *v) {
    firn_movie *film = v->film;
    v->film = NULL;
    return film && firn_movie_close(film, true) == FIRN_OK;
}

static void add_to_film(view *v) {
    int width, height;
    uint8_t *pixels = gui_screenshot(v->gui, &width, &height);
    bool good = pixels && firn_movie_add(v->film, pixels, 4 * (size_t)width) == FIRN_OK;
    v->film_frame = false;
    free(pixels);
    if (good) return;
    view_say(v, "%s", pixels ? firn_last_error() : "out of memory");
    v->code = EXIT_FAILED;
}

// ---- Time.

void view_play(view *v, bool play) {
    if (v->run) {
        v->playing_run = play;
        v->run_time = seconds_now();
        return;
    }
    if (play && v->index >= 0) view_show(v, -1);
    view_do(v, play ? "play" : "pause");
}

void view_do(view *v, const char *format, ...) {
    char order[256];
    va_list list;
    va_start(list, format);
    vsnprintf(order, sizeof order, format, list);
    va_end(list);
    sim_do(v->sim, "%s", order);
    compare_do(v, order);
}

size_t view_frame_count(const view *v) {
    return v->run ? v->shown.run_frames : frames_now(sim_frames(v->sim)).count;
}

void view_show(view *v, long index) {
    size_t count = view_frame_count(v);
    if (index >= (long)count) index = (long)count - 1;
    v->index = index < 0 && v->run ? 0 : index;
    drawer_show(v->drawer, v->index);
}

// A run plays at 30 frames per second, or as fast as they can be drawn.
static void play_run(view *v) {
    double now = seconds_now();
    size_t count = view_frame_count(v);
    if (!v->run || !v->playing_run || count == 0 || now - v->run_time < 1.0 / 30) return;
    v->run_time = now;
    if (v->index + 1 < (long)count) view_show(v, v->index + 1);
}

void view_movie(view *v, const char *path) {
    char *track = keys_track(v);
    drawer_movie(v->drawer, path, 30, track);
    free(track);
}

// ---- The loop.

static void on_sim(void *context) {
    view *v = context;
    if (v->drawer) drawer_wake(v->drawer);
    gui_wake();
}

static void on_drawer(void *context) {
    (void)context;
    gui_wake();
}

// Nothing was opened yet, and what the command line names cannot be: there is nothing to look at.
static void refuse_first(view *v) {
    if (v->shown.messages == 0 || v->shown.generation > 0 || !v->options.path || v->shown.opening) return;
    v->code = say_report(FIRN_BAD_INPUT, v->shown.message);
    v->quit = true;
}

static void take_messages(view *v) {
    if (v->now.record_failed && !v->record_failed)
        view_say(v, "cannot write '%s': the recording ends here", v->options.record);
    v->record_failed = v->now.record_failed;
    proper_status p = proper_now(v->proper);
    if (p.finished != v->rendered) view_say(v, "%s", p.message);
    v->rendered = p.finished;
    if (v->now.messages != v->sim_messages) view_say(v, "%s", v->now.message);
    if (v->shown.messages != v->drawer_messages) view_say(v, "%s", v->shown.message);
    v->sim_messages = v->now.messages;
    v->drawer_messages = v->shown.messages;
}

static void take_news(view *v) {
    v->now = sim_now(v->sim);
    v->shown = drawer_now(v->drawer);
    if (v->shown.generation != v->looks_sent) { // another world begins without
        drop_sent(v);
        v->message[0] = 0; // what was wrong before
        view_send_looks(v);
    }
    v->looks_sent = v->shown.generation;
    v->picked = drawer_picked(v->drawer);
    pick_log_take(&v->log, &v->picked);
    take_messages(v);
    refuse_first(v);
    if (!v->run) sim_settings(v->sim, &v->settings);
    if (drawer_take(v->drawer, &v->picture)) {
        gui_picture(v->gui, v->picture.rgba, v->picture.width, v->picture.height);
        v->pictures++;
        if (!v->by_hand) { // where a hand would begin to move it
            v->camera = v->picture.camera;
            v->camera_known = true;
        }
    }
    compare_take(v);
    int width, height;
    gui_size(v->gui, &width, &height);
    if (width == v->width && height == v->height) return;
    v->width = width;
    v->height = height;
    camera_send(v);
}

static void show_panels(view *v) {
    if (v->show_chooser) panel_chooser(v);
    panel_message(v);
    if (v->show_help) panel_help(v);
    if (v->hide_all || !v->scene[0]) return;
    panel_time(v);
    panel_looks(v);
    panel_compare(v);
    panel_mesh(v);
    panel_pbd(v);
    if (v->config.parameters && !v->run) panel_parameters(v);
    if (v->config.plots && !v->run) panel_plots(v);
    if (v->now.wind && !v->run) panel_wind(v);
}

static void loop(view *v) {
    measure_begin(v);
    while (!v->quit) {
        gui_wait(v->gui,
                 v->script || v->playing_run || v->key_moves ? 1.0 / 60 : 0.1); // new pictures end the wait
        double begun = seconds_now(), used = measure_processor();
        uint64_t pictures = v->pictures;
        if (!gui_begin(v->gui)) v->quit = true;
        if (interrupt_asked(NULL)) {
            v->quit = true;
            v->code = EXIT_INTERRUPTED;
        }
        take_news(v);
        if (v->script) script_advance(v->script, v);
        const char *dropped = gui_dropped(v->gui);
        if (dropped) view_drop(v, dropped);
        input_handle(v);
        watch_file(v);
        play_run(v);
        show_panels(v);
        gui_end(v->gui);
        measure_frame(v, seconds_now() - begun, measure_processor() - used);
        measure_motion(v, v->pictures - pictures, begun);
        if (v->shoot) shoot(v);
        if (v->film && v->film_frame) add_to_film(v);
    }
}

void view_quit(view *v) { v->quit = true; }

static int start(view *v) {
    char why[512];
    const view_options *o = &v->options;
    config_read(&v->config);
    if (o->script && !(v->script = script_read(o->script, why, sizeof why))) return say_usage("%s", why);
    gui_options window = {.title = "firn",
                          .width = o->width ? o->width : 1280,
                          .height = o->height ? o->height : 720,
                          .layout = v->config.layout[0] && !o->script ? v->config.layout : NULL,
                          .scale = v->config.scale,
                          .light = v->config.light};
    v->gui = gui_open(&window, why, sizeof why);
    if (!v->gui) return say_failed("%s", why);
    v->sim = sim_start(KEPT_BYTES, on_sim, v);
    v->drawer = v->sim ? drawer_start(v->sim, on_drawer, v) : NULL;
    v->proper = v->sim ? proper_create(sim_frames(v->sim), on_drawer, v) : NULL;
    v->thumbs = thumbs_start(on_drawer, v);
    return v->drawer && v->proper && v->thumbs ? EXIT_DONE
                                               : say_failed("out of memory while starting the viewer");
}

static void stop(view *v) {
    firn_movie_close(v->film, false);
    thumbs_end(v->thumbs);
    proper_free(v->proper);
    if (v->sim && !v->run) sim_do(v->sim, "hash"); // the recording ends with it
    compare_stop(v);
    sim_stop(v->sim); // it wakes the drawing thread, which reads its states
    drawer_end(v->drawer);
    if (v->sim && sim_now(v->sim).record_failed) v->code = say_failed("cannot write '%s'", v->options.record);
    sim_end(v->sim);
    gui_close(v->gui);
    config_write(&v->config);
    script_free(v->script);
    settings_free(&v->settings);
    free(v->picture.rgba);
    free(v->pending);
    free(v->choice);
}

int view_main(const view_options *options) {
    view *v = calloc(1, sizeof *v);
    if (!v) return say_failed("out of memory while starting the viewer");
    *v = (view){.options = *options,
                .index = -1,
                .ball_radius = 0.1,
                .ball_speed = 8,
                .brush = 0.3,
                .steer_speed = 2,
                .torch = 40,
                .marks = MARK_PREVIEW};
    v->code = start(v);
    if (v->code == EXIT_DONE) {
        if (options->record) sim_do(v->sim, "record %s", options->record);
        if (options->path)
            view_open(v, options->path, options->run);
        else
            v->show_chooser = true;
        loop(v);
        if (options->measure) measure_report(v);
    }
    int code = v->code;
    stop(v);
    code = v->code != EXIT_DONE ? v->code : code;
    free(v);
    return code;
}
