// Liquids by pressure: the multipliers of a sub-step are pressures that leave no liquid denser than it was
// (or than one, if it had room), as divergence-free SPH does (Bender and Koschier 2017), so that they may
// begin where those of the last sub-step ended. Density that is left over is taken out by moving particles
// apart without a velocity. Both by accelerated projected gradients (Nesterov's momentum with restarts),
// until the mean error is below the tolerance.
#include "pbd/pbd_fluid_work.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_tension.h"

// Share of the stiffest wave's step: momentum does not forgive steps that are too long.
static const float STEP = 0.9f;
// Nesterov's sequence begins here, not at 1: what a warm start leaves are long waves, which need momentum. A
// fifth fewer iterations in a breaking dam.
static const double START = 5;

fluid_memory *fluid_memory_of(const pbd *s, const pbd_fluid *f) {
    return f->column < s->columns ? s->column[f->column].at : NULL;
}

typedef struct press_work {
    fluid_work w;
    fluid_memory *memory;
    bool shifting; // positions only
    bool first;    // diagonals are not known yet
    float momentum;
    float friction; // 1/s: of the box, by the sub-step
} press_work;

// What a multiplier has left to correct.
static float excess_of(const press_work *p, uint32_t i, float density) {
    float allowed = p->shifting ? 0 : p->memory[i].dense;
    return density - 1 - allowed;
}

// One projected step of each row's multiplier from `ahead`, where C was evaluated. Without branches: whether
// a particle is under pressure is hard to predict.
static fluid_press_sums press_rows(const press_work *p, const fluid_rows *rows) {
    pbd_fluid *f = p->w.f;
    fluid_press_sums out = {0};
    double error = 0, uphill = 0;
    for (size_t k = 0; k < rows->count; k++) {
        uint32_t i = rows->own[k];
        if (i < p->w.s->p.solids) continue;
        float excess = excess_of(p, i, f->density[i]), before = f->lambda[i];
        float next = f->ahead[i] - p->w.omega * excess * f->inverse_diagonal[i];
        float lambda = next < 0 ? next : 0, bound = lambda < 0 ? 0 : excess;
        f->behind[i] = before;
        f->lambda[i] = lambda;
        uphill += (double)(excess * (lambda - before));
        error += (double)(fabsf(excess) * (float)!(bound < 0));
        out.count++;
    }
    out.error = error, out.uphill = uphill;
    return out;
}

// The walls of one row after the other: false behind the last.
static bool next_walls(const fluid_block *b, size_t *at, size_t *n) {
    *at += *n;
    *n = 0;
    while (*at + *n < b->walls && b->wall[*at + *n].row == b->wall[*at].row) (*n)++;
    return *n > 0;
}

static void first_densities(const press_work *p, const density_view *view, const fluid_rows *rows,
                            fluid_block *b) {
    fluid_sums sums[FLUID_BLOCK];
    size_t at = 0;
    ISA_PICK(fluid_density)(view, rows, sums);
    for (size_t k = 0; k < rows->count; k++) {
        size_t n = fluid_walls_of(b, k, &at);
        uint32_t i = rows->own[k];
        if (i >= p->w.s->p.solids)
            p->w.f->inverse_diagonal[i] = 1 / fluid_diagonal(&p->w, &sums[k], b->wall + at, n, i);
    }
}

static void densities(const press_work *p, const density_view *view, const fluid_rows *rows, fluid_block *b) {
    pbd_fluid *f = p->w.f;
    float density[FLUID_BLOCK], unused[3] = {0};
    ISA_PICK(fluid_density_alone)(view, rows, density);
    for (size_t k = 0; k < rows->count; k++) {
        float volume = f->volumes[rows->own[k]];
        f->density[rows->own[k]] = p->w.w_norm * (volume + (f->uniform ? volume : 1) * density[k]);
    }
    for (size_t at = 0, n = 0; next_walls(b, &at, &n);) {
        uint32_t i = rows->own[b->wall[at].row];
        f->density[i] += fluid_share_of_walls(&p->w, b->wall + at, n, i, unused);
    }
}

