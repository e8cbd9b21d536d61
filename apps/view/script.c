// Scripts: one command per line, done in order, each when the one before it is done.
#include "script.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "view.h"

enum { EVENTS = 64 };
#define PATIENCE 120 // s that a command other than wait and monkey may take

// Played input, one per frame of the window.
typedef struct event {
    double x, y, wheel;
    unsigned buttons;
    int key;
} event;

typedef struct line {
    unsigned number;
    char *text;
} line;

struct script {
    char path[PATH_MAX];
    line *item;
    size_t count, next;
    event event[EVENTS];
    size_t first, events;
    double started; // of the present command; 0: it has not begun
    unsigned count_before;
    double x, y; // of the pointer
    uint32_t random;
    bool typing;     // the monkey does
    double patience; // s
};

typedef enum done { DONE, WAIT, WRONG } done;
typedef struct verb {
    const char *name;
    size_t numbers; // that it needs
    done (*act)(script *s, view *v, const char *rest, const double *n);
} verb;

// ---- Input.

static const char *after_verb(const char *text) {
    const char *rest = text + strcspn(text, " ");
    return rest + strspn(rest, " ");
}

static void play(script *s, event e) {
    if (s->events == EVENTS) return;
    s->event[(s->first + s->events++) % EVENTS] = e;
    s->x = e.x;
    s->y = e.y;
}

static done press_key(script *s, view *v, const char *rest, const double *n) {
    (void)n, (void)v;
    int key = gui_key_code(rest);
    if (key == 0) return WRONG;
    play(s, (event){.x = s->x, .y = s->y, .key = key});
    play(s, (event){.x = s->x, .y = s->y});
    return DONE;
}

static void click_at(script *s, double x, double y) {
    play(s, (event){.x = x, .y = y});
    play(s, (event){.x = x, .y = y, .buttons = 1});
    play(s, (event){.x = x, .y = y});
    play(s, (event){.x = x, .y = y});
}

static done click(script *s, view *v, const char *rest, const double *n) {
    (void)n;
    double x, y;
    if (!gui_find(v->gui, rest, &x, &y)) return WAIT;
    click_at(s, x, y);
    return DONE;
}

// The pointer goes there and stays.
static done hover(script *s, view *v, const char *rest, const double *n) {
    (void)n;
    double x, y;
    if (!gui_find(v->gui, rest, &x, &y)) return WAIT;
    for (int i = 0; i < 3; i++) play(s, (event){.x = x, .y = y});
    return DONE;
}

static done click_pixel(script *s, view *v, const char *rest, const double *n) {
    (void)v, (void)rest;
    click_at(s, n[0], n[1]);
    return DONE;
}

static done drag_pointer(script *s, view *v, const char *rest, const double *n) {
    (void)v;
    unsigned button = strstr(rest, "right") ? 2 : strstr(rest, "middle") ? 4 : 1;
    const int steps = 20;
    play(s, (event){.x = n[0], .y = n[1]});
    for (int i = 0; i <= steps; i++) {
        double f = (double)i / steps;
        play(s, (event){.x = n[0] + f * (n[2] - n[0]), .y = n[1] + f * (n[3] - n[1]), .buttons = button});
    }
    play(s, (event){.x = n[2], .y = n[3]});
    return DONE;
}

// The button stays down for that many seconds at the end.
static done hold(script *s, view *v, const char *rest, const double *n) {
    (void)rest;
    gui_play_mouse(v->gui, n[0], n[1], 1, 0);
    s->x = n[0];
    s->y = n[1];
    return seconds_now() - s->started < n[2] ? WAIT : (play(s, (event){.x = n[0], .y = n[1]}), DONE);
}

// A key stays down for that many seconds: "hold-key 1.5 w".
static done hold_key(script *s, view *v, const char *rest, const double *n) {
    int key = gui_key_code(after_verb(rest));
    if (key == 0) return WRONG;
    if (seconds_now() - s->started < n[0]) {
        gui_play_key(v->gui, key);
        return WAIT;
    }
    play(s, (event){.x = s->x, .y = s->y});
    return DONE;
}

