// Contacts of a block of grains with the bodies near it. Most are handled in lanes; grains whose path is long
// against a body's minimum thickness, or that are in contact with several bodies, are handled one by one.
#include <math.h>
#include <string.h>

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
                     grain_impulse *pushes) {
    firn_vec3 impulse = dvec_scale(change, -g->mass);
    grain_impulse *push = &pushes[w->body];
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(push->twist, dvec_cross(dvec_sub(at, w->origin), impulse));
}

void grain_bounce(const grains *g, const grain_wall *w, grain_block *b, size_t i, firn_vec3 n, double since,
                  grain_impulse *pushes) {
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
    // The change of velocity after rounding.
    change = dvec((double)b->u[i] - v.x, (double)b->v[i] - v.y, (double)b->w[i] - v.z);
    add_push(g, w, change, at, pushes);
}

typedef struct distances {
    float d[GRAIN_BLOCK], nx[GRAIN_BLOCK], ny[GRAIN_BLOCK], nz[GRAIN_BLOCK];
} distances;

// The grains of a block that one body can meet, packed; all of them if the body is infinite.
typedef struct near_block {
    grain_block *block; // the whole one if all are near, else `packed`
    grain_block packed;
    uint16_t index[GRAIN_BLOCK]; // in the whole block
    uint8_t sweep[GRAIN_BLOCK];  // it could tunnel through the body
} near_block;
_Static_assert(GRAIN_BLOCK <= UINT16_MAX, "indices in a block are 16 bit");

static float smaller(float a, float b) { return a < b ? a : b; }
static float larger(float a, float b) { return a > b ? a : b; }

static void mark_in_box(const grain_block *b, const grain_wall *w, float radius, uint8_t *in) {
    const float *now[3] = {b->x, b->y, b->z}, *before[3] = {b->ox, b->oy, b->oz};
    memset(in, 1, b->count);
    for (int k = 0; w->bounded && k < 3; k++) {
        const float *p = now[k], *q = before[k], low = w->low[k] - radius, high = w->high[k] + radius;
        for (size_t i = 0; i < b->count; i++) {
            int below = smaller(p[i], q[i]) <= high, above = larger(p[i], q[i]) >= low;
            in[i] &= (uint8_t)(below & above);
        }
    }
}

static void pack(const grain_block *b, size_t n, near_block *out) {
    grain_block *to = &out->packed;
    const float *from[9] = {b->x, b->y, b->z, b->ox, b->oy, b->oz, b->u, b->v, b->w};
    float *into[9] = {to->x, to->y, to->z, to->ox, to->oy, to->oz, to->u, to->v, to->w};
    for (int k = 0; k < 9; k++)
        for (size_t i = 0; i < n; i++) into[k][i] = from[k][out->index[i]];
    to->count = n;
    to->dt = b->dt;
}

static void take_near(grain_block *b, const grain_wall *w, float radius, near_block *out) {
    uint8_t in[GRAIN_BLOCK];
    mark_in_box(b, w, radius, in);
    size_t n = 0;
    for (size_t i = 0; i < b->count; i++) {
        out->index[n] = (uint16_t)i;
        n += in[i] ? 1 : 0;
    }
    out->block = n == b->count ? b : &out->packed;
    if (out->block != b) pack(b, n, out);
}

static void put_back(const near_block *near, grain_block *b) {
    const grain_block *from = near->block;
    for (size_t i = 0; from != b && i < from->count; i++) {
        size_t to = near->index[i];
        b->x[to] = from->x[i], b->y[to] = from->y[i], b->z[to] = from->z[i];
        b->u[to] = from->u[i], b->v[to] = from->v[i], b->w[to] = from->w[i];
    }
}

// Paths longer than half of the minimum thickness, near the body.
static void mark_long_ways(const grains *g, const grain_wall *w, near_block *near, const distances *at) {
    const grain_block *b = near->block;
    float radius = (float)g->radius, motion = (float)w->motion, wall = (float)fmin(w->wall / 2, 1e30);
    for (size_t i = 0; i < b->count; i++) {
        float dx = b->x[i] - b->ox[i], dy = b->y[i] - b->oy[i], dz = b->z[i] - b->oz[i];
        float way = sqrtf(dx * dx + dy * dy + dz * dz) + motion;
        near->sweep[i] = (uint8_t)((way > wall) & (at->d[i] - radius < way));
    }
}

