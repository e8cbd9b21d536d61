// The drawing thread. It opens a scene first, so that a preview is seen before anything is simulated, and a
// scene that cannot be opened leaves the world before as it is.
#include "drawer_inside.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"

void drawer_tell(drawer *d, const char *message) {
    monitor_enter(d->lock);
    snprintf(d->status.message, sizeof d->status.message, "%s", message);
    d->status.messages++;
    monitor_leave(d->lock);
    d->notify(d->context);
}

static void free_wish(wish *w) {
    for (size_t i = 0; i < w->count; i++) free(w->item[i]);
    free(w->item);
    *w = (wish){0};
}

static void close_world(drawer *d) {
    drawer_close_renderers(d);
    if (!d->player) firn_world_close(d->world);
    firn_player_close(d->player);
    d->player = NULL;
    d->world = NULL;
}

// ---- Opening.

bool drawer_asked_to_stop(void *context) {
    drawer *d = context;
    monitor_enter(d->lock);
    bool stop = d->quit || d->wish.given;
    monitor_leave(d->lock);
    return stop;
}

static void list_fields(drawer_status *s, const firn_world *world) {
    s->fields = 0;
    for (size_t i = 0; i < firn_world_field_count(world) && s->fields < 64; i++) {
        firn_field f = firn_world_field_at(world, i);
        if (!(f.flags & FIRN_FIELD_SHOWN) || strlen(f.name) >= sizeof s->field[0]) continue;
        const char *dot = strchr(f.name, '.');
        if (!dot || strncmp(f.name, "bodies.", 7) == 0 || strncmp(f.name, "world.", 6) == 0) continue;
        if (f.components == 1) snprintf(s->field[s->fields++], sizeof s->field[0], "%s", f.name);
        if (strcmp(dot, ".velocity") == 0)
            snprintf(s->field[s->fields++], sizeof s->field[0], "%.*s.speed", (int)(dot - f.name), f.name);
    }
}

// Takes over the wish, so that it can be described.
static void took_world(drawer *d, wish *w) {
    snprintf(d->path, sizeof d->path, "%s", w->path);
    snprintf(d->scene, sizeof d->scene, w->run ? "%s/scene.yaml" : "%s", w->path);
    d->generation++;
    d->fresh = true;
    d->drawn_index = -2;
    d->size = d->late = d->early = 0;
    drawer_status found = {0}; // fields may have to be worked out, for which the window does not wait
    list_fields(&found, d->world);
    monitor_enter(d->lock);
    drawer_status *s = &d->status;
    s->fields = found.fields;
    memcpy(s->field, found.field, sizeof s->field);
    s->generation = d->generation;
    s->run = w->run;
    s->run_frames = d->player ? firn_player_count(d->player) : 0;
    s->message[0] = 0;
    s->cameras = 0;
    snprintf(s->path, sizeof s->path, "%s", w->path);
    d->picked = (picked){.number = d->picked.number, .subject = d->picked.subject + 1};
    d->wanted.index = w->run ? 0 : -1;
    d->wanted.looks = 0; // fields of another scene
    d->wanted.look_version++;
    kept *before = d->shown;
    d->shown = NULL;
    free_wish(&d->given);
    d->given = *w;
    *w = (wish){0};
    monitor_leave(d->lock);
    kept_drop(sim_frames(d->sim), before);
}

static firn_status open_wish(drawer *d, const wish *w) {
    firn_world *world = NULL;
    firn_player *player = NULL;
    firn_status status;
    if (w->run) {
        status = firn_player_open(w->path, &player);
        if (status == FIRN_OK && firn_player_count(player) > 0) status = firn_player_show(player, 0);
        if (status == FIRN_OK) world = firn_player_world(player);
    } else {
        status =
            firn_world_open_with(w->path, (firn_overrides){(const char *const *)w->item, w->count}, &world);
    }
    if (status != FIRN_OK) {
        firn_player_close(player);
        return status;
    }
    close_world(d);
    d->world = world;
    d->player = player;
    return FIRN_OK;
}

static void set_opening(drawer *d, bool opening) {
    monitor_enter(d->lock);
    d->status.opening = opening;
    monitor_leave(d->lock);
    d->notify(d->context);
}

static void open_next(drawer *d) {
    monitor_enter(d->lock);
    wish w = d->wish;
    d->wish = (wish){0};
    monitor_leave(d->lock);
    set_opening(d, true);
    firn_status status = open_wish(d, &w);
    if (status == FIRN_OK) {
        took_world(d, &w);
        const wish *g = &d->given; // changed by this thread only
        if (!g->run)
            sim_open(d->sim, g->path, (firn_overrides){(const char *const *)g->item, g->count}, d->generation,
                     g->base, g->play);
    } else if (status != FIRN_INTERRUPTED) {
        drawer_tell(d, firn_last_error());
    }
    set_opening(d, false);
    free_wish(&w);
}

