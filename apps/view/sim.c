// The simulation's thread: opens worlds, does what it is told between two steps, and hands over states.
#include "sim_inside.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"

static void tell(sim *s, const char *message) {
    monitor_enter(s->lock);
    snprintf(s->status.message, sizeof s->status.message, "%s", message);
    s->status.messages++;
    monitor_leave(s->lock);
    s->notify(s->context);
}

static void free_request(request *r) {
    for (size_t i = 0; i < r->count; i++) free(r->item[i]);
    free(r->item);
    *r = (request){0};
}

// ---- States and values.

static void show_status(sim *s, unsigned obeyed) {
    sim_status *now = &s->status;
    double wall = seconds_now();
    monitor_enter(s->lock);
    now->phase = !s->world                     ? SIM_EMPTY
                 : s->stopped                  ? SIM_STOPPED
                 : s->running || s->steps_left ? SIM_RUNNING
                                               : SIM_PAUSED;
    now->obeyed = obeyed;
    now->generation = s->generation;
    now->touches = touches_count(s->touches);
    now->record_failed = touches_failed(s->touches);
    if (s->world) {
        now->time = firn_world_time(s->world);
        now->duration = firn_world_duration(s->world);
        now->step = firn_world_steps(s->world);
        now->frame = firn_world_frame(s->world);
    }
    if (now->phase != SIM_RUNNING) {
        now->factor = 0;
        s->seen_wall = wall;
        s->seen_time = now->time;
    } else if (wall - s->seen_wall > 0.5) {
        now->factor = (now->time - s->seen_time) / (wall - s->seen_wall);
        s->seen_wall = wall;
        s->seen_time = now->time;
    }
    monitor_leave(s->lock);
}

static void publish(sim *s, bool keep) {
    void *data;
    size_t bytes;
    if (firn_world_save(s->world, &data, &bytes) != FIRN_OK) {
        tell(s, firn_last_error());
        return;
    }
    kept *k = kept_create(s->generation, data, bytes, s->world);
    if (!k) return;
    k->touches = touches_count(s->touches);
    if (keep) frames_add(s->frames, k);
    monitor_enter(s->lock);
    kept *before = s->newest;
    s->newest = k;
    s->hungry = false;
    monitor_leave(s->lock);
    kept_drop(s->frames, before);
    kept_drop(s->frames, s->good);
    s->good = kept_hold(s->frames, k);
    s->published = seconds_now();
    s->notify(s->context);
}

// Values from the command line count as changes. given NULL: not the first reading of a scene.
static void read_settings(sim *s, const request *given) {
    bool good = settings_read(&s->own, s->world, given != NULL);
    for (size_t i = 0; given && i < given->count; i++) {
        char name[512];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(given->item[i], "="), given->item[i]);
        setting *found = settings_find(&s->own, name);
        if (found) found->base[0] = 0;
    }
    double from = 0, speed = 0;
    bool wind = touch_wind(s->world, &from, &speed);
    monitor_enter(s->lock);
    s->status.wind = wind;
    s->status.wind_from = from;
    s->status.wind_speed = speed;
    good &= settings_copy(&s->settings, &s->own);
    monitor_leave(s->lock);
    if (!good) tell(s, "out of memory while reading parameters");
}

// ---- Opening.

static bool asked_to_stop(void *context) {
    sim *s = context;
    monitor_enter(s->lock);
    bool stop = s->quit || s->next.given;
    monitor_leave(s->lock);
    return stop;
}

static void begin_pace(sim *s) {
    s->wall = seconds_now();
    s->time = s->world ? firn_world_time(s->world) : 0;
}

static void take_world(sim *s, const request *r, firn_world *world) {
    firn_world_close(s->world);
    s->world = world;
    s->generation = r->generation;
    s->running = r->play;
    s->stopped = s->ended = false;
    s->steps_left = 0;
    s->kept_frame = UINT64_MAX;
    frames_clear(s->frames);
    history_clear(s->history);
    touches_begin(s->touches, r->path, (firn_overrides){(const char *const *)r->item, r->count});
    unsigned version = s->own.version;
    if (r->base) settings_free(&s->own);
    s->own.version = version;
    read_settings(s, r->base ? r : NULL);
    history_sample(s->history, world);
    begin_pace(s);
}

