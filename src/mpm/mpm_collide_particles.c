// Particle contact with bodies (MPM15 step 9): particles that the grid let into a body, or through a thin
// one, are moved back to the surface they came from and obey the same rule as the nodes.
#include "mpm/mpm_contact.h"
#include "mpm/mpm_ranks.h"

#include <string.h>

#include "par/par.h"

enum { CHUNK = 64, ROUNDS = 6 };
enum { PENDING = 1, MOVED = 2 }; // flags of a block: still to be checked; one of its particles was moved

typedef struct particle_contact {
    mpm_state *s;
    const body_set *bodies;
    const mpm_collider *body;
    float (*delta)[3]; // after G2P: velocities that did not move the particles; may be NULL
    float dt;
    float sweep_above; // m; a particle that travelled farther may have tunnelled through the body and is
                       // swept; INFINITY: no sweep
    float depth;       // m; shallower penetrations are left alone
} particle_contact;

static void add_reaction(const particle_contact *c, uint32_t i, const float before[3],
                         mpm_reaction *reaction) {
    const float *v = c->s->p.v[i];
    double m = (double)c->s->materials[c->s->p.material[i]].mass;
    firn_vec3 impulse = dvec(m * ((double)before[0] - (double)v[0]), m * ((double)before[1] - (double)v[1]),
                             m * ((double)before[2] - (double)v[2]));
    firn_vec3 at = mpm_position(&c->s->p, i);
    reaction->impulse = dvec_add(reaction->impulse, impulse);
    reaction->angular = dvec_add(reaction->angular, dvec_cross(dvec_sub(at, c->body->pivot), impulse));
}

static void contact_particle(const particle_contact *c, uint32_t i, const float n[3],
                             mpm_reaction *reaction) {
    float *v = c->s->p.v[i], before[3] = {v[0], v[1], v[2]}, u[3];
    collider_velocity(c->body, c->s->p.x[i], u);
    for (int a = 0; a < 3; a++) v[a] -= u[a];
    contact_apply(c->body, v, n);
    for (int a = 0; a < 3; a++) v[a] += u[a];
    add_reaction(c, i, before, reaction);
}

// If the path of this step led through or into the body, puts the particle back to the point of first
// contact, which has moved with the body.
static bool sweep_back(const particle_contact *c, uint32_t i, mpm_reaction *reaction) {
    double *x = c->s->p.x[i], dt = (double)c->dt;
    const float *own = c->s->p.v[i], *delta = c->delta ? c->delta[i] : (const float[3]){0, 0, 0};
    firn_vec3 v = dvec((double)own[0] - (double)delta[0], (double)own[1] - (double)delta[1],
                       (double)own[2] - (double)delta[2]); // which moved it
    firn_vec3 to = mpm_position(&c->s->p, i), from = dvec_add_scaled(to, v, -dt);
    body_hit hit;
    if (!body_sweep(c->bodies, c->body->body, from, to, 0, &hit)) return false;
    x[0] = hit.carried.x;
    x[1] = hit.carried.y;
    x[2] = hit.carried.z;
    const float n[3] = {(float)hit.normal.x, (float)hit.normal.y, (float)hit.normal.z};
    contact_particle(c, i, n, reaction);
    float u[3];
    collider_velocity(c->body, x, u);
    // It slides for the rest of the step.
    for (int a = 0; a < 3; a++) x[a] += dt * (1 - hit.t) * (double)(own[a] - u[a]);
    return true;
}

