// Conjugate residuals for the semi-implicit step. The unknowns are the nodes' velocities; a penalty keeps the
// velocities of contacts, so that snow above a floor feels it within the step.
#include "mpm/mpm_implicit.h"

#include <math.h>
#include <string.h>

#include "mpm/mpm_contact.h"
#include "par/par.h"
#include "solve/krylov.h"

enum { BLOCKS_PER_TASK = 4, NODES_PER_TASK = 8 };

// The stiffness of the solve is an estimate; it is taken twice to be on the safe side. A share of it,
// `inertia`, resists only the change of velocity, so that it does not damp. A step is stable where b (1 +
// inertia) STIFFER times the estimate is at least half of the snow's stiffness. Snow that flows yields at a
// stress far below its stiffness and must not be damped at all; the law of MPM15 loses in longer steps some
// of what transfers damp in every step.
#define STIFFER 2.0
#define INERTIA 0.25f
#define INERTIA_OF_FLOW 1.0f
// At edges cells may be so much stiffer than the least mass of their nodes; where nothing is damped, heaps
// would run out.
#define EDGE 4.0f

// ---- memory

static firn_status reserve(mpm_solver *v, const mpm_grid *g) {
    float **vectors[4] = {&v->residual, &v->Ar, &v->direction, &v->Ap};
    size_t slots = g->map.count, blocks = g->active_count;
    for (int i = 0; i < 4; i++)
        if (!array_reserve(vectors[i], &v->vector_capacity[i], slots, BLOCK_FLOATS * sizeof(float)))
            return fail_memory("solving mpm", slots * BLOCK_FLOATS * sizeof(float));
    if (!array_reserve(&v->number, &v->number_capacity, slots, sizeof *v->number) ||
        !array_reserve(&v->near, &v->near_capacity, blocks, sizeof *v->near) ||
        !array_reserve(&v->stiffness, &v->stiffness_capacity, blocks, BLOCK_NODES * sizeof(float)) ||
        !array_reserve(&v->force, &v->force_capacity, blocks, CELL_FLOATS * sizeof(float)))
        return fail_memory("solving mpm", blocks * (CELL_FLOATS + BLOCK_NODES) * sizeof(float));
    return FIRN_OK;
}

void mpm_implicit_free(mpm_solver *v) {
    if (!v) return;
    void *lists[] = {v->near, v->stiffness, v->force, v->number, v->residual, v->Ar, v->direction, v->Ap};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(v);
}

// ---- the stiffness

static void prepare_patches(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    const mpm_grid *g = &s->grid;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *patch = g->patches + i * PATCH_FLOATS;
        memset(patch, 0, PATCH_FLOATS * sizeof *patch);
        ISA_PICK(mpm_implicit_prepare)
        (&s->p, g->order + b->first, b->count, g->map.at[g->occupied[i]], mpm_pass_of(s, s->solver->dt),
         patch);
    }
}

static void find_neighbours(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    const mpm_grid *g = &s->grid;
    const mpm_solver *v = s->solver;
    for (size_t i = begin; i < end; i++) {
        const int32_t *at = g->map.at[g->active[i]];
        for (int k = 0; k < 16; k++) {
            int sign = k < 8 ? 1 : -1;
            int32_t to[3] = {at[0] + sign * (k >> 2 & 1), at[1] + sign * (k >> 1 & 1),
                             at[2] + sign * (k & 1)};
            uint32_t slot = block_map_find(&g->map, to);
            (k < 8 ? v->near[i].up : v->near[i].down)[k & 7] =
                slot == BLOCK_NONE ? BLOCK_NONE : v->number[slot];
        }
    }
}

// Rows of 5 x 5 x 5 nodes: component a of a vector by slot, and whole nodes.
static void read_component(const mpm_grid *g, const uint32_t up[8], const float *nodes, int a, float *out) {
    for (int x = 0; x < CELL_EDGE; x++)
        for (int y = 0; y < CELL_EDGE; y++)
            for (int z = 0; z < CELL_EDGE; z++) {
                uint32_t block = up[(x >> 2) << 2 | (y >> 2) << 1 | z >> 2];
                int node = BLOCK_EDGE * (BLOCK_EDGE * (x & 3) + (y & 3)) + (z & 3);
                out[8 * (x * CELL_EDGE + y) + z] =
                    block == BLOCK_NONE
                        ? 0
                        : nodes[(size_t)g->active[block] * BLOCK_FLOATS + (size_t)(4 * node + a)];
            }
}

