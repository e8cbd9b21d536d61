// Snow and water as one constraint: grains do not go through each other, rub and hang together; water keeps
// its density, to which grains count; grains feel its pressure as if they were water at the same pressure,
// which is what makes them float. A particle that is between the kinds is a bit of both (its `liquid`).
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_fluid_work.h"
#include "pbd/pbd_kinds.h"

enum { TASK = 8 * PBD_BLOCK, SETTLE = 30, EVEN = 2 }; // velocities even out every so many steps

// The density constraint of pbd does the lists, walls, spouts and drains.
firn_status phase_take_fluid(phase *m, const firn_phase_def *def, const body_set *bodies) {
    firn_pbd_spout_def *spouts = mem_zero(def->spouts.count + 1, sizeof *spouts);
    if (!spouts) return fail_memory("creating phase", def->spouts.count * sizeof *spouts);
    for (size_t k = 0; k < def->spouts.count; k++) {
        const firn_phase_spout_def *from = &def->spouts.items[k];
        spouts[k] = (firn_pbd_spout_def){.name = from->name, .opening = from->opening, .density = -1};
    }
    firn_pbd_fluid_def fluid = firn_pbd_fluid_def_default();
    fluid.spacing = m->spacing;
    fluid.smoothing = m->h;
    fluid.density = def->density;
    fluid.viscosity = 0; // phase_even does that
    fluid.cohesion = 0;  // phase_cling that
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

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    return pbd_density.create(s, def, bodies, data);
}
static void destroy(void *data) { pbd_density.destroy(data); }

// ---- runs of rows

bool phase_next_run(const phase *m, size_t block, bool (*wanted)(const phase *m, uint32_t i), size_t *at,
                    fluid_rows *run) {
    fluid_rows rows = fluid_rows_of(m->f, block);
    size_t begin = *at;
    while (begin < rows.count && !wanted(m, rows.own[begin])) begin++;
    size_t end = begin;
    while (end < rows.count && wanted(m, rows.own[end])) end++;
    *at = end;
    *run = (fluid_rows){rows.own + begin, rows.first + begin, rows.index, end - begin};
    return end > begin;
}

static bool is_solid(const phase *m, uint32_t i) { return m->f->liquid[i] < 1; }
static bool is_wet(const phase *m, uint32_t i) { return m->wet[i] == 1; }
static bool is_plain(const phase *m, uint32_t i) { return m->wet[i] == 2; }
static bool is_mixed(const phase *m, uint32_t i) { return m->wet[i] != 2 && m->f->liquid[i] > 0; }
static bool is_any(const phase *m, uint32_t i) {
    (void)m, (void)i;
    return true;
}

// Share of the speed along their contact that two grains lose when velocities even out: snow does not bounce.
static const float DAMPING = 0.36f;

// A drop that freezes where it is inside of a grain, as water may be, is not thrown out of it: its contacts
// push with a few times its weight (m/s2) until it is quite solid, otherwise it is shifted, so fast (m/s).
static const double FIRM = 15, OUT = 1;

static void settle(phase *m);

// ---- finding

static void remember_block(void *context, size_t begin, size_t end) {
    phase *m = context;
    for (size_t i = begin; i < end; i++) {
        memcpy(m->before[i], m->s->p.q[i], sizeof m->before[i]);
        m->wet[i] = m->f->liquid[i] > 0;
        memset(m->touch[i], 0, sizeof m->touch[i]);
    }
}

// Water that has only water around it is worked on without looking at volumes.
static void plain_block(void *context, size_t block) {
    phase *m = context;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count; k++) {
        bool plain = m->f->liquid[rows.own[k]] >= 1;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1] && plain; n++)
            plain = m->f->liquid[rows.index[n]] >= 1;
        if (plain) m->wet[rows.own[k]] = 2;
    }
}

