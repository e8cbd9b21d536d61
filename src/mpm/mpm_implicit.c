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
    if (!array_reserve(&v->bond, &v->bond_capacity, blocks, BLOCK_NODES * sizeof *v->bond) ||
        !array_reserve(&v->bonded, &v->bonded_capacity, blocks, sizeof *v->bonded))
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
    for (size_t i = begin; i < end; i++) {
        size_t slot = s->grid.active[i];
        memset(s->solver->bond + slot * BLOCK_NODES, 0, BLOCK_NODES * sizeof(mpm_bond));
        s->solver->bonded[slot] = 0;
    }
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
                     v->direction, v->direction_answer, v->bonded,   v->bond};
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
    s->solver->bonded[slot] = 1;
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

static void join_sums(void *into, const void *from) {
    mpm_sums *a = into;
    const mpm_sums *b = from;
    a->residual2 += b->residual2;
    a->curvature += b->curvature;
    a->answer2 += b->answer2;
    a->crossed += b->crossed;
}

typedef struct vector_pass {
    mpm_state *s;
    float length, turn; // of a step: alpha and beta of conjugate residuals
} vector_pass;

typedef void (*vector_range)(void *context, size_t begin, size_t end, void *partial);

static firn_status over_nodes(vector_pass *c, vector_range fn, mpm_sums *out) {
    return par_reduce(c->s->grid.active_count, NODES_PER_TASK, sizeof *out, fn, join_sums, c, out);
}

static mpm_vectors vectors_of(const mpm_state *s, size_t slot) {
    size_t at = slot * BLOCK_FLOATS;
    const mpm_solver *v = s->solver;
    return (mpm_vectors){s->grid.nodes + at, v->residual + at, v->answer + at, v->direction + at,
                         v->direction_answer + at};
}

// What the tiles give the nodes of a block, in the directions that its bonds allow.
static void sum_allowed(const mpm_state *s, size_t slot, float *node) {
    mpm_sum_tiles(&s->grid, (uint32_t)slot, node);
    if (s->solver->bonded[slot]) project(s->solver->bond + slot * BLOCK_NODES, node);
}

// From v* (contacts included) back to before the elastic impulse: the start of the solve. A stiff impulse
// over a long step is far off, and conjugate residuals that end early must not leave it in. What is to come,
// the impulse itself, waits in `answer`.
static void take_impulse_back(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        sum_allowed(s, s->grid.active[i], v.answer);
        for (int k = 0; k < BLOCK_NODES; k++) {
            float *node = v.node + 4 * k, per_mass = node[3] > 0 ? 1.0f / node[3] : 0.0f;
            for (int a = 0; a < 3; a++) node[a] -= per_mass * v.answer[4 * k + a];
        }
    }
}

static void first_residual(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = ((const vector_pass *)context)->s;
    mpm_sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        float back[BLOCK_FLOATS];
        sum_allowed(s, s->grid.active[i], back);
        for (int k = 0; k < BLOCK_FLOATS; k++) {
            float mass = v.node[k | 3], r = k % 4 < 3 && mass > 0 ? v.answer[k] - back[k] : 0;
            v.residual[k] = mass > 0 ? r / mass : 0;
            v.direction[k] = v.direction_answer[k] = 0;
            t->residual2 += (double)r * v.residual[k];
        }
    }
}

static void answer_residual(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = ((const vector_pass *)context)->s;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(s, s->grid.active[i]);
        sum_allowed(s, s->grid.active[i], v.answer);
        mpm_sums t = ISA_PICK(mpm_implicit_answer)(&v);
        join_sums(partial, &t);
    }
}

static void advance(void *context, size_t begin, size_t end, void *partial) {
    const vector_pass *c = context;
    for (size_t i = begin; i < end; i++) {
        mpm_vectors v = vectors_of(c->s, c->s->grid.active[i]);
        mpm_sums t = ISA_PICK(mpm_implicit_advance)(&v, c->length, c->turn);
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

// Conjugate residuals, preconditioned by the mass: `answer` of the residual tells length and turn of the next
// step; sums of direction_answer follow from those of answer.
static firn_status conjugate_residuals(mpm_state *s, double tolerance, double enough2) {
    mpm_solver *v = s->solver;
    vector_pass c = {s, 0, 0};
    mpm_sums now;
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
    par_for(s->grid.active_count, NODES_PER_TASK, take_impulse_back, s);
    bool dynamic = par_sum(s->grid.active_count, NODES_PER_TASK, dynamic_bonds, s) > 0;
    // An error that is small against what gravity does in a step is none.
    double tolerance = s->def.implicit_tolerance * (dynamic ? SHARP : 1);
    double fall = tolerance * dvec_length(s->setting.gravity) * dt;
    double mass = par_sum(s->grid.active_count, NODES_PER_TASK, mass_of, &s->grid);
    TRY(conjugate_residuals(s, tolerance, mass * fall * fall));
    if (dynamic) {
        apply(s, s->grid.nodes);
        push_bodies(s, bodies);
    }
    return mpm_collide_nodes_again(s, bodies); // nodes that v* had leave a body may meet it after all
}

// ---- the next step

// Mean of the particles' rates of deformation, in critical compressions, weighed by themselves: where snow
// flows counts, however much lies still beside it.
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
        double rate = (double)(sqrtf(d2) / p->materials[p->material[i]].squeeze);
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

firn_status mpm_implicit_pace(mpm_state *s) {
    if (!s->solver) return FIRN_OK;
    flow_sums sums;
    TRY(par_reduce(s->p.count, 4096, sizeof sums, add_flow, join_flow, &s->p, &sums));
    s->book.flow = sums.rate > 0 ? sums.rate2 / sums.rate : 0;
    return FIRN_OK;
}