static void press_block(void *context, size_t block) {
    const press_work *p = context;
    pbd_fluid *f = p->w.f;
    fluid_rows rows = fluid_rows_of(f, block);
    const density_view view = {pbd_density_in(p->w.s), f->uniform ? NULL : f->volumes,
                               f->uniform ? NULL : f->pressure_volume, p->w.inverse_h};
    if (p->first)
        first_densities(p, &view, &rows, &f->block[block]);
    else
        densities(p, &view, &rows, &f->block[block]);
    f->press[block] = press_rows(p, &rows);
}

// Multipliers move on by their momentum; particles by how far `ahead` moves.
static void ahead_block(void *context, size_t begin, size_t end) {
    const press_work *p = context;
    const pbd *s = p->w.s;
    pbd_fluid *f = p->w.f;
    pressure_in *out = fluid_pressure_in(f);
    for (size_t i = begin; i < end; i++) {
        float ahead = f->lambda[i] + p->momentum * (f->lambda[i] - f->behind[i]);
        if (i < s->p.solids || ahead > 0) ahead = 0;
        memcpy(&out[i], s->p.q[i], 3 * sizeof(float));
        out[i].dlambda = ahead - f->ahead[i];
        f->ahead[i] = ahead;
    }
}

// Without a velocity there is nothing to hold a particle off a wall but the wall's place.
static void keep_off(const press_work *p, const fluid_wall *walls, size_t n, uint32_t i, float *q) {
    float radius = p->w.s->groups[p->w.s->p.group[i]].radius;
    for (size_t k = 0; k < n; k++) {
        const fluid_wall *wall = &walls[k];
        float d = wall->n[0] * q[0] + wall->n[1] * q[1] + wall->n[2] * q[2] - wall->offset;
        for (int a = 0; a < 3 && d < radius; a++) q[a] += (radius - d) * wall->n[a];
    }
}

// Contact with the box, whose push may also become less: momentum pushes too hard, now and then.
static void touch_box(const press_work *p, fluid_wall *walls, size_t n, uint32_t i, float *q) {
    float radius = p->w.s->groups[p->w.s->p.group[i]].radius;
    for (size_t k = 0; k < n; k++) {
        fluid_wall *wall = &walls[k];
        if (wall->body != UINT32_MAX) continue;
        float d = wall->n[0] * q[0] + wall->n[1] * q[1] + wall->n[2] * q[2] - wall->offset - radius;
        float pushed = wall->pushed > d ? wall->pushed - d : 0;
        for (int a = 0; a < 3; a++) q[a] += (pushed - wall->pushed) * wall->n[a];
        wall->pushed = pushed;
    }
}

static void move_walls(const press_work *p, size_t block, const fluid_rows *rows) {
    fluid_block *b = &p->w.f->block[block];
    for (size_t at = 0, n = 0; next_walls(b, &at, &n);) {
        uint32_t i = rows->own[b->wall[at].row];
        if (p->shifting && i < p->w.s->p.solids) continue;
        float delta_x[4] = {0}, *q = p->w.s->p.q[i];
        fluid_wall_delta_x(&p->w, block, b->wall[at].row, &(size_t){at}, i, delta_x);
        for (int a = 0; a < 3; a++) q[a] += delta_x[a];
        if (p->shifting)
            keep_off(p, b->wall + at, n, i, q);
        else
            touch_box(p, b->wall + at, n, i, q);
    }
}

static void move_block(void *context, size_t block) {
    const press_work *p = context;
    const fluid_work *w = &p->w;
    pbd_fluid *f = w->f;
    pbd_particles *all = &w->s->p;
    fluid_rows rows = fluid_rows_of(f, block);
    const pressure_view view = {fluid_pressure_in(f), f->uniform ? NULL : f->pressure_volume, w->inverse_h};
    const pressure_in *before = view.at;
    float delta_x[FLUID_BLOCK][4];
    ISA_PICK(fluid_delta_x)(&view, &rows, w->s_corr, delta_x);
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        float *q = all->q[i], factor = -w->grad_norm * q[3] * (f->uniform ? f->volumes[i] : 1);
        if (p->shifting && i < all->solids) factor = 0;
        for (int a = 0; a < 3; a++) q[a] += factor * delta_x[k][a];
    }
    move_walls(p, block, &rows);
    for (size_t k = 0; k < rows.count && p->shifting; k++) {
        uint32_t i = rows.own[k];
        const float *q = all->q[i], from[3] = {before[i].x, before[i].y, before[i].z};
        if (i < all->solids) continue;
        for (int a = 0; a < 3; a++) all->at[i][a] += (double)(q[a] - from[a]);
        pbd_take_place(w->s, i);
    }
}