// ---- States.

static void load(drawer *d, kept *k) {
    if (k && k->generation == d->generation) {
        if (firn_world_load(d->world, k->data, k->bytes) == FIRN_OK) {
            d->fresh = true;
            monitor_enter(d->lock);
            kept *before = d->shown;
            d->shown = k;
            monitor_leave(d->lock);
            k = before;
        } else
            drawer_tell(d, firn_last_error());
    }
    kept_drop(sim_frames(d->sim), k);
}

static void load_run_frame(drawer *d, long index) {
    size_t count = firn_player_count(d->player);
    size_t wanted = index < 0 ? count - 1 : (size_t)index;
    if (count == 0 || ((long)wanted == d->drawn_index && d->generation > 0)) return;
    d->drawn_index = (long)wanted;
    if (firn_player_show(d->player, wanted < count ? wanted : count - 1) == FIRN_OK)
        d->fresh = true;
    else
        drawer_tell(d, firn_last_error());
}

// The state that is to be shown, if it is another one than before.
void drawer_take_state(drawer *d) {
    long index = d->now.index;
    if (d->player) {
        load_run_frame(d, index);
        return;
    }
    kept *newest = sim_newest(d->sim); // also when another one is shown, so that the newest is not old
    if (newest) {
        kept_drop(sim_frames(d->sim), d->last);
        d->last = newest;
    }
    if (index == d->drawn_index && (index >= 0 || !newest)) return;
    d->drawn_index = index;
    load(d,
         index < 0 ? kept_hold(sim_frames(d->sim), d->last) : frames_at(sim_frames(d->sim), (size_t)index));
}

static void refresh_run(drawer *d) {
    if (!d->player || firn_player_refresh(d->player) != FIRN_OK) return;
    monitor_enter(d->lock);
    d->status.run_frames = firn_player_count(d->player);
    monitor_leave(d->lock);
}

// ---- Picking.

static void answer_pick(drawer *d) {
    monitor_enter(d->lock);
    bool wanted = d->pick_wanted;
    firn_ray ray = d->pick_ray;
    firn_vec3 near = d->pick_near;
    const firn_vec3 *air = d->pick_air ? &near : NULL;
    picked p = d->picked;
    d->pick_wanted = false;
    monitor_leave(d->lock);
    if (!d->world || (!wanted && (!d->fresh || p.number == 0 || (p.hit.what == 0 && !p.air)))) return;
    if (wanted) {
        if (!pick_find(d->world, &ray, air, &p)) return;
        p.number++;
        p.subject++;
    }
    if (p.hit.what == FIRN_RAY_BODIES && !wanted) p.hit.body = firn_world_body_find(d->world, p.name);
    if (p.hit.what == FIRN_RAY_BODIES && p.hit.body == SIZE_MAX) return;
    pick_describe(d->world, &p);
    monitor_enter(d->lock);
    d->picked = p;
    if (wanted && d->wanted.marks & MARK_NEIGHBOURS) d->now.view_version = ++d->wanted.view_version;
    monitor_leave(d->lock);
    d->notify(d->context);
}

// ---- The thread.

static bool take_wishes(drawer *d, char movie[PATH_MAX], double *fps, char **track) {
    double wait = d->last_draft ? 0.05 : 0.25;
    monitor_enter(d->lock);
    if (!d->woken && !d->quit) monitor_wait(d->lock, wait);
    d->woken = false;
    d->now = d->wanted;
    memcpy(movie, d->movie, PATH_MAX);
    *fps = d->movie_fps;
    *track = d->movie_track;
    d->movie_track = NULL;
    d->movie[0] = 0;
    bool go_on = !d->quit;
    monitor_leave(d->lock);
    return go_on;
}

static void work(void *context) {
    drawer *d = context;
    char movie[PATH_MAX], *track = NULL;
    double fps, looked = 0;
    firn_set_stop(drawer_asked_to_stop, d);
    while (take_wishes(d, movie, &fps, &track)) {
        monitor_enter(d->lock);
        bool open = d->wish.given;
        monitor_leave(d->lock);
        if (open || !d->world) {
            free(track);
            if (open) open_next(d);
            continue;
        }
        if (movie[0]) drawer_make_movie(d, movie, fps, track);
        free(track);
        track = NULL;
        if (seconds_now() - looked > 1) {
            refresh_run(d);
            looked = seconds_now();
        }
        d->begun = seconds_now();
        drawer_take_state(d);
        answer_pick(d);
        drawer_draw_next(d);
        monitor_enter(d->lock);
        d->status.served = d->now.asked;
        monitor_leave(d->lock);
    }
    free(track);
    kept_drop(sim_frames(d->sim), d->last);
    kept_drop(sim_frames(d->sim), d->shown);
    close_world(d);
}

// ---- The window's side.