static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    phase *m = s->owner;
    pbd_fluid *f = data;
    profile_pass(&s->passes, "sort and list neighbours");
    TRY(fluid_reserve(s, f));
    TRY(phase_reserve(m));
    TRY(fluid_find_neighbours(s, f, true, phase_is_upkeep(m)));
    profile_pass(&s->passes, "walls");
    TRY(fluid_find_walls(s, f, pass));
    memset(f->lambda, 0, s->p.count * sizeof *f->lambda);
    par_for(s->p.count, TASK, remember_block, m);
    f->liquid[s->p.count] = 1; // nobody, who fills up the lists
    par_tasks(f->blocks, plain_block, m);
    if (m->book.steps == 0 && m->random) settle(m);
    profile_pass(&s->passes, "links and lumps");
    phase_links_place(m);
    phase_lumps_weigh(m);
    TRY(phase_links_update(m));
    phase_links_aim(m);
    profile_pass(&s->passes, "bodies");
    return FIRN_OK;
}

// ---- contacts and links

typedef struct matter_work {
    phase *m;
    const fluid_work *fluid;
    touch_field touch;
    even_field even;
    float share[2], factor; // of velocities: of snow and water, root; of the sum
} matter_work;

static void copy_block(void *context, size_t begin, size_t end) {
    const matter_work *w = context;
    const phase *m = w->m;
    pbd_particles *p = &m->s->p;
    const float(*slid)[3] = (const float(*)[3])phase_slid(m);
    for (size_t i = begin; i < end; i++) {
        memcpy(m->f->scratch[i], p->q[i], 3 * sizeof(float));
        m->f->scratch[i][3] = m->radius[i];
        for (int a = 0; a < 3; a++) p->delta[i][a] = slid[i][a] + (p->q[i][a] - p->x[i][a]);
        p->delta[i][3] = 1 - m->f->liquid[i];
    }
}

static void touch_block(void *context, size_t block) {
    const matter_work *w = context;
    phase *m = w->m;
    pbd_particles *p = &m->s->p;
    touch_sums sums[FLUID_BLOCK];
    fluid_rows run;
    for (size_t at = 0; phase_next_run(m, block, is_solid, &at, &run);) {
        ISA_PICK(phase_touch)(&w->touch, &run, sums);
        for (size_t k = 0; k < run.count; k++) {
            uint32_t i = run.own[k];
            phase_links_pull(m, i, sums[k].move);
            for (int a = 0; a < 3; a++) p->q[i][a] += sums[k].move[a], m->touch[i][a] = sums[k].slip[a];
            m->touch[i][3] = sums[k].contacts;
            for (int a = 0; a < 3 && sums[k].shifts; a++)
                p->x[i][a] += sums[k].shift[a], p->q[i][a] += sums[k].shift[a];
            if (sums[k].liquid > 0 && m->wet[i] == 0) m->wet[i] = 1;
        }
    }
}

static void touch_all(phase *m, double dt) {
    pbd *s = m->s;
    double each = dt / (m->def.iterations * m->def.stiffness);
    matter_work work = {.m = m};
    work.touch = (touch_field){(const float(*)[4])m->f->scratch,
                               (const float(*)[4])s->p.delta,
                               (float)m->def.stiffness,
                               (float)m->def.static_friction,
                               (float)m->def.friction,
                               (float)(FIRM * dt * each),
                               (float)(OUT * each)};
    par_for(s->p.count, TASK, copy_block, &work);
    m->f->scratch[s->p.count][3] = 0;
    memcpy(s->p.delta[s->p.count], (float[4]){0, 0, 0, 1}, sizeof s->p.delta[0]);
    par_tasks(m->f->blocks, touch_block, &work);
}

// ---- contacts that are there already

static void still_block(void *context, size_t begin, size_t end) {
    const matter_work *w = context;
    const phase *m = w->m;
    pbd_particles *p = &m->s->p;
    for (size_t i = begin; i < end; i++) {
        memcpy(m->f->scratch[i], p->x[i], 3 * sizeof(float));
        m->f->scratch[i][3] = m->radius[i];
        memcpy(p->delta[i], (float[4]){0, 0, 0, 1 - m->f->liquid[i]}, sizeof p->delta[i]);
    }
}

static void settle_block(void *context, size_t block) {
    const matter_work *w = context;
    phase *m = w->m;
    pbd_particles *p = &m->s->p;
    touch_sums sums[FLUID_BLOCK];
    fluid_rows run;
    for (size_t at = 0; phase_next_run(m, block, is_solid, &at, &run);) {
        ISA_PICK(phase_touch)(&w->touch, &run, sums);
        for (size_t k = 0; k < run.count; k++) {
            uint32_t i = run.own[k];
            for (int a = 0; a < 3; a++) p->x[i][a] += sums[k].move[a], p->q[i][a] += sums[k].move[a];
        }
    }
}

