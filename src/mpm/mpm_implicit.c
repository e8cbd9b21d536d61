// Conjugate residuals for the semi-implicit step. The unknowns are the nodes' velocities; what bodies forbid
// a node is projected out, so that the snow above feels a floor within the step.
#include "mpm/mpm_implicit.h"

#include <math.h>
#include <string.h>

#include "mpm/mpm_contact.h"
#include "par/par.h"

enum { BLOCKS_PER_TASK = 4, NODES_PER_TASK = 8 };

// What the residual still holds is missing in the balance with a body, so that one that moves wants a sharper
// solve.
#define SHARP 0.02

// ---- room

static firn_status reserve_vectors(mpm_solver *v, size_t blocks) {
    float **vectors[4] = {&v->residual, &v->answer, &v->direction, &v->direction_answer};
    for (int i = 0; i < 4; i++)
        if (!array_reserve(vectors[i], &v->vector_capacity[i], blocks, BLOCK_FLOATS * sizeof(float)))
            return fail_memory("solving mpm", blocks * BLOCK_FLOATS * sizeof(float));
    if (!array_reserve(&v->inverse, &v->inverse_capacity, blocks, BLOCK_NODES * sizeof *v->inverse) ||
        !array_reserve(&v->bond, &v->bond_capacity, blocks, BLOCK_NODES * sizeof *v->bond))
        return fail_memory("solving mpm", blocks * BLOCK_NODES * sizeof *v->bond);
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
    if (!array_reserve(&v->frozen, &v->frozen_capacity, rows, FROZEN_ROWS * sizeof(float)))
        return fail_memory("solving mpm", rows * FROZEN_ROWS * sizeof(float));
    return FIRN_OK;
}

static void clear_bonds(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    for (size_t i = begin; i < end; i++)
        memset(s->solver->bond + (size_t)s->grid.active[i] * BLOCK_NODES, 0, BLOCK_NODES * sizeof(mpm_bond));
}

firn_status mpm_implicit_begin(mpm_state *s) {
    if (!s->solver) return FIRN_OK;
    TRY(reserve_vectors(s->solver, s->grid.map.count));
    TRY(reserve_particles(s->solver, &s->grid));
    par_for(s->grid.active_count, 64, clear_bonds, s);
    s->solver->bonding = true;
    return FIRN_OK;
}

void mpm_implicit_free(mpm_solver *v) {
    if (!v) return;
    void *lists[] = {v->first,     v->frozen,           v->residual, v->answer,
                     v->direction, v->direction_answer, v->inverse,  v->bond};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(v);
}

// ---- bonds

static float dot3(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void mpm_implicit_bond(mpm_state *s, uint32_t slot, uint32_t node, size_t body, const float n[3],
                       bool stick) {
    if (!s->solver || !s->solver->bonding) return;
    mpm_bond *b = &s->solver->bond[(size_t)slot * BLOCK_NODES + node];
    b->body = (uint32_t)body;
    const float *a = b->axis;
    float groove[3] = {a[1] * n[2] - a[2] * n[1], a[2] * n[0] - a[0] * n[2], a[0] * n[1] - a[1] * n[0]};
    float sine = sqrtf(dot3(groove, groove)), slant = 0.05f; // nearly parallel: one and the same wall
    if (stick || (b->kind == BOND_LINE && fabsf(dot3(a, n)) > slant))
        b->kind = BOND_FIXED;
    else if (b->kind == BOND_NONE) {
        b->kind = BOND_NORMAL;
        memcpy(b->axis, n, sizeof b->axis);
    } else if (b->kind == BOND_NORMAL && sine > slant) {
        b->kind = BOND_LINE;
        for (int i = 0; i < 3; i++) b->axis[i] = groove[i] / sine;
    }
}

// Takes away what the bonds of a block's nodes do not allow.
static void project(const mpm_bond *bond, float *node) {
    for (int i = 0; i < BLOCK_NODES; i++, bond++, node += 4) {
        if (bond->kind == BOND_NONE) continue;
        float along = bond->kind == BOND_FIXED ? 0 : dot3(bond->axis, node);
        for (int a = 0; a < 3; a++)
            node[a] = bond->kind == BOND_NORMAL ? node[a] - along * bond->axis[a] : along * bond->axis[a];
    }
}

// ---- the operator

typedef struct tile_pass {
    mpm_state *s;
    mpm_pass pass;
    float scale;
    const float *in; // by slot
} tile_pass;

static void prepare_tiles(void *context, size_t begin, size_t end) {
    const tile_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *tile = g->tiles + i * TILE_FLOATS;
        memset(tile, 0, TILE_FLOATS * sizeof *tile);
        ISA_PICK(mpm_implicit_prepare)
        (&c->s->p, g->order + b->first, b->count, g->map.at[g->occupied[i]], c->pass, c->scale,
         v->frozen + (size_t)v->first[i] * FROZEN_ROWS, tile);
    }
}

void mpm_implicit_freeze(mpm_state *s, float dt) {
    float cell = (float)s->def.cell;
    tile_pass c = {
        s, {cell, dt, s->def.kernel, false}, (float)s->def.implicit * dt * dt / (cell * cell), NULL};
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, prepare_tiles, &c);
}

