// Finds the particles that touch a body or may do so in this step, block by block.
#include <string.h>

#include "mpm/mpm_contact.h"
#include "mpm/mpm_heat.h"
#include "par/par.h"

// Adhesion acts on snow that has moved away by less than this share of half a spacing.
#define ADHESION_RANGE 0.5f

enum { CHUNK = 64 };

// A particle in contact keeps half a spacing from the surface: so its volume lies outside of the body. If it
// is nearer, it may not come closer; only just above the surface it is pushed away, slowly.
#define PUSH_BELOW 0.1f // of half a spacing
#define PUSH_SHARE 0.1f // of the distance, per step
// Contacts that may close: within the way of the step at twice the present speed, and this part of a cell.
#define MARGIN_CELLS 0.1f

typedef struct contact_search {
    mpm_state *s;
    const body_set *bodies;
    float dt, half_spacing, margin;
    float push; // m/s; fastest: what gravity adds in a step
} contact_search;

static float target_of(const contact_search *f, float distance) {
    float gap = distance - f->half_spacing, edge = PUSH_BELOW * f->half_spacing;
    if (gap > 0) return -gap / f->dt;
    return distance < edge ? fminf(PUSH_SHARE * (edge - distance) / f->dt, f->push) : 0;
}

// The surface of a collider near some particles.
typedef struct near_surface {
    float distance[CHUNK], nx[CHUNK], ny[CHUNK], nz[CHUNK];
    float bears[CHUNK]; // Pa
} near_surface;

static void look_at_ground(const contact_search *f, const uint32_t *index, size_t n, near_surface *out) {
    const mpm_state *s = f->s;
    for (size_t i = 0; i < n; i++) {
        const float *v = s->p.v[index[i]];
        float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        mpm_ground_point g;
        s->ground.look(s->ground.model, s->p.x[index[i]], f->half_spacing + f->margin + 2 * f->dt * speed,
                       &g);
        out->distance[i] = g.distance;
        out->nx[i] = g.normal[0], out->ny[i] = g.normal[1], out->nz[i] = g.normal[2];
        out->bears[i] = g.bears;
    }
}

static void look_at_body(const contact_search *f, const mpm_collider *b, const uint32_t *index, size_t n,
                         near_surface *out) {
    const mpm_particles *p = &f->s->p;
    float x[CHUNK] = {0}, y[CHUNK] = {0}, z[CHUNK] = {0};
    firn_vec3 near = mpm_position(p, index[0]);
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(p->x[index[i]][0] - near.x);
        y[i] = (float)(p->x[index[i]][1] - near.y);
        z[i] = (float)(p->x[index[i]][2] - near.z);
    }
    body_query_near(f->bodies, b->body, near, n, x, y, z, out->distance, out->nx, out->ny, out->nz);
    for (size_t i = 0; i < n; i++) out->bears[i] = INFINITY;
}

// Contacts of up to CHUNK particles with a body; out NULL: they are only counted.
static uint32_t find_in_chunk(const contact_search *f, const mpm_collider *b, const uint32_t *index, size_t n,
                              mpm_contact *out) {
    const mpm_particles *p = &f->s->p;
    near_surface there;
    bool ground = b->body == body_count(f->bodies);
    uint32_t count = 0;
    if (ground)
        look_at_ground(f, index, n, &there);
    else
        look_at_body(f, b, index, n, &there);
    const float *d = there.distance, *nx = there.nx, *ny = there.ny, *nz = there.nz;
    for (size_t i = 0; i < n; i++) {
        const float *v = p->v[index[i]];
        const double *at = p->x[index[i]];
        float u[3], gap = d[i] - f->half_spacing;
        collider_velocity(b, at, u);
        float closing = -((v[0] - u[0]) * nx[i] + (v[1] - u[1]) * ny[i] + (v[2] - u[2]) * nz[i]);
        if (!(gap < f->margin + 2 * f->dt * fmaxf(closing, 0))) continue;
        const mpm_material *m = &p->materials[p->material[index[i]]];
        bool pulls = b->kind == FIRN_CONTACT_FRICTION && gap < ADHESION_RANGE * f->half_spacing && !ground;
        if (out)
            out[count] = (mpm_contact){.body = (uint32_t)b->body,
                                       .particle = index[i],
                                       .x = {at[0], at[1], at[2]},
                                       .n = {nx[i], ny[i], nz[i]},
                                       .target = target_of(f, d[i]),
                                       .mass = m->mass,
                                       .most = there.bears[i] * 4 * f->half_spacing * f->half_spacing * f->dt,
                                       .adhesion = pulls ? mpm_adhesion_of(f->s, index[i]) * f->dt : 0};
        count++;
    }
    return count;
}

static uint32_t find_in_pair(const contact_search *f, const mpm_block_pair *pair, mpm_contact *out) {
    const mpm_grid *g = &f->s->grid;
    const mpm_block *block = &g->block[g->occupied[pair->block]];
    uint32_t count = 0;
    for (size_t k = 0; k < block->count; k += CHUNK)
        count += find_in_chunk(f, &f->s->contact.collider[pair->body], g->order + block->first + k,
                               block->count - k < CHUNK ? block->count - k : CHUNK, out ? out + count : NULL);
    return count;
}

static void count_pairs(void *context, size_t begin, size_t end) {
    const contact_search *f = context;
    for (size_t i = begin; i < end; i++)
        f->s->contact.pair[i].count = find_in_pair(f, &f->s->contact.pair[i], NULL);
}

