// The box that all particles stay in (PBD19): six walls that move by keyframes; friction as on bodies.
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_fluid.h"
#include "pbd/pbd_kinds.h"

typedef struct box_walls {
    double friction;
    firn_pbd_walls_def *key;
    size_t keys;
    // Of the sub-step.
    pbd_room *room; // by frame
    size_t room_capacity;
    float low_speed[3], high_speed[3];
} box_walls;

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)s;
    (void)bodies;
    if (!def->box) return FIRN_OK;
    box_walls *box = mem_zero(1, sizeof *box);
    if (!box) return fail_memory("creating a box", sizeof *box);
    *data = box;
    box->friction = def->box->friction;
    box->keys = def->box->walls.count;
    box->key = mem_zero(box->keys, sizeof *box->key);
    if (!box->key) return fail_memory("creating a box", box->keys * sizeof *box->key);
    memcpy(box->key, def->box->walls.items, box->keys * sizeof *box->key);
    return FIRN_OK;
}

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    (void)s;
    (void)setting;
    box_walls *box = data;
    box->friction = def->box->friction;
    memcpy(box->key, def->box->walls.items, box->keys * sizeof *box->key);
}

static void destroy(void *data) {
    box_walls *box = data;
    mem_free(box->key);
    mem_free(box->room);
    mem_free(box);
}

static void walls_at(const box_walls *box, double time, firn_vec3 *low, firn_vec3 *high) {
    size_t k = 0;
    while (k + 1 < box->keys && box->key[k + 1].time <= time) k++;
    const firn_pbd_walls_def *a = &box->key[k], *b = k + 1 < box->keys ? a + 1 : a;
    double t = b == a ? 0 : fmin(fmax((time - a->time) / (b->time - a->time), 0), 1);
    *low = dvec_mix(a->low, b->low, t);
    *high = dvec_mix(a->high, b->high, t);
}

double pbd_box_friction(const void *data) { return ((const box_walls *)data)->friction; }

pbd_room pbd_box_at(const void *data, double time, firn_vec3 origin) {
    firn_vec3 l, h;
    walls_at(data, time, &l, &h);
    l = dvec_sub(l, origin), h = dvec_sub(h, origin);
    return (pbd_room){{(float)l.x, (float)l.y, (float)l.z}, {(float)h.x, (float)h.y, (float)h.z}};
}

// Far from all walls: most particles are.
static bool is_inside(const float *q, const pbd_room *room, float reach) {
    bool inside = true; // no branches
    for (int a = 0; a < 3; a++)
        inside = inside & (q[a] > room->low[a] + reach) & (q[a] < room->high[a] - reach);
    return inside;
}

static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    box_walls *box = data;
    firn_vec3 low[2], high[2];
    if (!array_reserve(&box->room, &box->room_capacity, s->frames.count, sizeof *box->room))
        return fail_memory("placing the walls of a box", s->frames.count * sizeof *box->room);
    for (size_t k = 0; k < s->frames.count; k++)
        box->room[k] = pbd_box_at(box, pass->time, s->frames.origin[k]);
    walls_at(box, pass->time - pass->dt, &low[0], &high[0]);
    walls_at(box, pass->time, &low[1], &high[1]);
    for (size_t i = 0; i < s->p.solids; i++) {
        pbd_group *g = &s->groups[s->p.group[i]];
        if (!g->touches) g->touches = !is_inside(s->p.q[i], &box->room[s->p.frame[i]], 1.5f * g->radius);
    }
    const double l[3] = {low[1].x, low[1].y, low[1].z}, h[3] = {high[1].x, high[1].y, high[1].z};
    const double l0[3] = {low[0].x, low[0].y, low[0].z}, h0[3] = {high[0].x, high[0].y, high[0].z};
    for (int a = 0; a < 3; a++) {
        box->low_speed[a] = (float)(l[a] - l0[a]), box->high_speed[a] = (float)(h[a] - h0[a]);
    }
    return FIRN_OK;
}

static const float PARTING = 0.05f; // m/s, of a grain from a wall

typedef struct box_work {
    pbd *s;
    const box_walls *box;
    bool in_place;
    float relax, dt;
} box_work;

// How far q leaves the room between two walls; between walls closer than the particle it stays in the middle.
static float leave_of(float q, float low, float high) {
    if (low > high) return q - (low + high) / 2;
    return q < low ? q - low : q > high ? q - high : 0;
}

static void project_one(const box_work *w, size_t i, float move[3]) {
    const pbd_particles *p = &w->s->p;
    const pbd_room *room = &w->box->room[p->frame[i]];
    float radius = w->s->groups[p->group[i]].radius, depth = 0;
    move[0] = move[1] = move[2] = 0;
    int wall = -1;
    for (int a = 0; a < 3; a++) {
        move[a] = -leave_of(p->q[i][a], room->low[a] + radius, room->high[a] - radius);
        if (fabsf(move[a]) > depth) depth = fabsf(move[a]), wall = a;
    }
    if (wall < 0) return;
    // Sliding along the wall that is pressed hardest.
    float slide[3], size2 = 0;
    for (int a = 0; a < 3; a++) {
        slide[a] = a == wall ? 0 : p->q[i][a] + move[a] - p->x[i][a];
        size2 += slide[a] * slide[a];
    }
    float most = (float)w->box->friction * depth, size = sqrtf(size2);
    float keep = size > most ? most / size : 1;
    for (int a = 0; a < 3; a++) move[a] -= keep * slide[a];
}

