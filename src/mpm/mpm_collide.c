// Bodies and snow: the rule of MPM15 listing 10 on the nodes inside a body; what the snow loses, the body
// gains.
#include "mpm/mpm_state.h"

#include <math.h>

#include "math/dvec.h"
#include "par/par.h"

// Coulomb contact of a velocity relative to the body; n is the body's outward normal. Separating motion is
// left alone.
static void contact_rule(float v[3], const float n[3], float friction) {
    float vn = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    if (vn >= 0) return;
    float t[3] = {v[0] - vn * n[0], v[1] - vn * n[1], v[2] - vn * n[2]};
    float speed = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    float kept = speed > -friction * vn ? 1.0f + friction * vn / speed : 0.0f; // static friction: stop
    for (int a = 0; a < 3; a++) v[a] = kept * t[a];
}

// Node positions of a block, in separate arrays as body_query wants them.
typedef struct node_points {
    float x[BLOCK_NODES], y[BLOCK_NODES], z[BLOCK_NODES];
} node_points;

static void block_points(const int32_t at[3], float cell, node_points *p) {
    for (int i = 0; i < BLOCK_NODES; i++) {
        p->x[i] = cell * (float)(at[0] * BLOCK_EDGE + (i >> 4));
        p->y[i] = cell * (float)(at[1] * BLOCK_EDGE + (i >> 2 & 3));
        p->z[i] = cell * (float)(at[2] * BLOCK_EDGE + (i & 3));
    }
}

typedef struct node_contact {
    mpm_state *s;
    const body_set *bodies;
    size_t body;
    const uint32_t *near; // slots of the blocks the body may touch
    float (*impulse)[3];  // by near block and node: what the body gets, N s; NULL if it cannot move
} node_contact;

static void collide_block(const node_contact *c, uint32_t slot, float (*impulse)[3]) {
    mpm_grid *g = &c->s->grid;
    node_points p;
    block_points(g->map.at[slot], (float)c->s->def.cell, &p);
    float d[BLOCK_NODES], nx[BLOCK_NODES], ny[BLOCK_NODES], nz[BLOCK_NODES];
    body_query(c->bodies, c->body, BLOCK_NODES, p.x, p.y, p.z, d, nx, ny, nz);
    float friction = (float)body_friction(c->bodies, c->body);
    float *node = g->nodes + (size_t)slot * BLOCK_FLOATS;
    for (int i = 0; i < BLOCK_NODES; i++, node += 4) {
        if (impulse) impulse[i][0] = impulse[i][1] = impulse[i][2] = 0;
        if (d[i] >= 0 || node[3] <= 0) continue;
        firn_vec3 u = body_velocity_at(c->bodies, c->body, (firn_vec3){p.x[i], p.y[i], p.z[i]});
        float body_v[3] = {(float)u.x, (float)u.y, (float)u.z};
        float v[3] = {node[0] - body_v[0], node[1] - body_v[1], node[2] - body_v[2]},
              n[3] = {nx[i], ny[i], nz[i]};
        contact_rule(v, n, friction);
        for (int a = 0; a < 3; a++) {
            float after = v[a] + body_v[a];
            if (impulse) impulse[i][a] = node[3] * (node[a] - after);
            node[a] = after;
        }
    }
}

static void collide_blocks(void *context, size_t begin, size_t end) {
    const node_contact *c = context;
    for (size_t i = begin; i < end; i++)
        collide_block(c, c->near[i], c->impulse ? c->impulse + i * BLOCK_NODES : NULL);
}

// In block and node order, so that the sums do not depend on threads.
static void push_body(const node_contact *c, body_set *bodies, size_t near) {
    for (size_t i = 0; i < near; i++) {
        node_points p;
        block_points(c->s->grid.map.at[c->near[i]], (float)c->s->def.cell, &p);
        const float(*impulse)[3] = (const float(*)[3])c->impulse + i * BLOCK_NODES;
        for (int k = 0; k < BLOCK_NODES; k++)
            if (impulse[k][0] != 0 || impulse[k][1] != 0 || impulse[k][2] != 0)
                body_add_impulse(bodies, c->body, dvec(impulse[k][0], impulse[k][1], impulse[k][2]),
                                 dvec(p.x[k], p.y[k], p.z[k]));
    }
}

// Active blocks whose sphere reaches into the body.
static size_t near_blocks(mpm_state *s, const body_set *bodies, size_t body) {
    mpm_grid *g = &s->grid;
    mpm_reach *r = &s->reach;
    float cell = (float)s->def.cell, half = 0.5f * (BLOCK_EDGE - 1), radius = half * cell * 1.7321f;
    for (size_t i = 0; i < g->active_count; i++) {
        const int32_t *at = g->map.at[g->active[i]];
        r->x[i] = cell * ((float)(at[0] * BLOCK_EDGE) + half);
        r->y[i] = cell * ((float)(at[1] * BLOCK_EDGE) + half);
        r->z[i] = cell * ((float)(at[2] * BLOCK_EDGE) + half);
    }
    body_query(bodies, body, g->active_count, r->x, r->y, r->z, r->distance, NULL, NULL, NULL);
    size_t near = 0;
    for (size_t i = 0; i < g->active_count; i++)
        if (r->distance[i] < radius) r->near[near++] = g->active[i];
    return near;
}

