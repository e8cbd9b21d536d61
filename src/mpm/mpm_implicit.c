// Conjugate residuals for the semi-implicit step. The unknowns are the nodes' velocities; a penalty keeps the
// velocities of contacts, so that snow above a floor feels it within the step.
#include "mpm/mpm_implicit.h"

#include <math.h>
#include <string.h>

#include "mpm/mpm_contact.h"
#include "par/par.h"
#include "solve/krylov.h"

enum { BLOCKS_PER_TASK = 4, NODES_PER_TASK = 8 };

// Factor on the tolerance if dynamic bodies are in contact: the remaining residual is missing in their
// momentum balance.
#define DYNAMIC_TOLERANCE 0.02

// ---- memory

static firn_status reserve_vectors(mpm_solver *v, size_t blocks) {
    float **vectors[4] = {&v->residual, &v->Ar, &v->direction, &v->Ap};
    for (int i = 0; i < 4; i++)
        if (!array_reserve(vectors[i], &v->vector_capacity[i], blocks, BLOCK_FLOATS * sizeof(float)))
            return fail_memory("solving mpm", blocks * BLOCK_FLOATS * sizeof(float));
    return FIRN_OK;
}

static firn_status reserve_particles(mpm_solver *v, const mpm_grid *g) {
    if (!array_reserve(&v->first, &v->first_capacity, g->occupied_count, sizeof *v->first))
        return fail_memory("solving mpm", g->occupied_count * sizeof *v->first);
    size_t rows = 0;
    for (size_t i = 0; i < g->occupied_count; i++) {
        v->first[i] = (uint32_t)rows;
        rows += (g->block[g->occupied[i]].count + (size_t)BATCH - 1) / BATCH * BATCH;
    }
    if (!array_reserve(&v->tangent, &v->tangent_capacity, rows, TANGENT_ROWS * sizeof(float)))
        return fail_memory("solving mpm", rows * TANGENT_ROWS * sizeof(float));
    return FIRN_OK;
}

void mpm_implicit_free(mpm_solver *v) {
    if (!v) return;
    void *lists[] = {v->first, v->tangent, v->residual, v->Ar, v->direction, v->Ap};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(v);
}

// ---- the operator

typedef struct patch_pass {
    mpm_state *s;
    mpm_pass pass;
    float scale;
    const float *in; // by slot
    enum {
        NO_CONTACTS,
        HELD,
        LINEAR
    } contacts; // none; their penalty relative to the velocity held; its linear part
} patch_pass;

static void prepare_patches(void *context, size_t begin, size_t end) {
    const patch_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *patch = g->patches + i * PATCH_FLOATS;
        memset(patch, 0, PATCH_FLOATS * sizeof *patch);
        ISA_PICK(mpm_implicit_prepare)
        (&c->s->p, g->order + b->first, b->count, g->map.at[g->occupied[i]], c->pass, c->scale,
         v->tangent + (size_t)v->first[i] * TANGENT_ROWS, patch);
    }
}

static void linearise(mpm_state *s, float dt) {
    float cell = (float)s->def.cell;
    patch_pass c = {s, mpm_pass_of(s, dt), (float)s->def.implicit * dt * dt / (cell * cell), NULL,
                    NO_CONTACTS};
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, prepare_patches, &c);
}

static void apply_patches(void *context, size_t begin, size_t end) {
    const patch_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    _Alignas(64) float in[PATCH_FLOATS];
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *patch = g->patches + i * PATCH_FLOATS;
        mpm_read_patch(c->in, b, in);
        memset(patch, 0, PATCH_FLOATS * sizeof *patch);
        ISA_PICK(mpm_implicit_apply)
        (b->count, c->pass.kernel, v->tangent + (size_t)v->first[i] * TANGENT_ROWS, in, patch);
        if (c->contacts == NO_CONTACTS) continue;
        size_t n;
        const mpm_contact *contacts = contacts_of(&c->s->contact, i, &n);
        if (n > 0) ISA_PICK(mpm_contact_penalty)(contacts, n, c->contacts == LINEAR, in, patch);
    }
}

// Fills the patches with b dt^2 K of `velocity`, and the penalty of contacts.
static void apply(mpm_state *s, const float *velocity, int contacts) {
    patch_pass c = {s, mpm_pass_of(s, 0), 0, velocity, contacts};
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, apply_patches, &c);
}

void mpm_implicit_operate(mpm_state *s, const float *velocity, float *momentum) {
    apply(s, velocity, NO_CONTACTS);
    for (size_t i = 0; i < s->grid.active_count; i++)
        mpm_sum_patches(&s->grid, s->grid.active[i], momentum + (size_t)s->grid.active[i] * BLOCK_FLOATS);
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

// Subtracts the elastic impulse from v* for contacts and the start of the solve: the impulse of stiff snow
// over a long step is a bad initial guess, and a solve that ends early must not keep it. The impulse is kept
// in `Ar`.
static void subtract_elastic_impulse(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        mpm_sum_patches(&s->grid, s->grid.active[i], v.Ar);
        for (int k = 0; k < BLOCK_NODES; k++) {
            float *node = v.node + 4 * k, per_mass = node[3] > 0 ? 1.0f / node[3] : 0.0f;
            for (int a = 0; a < 3; a++) node[a] -= per_mass * v.Ar[4 * k + a];
        }
    }
}

static void initial_residual(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = ((const vector_pass *)context)->s;
    mpm_sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        float back[BLOCK_FLOATS];
        mpm_sum_patches(&s->grid, s->grid.active[i], back);
        for (int k = 0; k < BLOCK_FLOATS; k++) {
            float mass = v.node[k | 3], r = k % 4 < 3 && mass > 0 ? v.Ar[k] - back[k] : 0;
            v.residual[k] = mass > 0 ? r / mass : 0;
            v.direction[k] = v.Ap[k] = 0;
            t->residual2 += (double)r * v.residual[k];
        }
    }
}

static void compute_ar(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = ((const vector_pass *)context)->s;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        mpm_sum_patches(&s->grid, s->grid.active[i], v.Ar);
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
    apply(c->s, c->s->solver->residual, LINEAR);
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
    apply(s, s->grid.nodes, HELD);
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
    TRY(reserve_vectors(s->solver, s->grid.map.count));
    TRY(reserve_particles(s->solver, &s->grid));
    linearise(s, dt);
    par_for(s->grid.active_count, NODES_PER_TASK, subtract_elastic_impulse, s);
    return FIRN_OK;
}

firn_status mpm_implicit_solve(mpm_state *s, float dt) {
    if (!s->solver) return FIRN_OK;
    mpm_hold_contacts(s);
    // Errors far below the velocity that gravity adds in a step do not matter.
    double tolerance = s->def.implicit_tolerance * (mpm_contacts_dynamic(s) ? DYNAMIC_TOLERANCE : 1);
    double fall = tolerance * dvec_length(s->setting.gravity) * dt;
    double mass = par_sum(s->grid.active_count, NODES_PER_TASK, mass_of, &s->grid);
    TRY(conjugate_residuals(s, tolerance, mass * fall * fall));
    mpm_release_contacts(s);
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
