// Grid contact with bodies: nodes inside a body obey the contact rule, and the body gains the momentum they
// lose.
#include "mpm/mpm_contact.h"
#include "mpm/mpm_implicit.h"

#include "par/par.h"

// Node positions of a block, in separate arrays for body_query.
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

typedef struct contact_pass {
    mpm_state *s;
    const body_set *bodies;
    const mpm_collider *body;
} contact_pass;

// The nodes of a block that have mass and are inside the body.
static uint32_t find_contacts(const contact_pass *c, uint32_t slot, contact_node *out) {
    node_points p;
    float d[BLOCK_NODES], nx[BLOCK_NODES], ny[BLOCK_NODES], nz[BLOCK_NODES];
    block_points(c->s, slot, &p);
    body_query(c->bodies, c->body->body, BLOCK_NODES, p.x, p.y, p.z, d, nx, ny, nz);
    const float *node = c->s->grid.nodes + (size_t)slot * BLOCK_FLOATS;
    uint32_t count = 0;
    for (uint32_t i = 0; i < BLOCK_NODES; i++)
        if (d[i] < 0 && node[4 * i + 3] > 0) out[count++] = (contact_node){i, {nx[i], ny[i], nz[i]}};
    return count;
}

static mpm_reaction apply_contacts(const contact_pass *c, uint32_t slot, const contact_node *contacts,
                                   uint32_t count) {
    mpm_reaction reaction = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < count; k++) {
        float *node = c->s->grid.nodes + (size_t)slot * BLOCK_FLOATS + 4 * contacts[k].node, at[3], u[3];
        node_place(c->s, slot, contacts[k].node, at);
        collider_velocity(c->body, at[0], at[1], at[2], u);
        float v[3] = {node[0] - u[0], node[1] - u[1], node[2] - u[2]};
        contact_result how = contact_apply(c->body, v, contacts[k].n);
        if (how.in_contact)
            mpm_implicit_constrain(c->s, slot, contacts[k].node, c->body->body, contacts[k].n,
                                   how.tangential <= 0);
        double j[3];
        for (int a = 0; a < 3; a++) {
            float after = v[a] + u[a];
            j[a] = (double)node[3] * ((double)node[a] - (double)after);
            node[a] = after;
        }
        firn_vec3 impulse = dvec(j[0], j[1], j[2]), place = dvec((double)at[0], (double)at[1], (double)at[2]);
        reaction.impulse = dvec_add(reaction.impulse, impulse);
        reaction.angular = dvec_add(reaction.angular, dvec_cross(dvec_sub(place, c->body->pivot), impulse));
    }
    return reaction;
}

static void collide_static_body(void *context, size_t begin, size_t end) {
    const contact_pass *c = context;
    for (size_t i = begin; i < end; i++) {
        contact_node contacts[BLOCK_NODES];
        uint32_t slot = c->s->contact.near[i];
        c->s->contact.reaction[i] = apply_contacts(c, slot, contacts, find_contacts(c, slot, contacts));
    }
}

static void find_all_contacts(void *context, size_t begin, size_t end) {
    const contact_pass *c = context;
    mpm_contact_scratch *r = &c->s->contact;
    for (size_t i = begin; i < end; i++)
        r->contact_counts[i] = find_contacts(c, r->near[i], r->contacts + i * BLOCK_NODES);
}

static void apply_all_contacts(void *context, size_t begin, size_t end) {
    const contact_pass *c = context;
    mpm_contact_scratch *r = &c->s->contact;
    for (size_t i = begin; i < end; i++)
        r->reaction[i] = apply_contacts(c, r->near[i], r->contacts + i * BLOCK_NODES, r->contact_counts[i]);
}

void mpm_apply_reaction(const mpm_contact_scratch *r, size_t blocks, const mpm_collider *b,
                        body_set *bodies) {
    mpm_reaction sum = {{0, 0, 0},
                        {0, 0, 0}}; // in the order of blocks, so that it does not depend on threads
    for (size_t i = 0; i < blocks; i++) {
        sum.impulse = dvec_add(sum.impulse, r->reaction[i].impulse);
        sum.angular = dvec_add(sum.angular, r->reaction[i].angular);
    }
    body_add_impulses(bodies, b->body, sum.impulse, sum.angular, b->pivot);
}

static firn_status reserve_contacts(mpm_contact_scratch *r, size_t blocks) {
    if (!array_reserve(&r->contacts, &r->capacity[7], blocks * BLOCK_NODES, sizeof *r->contacts) ||
        !array_reserve(&r->contact_counts, &r->capacity[8], blocks, sizeof *r->contact_counts))
        return fail_memory("finding contacts with bodies in mpm", blocks * BLOCK_NODES * sizeof *r->contacts);
    return FIRN_OK;
}