static done scroll(script *s, view *v, const char *rest, const double *n) {
    (void)rest;
    play(s, (event){.x = 0.5 * v->width, .y = 0.5 * v->height, .wheel = n[0]});
    play(s, (event){.x = 0.5 * v->width, .y = 0.5 * v->height});
    return DONE;
}

static done type_text(script *s, view *v, const char *rest, const double *n) {
    (void)n;
    gui_play_text(v->gui, rest);
    for (int i = 0; i < 3; i++) play(s, (event){.x = s->x, .y = s->y}); // the window changes with it
    return DONE;
}

static uint32_t random_number(script *s) { // xorshift
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return s->random;
}

// Random keys, clicks, drags, texts and turns of the wheel; no keys that write files.
static done monkey(script *s, view *v, const char *rest, const double *n) {
    (void)rest;
    static const char *const keys[] = {"space", ".",    "r", "left", "right", "end", "b",  "plus",  "minus",
                                       "c",     "home", "1", "2",    "3",     "4",   "5",  "6",     "7",
                                       "8",     "9",    "w", "a",    "s",     "d",   "e",  "q",     "g",
                                       "o",     "tab",  "?", "k",    "z",     "x",   "f1", "enter", "escape"};
    static const char *const texts[] = {"0", "-1", "5 cm", "1e9", "nan", "[0, 1, 0]", "\xc3\xa4 %s", "young"};
    if (s->count_before++ == 0) s->random = 2654435769u * ((uint32_t)n[1] + 1) | 1;
    if (seconds_now() - s->started > n[0]) return DONE;
    if (s->typing) {
        s->typing = false;
        type_text(s, v, texts[random_number(s) % (sizeof texts / sizeof *texts)], n);
        press_key(s, v, "enter", n);
        return WAIT;
    }
    double x = random_number(s) % (unsigned)v->width, y = random_number(s) % (unsigned)v->height;
    const double to[4] = {x, y, random_number(s) % (unsigned)v->width,
                          random_number(s) % (unsigned)v->height};
    switch (random_number(s) % 5) {
    case 3:
        click_at(s, x, y);
        s->typing = true; // into the field that has the keyboard then, if it is one
        break;
    case 0: press_key(s, v, keys[random_number(s) % (sizeof keys / sizeof *keys)], n); break;
    case 1: click_at(s, x, y); break;
    case 2: drag_pointer(s, v, random_number(s) % 2 ? "right" : "", to); break;
    default: play(s, (event){.x = x, .y = y, .wheel = (double)(random_number(s) % 7) - 3});
    }
    return WAIT;
}

// ---- Waiting.

static done wait_seconds(script *s, view *v, const char *rest, const double *n) {
    (void)v, (void)rest;
    return seconds_now() - s->started < n[0] ? WAIT : DONE;
}

static done patience(script *s, view *v, const char *rest, const double *n) {
    (void)v, (void)rest;
    s->patience = n[0];
    return DONE;
}

static done wait_step(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    return (double)v->now.step < n[0] ? WAIT : DONE;
}

// Until so many more pictures are shown.
static done wait_pictures(script *s, view *v, const char *rest, const double *n) {
    (void)rest;
    if (s->count_before == 0) s->count_before = (unsigned)v->pictures + 1;
    return (double)(v->pictures + 1 - s->count_before) < n[0] ? WAIT : DONE;
}

// Until nothing moves: paused, and the picture is of full size and of the newest state.
static done wait_still(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    bool moving = !v->run && (v->now.phase == SIM_RUNNING || v->picture.step != v->now.step) && v->index < 0;
    const compare *c = &v->compare;
    bool other = c->on && (c->picture.draft || !c->picture.rgba || c->shown.asked != c->shown.served ||
                           (!c->run && v->index < 0 && c->picture.step != c->now.step));
    if (other) return WAIT;
    bool late = seconds_now() - s->started < 0.1 || v->shown.asked != v->shown.served;
    return moving || late || v->picture.draft || !v->picture.rgba ? WAIT : DONE;
}

// Until so many frames are kept, or are in the run.
static done wait_frames(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    return (double)view_frame_count(v) < n[0] ? WAIT : DONE;
}

