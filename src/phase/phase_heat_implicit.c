// One implicit Euler step of heat: m (H - H_before) = dt (sum of G (T_j - T) + outside) at the step's end. T
// of H has three straight pieces; Newton on them is a linear system for those that do not melt, with those
// that do held at the freezing point, solved by conjugate gradients. Whatever comes out, heat is kept: the
// enthalpies get the flows of the temperatures found.
#include "phase/phase_heat_state.h"

#include <string.h>

#include "par/par.h"

enum { NEWTON_STEPS = 30, GRADIENT_STEPS = 200 };
static const double CLOSE = 2e-4; // K: what the equation may be wrong by

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
        // Stiff rows feel what float temperatures round off.
        double scale = m * heat_least_capacity(&h->def.law) + w->dt * h->conduct[i] / 16;
        most = fmax(most, fabs(h->residual[i]) / scale);
    }
    return most;
}

// ---- conjugate gradients, preconditioned by the diagonal; `search` goes through at[][3]

static double diagonal_of(const heat_work *w, size_t i) { return heat_of(w, i) + w->dt * w->h->conduct[i]; }

static double begin_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        bool free = heat_of(w, i) > 0;
        h->change[i] = 0;
        h->search[i] = free ? h->residual[i] / diagonal_of(w, i) : 0;
        h->at[i][3] = (float)h->search[i];
        sum += h->search[i] * h->residual[i];
    }
    return sum;
}

// rate becomes A search; returns search A search.
static double product_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        double c = heat_of(w, i), p = h->search[i];
        double out = h->outside[i].air + h->outside[i].bodies;
        h->rate[i] = c > 0 ? (c + w->dt * out) * p - w->dt * h->rate[i] : 0;
        sum += p * h->rate[i];
    }
    return sum;
}

typedef struct gradient_work {
    heat_work *w;
    double along, keep;
} gradient_work;

static double walk_block(void *context, size_t begin, size_t end) {
    const gradient_work *g = context;
    heat *h = g->w->h;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        h->change[i] += g->along * h->search[i];
        h->residual[i] -= g->along * h->rate[i];
        if (heat_of(g->w, i) > 0) sum += h->residual[i] * h->residual[i] / diagonal_of(g->w, i);
    }
    return sum;
}

static void turn_block(void *context, size_t begin, size_t end) {
    const gradient_work *g = context;
    heat *h = g->w->h;
    for (size_t i = begin; i < end; i++) {
        if (!(heat_of(g->w, i) > 0)) continue;
        h->search[i] = h->residual[i] / diagonal_of(g->w, i) + g->keep * h->search[i];
        h->at[i][3] = (float)h->search[i];
    }
}

static void solve_linear(heat_work *w) {
    size_t n = w->p->count;
    double left = par_sum(n, HEAT_PARTICLES, begin_block, w), enough = left * 1e-6;
    gradient_work g = {.w = w};
    for (int k = 0; k < GRADIENT_STEPS && left > enough; k++) {
        heat_spread(w);
        double steep = par_sum(n, HEAT_PARTICLES, product_block, w);
        if (!(steep > 0)) break;
        g.along = left / steep;
        double now = par_sum(n, HEAT_PARTICLES, walk_block, &g);
        g.keep = now / left;
        left = now;
        par_for(n, HEAT_PARTICLES, turn_block, &g);
    }
}

// ---- Newton

static void show_change_block(void *context, size_t begin, size_t end) {
    heat *h = ((const heat_work *)context)->h;
    for (size_t i = begin; i < end; i++) h->at[i][3] = (float)h->change[i];
}

// The solve leaves the residual of those that melt as it was.
static void move_block(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    heat *h = w->h;
    for (size_t i = begin; i < end; i++) {
        double m = (double)w->p->mass[i], c = capacity_of(&h->def.law, w->p->enthalpy[i]);
        w->p->enthalpy[i] += c > 0 ? c * h->change[i] : (h->residual[i] + w->dt * h->rate[i]) / m;
    }
}

static void improve(heat_work *w) {
    solve_linear(w);
    par_for(w->p->count, HEAT_PARTICLES, show_change_block, w);
    heat_spread(w);
    par_for(w->p->count, HEAT_PARTICLES, move_block, w);
    heat_take_temperatures(w);
    heat_spread(w);
    heat_add_outside(w);
}

firn_status heat_solve(heat_work *w, bool *done) {
    heat *h = w->h;
    size_t n = w->p->count;
    memcpy(h->start, w->p->enthalpy, n * sizeof *h->start);
    double wrong = par_max(n, HEAT_PARTICLES, residual_block, w);
    for (int k = 0; k < NEWTON_STEPS && wrong > CLOSE; k++) {
        improve(w);
        wrong = par_max(n, HEAT_PARTICLES, residual_block, w);
    }
    memcpy(w->p->enthalpy, h->start, n * sizeof *h->start);
    *done = wrong <= CLOSE;
    if (*done) return heat_apply(w);
    heat_take_temperatures(w);
    heat_spread(w);
    heat_add_outside(w);
    return FIRN_OK;
}