static void read_cells(const mpm_grid *g, const uint32_t up[8], const float *nodes, float *out) {
    for (int x = 0; x < CELL_EDGE; x++)
        for (int y = 0; y < CELL_EDGE; y++) {
            int k = (x >> 2) << 2 | (y >> 2) << 1, row = 4 * BLOCK_EDGE * (BLOCK_EDGE * (x & 3) + (y & 3));
            float *to = out + (x * CELL_EDGE + y) * CELL_ROW;
            if (up[k] != BLOCK_NONE)
                memcpy(to, nodes + (size_t)g->active[up[k]] * BLOCK_FLOATS + row,
                       4 * BLOCK_EDGE * sizeof *to);
            else
                memset(to, 0, 4 * BLOCK_EDGE * sizeof *to);
            if (up[k + 1] != BLOCK_NONE)
                memcpy(to + 4 * BLOCK_EDGE, nodes + (size_t)g->active[up[k + 1]] * BLOCK_FLOATS + row,
                       4 * sizeof *to);
            else
                memset(to + 4 * BLOCK_EDGE, 0, 4 * sizeof *to);
        }
}

// After the moduli of the nodes are in Ar. A block without cells has a stiffness of -1.
static void find_stiffness(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    const mpm_solver *v = s->solver;
    double cell = s->def.cell;
    float scale = (float)(STIFFER * s->def.implicit * (double)v->dt * (double)v->dt / (16 * cell * cell));
    for (size_t i = begin; i < end; i++) {
        float mass[CELL_EDGE * CELL_EDGE * 8], modulus[CELL_EDGE * CELL_EDGE * 8],
            *k = v->stiffness + i * BLOCK_NODES;
        read_component(&s->grid, v->near[i].up, s->grid.nodes, 3, mass);
        read_component(&s->grid, v->near[i].up, v->Ar, 3, modulus);
        if (!ISA_PICK(mpm_implicit_cells)(mass, modulus, scale, v->inertia < 1 ? EDGE : 1, k)) k[0] = -1;
    }
}

// ---- the operator

typedef struct operator_pass {
    mpm_state *s;
    const float *in; // by slot
    bool linear; // contacts: the linear part of the penalty, instead of that relative to the velocity held
} operator_pass;

static void apply_cells(void *context, size_t begin, size_t end) {
    const operator_pass *c = context;
    const mpm_solver *v = c->s->solver;
    _Alignas(64) float in[CELL_FLOATS];
    for (size_t i = begin; i < end; i++) {
        const float *k = v->stiffness + i * BLOCK_NODES;
        if (k[0] < 0) continue;
        read_cells(&c->s->grid, v->near[i].up, c->in, in);
        ISA_PICK(mpm_implicit_apply)(k, v->shear, in, v->force + i * CELL_FLOATS);
    }
}

static void apply_contacts(void *context, size_t begin, size_t end) {
    const operator_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    _Alignas(64) float in[PATCH_FLOATS];
    for (size_t i = begin; i < end; i++) {
        size_t n;
        const mpm_contact *contacts = contacts_of(&c->s->contact, i, &n);
        if (n == 0) continue;
        float *patch = g->patches + i * PATCH_FLOATS;
        mpm_read_patch(c->in, &g->block[g->occupied[i]], in);
        memset(patch, 0, PATCH_FLOATS * sizeof *patch);
        ISA_PICK(mpm_contact_penalty)(contacts, n, c->linear, in, patch);
    }
}

// Sums over the cells around the nodes of active block i.
static void sum_cells(const mpm_state *s, size_t i, float *node) {
    const mpm_solver *v = s->solver;
    static const float none[CELL_FLOATS];
    const float *force[8];
    for (int k = 0; k < 8; k++) {
        uint32_t from = v->near[i].down[k];
        bool stiff = from != BLOCK_NONE && !(v->stiffness[(size_t)from * BLOCK_NODES] < 0);
        force[k] = stiff ? v->force + (size_t)from * CELL_FLOATS : none;
    }
    ISA_PICK(mpm_implicit_sum)(force, node);
}

// The same with the penalty of contacts.
static void sum_all(const mpm_state *s, size_t i, float *node) {
    const mpm_grid *g = &s->grid;
    sum_cells(s, i, node);
    if (s->contact.pairs > 0) mpm_add_patches(g, g->active[i], s->contact.count, node);
}

static void apply(mpm_state *s, const float *velocity) {
    operator_pass c = {s, velocity, true};
    par_for(s->grid.active_count, NODES_PER_TASK, apply_cells, &c);
}

// The penalty of contacts on `velocity`, to their patches.
static void hold(mpm_state *s, const float *velocity, bool linear) {
    operator_pass c = {s, velocity, linear};
    if (s->contact.pairs > 0) par_for(s->grid.occupied_count, BLOCKS_PER_TASK, apply_contacts, &c);
}

