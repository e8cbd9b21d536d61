// Snow at the largest density of its type: a time series of the particles whose pores are closed, and the end
// of runs whose impacts press it further.
#include "mpm/mpm_ranks.h"

#include <math.h>

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

double mpm_count_dense(const mpm_state *s) {
    double count = 0;
    if (par_reduce(s->p.count, CHUNK, sizeof count, count_chunk, join, (void *)s, &count) != FIRN_OK) {
        count = 0; // no memory for partial sums: one after the other
        count_chunk((void *)s, 0, s->p.count, &count);
    }
    return count;
}

static void get_dense(const void *model, double *values) {
    const mpm_state *s = model;
    values[0] = mpm_ranks_in_slabs(s) ? s->ranks->dense : mpm_count_dense(s);
}

static const series_row rows[] = {
    {"items at the largest density", "", "", "particles pressed until no pores are left: as dense as ice"},
};
const series_table mpm_dense_series = SERIES_TABLE(rows, NULL, get_dense);

// Slower impacts end at the largest density (40 m/s: 908 of 917 kg/m3), so that only steps in which something
// is faster are looked at. An impact at several times the speed of waves presses a layer of particles
// together before any stress can act.
#define FAST 80.0       // m/s; splashes are faster than the impact itself
#define TOLERANCE 1.01f // of the largest density

static float excess(const mpm_particles *p, size_t i) {
    return mpm_density(p, i) / p->materials[p->material[i]].max_density;
}

static double most_chunk(void *context, size_t begin, size_t end) {
    const mpm_particles *p = &((const mpm_state *)context)->p;
    float most = 0;
    for (size_t i = begin; i < end; i++) most = fmaxf(most, excess(p, i));
    return most;
}

static const char *name_of(const mpm_state *s, size_t material) {
    const firn_mpm_def *def = s->setting.def->mpm;
    size_t pieces = def->snow.count;
    const char *name =
        material < pieces ? def->snow.items[material].name : def->emit.items[material - pieces].name;
    return name ? name : "snow";
}

static firn_status check_particles(const mpm_state *s, double speed2) {
    const mpm_particles *p = &s->p;
    if (p->count == 0) return FIRN_OK;
    double most = par_max(p->count, CHUNK, most_chunk, (void *)s);
    if (!(most > (double)TOLERANCE)) return FIRN_OK;
    size_t i = 0;
    while (i + 1 < p->count && (double)excess(p, i) < most) i++;
    return fail(
        FIRN_UNSTABLE,
        "mpm: snow of '%s' at [%.3g, %.3g, %.3g] m is pressed to %.0f kg/m3, beyond its largest density of "
        "%.0f: snow at %.0f m/s hits something faster than waves in it can follow, which this model does "
        "not describe; use a lower velocity (up to 60 m/s always works) or a stiffer snow (young)",
        name_of(s, p->material[i]), p->x[i][0], p->x[i][1], p->x[i][2], (double)mpm_density(p, i),
        (double)p->materials[p->material[i]].max_density, sqrt(speed2));
}

firn_status mpm_check_density(mpm_state *s, double speed2) {
    if (speed2 < FAST * FAST) return FIRN_OK;
    return mpm_ranks_agree(s, check_particles(s, speed2));
}