// Until the list of scenes shows so many pictures.
static done wait_list(script *s, view *v, const char *rest, const double *n) {
    size_t shown = 0;
    (void)s, (void)rest;
    for (size_t i = 0; i < v->choices; i++) shown += v->choice[i].texture != 0;
    return (double)shown < n[0] ? WAIT : DONE;
}

static done wait_movie(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    return v->shown.movies == 0 || v->shown.movie >= 0 ? WAIT : DONE;
}

// ---- What the window does.

static done set_value(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    char name[512];
    const char *value = strchr(rest, ' ');
    if (!value) return WRONG;
    snprintf(name, sizeof name, "%.*s", (int)(value - rest), rest);
    view_set(v, name, value + 1);
    return DONE;
}

static done reset_value(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    view_reset(v, rest);
    return DONE;
}

static done touch(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    sim_do(v->sim, "touch %s", rest);
    return DONE;
}

static done set_wind(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    sim_do(v->sim, "touch wind %.17g %.17g", n[0], n[1]);
    return DONE;
}

static done play_world(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    view_play(v, true);
    return DONE;
}

static done pause_world(script *s, view *v, const char *rest, const double *n) {
    (void)rest, (void)n;
    if (s->count_before++ == 0) view_play(v, false);
    return v->now.phase == SIM_RUNNING && !v->run ? WAIT : DONE;
}

static done step_world(script *s, view *v, const char *rest, const double *n) {
    (void)rest;
    if (s->count_before == 0) {
        s->count_before = (unsigned)v->now.step + (unsigned)n[0];
        view_do(v, "step %.0f", n[0]);
    }
    const sim_status *other = v->compare.on ? &v->compare.now : NULL;
    bool on_its_way = v->now.step < s->count_before && v->now.phase != SIM_STOPPED;
    if (other && other->phase == SIM_RUNNING) return WAIT;
    return on_its_way || v->now.phase == SIM_RUNNING ? WAIT : DONE;
}

static done speed(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    view_do(v, "speed %.17g", n[0]);
    return DONE;
}

static done restart(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    view_restart(v);
    v->shown.opening = true;
    return DONE;
}

static done show_frame(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    v->playing_run = false;
    view_show(v, (long)n[0]);
    return DONE;
}

static done branch(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    if (v->index < 0) return WRONG;
    pick_log_cut(&v->log, v->picture.time);
    view_do(v, "branch %ld", v->index);
    view_show(v, -1);
    return DONE;
}

static done camera(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    camera_use(v, rest);
    return DONE;
}

static done color(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    view_color(v, strcmp(rest, "none") == 0 ? NULL : rest);
    return DONE;
}

static done look(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    char name[64];
    const char *value = strchr(rest, ' ');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, " "), rest);
    view_look(v, name, value ? value + 1 : NULL);
    return DONE;
}

// "mark neighbours", "mark grid off".
static done mark(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)fmin((double)strcspn(rest, " "), 31), rest);
    return view_mark(v, name, strcmp(after_verb(rest), "off") != 0) ? DONE : WRONG;
}

static done range(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    char low[32], high[32];
    snprintf(low, sizeof low, "%.9g", n[0]);
    snprintf(high, sizeof high, "%.9g", n[1]);
    view_range(v, low, high);
    return DONE;
}

static done brush(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest;
    v->brush = fmin(fmax(n[0], 0.02), 2);
    return DONE;
}

static done drop(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    view_drop(v, rest);
    v->shown = drawer_now(v->drawer); // it may have begun to open another scene
    return DONE;
}

// "key" adds one, "key delete N" and "key go N" take one of the list, counted from 1.
static done key(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    size_t index = strtoul(after_verb(rest), NULL, 10);
    if (!rest[0]) return keys_add(v), DONE;
    if (index < 1 || index > v->keys) return WRONG;
    if (strncmp(rest, "delete ", 7) == 0) return keys_delete(v, index - 1) ? DONE : WRONG;
    if (strncmp(rest, "go ", 3) == 0) return keys_go(v, index - 1), DONE;
    return WRONG;
}