// At the start: grains of a random fill that are too near come apart without a velocity.
static void settle(phase *m) {
    pbd *s = m->s;
    matter_work work = {.m = m};
    work.touch = (touch_field){(const float(*)[4])m->f->scratch,
                               (const float(*)[4])s->p.delta,
                               (float)m->def.stiffness,
                               0,
                               0,
                               INFINITY,
                               0};
    for (int k = 0; k < SETTLE; k++) {
        par_for(s->p.count, TASK, still_block, &work);
        m->f->scratch[s->p.count][3] = 0;
        memcpy(s->p.delta[s->p.count], (float[4]){0, 0, 0, 1}, sizeof s->p.delta[0]);
        par_tasks(m->f->blocks, settle_block, &work);
    }
}

// ---- density

// Multipliers of a run of rows from `row` on.
static void take_changes(const matter_work *w, size_t block, const fluid_rows *run, size_t row,
                         const fluid_sums *sums, size_t *wall) {
    pbd_fluid *f = w->m->f;
    for (size_t k = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        size_t walls = fluid_walls_of(&f->block[block], row + k, wall);
        float before = f->lambda[i];
        float change = fluid_delta_lambda(w->fluid, &sums[k], f->block[block].wall + *wall, walls, i);
        change *= f->liquid[i];
        f->lambda[i] = before + change;
        fluid_pressure_in(f)[i].dlambda = change;
    }
}

static void measure_block(void *context, size_t block) {
    const matter_work *w = context;
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
    for (size_t at = 0; phase_next_run(m, block, is_mixed, &at, &run);) {
        ISA_PICK(fluid_density)(&view, &run, sums);
        take_changes(w, block, &run, at - run.count, sums, &wall);
    }
    const density_view plain = {view.at, NULL, NULL, view.inverse_h};
    float size = (float)m->water, square = size * size * (float)(1 / m->def.mass);
    wall = 0;
    for (size_t at = 0; phase_next_run(m, block, is_plain, &at, &run);) {
        ISA_PICK(fluid_density)(&plain, &run, sums);
        for (size_t k = 0; k < run.count; k++) {
            sums[k].density *= size, sums[k].sum_w_grad2 *= square;
            for (int a = 0; a < 3; a++) sums[k].grad_C[a] *= size;
        }
        take_changes(w, block, &run, at - run.count, sums, &wall);
    }
}

static void take_moves(const matter_work *w, size_t block, const fluid_rows *run, size_t row,
                       float (*moves)[4], float size, size_t *wall) {
    phase *m = w->m;
    for (size_t k = 0; k < run->count; k++) {
        uint32_t i = run->own[k];
        float factor = -w->fluid->grad_norm * m->s->p.q[i][3] * size;
        for (int a = 0; a < 3; a++) moves[k][a] *= factor;
        if (m->f->liquid[i] > 0) fluid_wall_delta_x(w->fluid, block, row + k, wall, i, moves[k]);
        for (int a = 0; a < 3; a++) m->s->p.q[i][a] += moves[k][a];
    }
}

static void push_block(void *context, size_t block) {
    const matter_work *w = context;
    phase *m = w->m;
    pbd_fluid *f = m->f;
    const pressure_view view = {fluid_pressure_in(f), f->pressure_volume, w->fluid->inverse_h};
    const pressure_view plain = {view.at, NULL, view.inverse_h};
    float moves[FLUID_BLOCK][4];
    fluid_rows run;
    size_t wall = 0;
    for (size_t at = 0; phase_next_run(m, block, is_wet, &at, &run);) {
        ISA_PICK(fluid_delta_x)(&view, &run, 0, moves);
        take_moves(w, block, &run, at - run.count, moves, 1, &wall);
    }
    wall = 0;
    for (size_t at = 0; phase_next_run(m, block, is_plain, &at, &run);) {
        ISA_PICK(fluid_delta_x)(&plain, &run, 0, moves);
        take_moves(w, block, &run, at - run.count, moves, (float)m->water, &wall);
    }
}

