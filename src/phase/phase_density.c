// The density constraint (Macklin and Müller 2013; pbd_fluid.c): water keeps its density, to which grains
// count; grains feel its pressure as if they were water at the same pressure, which is what makes them float.
// The multiplier of a particle between the kinds is scaled by how liquid it is. One Jacobi iteration.
// Reads density_in (q) and pressure_in, which it fills itself; moves q.
#include "phase/phase_state.h"

#include <string.h>

#include "base/auto.h"
#include "par/par.h"
#include "pbd/pbd_fluid_work.h"
#include "pbd/pbd_kinds.h"

// Lists, walls, spouts and drains are those of pbd's density constraint; the passes are in phase_step.c.
const pbd_kind phase_matter = {
    .name = "matter",
    .unit = "m",
    .create = fluid_create,
    .destroy = fluid_destroy,
    .finish = fluid_finish,
};

firn_status phase_make_fluid(phase *m, const firn_phase_def *def, const body_set *bodies) {
    firn_pbd_spout_def *spouts = mem_zero(def->spouts.count + 1, sizeof *spouts);
    if (!spouts) return fail_memory("creating phase", def->spouts.count * sizeof *spouts);
    for (size_t k = 0; k < def->spouts.count; k++) {
        const firn_phase_spout_def *from = &def->spouts.items[k];
        spouts[k] = (firn_pbd_spout_def){.name = from->name, .opening = from->opening, .density = FIRN_AUTO};
    }
    firn_pbd_fluid_def fluid = firn_pbd_fluid_def_default();
    fluid.spacing = m->spacing;
    fluid.smoothing = m->h;
    fluid.density = def->density;
    fluid.xsph = 0;     // phase_xsph
    fluid.cohesion = 0; // phase_cohesion
    fluid.spouts.items = spouts, fluid.spouts.count = def->spouts.count;
    fluid.drains.items = def->drains.items, fluid.drains.count = def->drains.count;
    firn_pbd_def all = m->s->def;
    all.box = def->box;
    all.fluid = &fluid;
    firn_status status = pbd_make_kinds(m->s, &all, bodies);
    m->f = pbd_data(m->s, &phase_matter);
    mem_free(spouts);
    if (status != FIRN_OK) return status;
    m->f->first_spout = (uint32_t)(m->spout * PHASE_GROUPS + PHASE_WATER);
    m->f->spout_groups = PHASE_GROUPS;
    m->f->grain_walls = true;
    return FIRN_OK;
}

typedef struct density_work {
    phase *m;
    const fluid_work *fluid;
    bool first;  // iteration of a step: later ones take its diagonals
    float own;   // density that a particle of water alone has
    float grad2; // 1/(kg m2), of the squared gradients of water
} density_work;

static size_t walls_of(const density_work *w, size_t block, size_t row, size_t *at, fluid_wall **walls) {
    fluid_block *b = &w->m->f->block[block];
    if (*at >= b->walls || b->wall[*at].row > row) return 0;
    size_t n = fluid_walls_of(b, row, at);
    *walls = b->wall + *at;
    return n;
}

// Changes the multiplier of a particle by its density; `liquid` is how much of it counts.
static inline void change_lambda(const density_work *w, uint32_t i, float density, float liquid) {
    pbd_fluid *f = w->m->f;
    float before = f->lambda[i], by = w->fluid->omega * (density - 1) * w->m->inverse_diagonal[i];
    float lambda = before - by > 0 ? 0 : before - by; // it resists compression only
    f->density[i] = density;
    f->lambda[i] = before + liquid * (lambda - before);
    fluid_pressure_in(f)[i].dlambda = f->lambda[i] - before;
}

// ---- multipliers, in the first iteration of a step

static void first_pressed(const density_work *w, size_t block, const fluid_rows *run, size_t row) {
    const phase *m = w->m;
    const pbd_fluid *f = m->f;
    const density_view view = {pbd_density_in(m->s), f->volumes, f->pressure_volume, w->fluid->inverse_h};
    fluid_sums sums[FLUID_BLOCK];
    fluid_wall *walls = NULL;
    ISA_PICK(fluid_density)(&view, run, sums);
    for (size_t k = 0, at = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        size_t n = walls_of(w, block, row + k, &at, &walls);
        m->inverse_diagonal[i] = 1 / fluid_diagonal(w->fluid, &sums[k], walls, n, i);
        change_lambda(w, i, f->density[i], f->liquid[i]);
    }
}

