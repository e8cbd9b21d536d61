// The iterations of a sub-step: Gauss-Seidel sweeps, or Jacobi's.
#include "pbd/pbd_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

static void each_residual(pbd *s, const pbd_pass *pass, double *rms, double *largest) {
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
        if (s->data[k] && s->kinds[k]->add) s->kinds[k]->add(s, s->data[k], pass);
    par_for(s->p.count, PBD_BLOCK, apply_delta, &s->p);
}

static void count_loads(pbd *s) {
    memset(s->p.load, 0, s->p.count * sizeof *s->p.load);
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->add_loads) s->kinds[k]->add_loads(s, s->data[k]);
}

void pbd_solve(pbd *s, const pbd_pass *pass) {
    bool in_place = s->def.solver == FIRN_PBD_GAUSS_SEIDEL;
    if (s->def.statistics) each_residual(s, pass, &s->book.first_residual, NULL);
    if (!in_place) count_loads(s);
    for (int k = 0; k < s->def.iterations; k++) {
        if (in_place)
            pbd_sweep(s, pass);
        else
            iterate(s, pass);
    }
    if (s->def.statistics) each_residual(s, pass, &s->book.last_residual, &s->book.largest_residual);
    s->book.iterations += s->def.iterations;
}