void mpm_implicit_operate(mpm_state *s, const float *velocity, float *momentum) {
    apply(s, velocity);
    for (size_t i = 0; i < s->grid.active_count; i++)
        sum_cells(s, i, momentum + (size_t)s->grid.active[i] * BLOCK_FLOATS);
}

// ---- vectors

static void join_sums(void *into, const void *from) {
    mpm_sums *a = into;
    const mpm_sums *b = from;
    a->residual2 += b->residual2;
    a->rAr += b->rAr;
    a->ArAr += b->ArAr;
    a->ArAp += b->ArAp;
}

typedef struct vector_pass {
    mpm_state *s;
    float alpha, beta; // step length and direction update of conjugate residuals
    mpm_sums sums;     // of the last pass
    double ApAp;
    firn_status status;
} vector_pass;

typedef void (*vector_range)(void *context, size_t begin, size_t end, void *partial);

static firn_status over_nodes(vector_pass *c, vector_range fn, mpm_sums *out) {
    return par_reduce(c->s->grid.active_count, NODES_PER_TASK, sizeof *out, fn, join_sums, c, out);
}

static mpm_vectors vectors_of(const mpm_state *s, size_t slot) {
    size_t at = slot * BLOCK_FLOATS;
    const mpm_solver *v = s->solver;
    return (mpm_vectors){s->grid.nodes + at, v->residual + at, v->Ar + at, v->direction + at, v->Ap + at};
}

// The impulse of the stress, and the moduli in its fourth component, to Ar; the velocity that inertia keeps,
// to `direction`.
static void sum_impulse(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        mpm_sum_patches(&s->grid, s->grid.active[i], v.Ar);
        for (int k = 0; k < BLOCK_FLOATS; k++) v.direction[k] = s->solver->inertia * v.node[k];
    }
}

// The velocity that the stiffness resists before the first iteration.
static void find_change(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        for (int k = 0; k < BLOCK_FLOATS; k++) v.direction[k] = v.node[k] - v.direction[k];
    }
}

static void initial_residual(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = ((const vector_pass *)context)->s;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        sum_all(s, i, v.Ap);
        mpm_sums t = ISA_PICK(mpm_implicit_start)(&v);
        join_sums(partial, &t);
    }
}

static void compute_ar(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = ((const vector_pass *)context)->s;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        sum_all(s, i, v.Ar);
        mpm_sums t = ISA_PICK(mpm_implicit_finish_ar)(&v);
        join_sums(partial, &t);
    }
}

static void advance(void *context, size_t begin, size_t end, void *partial) {
    const vector_pass *c = context;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(c->s, c->s->grid.active[i]);
        mpm_sums t = ISA_PICK(mpm_implicit_advance)(&v, c->alpha, c->beta);
        join_sums(partial, &t);
    }
}

typedef struct momentum_sum {
    double p[3]; // kg m/s
} momentum_sum;

static void join_momentum(void *into, const void *from) {
    for (int a = 0; a < 3; a++) ((momentum_sum *)into)->p[a] += ((const momentum_sum *)from)->p[a];
}

// Momentum that the penalty of contacts has yet to give.
static void residual_of(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = context;
    momentum_sum *sum = partial;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        for (int k = 0; k < BLOCK_FLOATS; k++)
            if (k % 4 < 3) sum->p[k % 4] += (double)v.node[k | 3] * (double)v.residual[k];
    }
}

static double mass_of(void *context, size_t begin, size_t end) {
    const mpm_grid *g = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < BLOCK_NODES; k++)
            sum += (double)g->nodes[(size_t)g->active[i] * BLOCK_FLOATS + (size_t)(4 * k + 3)];
    return sum;
}

// ---- the solve

// Conjugate residuals (solve/krylov.h), preconditioned by the mass. p and Ap are updated with x and r, in one
// pass over the nodes: Ap.Ap follows from the sums of Ar.
static bool pass_over_nodes(vector_pass *c, vector_range fn) {
    c->status = over_nodes(c, fn, &c->sums);
    return c->status == FIRN_OK;
}

static double find_ar(void *context) {
    vector_pass *c = context;
    apply(c->s, c->s->solver->residual);
    hold(c->s, c->s->solver->residual, true);
    return pass_over_nodes(c, compute_ar) ? c->sums.rAr : (double)NAN;
}

static double choose_beta(void *context, double beta) {
    vector_pass *c = context;
    c->beta = (float)beta;
    c->ApAp = c->sums.ArAr + beta * (2 * c->sums.ArAp + beta * c->ApAp);
    return c->ApAp;
}

