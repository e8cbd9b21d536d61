// A block of grains meets the bodies near it. Most contacts are short and are done in lanes; grains whose way
// is long against a body's walls, or that touch more than one body, are looked at one by one.
#include <math.h>

#include "grains/grains_lanes.h"
#include "grains/grains_state.h"

typedef struct block_box {
    float low[3], high[3];
} block_box;

static block_box box_of(const grain_block *b, float radius) {
    block_box box;
    ISA_PICK(grains_range)(b->count, b->x, b->ox, &box.low[0], &box.high[0]);
    ISA_PICK(grains_range)(b->count, b->y, b->oy, &box.low[1], &box.high[1]);
    ISA_PICK(grains_range)(b->count, b->z, b->oz, &box.low[2], &box.high[2]);
    for (int k = 0; k < 3; k++) box.low[k] -= radius, box.high[k] += radius;
    return box;
}

static bool meets(const block_box *box, const grain_wall *w) {
    if (!w->bounded) return true;
    for (int k = 0; k < 3; k++)
        if (box->low[k] > w->high[k] || box->high[k] < w->low[k]) return false;
    return true;
}

static double slowest_bounce(const grains *g, double dt) {
    return fmax(0.05, 2 * dvec_length(g->gravity) * dt);
}

static grain_contact contact_with(const grains *g, const grain_wall *w, double dt) {
    return (grain_contact){.radius = (float)g->radius,
                           .friction = (float)w->friction,
                           .restitution = (float)w->restitution,
                           .slowest = (float)slowest_bounce(g, dt),
                           .dt = (float)dt,
                           .origin = {(float)w->origin.x, (float)w->origin.y, (float)w->origin.z},
                           .velocity = {(float)w->velocity.x, (float)w->velocity.y, (float)w->velocity.z},
                           .spin = {(float)w->spin.x, (float)w->spin.y, (float)w->spin.z},
                           .gravity = {(float)g->gravity.x, (float)g->gravity.y, (float)g->gravity.z}};
}

static void add_push(const grains *g, const grain_wall *w, firn_vec3 change, firn_vec3 at,
                     grain_push *pushes) {
    if (w->push == SIZE_MAX) return;
    firn_vec3 impulse = dvec_scale(change, -g->mass);
    grain_push *push = &pushes[w->push];
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(push->twist, dvec_cross(dvec_sub(at, w->origin), impulse));
}

void grain_bounce(const grains *g, const grain_wall *w, grain_block *b, size_t i, firn_vec3 n, double since,
                  grain_push *pushes) {
    firn_vec3 at = dvec((double)b->x[i], (double)b->y[i], (double)b->z[i]);
    firn_vec3 v = dvec((double)b->u[i], (double)b->v[i], (double)b->w[i]);
    firn_vec3 r = dvec_sub(v, dvec_add(w->velocity, dvec_cross(w->spin, dvec_sub(at, w->origin))));
    double inward = -dvec_dot(r, n);
    if (inward <= 0) return;
    double speed = inward + dvec_dot(g->gravity, n) * since;
    double push = inward + (speed > slowest_bounce(g, b->dt) ? w->restitution * speed : 0);
    firn_vec3 tangent = dvec_add_scaled(r, n, inward);
    double rub = fmin(1, w->friction * push / fmax(dvec_length(tangent), 1e-12));
    firn_vec3 change = dvec_add_scaled(dvec_scale(n, push), tangent, -rub);
    b->u[i] = (float)(v.x + change.x);
    b->v[i] = (float)(v.y + change.y);
    b->w[i] = (float)(v.z + change.z);
    // What the grain really got, after rounding.
    change = dvec((double)b->u[i] - v.x, (double)b->v[i] - v.y, (double)b->w[i] - v.z);
    add_push(g, w, change, at, pushes);
}

typedef struct distances {
    float d[GRAIN_BLOCK], nx[GRAIN_BLOCK], ny[GRAIN_BLOCK], nz[GRAIN_BLOCK];
} distances;