static fluid_press_sums sum_blocks(const pbd_fluid *f) {
    fluid_press_sums total = {0};
    for (size_t k = 0; k < f->blocks; k++) {
        total.error += f->press[k].error;
        total.uphill += f->press[k].uphill;
        total.count += f->press[k].count;
    }
    return total;
}

// One iteration: false if the density was within the tolerance before it.
static bool iterate(press_work *p, double enough) {
    pbd_fluid *f = p->w.f;
    par_tasks(f->blocks, press_block, p);
    fluid_press_sums sums = sum_blocks(f);
    f->press_error = sums.count > 0 ? sums.error / sums.count : 0;
    if (!(f->press_error > enough)) return false;
    if (sums.uphill > 0) f->momentum = 1; // begins anew
    double next = (1 + sqrt(1 + 4 * f->momentum * f->momentum)) / 2;
    p->momentum = (float)((f->momentum - 1) / next);
    f->momentum = next;
    par_for(p->w.s->p.count, 8 * PBD_BLOCK, ahead_block, p);
    par_tasks(f->blocks, move_block, p);
    return true;
}

static press_work work_of(pbd *s, pbd_fluid *f, const pbd_pass *pass, bool shifting) {
    press_work p = {
        .w = fluid_work_of(s, f, pass, STEP), .memory = fluid_memory_of(s, f), .shifting = shifting};
    p.w.omega = (float)f->kernel.jacobi_step * STEP;
    p.w.s_corr = 0;
    p.w.no_impulse = shifting;
    return p;
}

// Where the last sub-step ended: pressures, whatever its length. Walls know their gradients then.
static void recall_block(void *context, size_t block) {
    const press_work *p = context;
    pbd_fluid *f = p->w.f;
    fluid_block *b = &f->block[block];
    fluid_rows rows = fluid_rows_of(f, block);
    float dt2 = (float)(p->w.pass->dt * p->w.pass->dt);
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        size_t n = fluid_walls_of(b, k, &at);
        float grad_C[3] = {0};
        if (n > 0) fluid_share_of_walls(&p->w, b->wall + at, n, i, grad_C);
        f->lambda[i] = f->behind[i] = p->memory[i].energy * dt2;
        f->ahead[i] = 0;
        memcpy(f->swap[i], p->w.s->p.q[i], 3 * sizeof(float));
    }
}

void fluid_press_begin(pbd *s, pbd_fluid *f, const pbd_pass *pass) {
    press_work p = work_of(s, f, pass, false);
    par_tasks(f->blocks, recall_block, &p);
    f->momentum = START;
    f->pressed = 0;
    f->press_done = false;
}

// What the density may change by in a sub-step: in the time in which liquid falls by a spacing, the
// tolerance.
static double flow_error(const pbd *s, const pbd_fluid *f, double dt) {
    double g = dvec_length(s->setting.gravity) + fluid_tension_acceleration(f);
    return f->def.density_error * fmin(1, dt * sqrt(g / f->def.spacing));
}

void fluid_press(pbd *s, pbd_fluid *f, const pbd_pass *pass) {
    press_work p = work_of(s, f, pass, false);
    if (f->pressed++ == 0) {
        par_for(s->p.count, 8 * PBD_BLOCK, ahead_block, &p);
        par_tasks(f->blocks, move_block, &p);
    } else {
        p.first = f->pressed == 2;
        f->press_done = !iterate(&p, flow_error(s, f, pass->dt));
    }
    fluid_sum_impulses(&p.w);
}