static void apply_tiles(void *context, size_t begin, size_t end) {
    const tile_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    _Alignas(64) float in[TILE_FLOATS];
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *tile = g->tiles + i * TILE_FLOATS;
        mpm_read_tile(c->in, b, in);
        memset(tile, 0, TILE_FLOATS * sizeof *tile);
        ISA_PICK(mpm_implicit_apply)
        (b->count, c->pass.kernel, v->frozen + (size_t)v->first[i] * FROZEN_ROWS, in, tile);
    }
}

// The tiles become beta dt^2 K of `velocity`.
static void apply(mpm_state *s, const float *velocity) {
    tile_pass c = {s, {(float)s->def.cell, 0, s->def.kernel, false}, 0, velocity};
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, apply_tiles, &c);
}

void mpm_implicit_operate(mpm_state *s, const float *velocity, float *momentum) {
    apply(s, velocity);
    for (size_t i = 0; i < s->grid.active_count; i++)
        mpm_sum_tiles(&s->grid, s->grid.active[i], momentum + (size_t)s->grid.active[i] * BLOCK_FLOATS);
}

// ---- vectors

// Sums of a pass over nodes; products of residuals and answers are weighed by the preconditioner.
typedef struct sums {
    double residual2;        // of the residual: kg m2/s2
    double curvature;        // residual . answer
    double answer2, crossed; // answer . answer, answer . direction_answer
    double mass;             // kg
} sums;

static void join_sums(void *into, const void *from) {
    sums *a = into;
    const sums *b = from;
    a->residual2 += b->residual2;
    a->curvature += b->curvature;
    a->answer2 += b->answer2;
    a->crossed += b->crossed;
    a->mass += b->mass;
}

typedef struct vector_pass {
    mpm_state *s;
    float length, turn; // of a step: alpha and beta of conjugate residuals
} vector_pass;

typedef void (*vector_range)(void *context, size_t begin, size_t end, void *partial);

static firn_status over_nodes(vector_pass *c, vector_range fn, sums *out) {
    return par_reduce(c->s->grid.active_count, NODES_PER_TASK, sizeof *out, fn, join_sums, c, out);
}

// From v* (contacts included) back to before the elastic impulse: the start of the solve. A stiff impulse
// over a long step is far off, and conjugate residuals that end early must not leave it in. What is to come,
// the impulse itself, waits in `answer`.
static void take_impulse_back(void *context, size_t begin, size_t end, void *partial) {
    const vector_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        size_t slot = g->active[i];
        float *node = g->nodes + slot * BLOCK_FLOATS, *impulse = v->answer + slot * BLOCK_FLOATS;
        mpm_sum_tiles(g, (uint32_t)slot, impulse);
        project(v->bond + slot * BLOCK_NODES, impulse);
        for (int k = 0; k < BLOCK_NODES; k++, node += 4, impulse += 4) {
            float per_mass = node[3] > 0 ? 1.0f / node[3] : 0.0f;
            v->inverse[slot * BLOCK_NODES + (size_t)k] = per_mass;
            for (int a = 0; a < 3; a++) node[a] -= per_mass * impulse[a];
            t->mass += node[3];
        }
    }
}

static void first_residual(void *context, size_t begin, size_t end, void *partial) {
    const vector_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        size_t slot = g->active[i], at = slot * BLOCK_FLOATS;
        float back[BLOCK_FLOATS];
        mpm_sum_tiles(g, (uint32_t)slot, back);
        project(v->bond + slot * BLOCK_NODES, back);
        for (size_t k = 0; k < BLOCK_FLOATS; k++) {
            float r = k % 4 < 3 ? v->answer[at + k] - back[k] : 0,
                  z = v->inverse[slot * BLOCK_NODES + k / 4] * r;
            v->residual[at + k] = z;
            v->direction[at + k] = v->direction_answer[at + k] = 0;
            t->residual2 += (double)r * z;
        }
    }
}

// answer = (M + beta dt^2 K) residual, and all sums that the next step needs.
static void answer_residual(void *context, size_t begin, size_t end, void *partial) {
    const vector_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        size_t slot = g->active[i], at = slot * BLOCK_FLOATS;
        const float *node = g->nodes + at, *z = v->residual + at, *q = v->direction_answer + at;
        float *w = v->answer + at;
        mpm_sum_tiles(g, (uint32_t)slot, w);
        for (int k = 0; k < BLOCK_NODES; k++)
            for (int a = 0; a < 4; a++) w[4 * k + a] += node[4 * k + 3] * z[4 * k + a];
        project(v->bond + slot * BLOCK_NODES, w);
        for (int k = 0; k < BLOCK_FLOATS; k++) {
            double weighed = (double)w[k] * v->inverse[slot * BLOCK_NODES + (size_t)(k / 4)];
            t->curvature += (double)z[k] * w[k];
            t->answer2 += weighed * w[k];
            t->crossed += weighed * q[k];
        }
    }
}