// The same where all is water and, mostly, no wall is near.
static void first_water(const density_work *w, size_t block, const fluid_rows *run, size_t row) {
    const phase *m = w->m;
    const density_view view = {pbd_density_in(m->s), NULL, NULL, w->fluid->inverse_h};
    float volume = (float)m->water, least = w->fluid->min_grad2 / (float)m->def.mass;
    fluid_sums sums[FLUID_BLOCK];
    fluid_wall *walls = NULL;
    ISA_PICK(fluid_density)(&view, run, sums);
    for (size_t k = 0, at = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        const float *g = sums[k].grad_C;
        float density = w->own * (1 + sums[k].density);
        float diagonal = w->grad2 * (sums[k].sum_w_grad2 + g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        size_t n = walls_of(w, block, row + k, &at, &walls);
        if (n > 0) {
            fluid_sums scaled = {sums[k].density * volume,
                                 {g[0] * volume, g[1] * volume, g[2] * volume},
                                 sums[k].sum_w_grad2 * volume * volume / (float)m->def.mass};
            diagonal = fluid_diagonal(w->fluid, &scaled, walls, n, i);
            density = m->f->density[i];
        }
        m->inverse_diagonal[i] = 1 / (diagonal > least ? diagonal : least);
        change_lambda(w, i, density, 1);
    }
}

// ---- and in later ones: the density is all that has changed much

static void next_lambda(const density_work *w, size_t block, const fluid_rows *run, size_t row, bool water) {
    const phase *m = w->m;
    const pbd_fluid *f = m->f;
    const density_view view = {pbd_density_in(m->s), water ? NULL : f->volumes, NULL, w->fluid->inverse_h};
    float density[FLUID_BLOCK], grad_C[3];
    fluid_wall *walls = NULL;
    ISA_PICK(fluid_density_alone)(&view, run, density);
    for (size_t k = 0, at = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        float all = water ? w->own * (1 + density[k]) : w->fluid->w_norm * (f->volumes[i] + density[k]);
        size_t n = walls_of(w, block, row + k, &at, &walls);
        if (n > 0) all += fluid_share_of_walls(w->fluid, walls, n, i, memset(grad_C, 0, sizeof grad_C));
        change_lambda(w, i, all, f->liquid[i]);
    }
}

static void lambda_block(void *context, size_t block) {
    const density_work *w = context;
    phase *m = w->m;
    pressure_in *out = fluid_pressure_in(m->f);
    fluid_rows run, all = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < all.count; k++) {
        memcpy(&out[all.own[k]], m->s->p.q[all.own[k]], 3 * sizeof(float));
        out[all.own[k]].dlambda = 0;
    }
    for (size_t at = 0; phase_next_run(m, block, PHASE_PRESSED, &at, &run);) {
        if (w->first)
            first_pressed(w, block, &run, at - run.count);
        else
            next_lambda(w, block, &run, at - run.count, false);
    }
    for (size_t at = 0; phase_next_run(m, block, PHASE_WATER_ONLY, &at, &run);) {
        if (w->first)
            first_water(w, block, &run, at - run.count);
        else
            next_lambda(w, block, &run, at - run.count, true);
    }
}

// ---- positions

static void apply_delta_x(const density_work *w, size_t block, const fluid_rows *run, size_t row,
                          float (*delta_x)[4], float volume) {
    phase *m = w->m;
    const fluid_block *b = &m->f->block[block];
    size_t wall = 0;
    float factor = -w->fluid->grad_norm / (float)m->def.mass * volume;
    while (wall < b->walls && b->wall[wall].row < row) wall++;
    for (size_t k = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        for (int a = 0; a < 3; a++) delta_x[k][a] *= factor;
        while (wall < b->walls && b->wall[wall].row < row + k) wall++;
        if (wall < b->walls && b->wall[wall].row == row + k && m->f->liquid[i] > 0)
            fluid_wall_delta_x(w->fluid, block, row + k, &wall, i, delta_x[k]);
        for (int a = 0; a < 3; a++) m->s->p.q[i][a] += delta_x[k][a];
    }
}

static void delta_x_block(void *context, size_t block) {
    const density_work *w = context;
    phase *m = w->m;
    const pressure_view view = {fluid_pressure_in(m->f), m->f->pressure_volume, w->fluid->inverse_h};
    const pressure_view uniform = {view.at, NULL, view.inverse_h};
    float delta_x[FLUID_BLOCK][4];
    fluid_rows run;
    for (size_t at = 0; phase_next_run(m, block, PHASE_MIXED, &at, &run);) {
        ISA_PICK(fluid_delta_x)(&view, &run, 0, delta_x);
        apply_delta_x(w, block, &run, at - run.count, delta_x, 1);
    }
    for (size_t at = 0; phase_next_run(m, block, PHASE_WATER_ONLY, &at, &run);) {
        ISA_PICK(fluid_delta_x)(&uniform, &run, 0, delta_x);
        apply_delta_x(w, block, &run, at - run.count, delta_x, (float)m->water);
    }
}

void phase_density(phase *m, const pbd_pass *pass, bool first) {
    fluid_work fluid = fluid_work_of(m->s, m->f, pass, 1);
    float gradient = fluid.grad_norm * (float)m->water;
    fluid.wall_liquid = 0;
    density_work work = {.m = m,
                         .fluid = &fluid,
                         .first = first,
                         .own = fluid.w_norm * (float)m->water,
                         .grad2 = gradient * gradient / (float)m->def.mass};
    par_tasks(m->f->blocks, lambda_block, &work);
    par_tasks(m->f->blocks, delta_x_block, &work);
    fluid_sum_impulses(&fluid);
}
