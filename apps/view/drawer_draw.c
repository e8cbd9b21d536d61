// Pictures and movies of the drawing thread's world.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "drawer_inside.h"
#include "marks.h"

void drawer_close_renderers(drawer *d) {
    for (int i = 0; i < SIZES; i++) {
        firn_renderer_close(d->renderer[i]);
        d->renderer[i] = NULL;
    }
}

// ---- Pictures.

// Of the window's width and height.
static const double size_share[SIZES] = {1, 0.75, 0.5, 1.0 / 3, 0.25};
static int size_pixels(int whole, int size) {
    int pixels = (int)(whole * size_share[size]);
    return pixels < 16 ? 16 : pixels; // the least that a renderer draws
}

static firn_status open_renderer(drawer *d, int size, firn_renderer **out) {
    const char *overrides[LOOKS + 8];
    size_t count = 0;
    if (d->preview) overrides[count++] = "picture.domains=true"; // looks come later
    char *track = d->track ? strdup(d->track) : NULL, *rest = NULL;
    for (char *line = track ? strtok_r(track, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        if (count < 4) overrides[count++] = line;
    bool colored = false;
    for (size_t i = 0; i < d->now.looks; i++) {
        overrides[count++] = d->now.look[i];
        colored |= strncmp(d->now.look[i], "picture.color=", 14) == 0;
    }
    if (!colored) overrides[count++] = "picture.labels=no"; // the window says title and time
    if (size > 0) overrides[count++] = "picture.samples=1";
    firn_renderer_options o = firn_renderer_options_default();
    o.scene = d->scene;
    o.overrides = (firn_overrides){overrides, count};
    o.width = size_pixels(d->now.width, size);
    o.height = size_pixels(d->now.height, size);
    firn_status status = firn_renderer_open(d->world, &o, out);
    free(track);
    return status;
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
    if (d->track) return firn_renderer_camera(r, "main", out);
    if (!d->now.camera_name[0] && (out->lens > 0 || out->from.x != out->to.x)) return FIRN_OK;
    const char *name = strcmp(d->now.camera_name, "main") == 0 ? NULL : d->now.camera_name;
    return firn_renderer_camera(r, name && name[0] ? name : NULL, out);
}

// "pbd: velocity of item 12 is not finite": a ring is around that particle.
static bool mark_culprit(const drawer *d, marks_picture *p) {
    char model[32];
    unsigned long long item;
    sim_status now = sim_now(d->sim);
    if (d->player || now.phase != SIM_STOPPED || now.generation != d->generation) return false;
    const char *of = strstr(now.message, " of item ");
    if (!of || sscanf(now.message, "%31[a-z_]:", model) != 1) return false;
    return sscanf(of, " of item %llu", &item) == 1 && marks_item(p, d->world, model, item);
}

// No step was made yet: the scene is shown as it is given, with its domains and cameras.
static bool is_preview(const drawer *d) {
    sim_status now = sim_now(d->sim);
    bool waits = now.generation != d->generation || now.step == 0;
    return !d->player && !d->track && waits && firn_world_steps(d->world) == 0 && d->now.marks & MARK_PREVIEW;
}

// Lines over the picture.
static void mark(drawer *d, firn_renderer *r, const picture *out) {
    marks_picture p = {d->pixels, out->width, out->height, out->camera};
    marks_cells grid = {0};
    size_t neighbours = 0;
    unsigned what = d->now.marks;
    if (what & MARK_GRID) marks_grid(&p, d->world, &grid);
    if (d->preview) what |= MARK_CAMERAS;
    for (size_t i = 0; what & MARK_CAMERAS && i < firn_renderer_camera_count(r); i++) {
        firn_camera c;
        if (firn_renderer_camera(r, firn_renderer_camera_name(r, i), &c) == FIRN_OK) marks_camera(&p, &c);
    }
    monitor_enter(d->lock);
    picked what_is = d->picked;
    monitor_leave(d->lock);
    if (what & MARK_NEIGHBOURS && what_is.number > 0) marks_neighbours(&p, d->world, &what_is, &neighbours);
    bool culprit = mark_culprit(d, &p);
    monitor_enter(d->lock);
    d->status.grid = grid;
    d->status.neighbours = neighbours;
    d->status.culprit = culprit;
    d->status.preview = d->preview;
    monitor_leave(d->lock);
}

static firn_status draw(drawer *d, int size, picture *out) {
    firn_renderer **r = &d->renderer[size];
    if (!*r) {
        firn_status status = open_renderer(d, size, r);
        if (status != FIRN_OK) return status;
        list_cameras(d, *r);
    }
    out->width = firn_renderer_width(*r);
    out->height = firn_renderer_height(*r);
    out->draft = size > 0;
    out->time = firn_world_time(d->world);
    out->step = firn_world_steps(d->world);
    if (!make_room(d, 4 * (size_t)out->width * (size_t)out->height)) return FIRN_NO_MEMORY;
    firn_status status = find_camera(d, *r, &out->camera);
    if (status == FIRN_OK) status = firn_renderer_draw(*r, &out->camera, d->pixels, 0);
    if (status == FIRN_OK) mark(d, *r, out);
    return status;
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

static bool moved(const drawer *d) {
    return d->fresh || d->drawn_view != d->now.view_version || d->drawn_look != d->now.look_version;
}

// While things move, pictures are to come at 12 or more per second: with what this thread waits for between
// two of them each may take so long.
static const double IN_TIME = 0.06;

// Coarser as soon as two pictures in turn are late, or one by far; finer when many would have been in time with
// the pixels of the next size. Only times decide, and only about what the window shows.
static void choose_size(drawer *d, double seconds) {
    enum { LATE = 2, EARLY = 8 };
    double share = size_share[d->size], finer = d->size > 0 ? size_share[d->size - 1] : INFINITY;
    d->late = seconds > IN_TIME ? d->late + 1 : 0;
    d->early = seconds * finer * finer < 0.8 * IN_TIME * share * share ? d->early + 1 : 0;
    int size = d->size;
    if (d->late >= LATE || seconds > 2 * IN_TIME) {
        double part = 1; // of the time that about so many pixels take: meshes and shadows have their own
        do {
            size++;
            part = size < SIZES ? 0.3 + 0.7 * size_share[size] * size_share[size] / (share * share) : 0;
        } while (size + 1 < SIZES && seconds * part > IN_TIME);
    } else if (d->early >= EARLY)
        size--;
    if (size == d->size || size == SIZES) return;
    d->size = size;
    d->late = d->early = 0;
}

// As fine as there is time for while things move; in full when they stand still.
void drawer_draw_next(drawer *d) {
    bool change = moved(d);
    double begun = d->begun;
    if (change) d->changed = begun;
    bool settle = !change && d->last_draft && begun - d->changed > 0.25;
    if (!d->world || d->now.width < 64 || d->now.height < 64 || (!change && !settle)) return;
    bool preview = is_preview(d);
    if (d->drawn_look != d->now.look_version || preview != d->preview) drawer_close_renderers(d);
    d->preview = preview;
    const firn_renderer *full = d->renderer[0];
    if (full &&
        (firn_renderer_width(full) != d->now.width || firn_renderer_height(full) != d->now.height))
        drawer_close_renderers(d);
    int size = settle ? 0 : d->size;
    bool opened = !d->renderer[size];
    picture p = {0};
    firn_status status = draw(d, size, &p);
    d->drawn_view = d->now.view_version;
    d->drawn_look = d->now.look_version;
    d->fresh = false;
    if (status != FIRN_OK) {
        drawer_tell(d, firn_last_error());
        d->last_draft = false;
        return;
    }
    double seconds = seconds_now() - begun;
    if (!settle && !opened) choose_size(d, seconds);
    d->last_draft = p.draft;
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
    drawer_take_state(d);
    firn_status status = draw(d, 0, &p);
    return status == FIRN_OK ? firn_movie_add(m, d->pixels, 0) : status;
}

void drawer_make_movie(drawer *d, const char *path, double fps, const char *track) {
    size_t count = d->player ? firn_player_count(d->player) : frames_now(sim_frames(d->sim)).count;
    int width = d->now.width, height = d->now.height;
    firn_movie *m = NULL;
    d->now.width -= width % 2;
    d->now.height -= height % 2;
    d->track = track;
    d->preview = false;
    if (track) snprintf(d->now.camera_name, sizeof d->now.camera_name, "main");
    drawer_close_renderers(d);
    firn_status status = firn_movie_open(path, d->now.width, d->now.height, fps, &m);
    for (size_t i = 0; i < count && status == FIRN_OK; i++) {
        set_movie(d, (double)i / (double)count);
        if (drawer_asked_to_stop(d)) status = FIRN_INTERRUPTED;
        if (status == FIRN_OK) status = movie_frame(d, m, i);
    }
    if (status != FIRN_OK && status != FIRN_INTERRUPTED) drawer_tell(d, firn_last_error());
    if (firn_movie_close(m, status == FIRN_OK) != FIRN_OK) drawer_tell(d, firn_last_error());
    drawer_close_renderers(d);
    d->track = NULL;
    d->now.width = width;
    d->now.height = height;
    d->fresh = true;
    set_movie(d, -1);
}
