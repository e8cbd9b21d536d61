// The iterations of a sub-step: Gauss-Seidel sweeps, or Jacobi iterations.
#include "pbd/pbd_fluid.h"
#include "pbd/pbd_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

static void sum_residuals(pbd *s, const pbd_pass *pass, double *rms, double *largest) {
    pbd_residual sum = {0};
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->residual) s->kinds[k]->residual(s, s->data[k], pass, &sum);
    *rms = sum.count > 0 ? sqrt(sum.sum2 / (double)sum.count) : 0;
    if (largest) *largest = sum.largest;
}

void pbd_sweep(pbd *s, const pbd_pass *pass) {
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->project) s->kinds[k]->project(s, s->data[k], pass);
}

static void apply_delta(void *context, size_t begin, size_t end) {
    pbd_particles *p = context;
    for (size_t i = begin; i < end; i++)
        for (int a = 0; a < 3; a++) p->q[i][a] += p->delta[i][a];
}

static void iterate(pbd *s, const pbd_pass *pass) {
    memset(s->p.delta, 0, s->p.count * sizeof *s->p.delta);
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->jacobi) s->kinds[k]->jacobi(s, s->data[k], pass);
    par_for(s->p.count, PBD_BLOCK, apply_delta, &s->p);
}

static void count_constraints(pbd *s) {
    memset(s->p.constraints, 0, s->p.count * sizeof *s->p.constraints);
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->count_constraints) s->kinds[k]->count_constraints(s, s->data[k]);
}

void pbd_solve(pbd *s, const pbd_pass *pass) {
    bool in_place = s->def.solver == FIRN_PBD_GAUSS_SEIDEL;
    if (s->def.statistics) sum_residuals(s, pass, &s->counters.first_residual, NULL);
    if (!in_place) count_constraints(s);
    int k = 0;
    for (; fluid_goes_on(s, k); k++) {
        if (in_place)
            pbd_sweep(s, pass);
        else
            iterate(s, pass);
    }
    if (s->def.statistics) sum_residuals(s, pass, &s->counters.last_residual, &s->counters.largest_residual);
    s->counters.iterations += k;
}