// With a scene or run, without a path: with the scene as its file says; "compare end".
static done compare_with(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    if (strcmp(rest, "end") == 0) return compare_end(v), DONE;
    if (!compare_begin(v, rest)) return WRONG;
    v->shown.opening = true;
    v->compare.shown.opening = true;
    return DONE;
}

static done tool(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    for (int i = 0; i < TOOLS; i++)
        if (strcmp(view_tool_names[i], rest) == 0) {
            v->tool = (view_tool)i;
            return DONE;
        }
    return WRONG;
}

static done steer(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    v->tool = TOOL_STEER;
    view_steer(v, rest);
    return DONE;
}

static done open_scene(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    view_open(v, rest, false);
    v->shown.opening = true;
    return DONE;
}

// ---- Results.

static done screenshot(script *s, view *v, const char *rest, const double *n) {
    (void)n;
    if (s->count_before++ == 0) {
        view_screenshot(v, rest);
        return WAIT;
    }
    return v->shoot ? WAIT : DONE;
}

// "film FILE" begins a movie of the window, "film frame" adds it as it is now, "film end" ends it.
static done film(script *s, view *v, const char *rest, const double *n) {
    (void)n;
    if (strcmp(rest, "end") == 0) return view_film_end(v) ? DONE : WRONG;
    if (strcmp(rest, "frame") != 0) return view_film(v, rest) ? DONE : WRONG;
    if (!v->film) return WRONG;
    if (s->count_before++ == 0) {
        v->film_frame = true;
        return WAIT;
    }
    return v->film_frame ? WAIT : DONE;
}

static done save_picture(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    return view_save_picture(v, rest) ? DONE : WRONG;
}

static done save_scene(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    return view_save_scene(v, rest) ? DONE : WRONG;
}

static done save_view(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    return view_save_view(v) ? DONE : WRONG;
}

static done save_movie(script *s, view *v, const char *rest, const double *n) {
    (void)n;
    if (s->count_before++ == 0) {
        view_movie(v, rest);
        return WAIT;
    }
    return wait_movie(s, v, rest, n);
}

// Begins; wait-render waits for it.
static done render(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(rest, " "), rest);
    return view_render(v, path, strcmp(after_verb(rest), "final") == 0) ? DONE : WRONG;
}

static done cancel_render(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    proper_cancel(v->proper);
    return DONE;
}

static done wait_render(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    proper_status p = proper_now(v->proper);
    return p.busy || p.finished != v->rendered ? WAIT : DONE;
}

static done save_touches(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    sim_do(v->sim, "touches %s", rest);
    return DONE;
}

static done print_hash(script *s, view *v, const char *rest, const double *n) {
    (void)rest, (void)n;
    if (s->count_before == 0) {
        s->count_before = v->now.hashes + 1;
        sim_do(v->sim, "hash");
    }
    if (v->now.hashes < s->count_before) return WAIT;
    printf("step %" PRIu64 " hash %016" PRIx64 "\n", v->now.hash_step, v->now.hash);
    return DONE;
}

// Every parameter: NAME|TEXT|live or restart|HELP.
static done print_parameters(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    for (size_t i = 0; i < v->settings.count; i++) {
        const setting *one = &v->settings.item[i];
        printf("parameter %s|%s|%s|%s\n", one->name, one->text, one->row->live ? "live" : "restart",
               one->row->help ? one->row->help : "");
    }
    return DONE;
}

