// What snow that melts, and its water, offer to other models.
#include <math.h>
#include <string.h>

#include "body/offers.h"
#include "phase/phase_state.h"

static size_t count(const void *model) { return ((const phase *)model)->s->p.count; }

static double largest(const void *model) {
    const phase *m = model;
    return m->s->p.count > 0 ? 0.5 * fmax(m->spacing, m->widest) : 0;
}

static void read(const void *model, size_t begin, size_t end, offer_particle *out) {
    const phase *m = model;
    const pbd_particles *p = &m->s->p;
    const pbd_group *last = NULL;
    float radius = 0;
    for (size_t i = begin; i < end; i++, out++) {
        const pbd_group *g = &m->s->groups[p->group[i]];
        if (g != last) radius = (float)cbrt(3 / (4 * 3.14159265358979) * g->volume), last = g;
        *out = (offer_particle){.mass = (float)g->mass,
                                .radius = radius,
                                .touch = g->radius,
                                .temperature = (float)phase_temperature(m, i),
                                .matter = phase_liquid(m)[i] < 0.5F ? OFFER_SNOW : OFFER_WATER,
                                .part = p->group[i]};
        memcpy(out->at, p->at[i], sizeof out->at);
        memcpy(out->velocity, p->v[i], sizeof out->velocity);
    }
}

static void push(void *model, size_t begin, size_t end, const float (*change)[3]) {
    pbd_push(((phase *)model)->s, begin, end, change);
}
static void shift(void *model, size_t begin, size_t end, const float (*by)[3]) {
    pbd_shift(((phase *)model)->s, begin, end, by);
}

static double heat_lapse(const void *model) { return ((const phase *)model)->def.heat.time_lapse; }

static void read_heat(const void *model, size_t i, offer_heat *out) {
    const phase *m = model;
    double melted = (double)phase_melted(m, i);
    double k = m->law.snow_conductivity + melted * (m->law.water_conductivity - m->law.snow_conductivity);
    double edge = cbrt(m->s->groups[m->s->p.group[i]].volume);
    *out = (offer_heat){.law = &m->law,
                        .mass = m->def.mass,
                        .enthalpy = phase_enthalpy(m)[i],
                        .resistance = 0.5 * edge / k,
                        .area = edge * edge};
}

static void warm(void *model, size_t i, double joules) {
    phase *m = model;
    phase_enthalpy(m)[i] += joules / m->def.mass;
    heat_totals_of(m->heat)->bodies += joules;
    m->shown = false;
}

static const offer_particles particles = {
    .count = count,
    .largest = largest,
    .read = read,
    .push = push,
    .shift = shift,
    .heat_lapse = heat_lapse,
    .read_heat = read_heat,
    .warm = warm,
};
const struct firn_offers phase_offers = {.particles = &particles};