static float path_length(const particle_contact *c, uint32_t i) {
    const float *v = c->s->p.v[i];
    float u[3], dt = c->dt;
    collider_velocity(c->body, c->s->p.x[i], u);
    return dt *
           (sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
}

static bool collide_chunk(const particle_contact *c, const uint32_t *index, size_t n,
                          mpm_reaction *reaction) {
    const mpm_particles *p = &c->s->p;
    float x[CHUNK] = {0}, y[CHUNK] = {0}, z[CHUNK] = {0}, d[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    firn_vec3 near = mpm_position(p, index[0]);
    for (size_t k = 0; k < n; k++) {
        x[k] = (float)(p->x[index[k]][0] - near.x);
        y[k] = (float)(p->x[index[k]][1] - near.y);
        z[k] = (float)(p->x[index[k]][2] - near.z);
    }
    body_query_near(c->bodies, c->body->body, near, n, x, y, z, d, nx, ny, nz);
    bool moved = false;
    for (size_t k = 0; k < n; k++) {
        if (c->sweep_above < INFINITY) {
            float way = path_length(c, index[k]);
            if (way > c->sweep_above && d[k] < way && sweep_back(c, index[k], reaction)) {
                moved = true;
                continue;
            }
        }
        if (d[k] >= -c->depth) continue;
        const float normal[3] = {nx[k], ny[k], nz[k]};
        for (int a = 0; a < 3; a++) p->x[index[k]][a] -= (double)(d[k] * normal[a]);
        contact_particle(c, index[k], normal, reaction);
        moved = true;
    }
    return moved;
}

static void collide_blocks(void *context, size_t begin, size_t end) {
    const particle_contact *c = context;
    const mpm_grid *g = &c->s->grid;
    mpm_contact_scratch *r = &c->s->contact;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[r->near[i]];
        mpm_reaction reaction = {{0, 0, 0}, {0, 0, 0}};
        for (size_t k = 0; k < b->count; k += CHUNK) {
            size_t n = b->count - k < CHUNK ? b->count - k : CHUNK;
            if (collide_chunk(c, g->order + b->first + k, n, &reaction)) r->moved[b->patch] |= MOVED;
        }
        r->reaction[i] = reaction;
    }
}

// Pending occupied blocks whose particles may have reached the body in this step.
static size_t near_occupied(mpm_state *s, const body_set *bodies, const mpm_collider *body, float dt) {
    mpm_contact_scratch *r = &s->contact;
    float radius = mpm_block_distances(s, bodies, body->body);
    size_t near = 0;
    for (size_t i = s->grid.own_first; i < s->grid.own_end; i++) {
        float way = dt * mpm_body_speed_at(s, body, i);
        if (r->distance[i] < radius + way && (r->moved[i] & PENDING)) r->near[near++] = s->grid.occupied[i];
    }
    return near;
}

static float sweep_threshold(const mpm_state *s, const body_set *bodies, size_t b, float dt) {
    double wall = fmin(body_min_thickness(bodies, b) / 2, 1e30);
    bool fixed = body_motion(bodies, b) == FIRN_MOTION_FIXED;
    return fixed && sqrt(s->counters.speed2) * (double)dt < wall ? INFINITY : (float)wall;
}

// Blocks in which a particle was moved are checked again; false if there are none.
static bool mark_pending(mpm_contact_scratch *r, size_t blocks) {
    uint8_t any = 0;
    for (size_t i = 0; i < blocks; i++) {
        r->moved[i] = r->moved[i] & MOVED ? PENDING : 0;
        any |= r->moved[i];
    }
    return any;
}

// Another round is needed if a particle may have been pushed into another body, or distances are sampled and
// inexact.
static bool one_round_suffices(const body_set *bodies) {
    return body_count(bodies) == 0 || (body_count(bodies) == 1 && !body_is_sampled(bodies, 0));
}

// One by one: what is rounded then does not depend on which others are alone, or on this rank.
static void collide_lone_ones(void *context, size_t begin, size_t end) {
    const particle_contact *c = context;
    const mpm_state *s = c->s;
    for (size_t i = begin; i < end; i++) {
        s->contact.reaction[i] = (mpm_reaction){{0, 0, 0}, {0, 0, 0}};
        collide_chunk(c, s->lone + i, 1, &s->contact.reaction[i]);
    }
}

// First their whole paths are swept, then those still inside are pushed out.
static firn_status collide_lone(mpm_state *s, body_set *bodies, float dt) {
    mpm_contact_scratch *r = &s->contact;
    size_t lone = s->lone_count;
    if (!array_reserve(&r->reaction, &r->capacity[2], lone, sizeof *r->reaction))
        return fail_memory("finding contacts with bodies in mpm", lone * sizeof *r->reaction);
    if (!mpm_ranks_any(s, lone > 0)) return FIRN_OK;
    for (int round = 0; round < 3; round++)
        for (size_t b = 0; b < body_count(bodies); b++) {
            particle_contact c = {
                s, bodies, &r->collider[b], mpm_flip_deltas(s), dt, round == 0 ? 0 : INFINITY, 0};
            par_for(lone, CHUNK, collide_lone_ones, &c);
            mpm_apply_reaction(s, lone, c.body, bodies);
        }
    return FIRN_OK;
}

firn_status mpm_collide_particles(mpm_state *s, body_set *bodies, float dt) {
    mpm_contact_scratch *r = &s->contact;
    TRY(collide_lone(s, bodies, dt));
    if (!mpm_ranks_any(s, s->grid.own_end > s->grid.own_first)) return FIRN_OK;
    if (s->grid.occupied_count > 0) memset(r->moved, PENDING, s->grid.occupied_count);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t b = 0; b < body_count(bodies); b++) {
            const mpm_collider *body = &r->collider[b];
            size_t near = near_occupied(s, bodies, body, dt);
            particle_contact c = {
                s, bodies, body, mpm_flip_deltas(s), dt, INFINITY, 1e-3f * (float)s->def.cell};
            if (round == 0) {
                c.sweep_above = sweep_threshold(s, bodies, b, dt);
                c.depth = 0;
            }
            par_for(near, 8, collide_blocks, &c);
            mpm_apply_reaction(s, near, body, bodies);
        }
        if (one_round_suffices(bodies)) break;
        if (!mpm_ranks_any(s, mark_pending(r, s->grid.occupied_count))) break;
    }
    return FIRN_OK;
}
