// Velocities of liquids after a sub-step: XSPH viscosity, cohesion, vorticity confinement
// (Macklin and Müller 2013, eqs. 15 to 17; Akinci et al. 2013).
#include "pbd/pbd_tension.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"

typedef struct flow_work {
    pbd *s;
    pbd_fluid *f;
    velocity_view view;
    float xsph, cohesion, vorticity; // factors of the sums
    float grad_norm;                 // of the kernel, times volume
    float (*curl)[4];
} flow_work;

static void copy_block(void *context, size_t begin, size_t end) {
    const flow_work *w = context;
    for (size_t i = begin; i < end; i++) {
        memcpy(w->f->v[i], w->s->p.v[i], sizeof w->s->p.v[i]);
        w->f->v[i][3] = 0;
    }
}

static void xsph_block(void *context, size_t block) {
    const flow_work *w = context;
    fluid_rows rows = fluid_rows_of(w->f, block);
    fluid_velocity_sums sums[FLUID_BLOCK];
    ISA_PICK(fluid_xsph)(&w->view, &rows, sums);
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        for (int a = 0; a < 3; a++) {
            w->s->p.v[i][a] += w->xsph * sums[k].xsph[a] + w->cohesion * sums[k].cohesion[a];
            if (w->curl) w->curl[i][a] = -w->grad_norm * sums[k].curl[a];
        }
    }
}

static void curl_block(void *context, size_t begin, size_t end) {
    const flow_work *w = context;
    for (size_t i = begin; i < end; i++) {
        const float *c = w->curl[i];
        fluid_velocity_in(w->f)[i].curl =
            !pbd_is_liquid(w->s, i) ? 0 : sqrtf(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    }
}

static void vorticity_block(void *context, size_t block) {
    const flow_work *w = context;
    fluid_rows rows = fluid_rows_of(w->f, block);
    float grad[FLUID_BLOCK][4];
    ISA_PICK(fluid_vorticity)(&w->view, &rows, grad);
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        float *g = grad[k], size = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        if (!pbd_is_liquid(w->s, i) || !(size > 1e-20f)) continue;
        const float *c = w->curl[i], by = -w->vorticity / size; // the sums point down the gradient
        float *v = w->s->p.v[i];
        v[0] += by * (g[1] * c[2] - g[2] * c[1]);
        v[1] += by * (g[2] * c[0] - g[0] * c[2]);
        v[2] += by * (g[0] * c[1] - g[1] * c[0]);
    }
}

// Particles at rest are a packing that still gives way here and there: what moves slower than a share of
// sqrt(g spacing), the speed of a fall by a spacing, is noise of the discretisation, and loses so much of it
// in 1/60 s.
static const double CALM = 0.2, CALM_SHARE = 0.95;

double fluid_calm_speed(double acceleration, double spacing) { return CALM * sqrt(acceleration * spacing); }

fluid_calm fluid_calm_of(const pbd *s, double speed, double spacing, double viscosity, double dt) {
    speed = auto_or(speed, fluid_calm_speed(dvec_length(s->setting.gravity), spacing));
    double share = 1 - pow(1 - viscosity, 60 * dt), still = 1 - pow(1 - CALM_SHARE, 60 * dt);
    if (!(speed > 0)) return (fluid_calm){(float)share, 0, 0};
    return (fluid_calm){(float)share, (float)fmax(still - share, 0), (float)(1 / (speed * speed))};
}

// Viscosity is diffusion of the velocity by rounds of XSPH: a round that takes the share e of a difference
// spreads it by e times the kernel's second moment, which is 2 nu dt. More than this share of one round is
// not stable.
static const double ROUND_SHARE = 0.5;
enum { MOST_ROUNDS = 100 };

// How many rounds before the last, each with the share that is set.
static int viscous_rounds(const pbd_fluid *f, double dt, float *share) {
    if (!(f->def.viscosity > 0)) return 0;
    double all = 2 * f->def.viscosity / f->def.density * dt / f->kernel.spread;
    double rounds = fmax(1, fmin(ceil(all / ROUND_SHARE), MOST_ROUNDS));
    *share = (float)fmin(all / rounds, ROUND_SHARE);
    return (int)rounds;
}

static void run_viscous(const flow_work *w, int rounds, float share) {
    flow_work plain = *w;
    plain.view.curl = plain.view.cohesion = false;
    plain.view.viscosity = share, plain.view.calm = 0;
    plain.cohesion = 0, plain.curl = NULL;
    for (int k = 0; k < rounds; k++) {
        par_for(w->s->p.count, 8 * PBD_BLOCK, copy_block, &plain);
        par_tasks(w->f->blocks, xsph_block, &plain);
    }
}

firn_status fluid_velocities(pbd *s, void *data, const pbd_pass *pass) {
    pbd_fluid *f = data;
    const firn_pbd_fluid_def *def = &f->def;
    bool vorticity = def->vorticity > 0, cohesion = def->cohesion > 0;
    float share = 0;
    int rounds = viscous_rounds(f, pass->dt, &share);
    double xsph = auto_or(def->xsph, def->viscosity > 0 ? 0 : 0.01);
    // Of what surface tension can do to a spacing, a small part is noise.
    double held = dvec_length(s->setting.gravity) + 0.03 * fluid_tension_acceleration(f);
    double slow = auto_or(def->calm, fluid_calm_speed(held, def->spacing));
    fluid_calm calm = fluid_calm_of(s, slow, def->spacing, xsph, pass->dt);
    if (rounds == 0 && !vorticity && !cohesion && !(calm.viscosity + calm.share > 0)) return FIRN_OK;
    double volume = f->uniform ? f->volume : 1, h3 = f->kernel.h * f->kernel.h * f->kernel.h;
    flow_work work = {
        .s = s,
        .f = f,
        .view = {{pbd_density_in(s), f->uniform ? NULL : f->volumes, NULL, (float)(1 / f->kernel.h)},
                 fluid_velocity_in(f),
                 vorticity,
                 cohesion,
                 !f->uniform,
                 calm.viscosity,
                 calm.share,
                 calm.inverse_speed2},
        .xsph = (float)(f->kernel.w_norm * volume),
        .cohesion = (float)(def->cohesion * pass->dt * volume / h3),
        .vorticity = (float)(def->vorticity * pass->dt),
        .grad_norm = (float)(f->kernel.grad_norm * volume),
        .curl = vorticity ? f->swap : NULL,
    };
    run_viscous(&work, rounds, share);
    par_for(s->p.count, 8 * PBD_BLOCK, copy_block, &work);
    par_tasks(f->blocks, xsph_block, &work);
    if (!vorticity) return FIRN_OK;
    par_for(s->p.count, 8 * PBD_BLOCK, curl_block, &work);
    par_tasks(f->blocks, vorticity_block, &work);
    return FIRN_OK;
}
