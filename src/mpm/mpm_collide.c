// Bodies and the grid: nodes inside a body obey the rule of contact; what the snow loses, the body gains.
#include "mpm/mpm_contact.h"
#include "mpm/mpm_implicit.h"

#include "par/par.h"

// Node positions of a block, in separate arrays as body_query wants them.
typedef struct node_points {
    float x[BLOCK_NODES], y[BLOCK_NODES], z[BLOCK_NODES];
} node_points;

static void block_points(const mpm_state *s, uint32_t slot, node_points *p) {
    for (uint32_t i = 0; i < BLOCK_NODES; i++) {
        float at[3];
        node_place(s, slot, i, at);
        p->x[i] = at[0];
        p->y[i] = at[1];
        p->z[i] = at[2];
    }
}

typedef struct node_contact {
    mpm_state *s;
    const body_set *bodies;
    const mpm_surface *body;
} node_contact;

// The nodes of a block that have mass and are inside the body.
static uint32_t find_touches(const node_contact *c, uint32_t slot, node_touch *out) {
    node_points p;
    float d[BLOCK_NODES], nx[BLOCK_NODES], ny[BLOCK_NODES], nz[BLOCK_NODES];
    block_points(c->s, slot, &p);
    body_query(c->bodies, c->body->body, BLOCK_NODES, p.x, p.y, p.z, d, nx, ny, nz);
    const float *node = c->s->grid.nodes + (size_t)slot * BLOCK_FLOATS;
    uint32_t count = 0;
    for (uint32_t i = 0; i < BLOCK_NODES; i++)
        if (d[i] < 0 && node[4 * i + 3] > 0) out[count++] = (node_touch){i, {nx[i], ny[i], nz[i]}};
    return count;
}

static mpm_push apply_touches(const node_contact *c, uint32_t slot, const node_touch *touch, uint32_t count) {
    mpm_push push = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < count; k++) {
        float *node = c->s->grid.nodes + (size_t)slot * BLOCK_FLOATS + 4 * touch[k].node, at[3], u[3];
        node_place(c->s, slot, touch[k].node, at);
        surface_velocity(c->body, at[0], at[1], at[2], u);
        float v[3] = {node[0] - u[0], node[1] - u[1], node[2] - u[2]};
        contact_answer how = contact_rule(c->body, v, touch[k].n);
        if (how.touching)
            mpm_implicit_bond(c->s, slot, touch[k].node, c->body->body, touch[k].n, how.kept <= 0);
        double j[3];
        for (int a = 0; a < 3; a++) {
            float after = v[a] + u[a];
            j[a] = (double)node[3] * ((double)node[a] - (double)after);
            node[a] = after;
        }
        firn_vec3 impulse = dvec(j[0], j[1], j[2]), place = dvec((double)at[0], (double)at[1], (double)at[2]);
        push.impulse = dvec_add(push.impulse, impulse);
        push.twist = dvec_add(push.twist, dvec_cross(dvec_sub(place, c->body->pivot), impulse));
    }
    return push;
}

static void meet_still_body(void *context, size_t begin, size_t end) {
    const node_contact *c = context;
    for (size_t i = begin; i < end; i++) {
        node_touch touch[BLOCK_NODES];
        uint32_t slot = c->s->reach.near[i];
        apply_touches(c, slot, touch, find_touches(c, slot, touch));
    }
}

static void find_all_touches(void *context, size_t begin, size_t end) {
    const node_contact *c = context;
    mpm_reach *r = &c->s->reach;
    for (size_t i = begin; i < end; i++)
        r->touches[i] = find_touches(c, r->near[i], r->touch + i * BLOCK_NODES);
}

static void apply_all_touches(void *context, size_t begin, size_t end) {
    const node_contact *c = context;
    mpm_reach *r = &c->s->reach;
    for (size_t i = begin; i < end; i++)
        r->push[i] = apply_touches(c, r->near[i], r->touch + i * BLOCK_NODES, r->touches[i]);
}

void mpm_push_body(const mpm_reach *r, size_t blocks, const mpm_surface *b, body_set *bodies) {
    mpm_push sum = {{0, 0, 0}, {0, 0, 0}}; // in the order of blocks, so that it does not depend on threads
    for (size_t i = 0; i < blocks; i++) {
        sum.impulse = dvec_add(sum.impulse, r->push[i].impulse);
        sum.twist = dvec_add(sum.twist, r->push[i].twist);
    }
    body_add_impulses(bodies, b->body, sum.impulse, sum.twist, b->pivot);
}

