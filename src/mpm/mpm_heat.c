// Heat of the particles: what they get from the nodes, and what temperature and water do to their strength.
#include "mpm/mpm_heat.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"
#include "snow/snow_thermal.h"

enum { PARTICLES_PER_TASK = 4096, BLOCKS_PER_TASK = 4 };

// Heat is slower than motion: it waits until so much time has passed.
#define HEAT_EVERY 0.01
// Differences between the particles of a cell are invisible to its nodes. They even out at this rate, in
// units of k / (rho c cell^2).
#define MIXING 0.5
// Pa; moist snow sticks as the type `wet` does.
#define WET_ADHESION 1e4f
#define WATER_DENSITY 1000.0

// ---- matter

double mpm_water_of(const mpm_state *s, size_t i) {
    double melted = heat_melted(&s->heat->law, s->p.enthalpy[i]);
    return melted > 0 ? fmin(melted * (double)mpm_density(&s->p, i) / WATER_DENSITY, 1) : 0;
}

float mpm_adhesion_of(const mpm_state *s, uint32_t i) {
    const mpm_material *m = &s->materials[s->p.material[i]];
    if (!s->heat) return m->adhesion;
    float area = cbrtf(m->law.volume), wet = snow_wet_stickiness((float)mpm_water_of(s, i));
    return fmaxf(m->adhesion, WET_ADHESION * area * area * wet);
}

static heat_law law_of(const firn_mpm_heat_def *def) {
    return (heat_law){.snow_conductivity = auto_or(def->snow_conductivity, 0),
                      .water_conductivity = def->water_conductivity,
                      .snow_capacity = def->snow_capacity,
                      .water_capacity = def->water_capacity,
                      .latent = def->latent};
}

void mpm_heat_material(mpm_material *m, const firn_mpm_def *mpm, const firn_mpm_snow_def *def) {
    m->strength = 1;
    if (!mpm || !mpm->heat) return;
    const heat_law law = law_of(mpm->heat);
    m->enthalpy = heat_enthalpy(&law, def->temperature, def->wetness);
    double water = def->temperature < 0 ? 0 : def->wetness * (double)m->law.density / WATER_DENSITY;
    m->strength = snow_thermal_strength(m->temperature, (float)fmin(water, 1), (float)mpm->heat->weakening);
}

firn_status mpm_heat_create(mpm_state *s, const firn_mpm_heat_def *def) {
    s->heat = mem_zero(1, sizeof *s->heat);
    if (!s->heat) return fail_memory("creating mpm", sizeof *s->heat);
    s->p.thermal = true;
    s->heat->def = *def;
    s->heat->law = law_of(def);
    return FIRN_OK;
}

void mpm_heat_free(mpm_heat *h) {
    if (!h) return;
    void *lists[] = {h->node, h->beside, h->number, h->rows};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(h);
}

void mpm_heat_enter(mpm_state *s, size_t i) {
    const mpm_material *m = &s->materials[s->p.material[i]];
    s->p.enthalpy[i] = m->enthalpy;
    s->p.strength[i] = m->strength;
    s->p.healed[i] = 1;
    s->heat->totals.sources += (double)m->mass * m->enthalpy;
}

// ---- strength and bonds

typedef struct strength_pass {
    const mpm_state *s;
    double dt; // s of heat
} strength_pass;

// Norm of the rate of deformation, 1/s.
static float deformation_rate(const float c[9]) {
    float xy = 0.5f * (c[1] + c[3]), xz = 0.5f * (c[2] + c[6]), yz = 0.5f * (c[5] + c[7]);
    return sqrtf(c[0] * c[0] + c[4] * c[4] + c[8] * c[8] + 2 * (xy * xy + xz * xz + yz * yz));
}

// What is loosened, less what has healed, falls exponentially; what is pressed together again starts afresh.
static float heal(float jp, float healed, double times) {
    double left = log((double)jp) + log((double)healed);
    if (jp <= 1) return 1;
    return (float)exp(fmax(left, 0) * exp(-times) - log((double)jp));
}

static void strengthen(void *context, size_t begin, size_t end) {
    const strength_pass *f = context;
    const mpm_state *s = f->s;
    const firn_mpm_heat_def *def = &s->heat->def;
    const mpm_particles *p = &s->p;
    for (size_t i = begin; i < end; i++) {
        float t = (float)heat_temperature(&s->heat->law, p->enthalpy[i]), water = (float)mpm_water_of(s, i);
        p->strength[i] = snow_thermal_strength(t, water, (float)def->weakening);
        if (!(p->jp[i] > 1 || p->healed[i] < 1) || def->sintering == 0) continue;
        float rate = snow_sintering(t, water) * snow_at_rest(deformation_rate(p->affine[i]));
        p->healed[i] = heal(p->jp[i], p->healed[i], f->dt * (double)rate / def->sintering);
    }
}

// Strength, which is state, follows with the next step of heat.
void mpm_heat_change(mpm_state *s, const firn_mpm_heat_def *def) {
    s->heat->def = *def;
    s->heat->law = law_of(def);
}