// Ways that could lead through a wall unseen: longer than half of it, and the body within reach.
static void mark_long_ways(const grains *g, const grain_wall *w, const grain_block *b, const distances *at,
                           uint8_t *sweep) {
    float radius = (float)g->radius, motion = (float)w->motion, wall = (float)fmin(w->wall / 2, 1e30);
    for (size_t i = 0; i < b->count; i++) {
        float dx = b->x[i] - b->ox[i], dy = b->y[i] - b->oy[i], dz = b->z[i] - b->oz[i];
        float way = sqrtf(dx * dx + dy * dy + dz * dz) + motion;
        sweep[i] |= (uint8_t)((way > wall) & (at->d[i] - radius < way));
    }
}

static void sum_pushes(const grains *g, const grain_wall *w, const grain_block *b, const distances *at,
                       const float *ju, const float *jv, const float *jw, grain_push *pushes) {
    if (w->push == SIZE_MAX) return;
    for (size_t i = 0; i < b->count; i++) {
        if (!(at->d[i] < (float)g->radius)) continue;
        firn_vec3 change = dvec((double)ju[i], (double)jv[i], (double)jw[i]);
        add_push(g, w, change, dvec((double)b->x[i], (double)b->y[i], (double)b->z[i]), pushes);
    }
}

// Pulls the touched grains of one body out, in lanes. Those marked for a sweep are left alone.
static void touch(const grains *g, const grain_wall *w, grain_block *b, distances *at, const uint8_t *sweep,
                  grain_push *pushes) {
    float ju[GRAIN_BLOCK], jv[GRAIN_BLOCK], jw[GRAIN_BLOCK];
    for (size_t i = 0; i < b->count; i++) at->d[i] = sweep[i] ? INFINITY : at->d[i];
    grain_contact contact = contact_with(g, w, b->dt);
    ISA_PICK(grains_touch)
    (&contact, b->count, at->d, at->nx, at->ny, at->nz, b->x, b->y, b->z, b->u, b->v, b->w, ju, jv, jw);
    sum_pushes(g, w, b, at, ju, jv, jw, pushes);
}

static bool any_touch(const grain_block *b, const float *d, float limit) {
    int any = 0;
    for (size_t i = 0; i < b->count; i++) any |= d[i] < limit;
    return any;
}

// The distance of a sampled shape is not exact, and what one body moves may end in another.
static void mark_inside(const grains *g, const body_set *bodies, const grain_block *b, bool only_sampled,
                        uint8_t *inside) {
    block_box box = box_of(b, (float)g->radius);
    float d[GRAIN_BLOCK], limit = (float)(g->radius * GRAIN_SLACK);
    for (size_t k = 0; k < g->wall_count; k++) {
        const grain_wall *w = &g->walls[k];
        if ((only_sampled && !w->sampled) || !meets(&box, w)) continue;
        body_query(bodies, w->body, b->count, b->x, b->y, b->z, d, NULL, NULL, NULL);
        for (size_t i = 0; i < b->count; i++) inside[i] |= d[i] < limit;
    }
}

void grains_collide(const grains *g, const body_set *bodies, grain_block *b, grain_push *pushes) {
    block_box box = box_of(b, (float)g->radius);
    uint8_t sweep[GRAIN_BLOCK] = {0}, inside[GRAIN_BLOCK] = {0};
    distances at;
    size_t near = 0, touching = 0;
    for (size_t k = 0; k < g->wall_count; k++) {
        const grain_wall *w = &g->walls[k];
        if (!meets(&box, w)) continue;
        near++;
        body_query(bodies, w->body, b->count, b->x, b->y, b->z, at.d, at.nx, at.ny, at.nz);
        mark_long_ways(g, w, b, &at, sweep);
        if (!any_touch(b, at.d, (float)g->radius)) continue;
        touching++;
        touch(g, w, b, &at, sweep, pushes);
    }
    if (touching > 0) mark_inside(g, bodies, b, near == 1, inside);
    for (size_t i = 0; near > 0 && i < b->count; i++)
        if (sweep[i] || inside[i]) grains_rescue(g, bodies, b, i, sweep[i], pushes);
}
