// Contact with bodies on the grid: Gauss-Seidel sweeps over the contacts of this step, block by block.
#include "mpm/mpm_contact.h"
#include "mpm/mpm_ranks.h"

#include <string.h>

#include "par/par.h"

// After a first guess; the error left is a velocity towards or away from the body. With four, soft snow at
// rest is pushed up where contacts lie in two blocks. The solve of the semi-implicit step sees all contacts
// at once.
enum { SWEEPS = 8, SWEEPS_BESIDE_SOLVE = 4, BLOCKS_PER_TASK = 2 };

static firn_status reserve(mpm_contact_scratch *r, size_t blocks, size_t bodies) {
    if (!array_reserve(&r->distance, &r->capacity[0], blocks, sizeof *r->distance) ||
        !array_reserve(&r->near, &r->capacity[1], blocks, sizeof *r->near) ||
        !array_reserve(&r->reaction, &r->capacity[2], blocks, sizeof *r->reaction) ||
        !array_reserve(&r->moved, &r->capacity[3], blocks, sizeof *r->moved) ||
        !array_reserve(&r->first, &r->capacity[4], blocks, sizeof *r->first) ||
        !array_reserve(&r->count, &r->capacity[5], blocks, sizeof *r->count) ||
        !array_reserve(&r->collider, &r->capacity[6], bodies, sizeof *r->collider))
        return fail_memory("finding contacts with bodies in mpm", blocks * 70);
    return FIRN_OK;
}

static mpm_collider collider_of(const mpm_state *s, const body_set *bodies, size_t b) {
    if (b == body_count(bodies))
        return (mpm_collider){.body = b, .kind = FIRN_CONTACT_FRICTION, .friction = s->ground.friction};
    firn_body_state state = body_state(bodies, b);
    mpm_collider c = {.body = b,
                      .kind = body_contact_kind(bodies, b),
                      .friction = (float)body_friction(bodies, b),
                      .dynamic = body_motion(bodies, b) == FIRN_MOTION_DYNAMIC,
                      .pivot = state.position,
                      .velocity = state.velocity,
                      .spin = state.spin};
    if (!c.dynamic) return c;
    body_inertia inertia = body_inertia_now(bodies, b);
    c.pivot = inertia.centre;
    c.per_mass = 1 / inertia.mass;
    for (int k = 0; k < 3; k++) {
        firn_vec3 spin = body_spin_of(bodies, b, dvec(k == 0, k == 1, k == 2));
        c.per_inertia[0][k] = spin.x;
        c.per_inertia[1][k] = spin.y;
        c.per_inertia[2][k] = spin.z;
    }
    return c;
}

// ---- over the blocks

typedef struct colour_pass {
    mpm_state *s;
    contact_pass *fn;
    float *const *nodes;
    int colour;
    bool all, edge; // all own blocks; else only those next to others', or only the other ones
} colour_pass;

static inline void write_patch(float *nodes, const mpm_block *b, int components, const float *patch) {
    for (int x = 0; x < PATCH_EDGE; x++)
        for (int y = 0; y < PATCH_EDGE; y++) {
            int k = (x >> 2) << 2 | (y >> 2) << 1, row = 4 * BLOCK_EDGE * (BLOCK_EDGE * (x & 3) + (y & 3));
            const float *from = patch + (x * PATCH_EDGE + y) * PATCH_ROW;
            for (int z = 0; z < PATCH_EDGE; z++) {
                float *node = nodes + (size_t)b->up[k + (z >> 2)] * BLOCK_FLOATS + row + 4 * (z & 3);
                for (int a = 0; a < components; a++) node[a] = from[4 * z + a];
            }
        }
}

void mpm_write_patch(float *nodes, const mpm_block *b, int components, const float *patch) {
    write_patch(nodes, b, components, patch);
}

static void pass_block(mpm_state *s, size_t i, const colour_pass *c) {
    const mpm_grid *g = &s->grid;
    const mpm_block *b = &g->block[g->occupied[i]];
    _Alignas(64) float patches[3][PATCH_FLOATS];
    float *patch[3];
    for (int k = 0; k < 3; k++) {
        patch[k] = c->nodes[k] ? patches[k] : NULL;
        if (patch[k]) mpm_read_patch(c->nodes[k], b, patch[k]);
    }
    bool velocities = c->nodes[0] == g->nodes;
    for (int k = 3; velocities && k < PATCH_FLOATS; k += 4)
        patch[0][k] = patch[0][k] > 0 ? 1.0f / patch[0][k] : 0;
    size_t n;
    mpm_contact *contacts = contacts_of(&s->contact, i, &n);
    c->fn(s, i, contacts, n, patch);
    for (int k = 0; k < 3; k++)
        if (patch[k]) write_patch(c->nodes[k], b, velocities && k == 0 ? 3 : 4, patch[k]);
}