static done print_state(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    const firn_camera *c = &v->picture.camera;
    printf("step %" PRIu64 " shown %" PRIu64 " kept %zu pictures %" PRIu64
           " size %dx%d camera %.4f %.4f %.4f\n",
           v->now.step, v->picture.step, view_frame_count(v), v->pictures, v->picture.width,
           v->picture.height, c->from.x, c->from.y, c->from.z);
    if (v->now.wind) printf("wind from %.1f deg, %.2f m/s\n", v->now.wind_from, v->now.wind_speed);
    if (v->message[0]) printf("message %s\n", v->message);
    printf("time %.9g s, speed %.3g, factor %.3g, %s\n", v->now.time, v->now.speed, v->now.factor,
           v->now.phase == SIM_STOPPED   ? "stopped"
           : v->now.phase == SIM_RUNNING ? "running"
                                         : "paused");
    if (v->shown.preview) printf("preview\n");
    for (size_t i = 0; i < v->pending_count; i++)
        printf("waits %s = %s\n", v->pending[i].name, v->pending[i].text);
    if (v->marks & ~(unsigned)MARK_PREVIEW)
        printf("marks %u neighbours %zu grid %zu of %.6g m\n", v->marks, v->shown.neighbours,
               v->shown.grid.cells, v->shown.grid.edge);
    if (v->shown.culprit) printf("culprit marked\n");
    if (v->picked.text[0]) printf("picked %s\n", v->picked.text);
    if (v->compare.on)
        printf("beside %.6g s, step %" PRIu64 " shown %.6g s\n", v->compare.now.time, v->compare.now.step,
               v->compare.picture.time);
    for (size_t i = 0; i < v->keys; i++) printf("key %zu at %.6g s\n", i + 1, v->key[i].time);
    for (size_t i = 0; i < v->settings.count; i++)
        if (setting_changed(&v->settings.item[i]))
            printf("changed %s = %s (%s)\n", v->settings.item[i].name, v->settings.item[i].text,
                   v->settings.item[i].base);
    return DONE;
}

// Prints what --measure tells of the time since the one before, or since the window was opened.
static done measure(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    measure_report(v);
    measure_begin(v);
    return DONE;
}

static done save_picked(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)n;
    return pick_log_write(&v->log, rest) ? DONE : WRONG;
}

static done quit(script *s, view *v, const char *rest, const double *n) {
    (void)s, (void)rest, (void)n;
    view_quit(v);
    return DONE;
}

static const verb verbs[] = {
    {"press", 0, press_key},
    {"click", 0, click},
    {"click-at", 2, click_pixel},
    {"hover", 0, hover},
    {"drag", 4, drag_pointer},
    {"hold", 3, hold},
    {"hold-key", 1, hold_key},
    {"scroll", 1, scroll},
    {"steer", 0, steer},
    {"type", 0, type_text},
    {"wait", 1, wait_seconds},
    {"patience", 1, patience},
    {"wait-step", 1, wait_step},
    {"wait-pictures", 1, wait_pictures},
    {"wait-still", 0, wait_still},
    {"wait-frames", 1, wait_frames},
    {"wait-list", 1, wait_list},
    {"set", 0, set_value},
    {"reset", 0, reset_value},
    {"touch", 0, touch},
    {"wind", 2, set_wind},
    {"play", 0, play_world},
    {"pause", 0, pause_world},
    {"step", 1, step_world},
    {"speed", 1, speed},
    {"restart", 0, restart},
    {"show", 1, show_frame},
    {"branch", 0, branch},
    {"camera", 0, camera},
    {"color", 0, color},
    {"look", 0, look},
    {"mark", 0, mark},
    {"range", 2, range},
    {"brush", 1, brush},
    {"drop", 0, drop},
    {"key", 0, key},
    {"compare", 0, compare_with},
    {"tool", 0, tool},
    {"open", 0, open_scene},
    {"screenshot", 0, screenshot},
    {"film", 0, film},
    {"picture", 0, save_picture},
    {"save-scene", 0, save_scene},
    {"save-view", 0, save_view},
    {"movie", 0, save_movie},
    {"render", 0, render},
    {"render-cancel", 0, cancel_render},
    {"wait-render", 0, wait_render},
    {"touches", 0, save_touches},
    {"hash", 0, print_hash},
    {"state", 0, print_state},
    {"parameters", 0, print_parameters},
    {"save-picked", 0, save_picked},
    {"measure", 0, measure},
    {"quit", 0, quit},
    {"monkey", 2, monkey},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

// ---- Reading.

static const verb *find_verb(const char *text) {
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < VERBS; i++)
        if (strlen(verbs[i].name) == length && strncmp(verbs[i].name, text, length) == 0) return &verbs[i];
    return NULL;
}

static size_t read_numbers(const char *rest, double n[4]) {
    size_t count = 0;
    for (char *end; count < 4; count++, rest = end) {
        n[count] = strtod(rest, &end);
        if (end == rest || !isfinite(n[count])) break;
    }
    return count;
}