// Grains do not bounce off: what would push one out faster than it may part from a body moves it without a
// velocity, as there.
static void shift_grain(const box_work *w, size_t i, const float move[3]) {
    pbd_particles *p = &w->s->p;
    float radius = w->s->groups[p->group[i]].radius;
    const pbd_room *room = &w->box->room[p->frame[i]];
    for (int a = 0; a < 3; a++) {
        bool low = p->q[i][a]<room->low[a] + radius, high = p->q[i][a]> room->high[a] - radius;
        if (low == high) continue;
        float sign = low ? 1 : -1, push = sign * move[a];
        float wall = low ? w->box->low_speed[a] : w->box->high_speed[a];
        float more = sign * (p->q[i][a] + move[a] - p->x[i][a] - wall) - PARTING * w->dt;
        if (more > 0 && push > 0) p->x[i][a] += sign * (more > push ? push : more);
    }
}

static void project_block(void *context, size_t begin, size_t end) {
    const box_work *w = context;
    pbd_particles *p = &w->s->p;
    float widest = 0;
    for (size_t k = 0; k < w->s->group_count; k++) widest = fmaxf(widest, w->s->groups[k].radius);
    const pbd_room first = w->box->room[0], *room = w->s->frames.count > 1 ? w->box->room : NULL;
    for (size_t i = begin; i < end; i++) {
        if (is_inside(p->q[i], room ? &room[p->frame[i]] : &first, widest)) continue;
        float move[3], *to = w->in_place ? p->q[i] : p->delta[i];
        float step = w->in_place ? 1 : w->relax / fmaxf(p->constraints[i], 1);
        if (!(p->q[i][3] > 0)) continue;
        project_one(w, i, move);
        if (w->in_place && w->s->groups[p->group[i]].phase == PBD_GRAIN) shift_grain(w, i, move);
        for (int a = 0; a < 3; a++) to[a] += step * move[a];
    }
}

// Liquids held by pressure touch the box by themselves (pbd_fluid_pressure.c).
static size_t projected(const pbd *s) {
    const pbd_fluid *f = pbd_data(s, &pbd_density);
    return f && fluid_by_pressure(f) ? s->p.solids : s->p.count;
}

static void project(pbd *s, void *data, const pbd_pass *pass) {
    box_work work = {s, data, true, pass->relax, (float)pass->dt};
    par_for(projected(s), PBD_BLOCK, project_block, &work);
}

static void jacobi(pbd *s, void *data, const pbd_pass *pass) {
    box_work work = {s, data, false, pass->relax, (float)pass->dt};
    par_for(projected(s), PBD_BLOCK, project_block, &work);
}

static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    (void)pass;
    const box_walls *box = data;
    for (size_t i = 0; i < s->p.count; i++) {
        const pbd_room *room = &box->room[s->p.frame[i]];
        float radius = s->groups[s->p.group[i]].radius;
        for (int a = 0; a < 3; a++) {
            double e = fabs((double)leave_of(s->p.q[i][a], room->low[a] + radius, room->high[a] - radius));
            out->largest = fmax(out->largest, e);
            out->sum2 += e * e;
            out->count += e > 0;
        }
    }
}

// Particles that a Jacobi iteration left outside come in, and move outwards no faster than the wall.
static void inside_block(void *context, size_t begin, size_t end) {
    const box_work *w = context;
    pbd_particles *p = &w->s->p;
    float inverse_dt = w->relax;
    for (size_t i = begin; i < end; i++) {
        const pbd_room *room = &w->box->room[p->frame[i]];
        float radius = w->s->groups[p->group[i]].radius;
        for (int a = 0; a < 3; a++) {
            float out = leave_of(p->x[i][a], room->low[a] + radius, room->high[a] - radius);
            if (out == 0) continue;
            float wall = (out < 0 ? w->box->low_speed[a] : w->box->high_speed[a]) * inverse_dt;
            p->x[i][a] -= out;
            p->at[i][a] -= (double)out;
            if (out < 0 ? p->v[i][a] < wall : p->v[i][a] > wall) p->v[i][a] = wall;
        }
    }
}

static firn_status velocities(pbd *s, void *data, const pbd_pass *pass) {
    box_work work = {s, data, true, (float)(1 / pass->dt), (float)pass->dt};
    par_for(s->p.count, PBD_BLOCK, inside_block, &work);
    return FIRN_OK;
}

const pbd_kind pbd_box = {
    .name = "box",
    .unit = "m",
    .create = create,
    .destroy = destroy,
    .changed = changed,
    .find = find,
    .project = project,
    .jacobi = jacobi,
    .residual = residual,
    .velocities = velocities,
};