// One step along the new direction.
static void advance(void *context, size_t begin, size_t end, void *partial) {
    const vector_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    const mpm_solver *v = c->s->solver;
    sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        size_t slot = g->active[i], at = slot * BLOCK_FLOATS;
        float *node = g->nodes + at, *z = v->residual + at, *p = v->direction + at,
              *q = v->direction_answer + at;
        const float *w = v->answer + at;
        for (int k = 0; k < BLOCK_FLOATS; k++) {
            float inverse = v->inverse[slot * BLOCK_NODES + (size_t)(k / 4)];
            p[k] = z[k] + c->turn * p[k];
            q[k] = w[k] + c->turn * q[k];
            node[k] += c->length * p[k]; // the fourth is 0 in all vectors: the mass stays
            z[k] -= c->length * inverse * q[k];
            if (inverse > 0) t->residual2 += (double)z[k] * z[k] / inverse;
        }
    }
}

// ---- the solve

// Conjugate residuals, preconditioned by the mass: `answer` of the residual tells length and turn of the next
// step; sums of direction_answer follow from those of answer.
static firn_status conjugate_residuals(mpm_state *s, double tolerance, double enough2) {
    mpm_solver *v = s->solver;
    vector_pass c = {s, 0, 0};
    sums now;
    apply(s, s->grid.nodes);
    TRY(over_nodes(&c, first_residual, &now));
    double first2 = now.residual2, left2 = first2, curvature = 0, answer2 = 0;
    double goal2 = fmax(enough2, first2 * tolerance * tolerance);
    int iterations = 0;
    for (; iterations < s->def.implicit_iterations && left2 > goal2; iterations++) {
        apply(s, v->residual);
        TRY(over_nodes(&c, answer_residual, &now));
        double turn = iterations ? now.curvature / curvature : 0;
        curvature = now.curvature;
        answer2 = now.answer2 + turn * (2 * now.crossed + turn * answer2);
        if (!(curvature > 0 && answer2 > 0)) break; // exact: nothing is left but rounding
        c.turn = (float)turn;
        c.length = (float)(curvature / answer2);
        TRY(over_nodes(&c, advance, &now));
        left2 = now.residual2;
    }
    v->tally[0] = iterations;
    v->tally[1] = first2 > 0 ? sqrt(left2 / first2) : 0;
    v->tally[2] += iterations;
    return FIRN_OK;
}

// What the bonds took beyond the contacts with v*: -(beta dt^2 K v) in the directions they forbid. Block
// after block, so that the sums do not depend on threads.
static void push_bodies(mpm_state *s, body_set *bodies) {
    const mpm_grid *g = &s->grid;
    for (size_t i = 0; i < g->active_count; i++) {
        uint32_t slot = g->active[i];
        const mpm_bond *bond = s->solver->bond + (size_t)slot * BLOCK_NODES;
        float all[BLOCK_FLOATS], allowed[BLOCK_FLOATS];
        bool any = false;
        for (int k = 0; k < BLOCK_NODES; k++)
            any = any || (bond[k].kind && s->reach.surface[bond[k].body].dynamic);
        if (!any) continue;
        mpm_sum_tiles(g, slot, all);
        memcpy(allowed, all, sizeof all);
        project(bond, allowed);
        for (int k = 0; k < BLOCK_NODES; k++) {
            if (!bond[k].kind || !s->reach.surface[bond[k].body].dynamic) continue;
            const float *a = all + 4 * k, *b = allowed + 4 * k;
            float at[3];
            node_place(s, slot, (uint32_t)k, at);
            body_add_impulse(bodies, bond[k].body, dvec(b[0] - a[0], b[1] - a[1], b[2] - a[2]),
                             dvec((double)at[0], (double)at[1], (double)at[2]));
        }
    }
}

static double dynamic_bonds(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    double count = 0;
    for (size_t i = begin; i < end; i++) {
        const mpm_bond *bond = s->solver->bond + (size_t)s->grid.active[i] * BLOCK_NODES;
        for (int k = 0; k < BLOCK_NODES; k++)
            count += bond[k].kind != BOND_NONE && s->reach.surface[bond[k].body].dynamic;
    }
    return count;
}

firn_status mpm_implicit_solve(mpm_state *s, body_set *bodies, float dt) {
    if (!s->solver) return FIRN_OK;
    s->solver->bonding = false;
    mpm_implicit_freeze(s, dt);
    vector_pass c = {s, 0, 0};
    sums all;
    TRY(over_nodes(&c, take_impulse_back, &all));
    bool dynamic = par_sum(s->grid.active_count, NODES_PER_TASK, dynamic_bonds, s) > 0;
    // An error that is small against what gravity does in a step is none.
    double tolerance = s->def.implicit_tolerance * (dynamic ? SHARP : 1);
    double fall = tolerance * dvec_length(s->setting.gravity) * dt;
    TRY(conjugate_residuals(s, tolerance, all.mass * fall * fall));
    if (dynamic) {
        apply(s, s->grid.nodes);
        push_bodies(s, bodies);
    }
    return mpm_collide_nodes_again(s, bodies); // nodes that v* had leave a body may meet it after all
}