static void open_next(sim *s) {
    monitor_enter(s->lock);
    request r = s->next;
    s->next = (request){0};
    s->status.phase = SIM_OPENING;
    s->drag.body[0] = s->drag.soft.model[0] = s->steering.body[0] = 0;
    monitor_leave(s->lock);
    firn_world *world = NULL;
    firn_overrides overrides = {(const char *const *)r.item, r.count};
    firn_status status = firn_world_open_with(r.path, overrides, &world);
    if (status == FIRN_OK) {
        take_world(s, &r, world);
        publish(s, true);
        s->kept_frame = firn_world_frame(world);
    } else if (status != FIRN_INTERRUPTED) { // the drawing thread could open it: memory ran out since
        firn_world_close(s->world);
        s->world = NULL;
        s->generation = r.generation;
        tell(s, firn_last_error());
    }
    free_request(&r);
}

// ---- Commands.

bool sim_touch(sim *s, const char *line) {
    char why[512];
    if (!s->world) return false;
    uint64_t step = firn_world_steps(s->world);
    if (touch_apply(s->world, line, why, sizeof why) != FIRN_OK) {
        tell(s, why);
        return false;
    }
    touches_add(s->touches, step, line);
    bool each_step =
        strncmp(line, "push ", 5) == 0 || strncmp(line, "target ", 7) == 0 || strncmp(line, "shove ", 6) == 0;
    if (each_step) return true;
    bool sets =
        strncmp(line, "set ", 4) == 0 || strncmp(line, "wind ", 5) == 0 || strncmp(line, "heat ", 5) == 0;
    if (sets) read_settings(s, NULL);
    publish(s, false);
    return true;
}

// The simulation goes on from a state that was before; what came after it is forgotten.
static void go_back(sim *s, kept *k) {
    if (firn_world_load(s->world, k->data, k->bytes) != FIRN_OK) return tell(s, firn_last_error());
    kept *held = kept_hold(s->frames, k);
    frames_cut(s->frames, k->step);
    touches_cut(s->touches, k->touches);
    history_cut(s->history, k->time);
    s->kept_frame = k->frame;
    s->ended = false;
    read_settings(s, NULL);
    publish(s, false);
    begin_pace(s);
    kept_drop(s->frames, held);
}

// The recording until now is a run of its own: it stays as FILE.1, FILE.2, ...
static void keep_recording(sim *s) {
    char why[512];
    if (!touches_keep(s->touches, why, sizeof why)) tell(s, why);
}

static void branch(sim *s, const char *index) {
    kept *k = frames_at(s->frames, strtoull(index, NULL, 10));
    if (!k || !s->world) {
        kept_drop(s->frames, k);
        tell(s, "there is no kept frame to branch from");
        return;
    }
    keep_recording(s);
    s->stopped = false;
    go_back(s, k);
    kept_drop(s->frames, k);
}

static void add_hash(sim *s) {
    char line[64];
    if (!s->world) return;
    uint64_t hash = firn_world_hash(s->world), step = firn_world_steps(s->world);
    snprintf(line, sizeof line, "hash %016" PRIx64, hash);
    touches_add(s->touches, step, line);
    monitor_enter(s->lock);
    s->status.hash = hash;
    s->status.hash_step = step;
    s->status.hashes++;
    monitor_leave(s->lock);
    s->notify(s->context);
}

static void record(sim *s, const char *path, bool go_on) {
    char why[512];
    bool good = go_on ? touches_to(s->touches, path, why, sizeof why)
                      : touches_write(s->touches, path, why, sizeof why);
    if (!good) tell(s, why);
    monitor_enter(s->lock);
    if (go_on) s->status.recording = true;
    monitor_leave(s->lock);
}

static void set_speed(sim *s, const char *text) {
    double speed = strtod(text, NULL);
    monitor_enter(s->lock);
    s->status.speed = isfinite(speed) && speed > 0 ? speed : 0;
    monitor_leave(s->lock);
    begin_pace(s);
}

// The rest of an order after its first word; NULL: it is another one.
static const char *after(const char *order, const char *word) {
    size_t length = strlen(word);
    if (strncmp(order, word, length) != 0) return NULL;
    return order[length] == ' ' ? order + length + 1 : order[length] ? NULL : order + length;
}