static firn_status reserve_reach(mpm_reach *r, size_t blocks) {
    if (!array_reserve(&r->x, &r->capacity[0], blocks, sizeof *r->x) ||
        !array_reserve(&r->y, &r->capacity[1], blocks, sizeof *r->y) ||
        !array_reserve(&r->z, &r->capacity[2], blocks, sizeof *r->z) ||
        !array_reserve(&r->distance, &r->capacity[3], blocks, sizeof *r->distance) ||
        !array_reserve(&r->near, &r->capacity[4], blocks, sizeof *r->near))
        return fail_memory("meeting bodies in mpm", blocks * 20);
    return FIRN_OK;
}

static firn_status reserve_impulses(mpm_reach *r, size_t blocks) {
    if (!array_reserve(&r->impulse, &r->capacity[5], blocks * BLOCK_NODES, sizeof *r->impulse))
        return fail_memory("meeting bodies in mpm", blocks * BLOCK_NODES * sizeof *r->impulse);
    return FIRN_OK;
}

firn_status mpm_collide_nodes(mpm_state *s, body_set *bodies) {
    TRY(reserve_reach(&s->reach, s->grid.active_count));
    for (size_t b = 0; b < body_count(bodies); b++) {
        size_t near = near_blocks(s, bodies, b);
        if (!near) continue;
        bool dynamic = body_motion(bodies, b) == FIRN_MOTION_DYNAMIC;
        if (dynamic) TRY(reserve_impulses(&s->reach, near));
        node_contact c = {s, bodies, b, s->reach.near, dynamic ? s->reach.impulse : NULL};
        par_for(near, 8, collide_blocks, &c);
        if (dynamic) push_body(&c, bodies, near);
    }
    return FIRN_OK;
}

void mpm_reach_free(mpm_reach *r) {
    void *lists[] = {r->x, r->y, r->z, r->distance, r->near, r->impulse};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *r = (mpm_reach){0};
}

// Step 9: particles that the grid let into a body come out again, at the surface, and obey the same rule.
typedef struct particle_contact {
    mpm_state *s;
    const body_set *bodies;
    size_t body;
    const uint32_t *near;
} particle_contact;

enum { CHUNK = 64 };

static void collide_chunk(const particle_contact *c, const uint32_t *index, size_t n) {
    mpm_particles *p = &c->s->p;
    float x[CHUNK] = {0}, y[CHUNK] = {0}, z[CHUNK] = {0}, d[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    for (size_t k = 0; k < n; k++) {
        x[k] = p->x[index[k]][0];
        y[k] = p->x[index[k]][1];
        z[k] = p->x[index[k]][2];
    }
    body_query(c->bodies, c->body, n, x, y, z, d, nx, ny, nz);
    float friction = (float)body_friction(c->bodies, c->body);
    for (size_t k = 0; k < n; k++) {
        if (d[k] >= 0) continue;
        float *at = p->x[index[k]], *v = p->v[index[k]], normal[3] = {nx[k], ny[k], nz[k]};
        firn_vec3 u = body_velocity_at(c->bodies, c->body, dvec(x[k], y[k], z[k]));
        float body_v[3] = {(float)u.x, (float)u.y, (float)u.z};
        for (int a = 0; a < 3; a++) {
            at[a] -= d[k] * normal[a];
            v[a] -= body_v[a];
        }
        contact_rule(v, normal, friction);
        for (int a = 0; a < 3; a++) v[a] += body_v[a];
    }
}

static void collide_particle_blocks(void *context, size_t begin, size_t end) {
    const particle_contact *c = context;
    const mpm_grid *g = &c->s->grid;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[c->near[i]];
        for (size_t k = 0; k < b->count; k += CHUNK)
            collide_chunk(c, g->order + b->first + k, b->count - k < CHUNK ? b->count - k : CHUNK);
    }
}

// Occupied blocks whose particles, with the way they just went, may reach into the body.
static size_t near_occupied(mpm_state *s, const body_set *bodies, size_t body) {
    mpm_grid *g = &s->grid;
    mpm_reach *r = &s->reach;
    float cell = (float)s->def.cell,
          middle = 0.5f * BLOCK_EDGE + (s->def.kernel == FIRN_MPM_CUBIC ? 1.0f : 0.5f);
    float radius = (0.5f * BLOCK_EDGE * 1.7321f + 1.0f) * cell;
    for (size_t i = 0; i < g->occupied_count; i++) {
        const int32_t *at = g->map.at[g->occupied[i]];
        r->x[i] = cell * ((float)(at[0] * BLOCK_EDGE) + middle);
        r->y[i] = cell * ((float)(at[1] * BLOCK_EDGE) + middle);
        r->z[i] = cell * ((float)(at[2] * BLOCK_EDGE) + middle);
    }
    body_query(bodies, body, g->occupied_count, r->x, r->y, r->z, r->distance, NULL, NULL, NULL);
    size_t near = 0;
    for (size_t i = 0; i < g->occupied_count; i++)
        if (r->distance[i] < radius) r->near[near++] = g->occupied[i];
    return near;
}

firn_status mpm_collide_particles(mpm_state *s, body_set *bodies) {
    TRY(reserve_reach(&s->reach, s->grid.active_count));
    for (size_t b = 0; b < body_count(bodies); b++) {
        size_t near = near_occupied(s, bodies, b);
        particle_contact c = {s, bodies, b, s->reach.near};
        par_for(near, 8, collide_particle_blocks, &c);
    }
    return FIRN_OK;
}
