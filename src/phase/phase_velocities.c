// After the solve: the tangential displacement of contacts, and XSPH viscosity. Reads xsph_in and
// xsph_velocity_in, which it fills itself; changes v.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"

enum { TASK = 8 * PBD_BLOCK, XSPH_STEPS = 2 }; // viscosity acts every so many steps

// Share of the speed along their contact that two grains lose when it does: snow does not bounce.
static const float DAMPING = 0.36f;

typedef struct velocity_work {
    phase *m;
    double dt;
    xsph_view view;
    float share[2], factor; // root of the share of snow and of water; of the sum
} velocity_work;

// Tangential displacement less what slipped; and the largest velocity that a change of kind added.
static double slip_block(void *context, size_t begin, size_t end) {
    const velocity_work *w = context;
    const phase *m = w->m;
    const pbd_particles *p = &m->s->p;
    double inverse_dt = 1 / w->dt, most = 0;
    float dt = (float)w->dt, blend = (float)(w->dt / m->def.blend_time);
    float(*tangential)[3] = phase_tangential(m);
    for (size_t i = begin; i < end; i++) {
        const slip_out *slip = &m->contact_slip[i];
        const float of[3] = {slip->x, slip->y, slip->z}, n = slip->contacts;
        float liquid = m->f->liquid[i];
        for (int a = 0; a < 3; a++)
            tangential[i][a] = n > 0 ? tangential[i][a] + dt * p->v[i][a] - of[a] / n : 0;
        if (liquid > 0 && liquid < 1) {
            double moved = dvec_distance(pbd_at(p->q[i]), pbd_at(m->predicted[i]));
            most = fmax(most, (double)blend * moved * inverse_dt);
        }
    }
    return most;
}

void phase_update_slip(phase *m, double dt) {
    velocity_work work = {.m = m, .dt = dt};
    m->counters.jump = fmax(m->counters.jump, par_max(m->s->p.count, TASK, slip_block, &work));
}

static void copy_block(void *context, size_t begin, size_t end) {
    const velocity_work *w = context;
    const phase *m = w->m;
    xsph_in *at = phase_xsph_in(m);
    xsph_velocity_in *v = phase_xsph_velocity_in(m);
    for (size_t i = begin; i < end; i++) {
        float liquid = m->f->liquid[i];
        memcpy(&at[i], m->s->p.q[i], 3 * sizeof(float));
        at[i].signed_radius = liquid < 1 ? m->radius[i] : -m->radius[i];
        memcpy(&v[i], m->s->p.v[i], 3 * sizeof(float));
        v[i].share = w->share[0] + liquid * (w->share[1] - w->share[0]);
    }
}

static void xsph_block(void *context, size_t block) {
    const velocity_work *w = context;
    float out[FLUID_BLOCK][4];
    fluid_rows rows = fluid_rows_of(w->m->f, block);
    ISA_PICK(phase_xsph_rows)(&w->view, &rows, out);
    for (size_t k = 0; k < rows.count; k++)
        for (int a = 0; a < 3; a++) w->m->s->p.v[rows.own[k]][a] += w->factor * out[k][a];
}

// Without weight it is cohesion that holds water together, and that it comes to rest under.
static double calm_speed(const phase *m) {
    double holds = fmax(dvec_length(m->s->setting.gravity), phase_attraction(m, m->def.cohesion));
    return auto_or(m->def.calm, fluid_calm_speed(holds, m->spacing));
}

void phase_xsph(phase *m, double dt) {
    pbd_fluid *f = m->f;
    velocity_work work = {.m = m, .dt = dt};
    if ((uint64_t)m->counters.steps % XSPH_STEPS != 0) return;
    for (int k = 0; k < 2; k++) {
        double share = k ? m->def.water_viscosity : m->def.snow_viscosity;
        work.share[k] = (float)sqrt(1 - pow(1 - share, 60 * XSPH_STEPS * dt));
    }
    work.factor = (float)(f->kernel.w_norm * f->volume);
    fluid_calm calm = fluid_calm_of(m->s, calm_speed(m), m->spacing, m->def.water_viscosity, XSPH_STEPS * dt);
    work.view = (xsph_view){
        phase_xsph_in(m), phase_xsph_velocity_in(m), (float)(m->h / m->spacing), DAMPING / work.factor,
        calm.share,       calm.inverse_speed2};
    par_for(m->s->p.count, TASK, copy_block, &work);
    phase_xsph_in(m)[m->s->p.count].signed_radius = (float)m->spacing; // the padding: not 0 / 0
    par_tasks(f->blocks, xsph_block, &work);
}
