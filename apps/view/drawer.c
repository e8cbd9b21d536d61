// The drawing thread. It opens a scene first, so that a preview is seen before anything is simulated, and a
// scene that cannot be opened leaves the world before as it is.
#include "drawer.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "thread.h"

typedef struct wish {
    bool given, base, play, run;
    char path[PATH_MAX];
    char **item;
    size_t count;
} wish;

// What is wanted of the pictures.
typedef struct scenery {
    firn_camera camera;
    char camera_name[64];
    int width, height;
    char look[LOOKS][LOOK_ROOM];
    size_t looks;
    unsigned look_version, view_version, asked;
    long index;
} scenery;

struct drawer {
    sim *sim;
    monitor *lock;
    worker *thread;
    void (*notify)(void *context);
    void *context;
    // Under the lock.
    bool quit, woken;
    wish wish;
    scenery wanted;
    bool pick_wanted;
    firn_ray pick_ray;
    picked picked;
    char movie[PATH_MAX];
    double movie_fps;
    drawer_status status;
    picture ready; // the newest, to be taken
    // Of the thread.
    firn_world *world;
    firn_player *player;
    firn_renderer *full, *draft;
    uint8_t *pixels;
    size_t pixel_room;
    scenery now;
    char path[PATH_MAX], scene[PATH_MAX + 16];
    unsigned generation, drawn_view, drawn_look;
    long drawn_index;
    kept *last;             // newest state of the simulation
    bool fresh, last_draft; // fresh: another state is in the world
    double changed;         // when something last moved
    double full_seconds;    // that a picture of full size takes
};