static void sum_pushes(const grains *g, const grain_wall *w, const grain_block *b, const distances *at,
                       const float *ju, const float *jv, const float *jw, grain_impulse *pushes) {
    for (size_t i = 0; i < b->count; i++) {
        if (!(at->d[i] < (float)g->radius)) continue;
        firn_vec3 change = dvec((double)ju[i], (double)jv[i], (double)jw[i]);
        add_push(g, w, change, dvec((double)b->x[i], (double)b->y[i], (double)b->z[i]), pushes);
    }
}

// Moves grains in contact with one body out, in lanes. Those marked for a sweep are skipped.
static void touch(const grains *g, const grain_wall *w, near_block *near, distances *at,
                  grain_impulse *pushes) {
    grain_block *b = near->block;
    float ju[GRAIN_BLOCK], jv[GRAIN_BLOCK], jw[GRAIN_BLOCK];
    // Far, but finite: the lanes multiply the depth of grains without contact by 0.
    for (size_t i = 0; i < b->count; i++) at->d[i] = near->sweep[i] ? 1e30f : at->d[i];
    grain_contact contact = contact_with(g, w, b->dt);
    ISA_PICK(grains_contact)
    (&contact, b->count, at->d, at->nx, at->ny, at->nz, b->x, b->y, b->z, b->u, b->v, b->w, ju, jv, jw);
    sum_pushes(g, w, b, at, ju, jv, jw, pushes);
}

static bool any_touch(const grain_block *b, const float *d, float limit) {
    int any = 0;
    for (size_t i = 0; i < b->count; i++) any |= d[i] < limit;
    return any;
}

// Contacts of a block with one body; true if there were any that lanes could do.
static bool meet(const grains *g, const body_set *bodies, const grain_wall *w, grain_block *b, uint8_t *sweep,
                 grain_impulse *pushes) {
    near_block near;
    distances at;
    take_near(b, w, (float)g->radius, &near);
    const grain_block *n = near.block;
    if (n->count == 0) return false;
    body_query(bodies, w->body, n->count, n->x, n->y, n->z, at.d, at.nx, at.ny, at.nz);
    mark_long_ways(g, w, &near, &at);
    for (size_t i = 0; i < n->count; i++) sweep[near.index[i]] |= near.sweep[i];
    if (!any_touch(n, at.d, (float)g->radius)) return false;
    touch(g, w, &near, &at, pushes);
    put_back(&near, b);
    return true;
}

// The signed distance of a sampled shape is not exact, and a grain moved by one body may end in another.
static void mark_inside(const grains *g, const body_set *bodies, grain_block *b, bool only_sampled,
                        uint8_t *inside) {
    block_box box = box_of(b, (float)g->radius);
    float d[GRAIN_BLOCK], limit = (float)(g->radius * GRAIN_SLACK);
    for (size_t k = 0; k < g->wall_count; k++) {
        const grain_wall *w = &g->walls[k];
        if ((only_sampled && !w->sampled) || !meets(&box, w)) continue;
        near_block near;
        take_near(b, w, (float)g->radius, &near);
        const grain_block *n = near.block;
        if (n->count == 0) continue;
        body_query(bodies, w->body, n->count, n->x, n->y, n->z, d, NULL, NULL, NULL);
        for (size_t i = 0; i < n->count; i++) inside[near.index[i]] |= d[i] < limit;
    }
}

void grains_collide(const grains *g, const body_set *bodies, grain_block *b, grain_impulse *pushes) {
    block_box box = box_of(b, (float)g->radius);
    uint8_t sweep[GRAIN_BLOCK] = {0}, inside[GRAIN_BLOCK] = {0};
    size_t near = 0, touching = 0;
    for (size_t k = 0; k < g->wall_count; k++) {
        if (!meets(&box, &g->walls[k])) continue;
        near++;
        touching += meet(g, bodies, &g->walls[k], b, sweep, pushes);
    }
    if (touching > 0) mark_inside(g, bodies, b, near == 1, inside);
    for (size_t i = 0; near > 0 && i < b->count; i++)
        if (sweep[i] || inside[i]) grains_rescue(g, bodies, b, i, sweep[i], pushes);
}
