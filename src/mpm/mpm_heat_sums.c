// Time series of heat: mean temperature, water, healed bonds, and where heat came from.
#include <math.h>

#include "mpm/mpm_heat.h"
#include "par/par.h"

enum { CHUNK = 16384 };

static void sum_chunk(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = context;
    mpm_heat_sums *t = partial;
    for (size_t i = begin; i < end; i++) {
        double mass = (double)s->materials[s->p.material[i]].mass, enthalpy = s->p.enthalpy[i];
        t->mass += mass;
        t->heat += mass * enthalpy;
        t->degrees += mass * heat_temperature(&s->heat->law, enthalpy);
        t->melted += mass * heat_melted(&s->heat->law, enthalpy);
        t->healed += s->p.healed[i] < 0.9999f ? mass : 0;
    }
}

static void join(void *into, const void *from) {
    mpm_heat_sums *a = into;
    const mpm_heat_sums *b = from;
    a->mass += b->mass;
    a->heat += b->heat;
    a->degrees += b->degrees;
    a->melted += b->melted;
    a->healed += b->healed;
}

mpm_heat_sums mpm_heat_sum(const mpm_state *s) {
    mpm_heat_sums t = {0};
    if (par_reduce(s->p.count, CHUNK, sizeof t, sum_chunk, join, (void *)s, &t) != FIRN_OK) {
        t = (mpm_heat_sums){0}; // no memory for partial sums: one after the other
        sum_chunk((void *)s, 0, s->p.count, &t);
    }
    return t;
}

static bool has_heat(const void *model) { return ((const mpm_state *)model)->heat != NULL; }

static void get_heat(const void *model, double *values) {
    const mpm_state *s = model;
    const mpm_heat_sums t = mpm_heat_sum(s);
    values[0] = t.mass > 0 ? t.degrees / t.mass : (double)NAN;
    values[1] = t.melted;
    values[2] = t.healed;
    values[3] = s->heat->totals.air;
    values[4] = s->heat->totals.bodies;
    values[5] = s->heat->totals.sources;
}

static const series_row rows[] = {
    {"mean temperature", "", "C", "mean temperature of the snow"},
    {"melted", "", "kg", "mass of liquid water in the snow"},
    {"healed", "", "kg", "mass of snow whose broken bonds have begun to heal"},
    {"heat so far from", "air", "J", "heat absorbed from air and radiation since the start"},
    {"heat so far from", "bodies", "J", "heat absorbed from bodies and snow of other models since the start"},
    {"heat so far from", "sources", "J",
     "heat of the snow that entered since the start, less that of what left"},
};
const series_table mpm_heat_series = SERIES_TABLE(rows, has_heat, get_heat);