static void obey(sim *s, const char *order) {
    const char *rest;
    if ((rest = after(order, "play"))) {
        s->running = s->world;
        s->stopped = false;
        begin_pace(s);
    } else if ((rest = after(order, "pause"))) {
        s->running = false;
        s->steps_left = 0;
        if (s->world) publish(s, false); // the very last state
    } else if ((rest = after(order, "step"))) {
        s->running = false;
        s->stopped = false;
        if (s->world) s->steps_left = *rest ? strtoull(rest, NULL, 10) : 1;
    } else if ((rest = after(order, "speed"))) {
        set_speed(s, rest);
    } else if ((rest = after(order, "branch"))) {
        branch(s, rest);
    } else if ((rest = after(order, "touch"))) {
        sim_touch(s, rest);
    } else if ((rest = after(order, "record"))) {
        record(s, rest, true);
    } else if ((rest = after(order, "touches"))) {
        record(s, rest, false);
    } else if (after(order, "hash")) {
        add_hash(s);
    }
}

// ---- Steps.

static void after_step(sim *s, double seconds) {
    bool frame = firn_world_frame(s->world) != s->kept_frame;
    monitor_enter(s->lock);
    double *ms = &s->status.step_ms;
    *ms = *ms > 0 ? 0.9 * *ms + 100 * seconds : 1000 * seconds;
    bool hungry = s->hungry;
    monitor_leave(s->lock);
    if (frame) {
        s->kept_frame = firn_world_frame(s->world);
        history_sample(s->history, s->world);
    }
    bool last = !s->running && s->steps_left == 0;
    if (frame || last || (hungry && seconds_now() - s->published > 0.03)) publish(s, frame);
}

// The watchdog, or no memory: back to the last state that was shown, in which all is well.
static void stop_here(sim *s) {
    s->running = false;
    s->steps_left = 0;
    s->stopped = true;
    tell(s, firn_last_error());
    monitor_enter(s->lock);
    s->status.phase = SIM_STOPPED; // before the state is drawn, in which the culprit is marked
    monitor_leave(s->lock);
    if (s->good && s->good->generation == s->generation) go_back(s, s->good);
}

static void step(sim *s) {
    double begun = seconds_now(), before = firn_world_time(s->world);
    sim_use_hands(s);
    firn_status status = firn_world_step(s->world);
    if (status != FIRN_OK) {
        stop_here(s);
        return;
    }
    s->dt = firn_world_time(s->world) - before;
    if (s->steps_left > 0) s->steps_left--;
    double duration = firn_world_duration(s->world);
    if (s->running && !s->ended && duration > 0 && firn_world_time(s->world) >= duration * (1 - 1e-12)) {
        s->ended = true;
        s->running = false;
        tell(s, "The scene ends here; play goes on beyond it.");
    }
    after_step(s, seconds_now() - begun);
}

// How long to wait until the next step is due, in seconds; 0: now.
static double due_in(sim *s) {
    if (!s->world || s->stopped) return 1;
    if (s->steps_left > 0) return 0;
    if (!s->running) return 1;
    monitor_enter(s->lock);
    double speed = s->status.speed, hold = s->hold;
    monitor_leave(s->lock);
    if (firn_world_time(s->world) >= hold) return 0.1; // whoever lifts it wakes this thread
    if (!(speed > 0)) return 0;
    double ahead = (firn_world_time(s->world) - s->time) / speed - (seconds_now() - s->wall);
    if (ahead < -0.1) begin_pace(s); // too slow: no sprint afterwards
    return ahead > 0 ? fmin(ahead, 1) : 0;
}

static void work(void *context) {
    sim *s = context;
    unsigned obeyed = 0;
    firn_set_stop(asked_to_stop, s);
    for (bool quit = false; !quit;) {
        char order[COMMAND_ROOM] = "";
        double wait = due_in(s);
        monitor_enter(s->lock);
        if (wait > 0 && !s->waiting && !s->next.given && !s->quit) monitor_wait(s->lock, wait);
        if (s->waiting) {
            memcpy(order, s->queue[s->first], sizeof order);
            s->first = (s->first + 1) % QUEUE;
            s->waiting--;
        }
        quit = s->quit && !order[0]; // what was asked before is done
        bool open = s->next.given;
        monitor_leave(s->lock);
        if (quit) break;
        if (open && !order[0])
            open_next(s);
        else if (order[0])
            obey(s, order), obeyed++;
        else if (due_in(s) <= 0)
            step(s);
        show_status(s, obeyed);
    }
    firn_world_close(s->world);
    s->world = NULL;
}