static void project(pbd *s, void *data, const pbd_pass *pass) {
    phase *m = s->owner;
    profile_pass(&s->passes, "contacts and links");
    touch_all(m, pass->dt);
    profile_pass(&s->passes, "shape of lumps");
    phase_lumps_hold(m);
    profile_pass(&s->passes, "density");
    fluid_work fluid = fluid_work_of(s, data, pass, 1);
    matter_work work = {.m = m, .fluid = &fluid};
    par_tasks(m->f->blocks, measure_block, &work);
    par_tasks(m->f->blocks, push_block, &work);
    fluid_sum_impulses(&fluid);
    profile_pass(&s->passes, "bodies");
}

// ---- after the solve

// What grains slid since they touch, and how hard a change of kind pushed.
static double after_block(void *context, size_t begin, size_t end) {
    const matter_work *w = context;
    const phase *m = w->m;
    const pbd_particles *p = &m->s->p;
    double inverse_dt = 1 / w->fluid->pass->dt, most = 0;
    float dt = (float)w->fluid->pass->dt, blend = (float)(w->fluid->pass->dt / m->def.blend_time);
    float(*slid)[3] = phase_slid(m);
    for (size_t i = begin; i < end; i++) {
        const float *t = m->touch[i];
        float liquid = m->f->liquid[i];
        for (int a = 0; a < 3; a++) slid[i][a] = t[3] > 0 ? slid[i][a] + dt * p->v[i][a] - t[a] / t[3] : 0;
        if (liquid > 0 && liquid < 1) {
            double pushed = dvec_distance(pbd_at(p->q[i]), pbd_at(m->before[i]));
            most = fmax(most, (double)blend * pushed * inverse_dt);
        }
    }
    return most;
}

static void velocity_block(void *context, size_t begin, size_t end) {
    const matter_work *w = context;
    const phase *m = w->m;
    for (size_t i = begin; i < end; i++) {
        float liquid = m->f->liquid[i];
        memcpy(m->f->scratch[i], m->s->p.q[i], 3 * sizeof(float));
        m->f->scratch[i][3] = liquid < 1 ? m->radius[i] : -m->radius[i];
        memcpy(m->f->v[i], m->s->p.v[i], 3 * sizeof(float));
        m->f->v[i][3] = w->share[0] + liquid * (w->share[1] - w->share[0]);
    }
}

static void even_block(void *context, size_t block) {
    const matter_work *w = context;
    float out[FLUID_BLOCK][4];
    fluid_rows run;
    for (size_t at = 0; phase_next_run(w->m, block, is_any, &at, &run);) {
        ISA_PICK(phase_even)(&w->even, &run, out);
        for (size_t k = 0; k < run.count; k++)
            for (int a = 0; a < 3; a++) w->m->s->p.v[run.own[k]][a] += w->factor * out[k][a];
    }
}

static void even_out(matter_work *w, double dt) {
    phase *m = w->m;
    pbd_fluid *f = m->f;
    size_t n = m->s->p.count;
    for (int k = 0; k < 2; k++) {
        double share = k ? m->def.water_viscosity : m->def.snow_viscosity;
        w->share[k] = (float)sqrt(1 - pow(1 - share, 60 * EVEN * dt));
    }
    w->factor = (float)(f->kernel.w_norm * f->volume);
    w->even = (even_field){(const float(*)[4])f->scratch, (const float(*)[4])f->v, (float)(m->h / m->spacing),
                           DAMPING / w->factor};
    par_for(n, TASK, velocity_block, w);
    f->scratch[n][3] = (float)m->spacing;
    par_tasks(f->blocks, even_block, w);
}

static firn_status velocities(pbd *s, void *data, const pbd_pass *pass) {
    phase *m = s->owner;
    fluid_work fluid = fluid_work_of(s, data, pass, 1);
    matter_work work = {.m = m, .fluid = &fluid};
    m->book.jump = fmax(m->book.jump, par_max(s->p.count, TASK, after_block, &work));
    if ((uint64_t)m->book.steps % EVEN == 0) even_out(&work, pass->dt);
    phase_cling(m, &fluid);
    return FIRN_OK;
}

static firn_status finish(pbd *s, void *data, body_set *bodies, model_step step) {
    return pbd_density.finish(s, data, bodies, step);
}

const pbd_kind phase_matter = {
    .name = "matter",
    .unit = "m",
    .create = create,
    .destroy = destroy,
    .find = find,
    .project = project,
    .velocities = velocities,
    .finish = finish,
};