// First the response of the body, then the nodes against its new motion.
static firn_status collide_dynamic_body(mpm_state *s, body_set *bodies, mpm_collider *body, size_t near) {
    mpm_contact_scratch *r = &s->contact;
    TRY(reserve_contacts(r, near));
    contact_pass c = {s, bodies, body};
    par_for(near, 8, find_all_contacts, &c);
    struct contact_nodes contacts = {r->near, near, r->contacts, r->contact_counts};
    TRY(mpm_body_response(s, bodies, &contacts, body));
    par_for(near, 8, apply_all_contacts, &c);
    mpm_apply_reaction(r, near, body, bodies);
    return FIRN_OK;
}

// Active blocks whose bounding sphere intersects the body.
static size_t near_blocks(mpm_state *s, const body_set *bodies, size_t body) {
    mpm_grid *g = &s->grid;
    mpm_contact_scratch *r = &s->contact;
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

static firn_status reserve_contact_scratch(mpm_contact_scratch *r, size_t blocks, size_t bodies) {
    if (!array_reserve(&r->x, &r->capacity[0], blocks, sizeof *r->x) ||
        !array_reserve(&r->y, &r->capacity[1], blocks, sizeof *r->y) ||
        !array_reserve(&r->z, &r->capacity[2], blocks, sizeof *r->z) ||
        !array_reserve(&r->distance, &r->capacity[3], blocks, sizeof *r->distance) ||
        !array_reserve(&r->near, &r->capacity[4], blocks, sizeof *r->near) ||
        !array_reserve(&r->reaction, &r->capacity[5], blocks, sizeof *r->reaction) ||
        !array_reserve(&r->moved, &r->capacity[6], blocks, sizeof *r->moved) ||
        !array_reserve(&r->collider, &r->capacity[9], bodies, sizeof *r->collider))
        return fail_memory("finding contacts with bodies in mpm", blocks * 80);
    return FIRN_OK;
}

static mpm_collider collider_of(const body_set *bodies, size_t b) {
    firn_body_state state = body_state(bodies, b);
    bool dynamic = body_motion(bodies, b) == FIRN_MOTION_DYNAMIC;
    firn_vec3 pivot = dynamic ? body_inertia_now(bodies, b).centre : state.position;
    return (mpm_collider){.body = b,
                          .contact = body_contact_kind(bodies, b),
                          .friction = (float)body_friction(bodies, b),
                          .dynamic = dynamic,
                          .pivot = pivot,
                          .velocity = state.velocity,
                          .spin = state.spin};
}

firn_status mpm_collide_nodes(mpm_state *s, body_set *bodies) {
    TRY(reserve_contact_scratch(&s->contact, s->grid.active_count, body_count(bodies)));
    for (size_t b = 0; b < body_count(bodies); b++) {
        mpm_collider *body = &s->contact.collider[b];
        *body = collider_of(bodies, b);
        size_t near = near_blocks(s, bodies, b);
        if (!near) continue;
        contact_pass c = {s, bodies, body};
        if (body->dynamic) {
            TRY(collide_dynamic_body(s, bodies, body, near));
            continue;
        }
        par_for(near, 8, collide_static_body, &c);
        mpm_apply_reaction(&s->contact, near, body, bodies);
    }
    return FIRN_OK;
}

firn_status mpm_collide_nodes_again(mpm_state *s, body_set *bodies) {
    for (size_t b = 0; b < body_count(bodies); b++) {
        mpm_collider *body = &s->contact.collider[b];
        size_t near = near_blocks(s, bodies, b);
        if (!near) continue;
        contact_pass c = {s, bodies, body};
        if (!body->dynamic) {
            par_for(near, 8, collide_static_body, &c);
            mpm_apply_reaction(&s->contact, near, body, bodies);
            continue;
        }
        TRY(reserve_contacts(&s->contact, near));
        par_for(near, 8, find_all_contacts, &c);
        par_for(near, 8, apply_all_contacts, &c);
        mpm_apply_reaction(&s->contact, near, body, bodies);
    }
    return FIRN_OK;
}

void mpm_contact_free(mpm_contact_scratch *r) {
    void *lists[] = {r->x,        r->y,     r->z,        r->distance, r->near,
                     r->reaction, r->moved, r->collider, r->contacts, r->contact_counts};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *r = (mpm_contact_scratch){0};
}