static void wake(drawer *d) {
    d->woken = true;
    d->status.asked = d->wanted.asked;
    monitor_wake(d->lock);
}

void drawer_wake(drawer *d) {
    monitor_enter(d->lock);
    wake(d);
    monitor_leave(d->lock);
}

drawer *drawer_start(sim *s, void (*notify)(void *context), void *context) {
    drawer *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    *d =
        (drawer){.sim = s, .lock = monitor_create(), .notify = notify, .context = context, .drawn_index = -2};
    d->wanted.index = -1;
    d->status.movie = -1;
    if (d->lock) d->thread = worker_start(work, d);
    if (d->thread) return d;
    drawer_end(d);
    return NULL;
}

void drawer_end(drawer *d) {
    if (!d) return;
    if (d->thread) {
        monitor_enter(d->lock);
        d->quit = true;
        wake(d);
        monitor_leave(d->lock);
        worker_join(d->thread);
    }
    free_wish(&d->wish);
    free_wish(&d->given);
    free(d->movie_track);
    free(d->pixels);
    free(d->ready.rgba);
    monitor_free(d->lock);
    free(d);
}

static void ask(drawer *d, wish w) {
    monitor_enter(d->lock);
    free_wish(&d->wish);
    d->wish = w;
    d->status.opening = true;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_open(drawer *d, const char *path, firn_overrides overrides, bool base, bool play) {
    wish w = {.given = true, .base = base, .play = play};
    snprintf(w.path, sizeof w.path, "%s", path);
    w.item = calloc(overrides.count + 1, sizeof *w.item);
    for (; w.item && w.count < overrides.count; w.count++)
        if (!(w.item[w.count] = strdup(overrides.items[w.count]))) break;
    ask(d, w);
}

void drawer_open_run(drawer *d, const char *folder) {
    wish w = {.given = true, .run = true};
    snprintf(w.path, sizeof w.path, "%s", folder);
    ask(d, w);
}

void drawer_view(drawer *d, const firn_camera *camera, int width, int height) {
    monitor_enter(d->lock);
    scenery *s = &d->wanted;
    s->camera = *camera;
    s->camera.name = NULL;
    snprintf(s->camera_name, sizeof s->camera_name, "%s", camera->name ? camera->name : "");
    s->width = width;
    s->height = height;
    s->view_version++;
    s->asked++;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_look(drawer *d, const char look[][LOOK_ROOM], size_t count) {
    monitor_enter(d->lock);
    d->wanted.looks = count < LOOKS ? count : LOOKS;
    for (size_t i = 0; i < d->wanted.looks; i++) memcpy(d->wanted.look[i], look[i], LOOK_ROOM);
    d->wanted.look_version++;
    d->wanted.asked++;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_mark(drawer *d, unsigned marks) {
    monitor_enter(d->lock);
    d->wanted.marks = marks;
    d->wanted.view_version++;
    d->wanted.asked++;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_show(drawer *d, long index) {
    monitor_enter(d->lock);
    d->wanted.index = index;
    d->wanted.asked++;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_pick(drawer *d, firn_vec3 origin, firn_vec3 direction, const firn_vec3 *air) {
    monitor_enter(d->lock);
    d->pick_air = air != NULL;
    if (air) d->pick_near = *air;
    d->pick_ray = (firn_ray){.origin = origin, .direction = direction};
    d->pick_wanted = true;
    d->wanted.asked++;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_movie(drawer *d, const char *path, double fps, const char *track) {
    monitor_enter(d->lock);
    snprintf(d->movie, sizeof d->movie, "%s", path);
    d->movie_fps = fps;
    free(d->movie_track);
    d->movie_track = track ? strdup(track) : NULL;
    d->status.movie = 0;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_describe(drawer *d, FILE *out) {
    monitor_enter(d->lock);
    fprintf(out, "%s %s\n", d->given.run ? "run" : "scene", d->given.path);
    for (size_t i = 0; i < d->given.count; i++) fprintf(out, "set %s\n", d->given.item[i]);
    monitor_leave(d->lock);
}

kept *drawer_held(drawer *d) {
    monitor_enter(d->lock);
    kept *k = kept_hold(sim_frames(d->sim), d->shown);
    monitor_leave(d->lock);
    return k;
}

drawer_status drawer_now(drawer *d) {
    monitor_enter(d->lock);
    drawer_status s = d->status;
    monitor_leave(d->lock);
    return s;
}

picked drawer_picked(drawer *d) {
    monitor_enter(d->lock);
    picked p = d->picked;
    monitor_leave(d->lock);
    return p;
}

bool drawer_take(drawer *d, picture *mine) {
    monitor_enter(d->lock);
    bool newer = d->ready.rgba && d->ready.number > mine->number;
    if (newer) {
        picture p = d->ready;
        d->ready = *mine;
        d->ready.number = 0;
        *mine = p;
    }
    monitor_leave(d->lock);
    return newer;
}