static double advance_nodes(void *context, double alpha) {
    vector_pass *c = context;
    c->alpha = (float)alpha;
    return pass_over_nodes(c, advance) ? c->sums.residual2 : (double)NAN;
}

static firn_status conjugate_residuals(mpm_state *s, double tolerance, double enough2) {
    static const krylov_method method = {find_ar, choose_beta, advance_nodes};
    vector_pass c = {.s = s, .status = FIRN_OK};
    par_for(s->grid.active_count, NODES_PER_TASK, find_change, s);
    apply(s, s->solver->direction);
    hold(s, s->grid.nodes, false);
    if (!pass_over_nodes(&c, initial_residual)) return c.status;
    double first2 = c.sums.residual2, goal2 = fmax(enough2, first2 * tolerance * tolerance);
    krylov state = {.residual = first2};
    int iterations = krylov_solve(&method, &c, &state, goal2, s->def.implicit_iterations);
    if (c.status != FIRN_OK) return c.status;
    double *stats = s->solver->stats;
    stats[0] = iterations;
    stats[1] = first2 > 0 ? sqrt(state.residual / first2) : 0;
    stats[2] += iterations;
    return FIRN_OK;
}

firn_status mpm_implicit_begin(mpm_state *s, float dt) {
    if (!s->solver) return FIRN_OK;
    mpm_solver *v = s->solver;
    const mpm_grid *g = &s->grid;
    v->dt = dt;
    TRY(reserve(v, g));
    v->shear = 0;
    v->inertia = INERTIA_OF_FLOW;
    for (size_t i = 0; i < mpm_materials_used(s); i++) {
        const mpm_law *m = &s->materials[i].law;
        v->shear = fmaxf(v->shear, m->mu / (m->lambda + 2 * m->mu));
        if (m->kind == (float)FIRN_SNOW_LAW_STOMAKHIN) v->inertia = INERTIA; // undamped it shakes
    }
    memset(v->number, 0xff, g->map.count * sizeof *v->number);
    for (size_t i = 0; i < g->active_count; i++) v->number[g->active[i]] = (uint32_t)i;
    par_for(g->active_count, NODES_PER_TASK, find_neighbours, s);
    par_for(g->occupied_count, BLOCKS_PER_TASK, prepare_patches, s);
    par_for(g->active_count, NODES_PER_TASK, sum_impulse, s);
    par_for(g->active_count, NODES_PER_TASK, find_stiffness, s);
    return FIRN_OK;
}

firn_status mpm_implicit_solve(mpm_state *s, float dt) {
    if (!s->solver) return FIRN_OK;
    mpm_hold_contacts(s);
    // Errors far below the velocity that gravity adds in a step do not matter.
    double fall = s->def.implicit_tolerance * dvec_length(s->setting.gravity) * dt;
    double mass = par_sum(s->grid.active_count, NODES_PER_TASK, mass_of, &s->grid);
    TRY(conjugate_residuals(s, s->def.implicit_tolerance, mass * fall * fall));
    momentum_sum left;
    TRY(par_reduce(s->grid.active_count, NODES_PER_TASK, sizeof left, residual_of, join_momentum, s, &left));
    mpm_release_contacts(s, left.p);
    mpm_solve_contacts(s);
    return FIRN_OK;
}

// ---- the next step

// Mean strain rate of the particles in units of theta_c, weighted by itself, so that snow at rest does not
// dilute it.
typedef struct flow_sums {
    double rate, rate2;
} flow_sums;

static void add_flow(void *context, size_t begin, size_t end, void *partial) {
    const mpm_particles *p = context;
    flow_sums *sums = partial;
    for (size_t i = begin; i < end; i++) {
        const float *c = p->affine[i]; // its columns: close to the gradient of the velocity
        float xy = c[1] + c[3], xz = c[2] + c[6], yz = c[5] + c[7];
        float d2 = c[0] * c[0] + c[4] * c[4] + c[8] * c[8] + 0.5f * (xy * xy + xz * xz + yz * yz);
        double rate = (double)(sqrtf(d2) / p->materials[p->material[i]].law.theta_c);
        sums->rate += rate;
        sums->rate2 += rate * rate;
    }
}

static void join_flow(void *into, const void *from) {
    flow_sums *a = into;
    const flow_sums *b = from;
    a->rate += b->rate;
    a->rate2 += b->rate2;
}

firn_status mpm_implicit_flow_rate(mpm_state *s) {
    if (!s->solver) return FIRN_OK;
    flow_sums sums;
    TRY(par_reduce(s->p.count, 4096, sizeof sums, add_flow, join_flow, &s->p, &sums));
    s->counters.flow = sums.rate > 0 ? sums.rate2 / sums.rate : 0;
    return FIRN_OK;
}