static firn_status reserve_touches(mpm_reach *r, size_t blocks) {
    if (!array_reserve(&r->touch, &r->capacity[7], blocks * BLOCK_NODES, sizeof *r->touch) ||
        !array_reserve(&r->touches, &r->capacity[8], blocks, sizeof *r->touches))
        return fail_memory("meeting bodies in mpm", blocks * BLOCK_NODES * sizeof *r->touch);
    return FIRN_OK;
}

// First the body's own answer, then the nodes against the body as it will move.
static firn_status meet_dynamic_body(mpm_state *s, body_set *bodies, mpm_surface *body, size_t near) {
    mpm_reach *r = &s->reach;
    TRY(reserve_touches(r, near));
    node_contact c = {s, bodies, body};
    par_for(near, 8, find_all_touches, &c);
    struct node_touches touches = {r->near, near, r->touch, r->touches};
    TRY(mpm_yield(s, bodies, &touches, body));
    par_for(near, 8, apply_all_touches, &c);
    mpm_push_body(r, near, body, bodies);
    return FIRN_OK;
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

static firn_status reserve_reach(mpm_reach *r, size_t blocks, size_t bodies) {
    if (!array_reserve(&r->x, &r->capacity[0], blocks, sizeof *r->x) ||
        !array_reserve(&r->y, &r->capacity[1], blocks, sizeof *r->y) ||
        !array_reserve(&r->z, &r->capacity[2], blocks, sizeof *r->z) ||
        !array_reserve(&r->distance, &r->capacity[3], blocks, sizeof *r->distance) ||
        !array_reserve(&r->near, &r->capacity[4], blocks, sizeof *r->near) ||
        !array_reserve(&r->push, &r->capacity[5], blocks, sizeof *r->push) ||
        !array_reserve(&r->moved, &r->capacity[6], blocks, sizeof *r->moved) ||
        !array_reserve(&r->surface, &r->capacity[9], bodies, sizeof *r->surface))
        return fail_memory("meeting bodies in mpm", blocks * 80);
    return FIRN_OK;
}

static mpm_surface surface_of(const body_set *bodies, size_t b) {
    firn_body_state state = body_state(bodies, b);
    bool dynamic = body_motion(bodies, b) == FIRN_MOTION_DYNAMIC;
    firn_vec3 pivot = dynamic ? body_inertia_now(bodies, b).centre : state.position;
    return (mpm_surface){.body = b,
                         .contact = body_contact_kind(bodies, b),
                         .friction = (float)body_friction(bodies, b),
                         .dynamic = dynamic,
                         .pivot = pivot,
                         .velocity = state.velocity,
                         .spin = state.spin};
}

firn_status mpm_collide_nodes(mpm_state *s, body_set *bodies) {
    TRY(reserve_reach(&s->reach, s->grid.active_count, body_count(bodies)));
    for (size_t b = 0; b < body_count(bodies); b++) {
        mpm_surface *body = &s->reach.surface[b];
        *body = surface_of(bodies, b);
        size_t near = near_blocks(s, bodies, b);
        if (!near) continue;
        node_contact c = {s, bodies, body};
        if (body->dynamic)
            TRY(meet_dynamic_body(s, bodies, body, near));
        else
            par_for(near, 8, meet_still_body, &c);
    }
    return FIRN_OK;
}

firn_status mpm_collide_nodes_again(mpm_state *s, body_set *bodies) {
    for (size_t b = 0; b < body_count(bodies); b++) {
        mpm_surface *body = &s->reach.surface[b];
        size_t near = near_blocks(s, bodies, b);
        if (!near) continue;
        node_contact c = {s, bodies, body};
        if (!body->dynamic) {
            par_for(near, 8, meet_still_body, &c);
            continue;
        }
        TRY(reserve_touches(&s->reach, near));
        par_for(near, 8, find_all_touches, &c);
        par_for(near, 8, apply_all_touches, &c);
        mpm_push_body(&s->reach, near, body, bodies);
    }
    return FIRN_OK;
}

void mpm_reach_free(mpm_reach *r) {
    void *lists[] = {r->x,    r->y,     r->z,       r->distance, r->near,
                     r->push, r->moved, r->surface, r->touch,    r->touches};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *r = (mpm_reach){0};
}