// Friction on the walls of the box, by what they pushed.
static void touched_block(void *context, size_t block) {
    const press_work *p = context;
    const pbd *s = p->w.s;
    const fluid_block *b = &p->w.f->block[block];
    const uint32_t *own = fluid_rows_of(p->w.f, block).own;
    for (size_t k = 0; k < b->walls; k++) {
        const fluid_wall *wall = &b->wall[k];
        float *v = s->p.v[own[wall->row]], slide[3], size2 = 0;
        float along = v[0] * wall->n[0] + v[1] * wall->n[1] + v[2] * wall->n[2];
        for (int a = 0; a < 3; a++) slide[a] = v[a] - along * wall->n[a], size2 += slide[a] * slide[a];
        float most = p->friction * wall->pushed, size = sqrtf(size2), lost = size > most ? most / size : 1;
        for (int a = 0; a < 3 && wall->pushed > 0; a++) v[a] -= lost * slide[a];
    }
}

enum { SHIFTS = 8 }; // rounds of moving apart in a sub-step, at most

// What is still too dense moves apart, and what the next sub-step begins with is kept.
void fluid_press_end(pbd *s, pbd_fluid *f, const pbd_pass *pass) {
    press_work p = work_of(s, f, pass, true);
    fluid_memory *memory = fluid_memory_of(s, f);
    float by = (float)(1 / (pass->dt * pass->dt));
    const void *box = pbd_data(s, &pbd_box);
    p.friction = box ? (float)(pbd_box_friction(box) / pass->dt) : 0;
    for (size_t i = 0; i < s->p.count; i++) {
        memory[i].energy = f->ahead[i] * by;
        for (int a = 0; a < 3; a++) // solids may be predicted anew after `swap` was taken
            memory[i].accel[a] = i < s->p.solids ? 0 : (s->p.q[i][a] - f->swap[i][a]) * by;
        f->lambda[i] = f->behind[i] = f->ahead[i] = 0;
    }
    par_tasks(f->blocks, touched_block, &p);
    f->momentum = START;
    for (int k = 0; iterate(&p, k < SHIFTS ? f->def.density_error : INFINITY); k++) {
    }
    for (size_t i = s->p.solids; i < s->p.count; i++) {
        float dense = f->density[i] - 1;
        memory[i].dense = dense > 0 ? dense : 0;
        f->lambda[i] = memory[i].energy / by;
    }
}

static pbd_fluid *fluid_of(const pbd *s) {
    pbd_fluid *f = pbd_data(s, &pbd_density);
    return f && fluid_by_pressure(f) ? f : NULL;
}

bool fluid_goes_on(const pbd *s, int k) {
    const pbd_fluid *f = fluid_of(s);
    if (!f) return k < s->def.iterations;
    if (k > f->def.most_iterations) return false;
    return !f->press_done || (s->p.solids > 0 && k < s->def.iterations);
}

// How fast liquid is, or what its pressure would drive: particles under pressure hold each other in place by
// springs that are as stiff.
static double speed2_block(void *context, size_t begin, size_t end) {
    const pbd *s = context;
    const fluid_memory *memory = fluid_memory_of(s, fluid_of(s));
    float most = 0;
    for (size_t i = begin; i < end; i++) {
        const float *v = s->p.v[i], v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        float driven2 = -memory[i].energy * s->groups[s->p.group[i]].inverse_mass;
        float fast2 = v2 > driven2 ? v2 : driven2;
        most = i >= s->p.solids && fast2 > most ? fast2 : most;
    }
    return (double)most;
}

enum { MOST_PARTS = 1000 };

int fluid_parts(const pbd *s, double dt) {
    const pbd_fluid *f = fluid_of(s);
    if (!f || s->p.count == s->p.solids) return 1;
    double speed = sqrt(par_max(s->p.count, 8 * PBD_BLOCK, speed2_block, (void *)s));
    speed += dt * dvec_length(s->setting.gravity);
    double parts = fmax(speed * dt / (f->def.max_travel * f->def.spacing), dt / fluid_tension_time(f));
    return (int)fmin(ceil(parts - 1e-6), MOST_PARTS);
}
