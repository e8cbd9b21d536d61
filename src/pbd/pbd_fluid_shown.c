// Densities and pressures of liquids as users see them.
#include "pbd/pbd_fluid_work.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"

// Times mass over dt^2: what of a particle's acceleration neither its neighbours nor the kernels of walls
// explain is contact (m).
static void contact_of(const fluid_work *w, const float delta_x[4], const fluid_wall *walls, size_t n,
                       uint32_t i, double dt2, float out[3]) {
    const fluid_memory *memory = &fluid_memory_of(w->s, w->f)[i];
    float inverse_mass = w->s->p.q[i][3];
    float factor = -w->grad_norm * inverse_mass * (w->f->uniform ? w->f->volumes[i] : 1);
    for (int a = 0; a < 3; a++) out[a] = memory->accel[a] * (float)dt2 - factor * delta_x[a];
    for (size_t k = 0; k < n; k++)
        for (int a = 0; a < 3; a++)
            out[a] -= inverse_mass * fluid_wall_push(&walls[k], w->f->lambda[i]) * walls[k].n[a];
}

// What the walls of a row add to the virial of its particle: their force times its distance to them. With
// method position what contact holds of it is not known, and taken to be as much again.
static double virial_of_walls(const fluid_work *w, const fluid_wall *walls, size_t n, uint32_t i,
                              fluid_along along, const float contact[3]) {
    const pbd_group *group = &w->s->groups[w->s->p.group[i]];
    bool known = fluid_by_pressure(w->f);
    double sum = 0;
    for (size_t k = 0; k < n; k++) {
        const fluid_wall *wall = &walls[k];
        const float *q = w->s->p.q[i];
        float d = wall->n[0] * q[0] + wall->n[1] * q[1] + wall->n[2] * q[2] - wall->offset;
        float part = along.x * wall->n[0] + along.y * wall->n[1] + along.z * wall->n[2];
        float arm = d * (part * part + along.all),
              push = wall->n[0] * contact[0] + wall->n[1] * contact[1] + wall->n[2] * contact[2];
        sum += (known ? 1 : 2) * (double)(fluid_wall_push(wall, w->f->lambda[i]) * arm);
        if (known && push > 0 && d < 1.5f * group->radius) sum += group->mass * (double)(push * arm);
    }
    return sum;
}

// Along which direction the stress of particle i is shown: that of its acceleration by pressure, where the
// balance of forces makes it exact (at rest it carries the weight above), and where there is none, the mean
// of all.
static fluid_along along_of(const fluid_work *w, uint32_t i) {
    if (!fluid_by_pressure(w->f)) return (fluid_along){.all = 1.0f / 3};
    const float *a = fluid_memory_of(w->s, w->f)[i].accel;
    float g2 = (float)dvec_length2(w->s->setting.gravity), weak = 0.01f * g2 + 1e-6f;
    float by = 1 / sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + weak);
    return (fluid_along){a[0] * by, a[1] * by, a[2] * by, weak * by * by / 3};
}

// Pressures by the virial: the sum of forces times arms, half of it for each of a pair, by volume. This is
// the pressure that acts; a multiplier alone is too high at walls (whose liquid does not push along them) and
// oscillates from layer to layer.
static void virial_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    const fluid_block *b = &f->block[block];
    fluid_rows rows = fluid_rows_of(f, block);
    const pressure_view view = {fluid_pressure_in(f), f->uniform ? NULL : f->pressure_volume, w->inverse_h};
    float sums[FLUID_BLOCK], delta_x[FLUID_BLOCK][4];
    fluid_along along[FLUID_BLOCK];
    for (size_t k = 0; k < rows.count; k++) along[k] = along_of(w, rows.own[k]);
    ISA_PICK(fluid_virial)(&view, &rows, along, sums);
    if (fluid_by_pressure(f)) ISA_PICK(fluid_delta_x)(&view, &rows, 0, delta_x);
    double dt2 = w->s->counters.dt * w->s->counters.dt;
    size_t at = 0;
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        size_t n = fluid_walls_of(b, k, &at);
        float contact[3] = {0};
        if (fluid_by_pressure(f) && n > 0) contact_of(w, delta_x[k], b->wall + at, n, i, dt2, contact);
        double pairs = -0.5 * (double)(w->grad_norm * sums[k] * (f->uniform ? f->volumes[i] : 1));
        double virial = pairs + virial_of_walls(w, b->wall + at, n, i, along[k], contact);
        f->pressure[i] = pbd_is_liquid(w->s, i) ? (float)(virial / ((double)f->volumes[i] * dt2)) : 0;
    }
}