static void fill_pairs(void *context, size_t begin, size_t end) {
    const contact_search *f = context;
    const mpm_contact_scratch *r = &f->s->contact;
    for (size_t i = begin; i < end; i++)
        if (r->pair[i].count) find_in_pair(f, &r->pair[i], r->contacts + r->pair[i].first);
}

void mpm_block_middle(const mpm_state *s, size_t block, double out[3]) {
    const int32_t *at = s->grid.map.at[s->grid.occupied[block]];
    double middle = 0.5 * BLOCK_EDGE + (s->def.kernel == FIRN_MPM_CUBIC ? 1.0 : 0.5);
    for (int a = 0; a < 3; a++) out[a] = s->def.cell * (BLOCK_EDGE * (double)at[a] + middle);
}

typedef struct distance_search {
    mpm_state *s;
    const body_set *bodies;
    size_t body;
} distance_search;

// Blocks of a chunk follow each other in Morton order and are near each other.
static void find_distances(void *context, size_t begin, size_t end) {
    const distance_search *f = context;
    float x[3][CHUNK];
    double first[3];
    begin += f->s->grid.own_first, end += f->s->grid.own_first;
    mpm_block_middle(f->s, begin, first);
    for (size_t i = begin; i < end; i++) {
        double at[3];
        mpm_block_middle(f->s, i, at);
        for (int a = 0; a < 3; a++) x[a][i - begin] = (float)(at[a] - first[a]);
    }
    body_query_near(f->bodies, f->body, dvec(first[0], first[1], first[2]), end - begin, x[0], x[1], x[2],
                    f->s->contact.distance + begin, NULL, NULL, NULL);
}

float mpm_block_distances(mpm_state *s, const body_set *bodies, size_t body) {
    distance_search f = {s, bodies, body};
    par_for(s->grid.own_end - s->grid.own_first, CHUNK, find_distances, &f);
    return (0.5f * BLOCK_EDGE * 1.7321f + 1.0f) * (float)s->def.cell;
}

float mpm_body_speed_at(const mpm_state *s, const mpm_collider *b, size_t block) {
    double at[3];
    float u[3];
    mpm_block_middle(s, block, at);
    collider_velocity(b, at, u);
    return sqrtf(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static firn_status add_pair(mpm_contact_scratch *r, size_t block, size_t body) {
    if (!array_reserve(&r->pair, &r->pair_capacity, r->pairs + 1, sizeof *r->pair))
        return fail_memory("finding contacts with bodies in mpm", (r->pairs + 1) * sizeof *r->pair);
    r->pair[r->pairs++] = (mpm_block_pair){.block = (uint32_t)block, .body = (uint32_t)body};
    return FIRN_OK;
}

static firn_status add_pairs(mpm_state *s, const body_set *bodies, float dt) {
    mpm_contact_scratch *r = &s->contact;
    r->pairs = 0;
    for (size_t b = 0; b < body_count(bodies); b++) {
        float radius = mpm_block_distances(s, bodies, b) + 2 * dt * (float)sqrt(s->counters.speed2);
        for (size_t i = s->grid.own_first; i < s->grid.own_end; i++) {
            float way = 2 * dt * mpm_body_speed_at(s, &r->collider[b], i);
            if (r->distance[i] < radius + way) TRY(add_pair(r, i, b));
        }
    }
    float way = 2 * dt * (float)sqrt(s->counters.speed2);
    for (size_t i = 0; s->ground.look && i < s->grid.occupied_count; i++)
        if (mpm_ground_is_near(s, i, way)) TRY(add_pair(r, i, body_count(bodies)));
    return FIRN_OK;
}

// Room for all contacts, those of one block next to each other.
static firn_status place_pairs(mpm_state *s) {
    mpm_contact_scratch *r = &s->contact;
    size_t blocks = s->grid.occupied_count, all = 0;
    if (blocks > 0) memset(r->count, 0, blocks * sizeof *r->count);
    for (size_t i = 0; i < r->pairs; i++) {
        r->count[r->pair[i].block] += r->pair[i].count;
        all += r->pair[i].count;
    }
    if (!array_reserve(&r->contacts, &r->contact_capacity, all, sizeof *r->contacts))
        return fail_memory("finding contacts with bodies in mpm", all * sizeof *r->contacts);
    size_t first = 0;
    for (size_t i = 0; i < blocks; i++) {
        r->first[i] = first;
        first += r->count[i];
        r->count[i] = 0;
    }
    for (size_t i = 0; i < r->pairs; i++) {
        mpm_block_pair *pair = &r->pair[i];
        pair->first = r->first[pair->block] + r->count[pair->block];
        r->count[pair->block] += pair->count;
    }
    return FIRN_OK;
}

firn_status mpm_find_contacts(mpm_state *s, const body_set *bodies, float dt) {
    float cell = (float)s->def.cell;
    contact_search f = {s,
                        bodies,
                        dt,
                        0.5f * cell / cbrtf((float)s->def.per_cell),
                        MARGIN_CELLS * cell,
                        dt * (float)dvec_length(s->setting.gravity)};
    TRY(add_pairs(s, bodies, dt));
    par_for(s->contact.pairs, 4, count_pairs, &f);
    TRY(place_pairs(s));
    par_for(s->contact.pairs, 4, fill_pairs, &f);
    return FIRN_OK;
}
