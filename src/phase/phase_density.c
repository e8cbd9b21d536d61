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
} density_work;

static bool is_mixed(const phase *m, uint32_t i) { return m->surroundings[i] == PHASE_MIXED; }
static bool is_water_only(const phase *m, uint32_t i) { return m->surroundings[i] == PHASE_WATER_ONLY; }
static bool has_lambda(const phase *m, uint32_t i) {
    return m->surroundings[i] != PHASE_WATER_ONLY && m->f->liquid[i] > 0;
}

// Multipliers of a run of rows from `row` on.
static void update_lambda(const density_work *w, size_t block, const fluid_rows *run, size_t row,
                          const fluid_sums *sums, size_t *wall) {
    pbd_fluid *f = w->m->f;
    for (size_t k = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        size_t walls = fluid_walls_of(&f->block[block], row + k, wall);
        float before = f->lambda[i];
        float dlambda = fluid_delta_lambda(w->fluid, &sums[k], f->block[block].wall + *wall, walls, i);
        dlambda *= f->liquid[i];
        f->lambda[i] = before + dlambda;
        fluid_pressure_in(f)[i].dlambda = dlambda;
    }
}

static void lambda_block(void *context, size_t block) {
    const density_work *w = context;
    phase *m = w->m;
    pbd_fluid *f = m->f;
    const density_view view = {pbd_density_in(m->s), f->volumes, f->pressure_volume, w->fluid->inverse_h};
    pressure_in *out = fluid_pressure_in(f);
    fluid_sums sums[FLUID_BLOCK];
    fluid_rows run, all = fluid_rows_of(f, block);
    for (size_t k = 0; k < all.count; k++) {
        memcpy(&out[all.own[k]], m->s->p.q[all.own[k]], 3 * sizeof(float));
        out[all.own[k]].dlambda = 0;
    }
    size_t wall = 0;
    for (size_t at = 0; phase_next_run(m, block, has_lambda, &at, &run);) {
        ISA_PICK(fluid_density)(&view, &run, sums);
        update_lambda(w, block, &run, at - run.count, sums, &wall);
    }
    const density_view uniform = {view.at, NULL, NULL, view.inverse_h};
    float volume = (float)m->water, square = volume * volume * (float)(1 / m->def.mass);
    wall = 0;
    for (size_t at = 0; phase_next_run(m, block, is_water_only, &at, &run);) {
        ISA_PICK(fluid_density)(&uniform, &run, sums);
        for (size_t k = 0; k < run.count; k++) {
            sums[k].density *= volume, sums[k].sum_w_grad2 *= square;
            for (int a = 0; a < 3; a++) sums[k].grad_C[a] *= volume;
        }
        update_lambda(w, block, &run, at - run.count, sums, &wall);
    }
}

static void apply_delta_x(const density_work *w, size_t block, const fluid_rows *run, size_t row,
                          float (*delta_x)[4], float volume, size_t *wall) {
    phase *m = w->m;
    for (size_t k = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        float factor = -w->fluid->grad_norm * m->s->p.q[i][3] * volume;
        for (int a = 0; a < 3; a++) delta_x[k][a] *= factor;
        if (m->f->liquid[i] > 0) fluid_wall_delta_x(w->fluid, block, row + k, wall, i, delta_x[k]);
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
    size_t wall = 0;
    for (size_t at = 0; phase_next_run(m, block, is_mixed, &at, &run);) {
        ISA_PICK(fluid_delta_x)(&view, &run, 0, delta_x);
        apply_delta_x(w, block, &run, at - run.count, delta_x, 1, &wall);
    }
    wall = 0;
    for (size_t at = 0; phase_next_run(m, block, is_water_only, &at, &run);) {
        ISA_PICK(fluid_delta_x)(&uniform, &run, 0, delta_x);
        apply_delta_x(w, block, &run, at - run.count, delta_x, (float)m->water, &wall);
    }
}

void phase_density(phase *m, const pbd_pass *pass) {
    fluid_work fluid = fluid_work_of(m->s, m->f, pass, 1);
    fluid.wall_liquid = 0;
    density_work work = {m, &fluid};
    par_tasks(m->f->blocks, lambda_block, &work);
    par_tasks(m->f->blocks, delta_x_block, &work);
    fluid_sum_impulses(&fluid);
}