static bool touches_dynamic(const mpm_contact_scratch *r, size_t block) {
    for (size_t k = 0; k < r->count[block]; k++)
        if (r->collider[r->contacts[r->first[block] + k].body].dynamic) return true;
    return false;
}

static int colour_of(const mpm_grid *g, size_t block) {
    const int32_t *at = g->map.at[g->occupied[block]];
    return (at[0] & 1) << 2 | (at[1] & 1) << 1 | (at[2] & 1);
}

int mpm_contact_colour(const mpm_state *s, size_t block) {
    return touches_dynamic(&s->contact, block) ? MPM_DYNAMIC_COLOUR : colour_of(&s->grid, block);
}

static void pass_colour(void *context, size_t begin, size_t end) {
    const colour_pass *c = context;
    size_t first = c->s->grid.own_first;
    for (size_t i = first + begin; i < first + end; i++)
        if (c->s->contact.count[i] &&
            (c->colour == MPM_DYNAMIC_COLOUR || colour_of(&c->s->grid, i) == c->colour) &&
            (c->all || c->s->ranks->edge[i] == c->edge) && mpm_contact_colour(c->s, i) == c->colour)
            pass_block(c->s, i, c);
}

bool mpm_has_contacts(const mpm_state *s) { return s->ranks ? s->ranks->contacts : s->contact.pairs > 0; }

// Over ranks each has its turn, in the order of the blocks.
static void pass_dynamic(mpm_state *s, colour_pass *c, bool reads) {
    const mpm_grid *g = &s->grid;
    c->colour = MPM_DYNAMIC_COLOUR;
    if (!s->ranks) pass_colour(c, 0, g->own_end - g->own_first);
    for (size_t r = 0; s->ranks && s->ranks->dynamic && r < net_count(); r++) {
        if (r == net_rank()) pass_colour(c, 0, g->own_end - g->own_first);
        net_broadcast(s->contact.collider, mpm_colliders(s, s->bodies) * sizeof *s->contact.collider, r);
        if (!reads && mpm_ranks_send_nodes(s, c->colour, (int)r, c->nodes))
            mpm_ranks_receive_nodes(s, c->colour, (int)r, c->nodes);
    }
}

// Blocks of one colour share no nodes, so the order does not depend on threads. Contacts with dynamic bodies
// change the velocity of the body at once and come one after the other.
void mpm_over_contacts(mpm_state *s, contact_pass *fn, float *const nodes[3], bool reads) {
    if (!mpm_has_contacts(s)) return;
    colour_pass c = {s, fn, nodes, 0, !s->ranks || reads, true};
    size_t own = s->grid.own_end - s->grid.own_first;
    for (c.colour = 0; c.colour < MPM_DYNAMIC_COLOUR; c.colour++) {
        par_for(own, BLOCKS_PER_TASK, pass_colour, &c);
        if (c.all) continue;
        bool sent = mpm_ranks_send_nodes(s, c.colour, MPM_ALL_RANKS, nodes);
        c.edge = false; // while that is on its way
        par_for(own, BLOCKS_PER_TASK, pass_colour, &c);
        c.edge = true;
        if (sent) mpm_ranks_receive_nodes(s, c.colour, MPM_ALL_RANKS, nodes);
    }
    c.all = true;
    pass_dynamic(s, &c, reads);
}

// ---- passes over velocities

static void over_nodes(mpm_state *s, contact_pass *fn) {
    float *const nodes[3] = {s->grid.nodes, NULL, NULL};
    mpm_over_contacts(s, fn, nodes, false);
}

static void guess(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    ISA_PICK(mpm_contact_prepare)
    (contacts, n, s->grid.map.at[s->grid.occupied[block]], mpm_pass_of(s, 0), patch[0]);
    ISA_PICK(mpm_contact_guess)(contacts, n, s->contact.collider, patch[0]);
}

static void sweep(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    (void)block;
    ISA_PICK(mpm_contact_sweep)(contacts, n, s->contact.collider, false, patch[0]);
}

static void sweep_back(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    (void)block;
    ISA_PICK(mpm_contact_sweep)(contacts, n, s->contact.collider, true, patch[0]);
}

static void hold(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    (void)block;
    ISA_PICK(mpm_contact_hold)(contacts, n, s->contact.collider, s->contact.slow, patch[0]);
}