// ---- The window's side.

sim *sim_start(size_t frame_bytes, void (*notify)(void *context), void *context) {
    sim *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->lock = monitor_create();
    s->notify = notify;
    s->context = context;
    s->frames = frames_create(frame_bytes);
    s->history = history_create();
    s->touches = touches_create();
    s->status.speed = 1;
    s->hold = INFINITY;
    if (s->lock && s->frames && s->history && s->touches) s->thread = worker_start(work, s);
    if (s->thread) return s;
    sim_end(s);
    return NULL;
}

void sim_stop(sim *s) {
    if (!s || !s->thread) return;
    monitor_enter(s->lock);
    s->quit = true;
    monitor_wake(s->lock);
    monitor_leave(s->lock);
    worker_join(s->thread);
    s->thread = NULL;
}

void sim_end(sim *s) {
    if (!s) return;
    sim_stop(s);
    if (s->frames) kept_drop(s->frames, s->newest);
    if (s->frames) kept_drop(s->frames, s->good);
    free_request(&s->next);
    settings_free(&s->settings);
    settings_free(&s->own);
    frames_free(s->frames);
    history_free(s->history);
    touches_free(s->touches);
    monitor_free(s->lock);
    free(s);
}

void sim_open(sim *s, const char *path, firn_overrides overrides, unsigned generation, bool base, bool play) {
    request r = {.generation = generation, .base = base, .play = play, .given = true};
    snprintf(r.path, sizeof r.path, "%s", path);
    r.item = calloc(overrides.count + 1, sizeof *r.item);
    for (; r.item && r.count < overrides.count; r.count++)
        if (!(r.item[r.count] = strdup(overrides.items[r.count]))) break;
    monitor_enter(s->lock);
    free_request(&s->next);
    s->next = r;
    monitor_wake(s->lock);
    monitor_leave(s->lock);
}

void sim_do(sim *s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    monitor_enter(s->lock);
    if (s->waiting < QUEUE) {
        vsnprintf(s->queue[(s->first + s->waiting) % QUEUE], COMMAND_ROOM, format, list);
        s->waiting++;
        s->status.asked++;
    }
    monitor_wake(s->lock);
    monitor_leave(s->lock);
    va_end(list);
}

void sim_drag(sim *s, const char *body, firn_vec3 grip, firn_vec3 target) {
    monitor_enter(s->lock);
    snprintf(s->drag.body, sizeof s->drag.body, "%s", body ? body : "");
    s->drag.grip = grip;
    s->drag.target = target;
    s->drag.soft.model[0] = 0;
    monitor_leave(s->lock);
}

void sim_drag_soft(sim *s, const sim_grip *grip, firn_vec3 target) {
    monitor_enter(s->lock);
    s->drag.body[0] = 0;
    s->drag.soft = grip ? *grip : (sim_grip){0};
    s->drag.target = target;
    monitor_leave(s->lock);
}

void sim_steer(sim *s, const char *body, firn_vec3 velocity, double turn) {
    monitor_enter(s->lock);
    s->steering.turn = turn;
    s->steering.velocity = velocity;
    snprintf(s->steering.body, sizeof s->steering.body, "%s", body ? body : "");
    monitor_leave(s->lock);
}

void sim_hold(sim *s, double time) {
    monitor_enter(s->lock);
    if (time > s->hold) monitor_wake(s->lock);
    s->hold = time;
    monitor_leave(s->lock);
}

sim_status sim_now(sim *s) {
    monitor_enter(s->lock);
    sim_status now = s->status;
    monitor_leave(s->lock);
    return now;
}

frames *sim_frames(sim *s) { return s->frames; }
history *sim_history(sim *s) { return s->history; }

kept *sim_newest(sim *s) {
    monitor_enter(s->lock);
    kept *k = s->newest;
    s->newest = NULL; // whoever takes it has its share
    s->hungry = true;
    monitor_leave(s->lock);
    return k;
}

void sim_settings(sim *s, settings *to) {
    monitor_enter(s->lock);
    if (to->version != s->settings.version) settings_copy(to, &s->settings);
    monitor_leave(s->lock);
}