// ---- from the nodes

static void give_gain(const heat_node *n, float value[3]) { value[0] = (float)n->delta; }

static void add_gain(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    const mpm_grid *g = &w->s->grid;
    for (size_t b = begin; b < end; b++) {
        const mpm_block *block = &g->block[g->occupied[b]];
        for (uint32_t k = 0; k < block->count; k++) {
            uint32_t i = g->order[block->first + k];
            w->s->p.enthalpy[i] += (double)w->h->rows[i][0];
        }
    }
}

// ---- mixing within cells

// A particle's weight in the means of this step: its mass times the share of its difference that evens out.
// Rows are (weight times value, weight, 0, value).
static float mixing_of(const heat_work *w, size_t i) {
    const mpm_state *s = w->s;
    double density = (double)mpm_density(&s->p, i), cell = s->def.cell;
    double k = firn_is_auto(w->h->def.snow_conductivity) ? (double)snow_conductivity((float)density)
                                                         : w->h->law.snow_conductivity;
    return (float)-expm1(-MIXING * w->dt * k / (density * w->h->law.snow_capacity * cell * cell));
}

static void set_row(const heat_work *w, size_t i, float value) {
    float weight = w->s->materials[w->s->p.material[i]].mass * mixing_of(w, i);
    memcpy(w->h->rows[i], (float[4]){weight * value, weight, 0, value}, sizeof w->h->rows[i]);
}

static void temperature_rows(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    for (size_t i = begin; i < end; i++)
        set_row(w, i, (float)heat_temperature(&w->h->law, w->s->p.enthalpy[i]));
}

static void difference_rows(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    for (size_t i = begin; i < end; i++) set_row(w, i, w->h->rows[i][3] - w->h->rows[i][0]);
}

static void take_mean(heat_work *w, heat_node *n, const float sum[4]) {
    (void)w;
    n->mean = sum[1] > 0 ? (double)(sum[0] / sum[1]) : 0;
}

static void give_mean(const heat_node *n, float value[3]) { value[0] = (float)n->mean; }

static void add_mixed(void *context, size_t begin, size_t end) {
    const heat_work *w = context;
    const mpm_grid *g = &w->s->grid;
    for (size_t b = begin; b < end; b++) {
        const mpm_block *block = &g->block[g->occupied[b]];
        for (uint32_t k = 0; k < block->count; k++) {
            uint32_t i = g->order[block->first + k];
            double rest = (double)w->h->rows[i][3] - (double)w->h->rows[i][0];
            w->s->p.enthalpy[i] -= (double)mixing_of(w, i) * w->h->law.snow_capacity * rest;
        }
    }
}

// T -= share (1 - M)^2 T, with M the mean by way of the nodes: what nodes can see stays, what they cannot see
// evens out. Heat is conserved, since the means have the same weights.
static void mix(heat_work *w) {
    par_for(w->s->p.count, PARTICLES_PER_TASK, temperature_rows, w);
    heat_rows_to_nodes(w, false, take_mean);
    heat_nodes_to_rows(w, give_mean);
    par_for(w->s->p.count, PARTICLES_PER_TASK, difference_rows, w);
    heat_rows_to_nodes(w, false, take_mean);
    heat_nodes_to_rows(w, give_mean);
    par_for(w->s->grid.occupied_count, BLOCKS_PER_TASK, add_mixed, w);
}

// ---- step

// Alone in the air: a cube of its volume.
static void warm_lone(const heat_work *w) {
    const mpm_state *s = w->s;
    for (size_t k = 0; k < s->lone_count; k++) {
        uint32_t i = s->lone[k];
        const mpm_material *m = &s->materials[s->p.material[i]];
        double area = 6 * pow((double)m->law.volume, 2.0 / 3), mass = (double)m->mass;
        double t = heat_temperature(&w->h->law, s->p.enthalpy[i]), flow = area * w->h->def.exchange;
        double got = (flow * (w->air - t) + area * w->h->def.radiation) * w->dt /
                     (1 + w->dt * flow / (mass * w->h->law.snow_capacity));
        s->p.enthalpy[i] += got / mass;
        w->h->totals.air += got;
    }
}

firn_status mpm_heat_step(mpm_state *s, const body_set *bodies, double dt) {
    mpm_heat *h = s->heat;
    if (!h) return FIRN_OK;
    h->totals.waiting += dt;
    if (h->totals.waiting < 0.999 * HEAT_EVERY || s->p.count == 0) return FIRN_OK;
    heat_work w = {s, h, bodies, h->totals.waiting * h->def.time_lapse, s->setting.air_temperature};
    h->totals.waiting = 0;
    TRY(heat_find_nodes(&w));
    TRY(heat_conduct_nodes(&w));
    heat_nodes_to_rows(&w, give_gain);
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, add_gain, &w);
    mix(&w);
    warm_lone(&w);
    strength_pass f = {s, w.dt};
    par_for(s->p.count, PARTICLES_PER_TASK, strengthen, &f);
    return FIRN_OK;
}