static bool check_line(const script *s, const line *l, char *why, size_t room) {
    const verb *v = find_verb(l->text);
    double n[4];
    if (!v) {
        const char *names[VERBS];
        char word[64];
        for (size_t i = 0; i < VERBS; i++) names[i] = verbs[i].name;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(l->text, " "), l->text);
        snprintf(why, room, "%s:%u: unknown command '%s'%s", s->path, l->number, word,
                 did_you_mean(word, names, VERBS));
        return false;
    }
    if (read_numbers(after_verb(l->text), n) >= v->numbers) return true;
    snprintf(why, room, "%s:%u: '%s' needs %zu number%s", s->path, l->number, v->name, v->numbers,
             v->numbers == 1 ? "" : "s");
    return false;
}

static bool add_line(script *s, unsigned number, char *text) {
    text[strcspn(text, "\r\n")] = 0;
    text += strspn(text, " \t");
    if (!text[0] || text[0] == '#') return true;
    line *more = realloc(s->item, (s->count + 1) * sizeof *more);
    if (!more) return false;
    s->item = more;
    s->item[s->count] = (line){number, strdup(text)};
    return s->item[s->count++].text != NULL;
}

script *script_read(const char *path, char *why, size_t room) {
    FILE *file = fopen(path, "r");
    script *s = calloc(1, sizeof *s);
    char text[2048];
    unsigned number = 0;
    bool good = file && s;
    if (!file) snprintf(why, room, "cannot read script '%s': %s", path, strerror(errno));
    if (s) snprintf(s->path, sizeof s->path, "%s", path);
    if (s) s->patience = PATIENCE;
    while (good && fgets(text, sizeof text, file)) {
        good = add_line(s, ++number, text);
        if (!good) snprintf(why, room, "out of memory while reading '%s'", path);
    }
    for (size_t i = 0; good && i < s->count; i++) good = check_line(s, &s->item[i], why, room);
    if (file) fclose(file);
    if (good) return s;
    script_free(s);
    return NULL;
}

void script_free(script *s) {
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) free(s->item[i].text);
    free(s->item);
    free(s);
}

// ---- Doing.

static void stop_at(const script *s, view *v, const char *why) {
    const line *l = &s->item[s->next];
    say_failed("%s:%u: '%s' %s", s->path, l->number, l->text, why);
    v->code = EXIT_FAILED;
    view_quit(v);
}

static bool play_next(script *s, view *v) {
    if (s->events == 0) return v->tool_waits; // where a tool is used is being found out
    if (v->tool_waits) return true;
    event e = s->event[s->first];
    s->first = (s->first + 1) % EVENTS;
    s->events--;
    gui_play_mouse(v->gui, e.x, e.y, e.buttons, e.wheel);
    if (e.key) gui_play_key(v->gui, e.key);
    return true;
}

// Until a scene is open, and what was asked of the simulation before is done.
static bool must_wait(const view *v, const verb *what) {
    bool any_time = what->act == quit || what->act == patience || what->act == wait_seconds ||
                    what->act == wait_pictures || what->act == screenshot;
    return !any_time &&
           ((view_opening(v) && v->scene[0]) || compare_opening(v) || v->now.asked != v->now.obeyed);
}

void script_advance(script *s, view *v) {
    if (play_next(s, v)) return;
    while (s->next < s->count && s->events == 0 && !v->quit) {
        if (s->started == 0) s->started = seconds_now();
        const line *l = &s->item[s->next];
        const verb *what = find_verb(l->text);
        double n[4] = {0};
        read_numbers(after_verb(l->text), n);
        v->now = sim_now(v->sim);
        done result = must_wait(v, what) ? WAIT : what->act(s, v, after_verb(l->text), n);
        if (result == WRONG) stop_at(s, v, "did not work");
        bool patient = what->act == wait_seconds || what->act == wait_render || what->act == monkey;
        if (result == WAIT && !patient && seconds_now() - s->started > s->patience)
            stop_at(s, v, "took too long");
        if (result != DONE) return;
        s->next++;
        s->started = 0;
        s->count_before = 0;
    }
    if (s->next == s->count && s->events == 0) view_quit(v);
}