static void release(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    (void)block;
    ISA_PICK(mpm_contact_release)(contacts, n, s->contact.collider, s->contact.left, patch[0]);
}

void mpm_hold_contacts(mpm_state *s) { over_nodes(s, hold); }

// What is left goes to the contacts by their stiffness.
void mpm_release_contacts(mpm_state *s, const double left[3]) {
    mpm_contact_scratch *r = &s->contact;
    double stiffness = 0;
    for (size_t i = 0; i < r->pairs; i++)
        for (size_t k = 0; k < r->pair[i].count; k++)
            stiffness += (double)r->contacts[r->pair[i].first + k].stiffness;
    for (int a = 0; a < 3; a++) r->left[a] = stiffness > 0 ? (float)(left[a] / stiffness) : 0;
    over_nodes(s, release);
}

firn_status mpm_begin_contacts(mpm_state *s, const body_set *bodies, float dt) {
    size_t colliders = mpm_colliders(s, bodies);
    TRY(reserve(&s->contact, s->grid.occupied_count, colliders));
    for (size_t b = 0; b < colliders; b++) s->contact.collider[b] = collider_of(s, bodies, b);
    TRY(mpm_find_contacts(s, bodies, dt));
    if (s->ranks) TRY(mpm_ranks_list_contacts(s));
    s->contact.slow = 2 * dt * (float)dvec_length(s->setting.gravity);
    over_nodes(s, guess);
    return FIRN_OK;
}

void mpm_solve_contacts(mpm_state *s) {
    int sweeps = s->solver ? SWEEPS_BESIDE_SOLVE : SWEEPS;
    for (int i = 0; i < sweeps; i++) over_nodes(s, i % 2 ? sweep_back : sweep);
}

// Adds what the own contacts gave to the bodies, block by block.
static void add_reactions(void *context, void *data) {
    const mpm_state *s = context;
    const mpm_contact_scratch *r = &s->contact;
    mpm_reaction *sums = data;
    for (size_t i = 0; i < r->pairs; i++) {
        const mpm_block_pair *pair = &r->pair[i];
        const mpm_collider *body = &r->collider[pair->body];
        if (pair->body == body_count(s->bodies)) break; // the ground
        for (size_t k = 0; k < pair->count; k++) {
            const mpm_contact *c = &r->contacts[pair->first + k];
            double j[3];
            for (int a = 0; a < 3; a++)
                j[a] = -(double)c->normal * (double)c->n[a] - (double)c->tangential[a];
            firn_vec3 one = dvec(j[0], j[1], j[2]), x = dvec(c->x[0], c->x[1], c->x[2]);
            mpm_reaction *sum = &sums[pair->body];
            sum->impulse = dvec_add(sum->impulse, one);
            sum->angular = dvec_add(sum->angular, dvec_cross(dvec_sub(x, body->pivot), one));
        }
    }
}

firn_status mpm_end_contacts(mpm_state *s, body_set *bodies) {
    size_t count = body_count(bodies);
    if (!mpm_has_contacts(s) || count == 0) return FIRN_OK;
    mpm_reaction *sums = mem_zero(count, sizeof *sums);
    if (!sums) return fail_memory("adding up the contacts of mpm", count * sizeof *sums);
    if (s->ranks)
        net_in_order(sums, count * sizeof *sums, add_reactions, s);
    else
        add_reactions(s, sums);
    for (size_t b = 0; b < count; b++)
        body_add_impulses(bodies, b, sums[b].impulse, sums[b].angular, s->contact.collider[b].pivot);
    mem_free(sums);
    return FIRN_OK;
}

void mpm_apply_reaction(mpm_state *s, size_t blocks, const mpm_collider *b, body_set *bodies) {
    mpm_reaction sum = {{0, 0, 0}, {0, 0, 0}}; // in the order of blocks: does not depend on threads
    const mpm_reaction *one = s->contact.reaction;
    if (s->ranks) one = mpm_ranks_join_reactions(s, &blocks);
    for (size_t i = 0; i < blocks; i++) {
        sum.impulse = dvec_add(sum.impulse, one[i].impulse);
        sum.angular = dvec_add(sum.angular, one[i].angular);
    }
    body_add_impulses(bodies, b->body, sum.impulse, sum.angular, b->pivot);
}

void mpm_contact_free(mpm_contact_scratch *r) {
    void *lists[] = {r->distance,    r->near,        r->reaction, r->moved,    r->pair,
                     r->contacts,    r->first,       r->count,    r->collider, r->friction[0],
                     r->friction[1], r->friction[2], r->touched};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *r = (mpm_contact_scratch){0};
}
