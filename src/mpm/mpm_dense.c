// Time series: snow whose pores are closed, pressed to the largest density of its type.
#include "mpm/mpm_state.h"

#include "par/par.h"
#include "snow/snow_law.h"

enum { CHUNK = 16384 };

static void count_chunk(void *context, size_t begin, size_t end, void *partial) {
    const mpm_particles *p = &((const mpm_state *)context)->p;
    double *count = partial;
    for (size_t i = begin; i < end; i++)
        *count += p->jp[i] <= 1.0001f * p->materials[p->material[i]].law.closed / SNOW_CLOSED;
}

static void join(void *into, const void *from) { *(double *)into += *(const double *)from; }

static void get_dense(const void *model, double *values) {
    const mpm_state *s = model;
    double count = 0;
    if (par_reduce(s->p.count, CHUNK, sizeof count, count_chunk, join, (void *)s, &count) != FIRN_OK) {
        count = 0; // no memory for partial sums: one after the other
        count_chunk((void *)s, 0, s->p.count, &count);
    }
    values[0] = count;
}

static const series_row rows[] = {
    {"items at the largest density", "", "", "particles pressed until no pores are left: as dense as ice"},
};
const series_table mpm_dense_series = SERIES_TABLE(rows, NULL, get_dense);