static void tell(drawer *d, const char *message) {
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

static void close_renderers(drawer *d) {
    firn_renderer_close(d->full);
    firn_renderer_close(d->draft);
    d->full = d->draft = NULL;
}

static void close_world(drawer *d) {
    close_renderers(d);
    if (!d->player) firn_world_close(d->world);
    firn_player_close(d->player);
    d->player = NULL;
    d->world = NULL;
}

// ---- Opening.

static bool asked_to_stop(void *context) {
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

static void took_world(drawer *d, const wish *w) {
    snprintf(d->path, sizeof d->path, "%s", w->path);
    snprintf(d->scene, sizeof d->scene, w->run ? "%s/scene.yaml" : "%s", w->path);
    d->generation++;
    d->fresh = true;
    d->drawn_index = -2;
    d->full_seconds = 0;
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
    d->picked = (picked){.number = d->picked.number};
    d->wanted.index = w->run ? 0 : -1;
    d->wanted.looks = 0; // fields of another scene
    d->wanted.look_version++;
    monitor_leave(d->lock);
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
        if (!w.run)
            sim_open(d->sim, w.path, (firn_overrides){(const char *const *)w.item, w.count}, d->generation,
                     w.base, w.play);
    } else if (status != FIRN_INTERRUPTED) {
        tell(d, firn_last_error());
    }
    set_opening(d, false);
    free_wish(&w);
}

// ---- States.

static void load(drawer *d, kept *k) {
    if (k && k->generation == d->generation) {
        if (firn_world_load(d->world, k->data, k->bytes) == FIRN_OK)
            d->fresh = true;
        else
            tell(d, firn_last_error());
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
        tell(d, firn_last_error());
}

// The state that is to be shown, if it is another one than before.
static void take_state(drawer *d) {
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

// ---- Pictures.

static firn_status open_renderer(drawer *d, bool draft, firn_renderer **out) {
    const char *overrides[LOOKS + 3];
    size_t count = 0;
    bool colored = false;
    for (size_t i = 0; i < d->now.looks; i++) {
        overrides[count++] = d->now.look[i];
        colored |= strncmp(d->now.look[i], "picture.color=", 14) == 0;
    }
    if (!colored) overrides[count++] = "picture.labels=no"; // the window says title and time
    if (draft) overrides[count++] = "picture.samples=1";
    firn_renderer_options o = firn_renderer_options_default();
    o.scene = d->scene;
    o.overrides = (firn_overrides){overrides, count};
    o.width = draft ? d->now.width / 2 : d->now.width;
    o.height = draft ? d->now.height / 2 : d->now.height;
    return firn_renderer_open(d->world, &o, out);
}

static void list_cameras(drawer *d, const firn_renderer *r) {
    monitor_enter(d->lock);
    drawer_status *s = &d->status;
    s->cameras = firn_renderer_camera_count(r);
    if (s->cameras > CAMERAS) s->cameras = CAMERAS;
    for (size_t i = 0; i < s->cameras; i++)
        snprintf(s->camera[i], sizeof s->camera[i], "%s", firn_renderer_camera_name(r, i));
    monitor_leave(d->lock);
}

static bool make_room(drawer *d, size_t bytes) {
    if (bytes <= d->pixel_room) return true;
    uint8_t *more = realloc(d->pixels, bytes);
    if (!more) return false;
    d->pixels = more;
    d->pixel_room = bytes;
    return true;
}

// Where the wanted camera is: a scene's camera may move with time.
static firn_status find_camera(const drawer *d, firn_renderer *r, firn_camera *out) {
    *out = d->now.camera;
    if (!d->now.camera_name[0] && (out->lens > 0 || out->from.x != out->to.x)) return FIRN_OK;
    const char *name = strcmp(d->now.camera_name, "main") == 0 ? NULL : d->now.camera_name;
    return firn_renderer_camera(r, name && name[0] ? name : NULL, out);
}

static firn_status draw(drawer *d, bool draft, picture *out) {
    firn_renderer **r = draft ? &d->draft : &d->full;
    if (!*r) {
        firn_status status = open_renderer(d, draft, r);
        if (status != FIRN_OK) return status;
        list_cameras(d, *r);
    }
    out->width = firn_renderer_width(*r);
    out->height = firn_renderer_height(*r);
    out->draft = draft;
    out->time = firn_world_time(d->world);
    out->step = firn_world_steps(d->world);
    if (!make_room(d, 4 * (size_t)out->width * (size_t)out->height)) return FIRN_NO_MEMORY;
    firn_status status = find_camera(d, *r, &out->camera);
    return status == FIRN_OK ? firn_renderer_draw(*r, &out->camera, d->pixels, 0) : status;
}

// The thread keeps the memory that the window gave back.
static void hand_over(drawer *d, picture p, double seconds) {
    monitor_enter(d->lock);
    uint8_t *given = d->ready.rgba;
    size_t room = given ? 4 * (size_t)d->ready.width * (size_t)d->ready.height : 0;
    p.rgba = d->pixels;
    p.number = ++d->status.pictures;
    d->ready = p;
    d->status.draw_ms = 1000 * seconds;
    monitor_leave(d->lock);
    d->pixels = given;
    d->pixel_room = room;
    d->notify(d->context);
}

static void answer_pick(drawer *d) {
    monitor_enter(d->lock);
    bool wanted = d->pick_wanted;
    firn_ray ray = d->pick_ray;
    picked p = d->picked;
    d->pick_wanted = false;
    monitor_leave(d->lock);
    if (!d->world || (!wanted && (!d->fresh || p.number == 0 || p.hit.what == 0))) return;
    if (wanted) {
        if (firn_world_ray(d->world, ray.origin, ray.direction, 1e4, &p.hit) != FIRN_OK) return;
        p.number++;
    }
    if (p.hit.what == FIRN_RAY_BODIES && !wanted) p.hit.body = firn_world_body_find(d->world, p.name);
    if (p.hit.what == FIRN_RAY_BODIES && p.hit.body == SIZE_MAX) return;
    pick_describe(d->world, &p);
    monitor_enter(d->lock);
    d->picked = p;
    monitor_leave(d->lock);
    d->notify(d->context);
}

static bool moved(const drawer *d) {
    return d->fresh || d->drawn_view != d->now.view_version || d->drawn_look != d->now.look_version;
}

// A draft while things move and pictures are slow, the full picture when they stand still.
static void draw_next(drawer *d) {
    bool change = moved(d);
    double begun = seconds_now();
    if (change) d->changed = begun;
    bool settle = !change && d->last_draft && begun - d->changed > 0.25;
    if (!d->world || d->now.width < 64 || d->now.height < 64 || (!change && !settle)) return;
    if (d->drawn_look != d->now.look_version) close_renderers(d);
    if (d->full &&
        (firn_renderer_width(d->full) != d->now.width || firn_renderer_height(d->full) != d->now.height))
        close_renderers(d);
    bool draft = !settle && d->full_seconds > 0.06;
    picture p = {0};
    firn_status status = draw(d, draft, &p);
    d->drawn_view = d->now.view_version;
    d->drawn_look = d->now.look_version;
    d->fresh = false;
    if (status != FIRN_OK) {
        tell(d, firn_last_error());
        d->last_draft = false;
        return;
    }
    double seconds = seconds_now() - begun;
    if (!draft) d->full_seconds = d->full_seconds > 0 ? 0.5 * (d->full_seconds + seconds) : seconds;
    d->last_draft = draft;
    hand_over(d, p, seconds);
}

// ---- Movies of the kept frames.

static void set_movie(drawer *d, double share) {
    monitor_enter(d->lock);
    d->status.movie = share;
    if (share < 0) d->status.movies++;
    monitor_leave(d->lock);
    d->notify(d->context);
}

static firn_status movie_frame(drawer *d, firn_movie *m, size_t index) {
    picture p = {0};
    d->now.index = (long)index;
    take_state(d);
    firn_status status = draw(d, false, &p);
    return status == FIRN_OK ? firn_movie_add(m, d->pixels, 0) : status;
}

static void make_movie(drawer *d, const char *path, double fps) {
    size_t count = d->player ? firn_player_count(d->player) : frames_now(sim_frames(d->sim)).count;
    int width = d->now.width, height = d->now.height;
    firn_movie *m = NULL;
    d->now.width -= width % 2;
    d->now.height -= height % 2;
    close_renderers(d);
    firn_status status = firn_movie_open(path, d->now.width, d->now.height, fps, &m);
    for (size_t i = 0; i < count && status == FIRN_OK; i++) {
        set_movie(d, (double)i / (double)count);
        if (asked_to_stop(d)) status = FIRN_INTERRUPTED;
        if (status == FIRN_OK) status = movie_frame(d, m, i);
    }
    if (status != FIRN_OK && status != FIRN_INTERRUPTED) tell(d, firn_last_error());
    if (firn_movie_close(m, status == FIRN_OK) != FIRN_OK) tell(d, firn_last_error());
    close_renderers(d);
    d->now.width = width;
    d->now.height = height;
    d->fresh = true;
    set_movie(d, -1);
}

// ---- The thread.

static bool take_wishes(drawer *d, char movie[PATH_MAX], double *fps) {
    double wait = d->last_draft ? 0.05 : 0.25;
    monitor_enter(d->lock);
    if (!d->woken && !d->quit) monitor_wait(d->lock, wait);
    d->woken = false;
    d->now = d->wanted;
    memcpy(movie, d->movie, PATH_MAX);
    *fps = d->movie_fps;
    d->movie[0] = 0;
    bool go_on = !d->quit;
    monitor_leave(d->lock);
    return go_on;
}

static void work(void *context) {
    drawer *d = context;
    char movie[PATH_MAX];
    double fps, looked = 0;
    firn_set_stop(asked_to_stop, d);
    while (take_wishes(d, movie, &fps)) {
        monitor_enter(d->lock);
        bool open = d->wish.given;
        monitor_leave(d->lock);
        if (open) {
            open_next(d);
            continue;
        }
        if (!d->world) continue;
        if (movie[0]) make_movie(d, movie, fps);
        if (seconds_now() - looked > 1) {
            refresh_run(d);
            looked = seconds_now();
        }
        take_state(d);
        answer_pick(d);
        draw_next(d);
        monitor_enter(d->lock);
        d->status.served = d->now.asked;
        monitor_leave(d->lock);
    }
    kept_drop(sim_frames(d->sim), d->last);
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

void drawer_show(drawer *d, long index) {
    monitor_enter(d->lock);
    d->wanted.index = index;
    d->wanted.asked++;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_pick(drawer *d, firn_vec3 origin, firn_vec3 direction) {
    monitor_enter(d->lock);
    d->pick_ray = (firn_ray){.origin = origin, .direction = direction};
    d->pick_wanted = true;
    wake(d);
    monitor_leave(d->lock);
}

void drawer_movie(drawer *d, const char *path, double fps) {
    monitor_enter(d->lock);
    snprintf(d->movie, sizeof d->movie, "%s", path);
    d->movie_fps = fps;
    d->status.movie = 0;
    wake(d);
    monitor_leave(d->lock);
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
