// One implicit Euler step of heat: m (H - H_before) = dt (sum of G (T_j - T) + outside) at the step's end. T
// of H is piecewise linear with three pieces; Newton on them is a linear system for particles that do not
// melt, with melting ones held at the freezing point, solved by conjugate gradients. Heat is conserved
// however well it converges: the enthalpies get the fluxes of the temperatures found.
#include "phase/phase_heat_state.h"

#include <string.h>

#include "par/par.h"
#include "solve/krylov.h"

enum { NEWTON_STEPS = 30, GRADIENT_STEPS = 200 };
static const double CLOSE = 2e-4; // K: tolerance of the residual

// J/kgK; 0: melts or freezes.
static double capacity_of(const heat_law *law, double enthalpy) {
    if (enthalpy < 0) return law->snow_capacity;
    return enthalpy >= law->latent ? law->water_capacity : 0;
}

static double heat_of(const heat_work *w, size_t i) { // J/K
    return (double)w->p->mass[i] * capacity_of(&w->h->def.law, w->p->enthalpy[i]);
}

// residual = dt rate - m (H - start), and the largest of it in K.
static double residual_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    double most = 0;
    for (size_t i = begin; i < end; i++) {
        double m = (double)w->p->mass[i];
        h->residual[i] = w->dt * h->rate[i] - m * (w->p->enthalpy[i] - h->start[i]);
        // Stiff rows are limited by the rounding of float temperatures.
        double scale = m * heat_least_capacity(&h->def.law) + w->dt * h->conductance[i] / 16;
        most = fmax(most, fabs(h->residual[i]) / scale);
    }
    return most;
}

// ---- conjugate gradients, preconditioned by the diagonal; `direction` is conducted as u

static double diagonal_of(const heat_work *w, size_t i) {
    return heat_of(w, i) + w->dt * w->h->conductance[i];
}

static double begin_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        bool free = heat_of(w, i) > 0;
        h->delta_T[i] = 0;
        h->direction[i] = free ? h->residual[i] / diagonal_of(w, i) : 0;
        h->at[i].u = (float)h->direction[i];
        sum += h->direction[i] * h->residual[i];
    }
    return sum;
}

// rate becomes A p; returns pAp.
static double product_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        double c = heat_of(w, i), p = h->direction[i];
        double out = h->boundary[i].air + h->boundary[i].bodies;
        h->rate[i] = c > 0 ? (c + w->dt * out) * p - w->dt * h->rate[i] : 0;
        sum += p * h->rate[i];
    }
    return sum;
}

typedef struct gradient_work {
    heat_work *w;
    double alpha, beta, rz;
} gradient_work;

static double step_block(void *context, size_t begin, size_t end) {
    const gradient_work *g = context;
    heat *h = g->w->h;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        h->delta_T[i] += g->alpha * h->direction[i];
        h->residual[i] -= g->alpha * h->rate[i];
        if (heat_of(g->w, i) > 0) sum += h->residual[i] * h->residual[i] / diagonal_of(g->w, i);
    }
    return sum;
}

static void direction_block(void *context, size_t begin, size_t end) {
    const gradient_work *g = context;
    heat *h = g->w->h;
    for (size_t i = begin; i < end; i++) {
        if (!(heat_of(g->w, i) > 0)) continue;
        h->direction[i] = h->residual[i] / diagonal_of(g->w, i) + g->beta * h->direction[i];
        h->at[i].u = (float)h->direction[i];
    }
}

// z and r.z come with the passes that change r: begin_block and step_block.
static double last_rz(void *context) { return ((const gradient_work *)context)->rz; }

static double update_direction(void *context, double beta) {
    gradient_work *g = context;
    size_t n = g->w->p->count;
    g->beta = beta;
    if (beta > 0) par_for(n, HEAT_PARTICLES, direction_block, g); // the first one is there
    heat_conduct(g->w);
    return par_sum(n, HEAT_PARTICLES, product_block, g->w);
}

static double step(void *context, double alpha) {
    gradient_work *g = context;
    g->alpha = alpha;
    return g->rz = par_sum(g->w->p->count, HEAT_PARTICLES, step_block, g);
}

static void solve_linear(heat_work *w) {
    static const krylov_method conjugate_gradients = {last_rz, update_direction, step};
    gradient_work g = {.w = w, .rz = par_sum(w->p->count, HEAT_PARTICLES, begin_block, w)};
    krylov state = {.residual = g.rz};
    krylov_solve(&conjugate_gradients, &g, &state, g.rz * 1e-6, GRADIENT_STEPS);
}

// ---- Newton

static void delta_block(void *context, size_t begin, size_t end) {
    heat *h = ((const heat_work *)context)->h;
    for (size_t i = begin; i < end; i++) h->at[i].u = (float)h->delta_T[i];
}

// The solve leaves the residual of those that melt as it was.
static void newton_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    for (size_t i = begin; i < end; i++) {
        double m = (double)w->p->mass[i], c = capacity_of(&h->def.law, w->p->enthalpy[i]);
        w->p->enthalpy[i] += c > 0 ? c * h->delta_T[i] : (h->residual[i] + w->dt * h->rate[i]) / m;
    }
}

static void newton_step(heat_work *w) {
    solve_linear(w);
    par_for(w->p->count, HEAT_PARTICLES, delta_block, w);
    heat_conduct(w);
    par_for(w->p->count, HEAT_PARTICLES, newton_block, w);
    heat_set_temperatures(w);
    heat_conduct(w);
    heat_add_boundary(w);
}

firn_status heat_solve(heat_work *w, bool *done) {
    heat *h = w->h;
    size_t n = w->p->count;
    memcpy(h->start, w->p->enthalpy, n * sizeof *h->start);
    double error = par_max(n, HEAT_PARTICLES, residual_block, w);
    for (int k = 0; k < NEWTON_STEPS && error > CLOSE; k++) {
        newton_step(w);
        error = par_max(n, HEAT_PARTICLES, residual_block, w);
    }
    memcpy(w->p->enthalpy, h->start, n * sizeof *h->start);
    *done = error <= CLOSE;
    if (*done) return heat_apply(w);
    heat_set_temperatures(w);
    heat_conduct(w);
    heat_add_boundary(w);
    return FIRN_OK;
}