static void copy_pressure_block(void *context, size_t begin, size_t end) {
    const fluid_work *w = context;
    for (size_t i = begin; i < end; i++) fluid_pressure_in(w->f)[i].dlambda = w->f->pressure[i];
}

static void smooth_block(void *context, size_t block) {
    const fluid_work *w = context;
    pbd_fluid *f = w->f;
    fluid_rows rows = fluid_rows_of(f, block);
    const pressure_view view = {fluid_pressure_in(f), NULL, w->inverse_h};
    float smooth[FLUID_BLOCK];
    ISA_PICK(fluid_smooth)(&view, fluid_velocity_in(f), &rows, smooth);
    for (size_t k = 0; k < rows.count; k++)
        if (pbd_is_liquid(w->s, rows.own[k])) f->pressure[rows.own[k]] = smooth[k] > 0 ? smooth[k] : 0;
}

// The virial alternates from layer to layer, as particles at rest are nearly a crystal. But the gradient of
// the pressure is known exactly: it is what accelerates each particle. Rounds of smoothing along the
// gradients remove what alternates and leave a linear pressure as it is, also at walls and surfaces.
enum { ROUNDS = 4 };

static void smooth_pressure(fluid_work *w) {
    pbd *s = w->s;
    const fluid_memory *memory = fluid_memory_of(s, w->f);
    velocity_in *grad = fluid_velocity_in(w->f);
    for (size_t i = 0; i < s->p.count; i++) {
        const pbd_group *g = &s->groups[s->p.group[i]];
        float by = pbd_is_liquid(s, i) ? -(float)(g->mass / g->volume) : 0;
        const float *a = memory[i].accel;
        grad[i] = (velocity_in){by * a[0], by * a[1], by * a[2], by < 0 ? 1 : 0};
    }
    for (int k = 0; k < ROUNDS; k++) {
        par_for(s->p.count, 8 * PBD_BLOCK, copy_pressure_block, w);
        par_tasks(w->f->blocks, smooth_block, w);
    }
}

static void show_pressure(fluid_work *w) {
    pressure_in *out = fluid_pressure_in(w->f);
    for (size_t i = 0; i <= w->s->p.count; i++) {
        memcpy(&out[i], w->s->p.q[i], 3 * sizeof(float));
        out[i].dlambda = i < w->s->p.count ? w->f->lambda[i] : 0;
    }
    par_tasks(w->f->blocks, virial_block, w);
    if (fluid_by_pressure(w->f)) smooth_pressure(w);
}

void fluid_show(pbd *s, void *data) {
    pbd_fluid *f = data;
    const pbd_pass now = {.bodies = s->bodies, .first = true};
    if (fluid_reserve(s, f) != FIRN_OK) return;
    if (pbd_find_frames(s) != FIRN_OK) return;
    for (size_t i = 0; i < s->p.count; i++) {
        memcpy(s->p.q[i], s->p.x[i], sizeof s->p.x[i]);
        s->p.q[i][3] = s->groups[s->p.group[i]].inverse_mass;
        f->density[i] = 0;
    }
    if (fluid_find_neighbours(s, f, true, false) != FIRN_OK || fluid_find_walls(s, f, &now) != FIRN_OK)
        return;
    fluid_work work = fluid_work_of(s, f, &now, 1);
    work.evaluate_only = true;
    par_tasks(f->blocks, fluid_lambda_block, &work);
    if (f->stepped && s->counters.dt > 0) show_pressure(&work);
    for (size_t i = s->p.solids; i < s->p.count; i++)
        f->density[i] *= (float)(s->groups[s->p.group[i]].mass / s->groups[s->p.group[i]].volume);
}
