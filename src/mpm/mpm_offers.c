// What MPM snow offers to other models.
#include <math.h>
#include <string.h>

#include "body/offers.h"
#include "math/dvec.h"
#include "mpm/mpm_heat.h"

static size_t count(const void *model) { return ((const mpm_state *)model)->p.count; }

static float radius_of(const mpm_material *m) { return (float)cbrt(3 / (4 * 3.14159265358979) * m->volume); }

static double largest(const void *model) {
    const mpm_state *s = model;
    float most = 0;
    for (size_t k = 0; k < s->material_count && s->p.count > 0; k++)
        most = fmaxf(most, radius_of(&s->materials[k]));
    return (double)most;
}

static void read(const void *model, size_t begin, size_t end, offer_particle *out) {
    const mpm_state *s = model;
    const mpm_particles *p = &s->p;
    const mpm_material *last = NULL;
    float radius = 0;
    for (size_t i = begin; i < end; i++, out++) {
        const mpm_material *m = &s->materials[p->material[i]];
        if (m != last) radius = radius_of(m), last = m;
        *out = (offer_particle){
            .mass = m->mass,
            .radius = radius,
            .touch = radius,
            .temperature = s->heat ? (float)heat_temperature(&s->heat->law, p->enthalpy[i]) : m->temperature,
            .matter = OFFER_SNOW,
            .part = p->material[i]};
        memcpy(out->at, p->x[i], sizeof out->at);
        memcpy(out->velocity, p->v[i], sizeof out->velocity);
    }
}

static void push(void *model, size_t begin, size_t end, const float (*change)[3]) {
    mpm_particles *p = &((mpm_state *)model)->p;
    for (size_t i = begin; i < end; i++, change++)
        for (int a = 0; a < 3; a++) p->v[i][a] += (*change)[a];
}

static void shift(void *model, size_t begin, size_t end, const float (*by)[3]) {
    mpm_particles *p = &((mpm_state *)model)->p;
    for (size_t i = begin; i < end; i++, by++)
        for (int a = 0; a < 3; a++) p->x[i][a] += (double)(*by)[a];
}

static double heat_lapse(const void *model) {
    const mpm_state *s = model;
    return s->heat ? s->heat->def.time_lapse : 0;
}

static void read_heat(const void *model, size_t i, offer_heat *out) {
    const mpm_state *s = model;
    double edge = cbrt(s->materials[s->p.material[i]].volume);
    *out = (offer_heat){.law = &s->heat->law,
                        .mass = (double)s->materials[s->p.material[i]].mass,
                        .enthalpy = s->p.enthalpy[i],
                        .resistance = 0.5 * edge / mpm_conductivity_of(s, i),
                        .area = edge * edge};
}

// Strength follows with the next step of heat.
static void warm(void *model, size_t i, double heat) {
    mpm_state *s = model;
    s->p.enthalpy[i] += heat / (double)s->materials[s->p.material[i]].mass;
    s->heat->totals.bodies += heat;
    s->shown = false;
}

// The density is that of a ball of their radius.
static firn_status add(void *model, size_t n, const offer_particle *items) {
    mpm_state *s = model;
    TRY(mpm_reserve(&s->p, s->p.count + n));
    for (size_t k = 0; k < n; k++) {
        const offer_particle *in = &items[k];
        const mpm_material *m = &s->materials[in->part];
        firn_vec3 at = dvec(in->at[0], in->at[1], in->at[2]),
                  v = dvec((double)in->velocity[0], (double)in->velocity[1], (double)in->velocity[2]);
        double ratio = pow((double)in->radius / (double)radius_of(m), 3);
        size_t i = s->p.count;
        mpm_add_particle(s, at, v, dvec(0, 0, 0), at, in->part, NULL);
        if (fabs(ratio - 1) > 1e-5) s->p.jp[i] = (float)ratio;
        s->counters.speed2 = fmax(s->counters.speed2, dvec_length2(v));
        s->counters.wave_speed2 =
            fmax(s->counters.wave_speed2, mpm_hardened_wave_speed2(m, (double)s->p.jp[i]));
    }
    s->shown = false;
    return FIRN_OK;
}

static firn_status take_out(void *model, size_t n, const uint32_t *items) {
    mpm_state *s = model;
    for (size_t k = 0; k < n; k++) {
        double mass = (double)s->materials[s->p.material[items[k]]].mass;
        s->counters.mass_out += mass;
        if (s->heat) s->heat->totals.sources -= mass * s->p.enthalpy[items[k]];
    }
    mpm_close_gaps(&s->p, items, n);
    s->shown = false;
    return FIRN_OK;
}

static const offer_particles particles = {.count = count,
                                          .largest = largest,
                                          .read = read,
                                          .push = push,
                                          .shift = shift,
                                          .heat_lapse = heat_lapse,
                                          .read_heat = read_heat,
                                          .warm = warm,
                                          .add = add,
                                          .take_out = take_out};
const struct firn_offers mpm_offers = {.particles = &particles};
