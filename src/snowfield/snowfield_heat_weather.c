// Heat and water of a tick of the weather: snow and rain that fall, air, sun and ground, melting and
// freezing, and water that runs off.
#include <math.h>

#include "base/auto.h"
#include "snow/snow_column.h"
#include "snowfield/snowfield_state.h"

// One column.
typedef struct column {
    int32_t *mass, *heat_mass; // MASS_UNIT
    double *heat;              // J/m2
    float *density;            // kg/m3
    float *frozen;             // NULL: it has no crust
} column;

heat_tick snowfield_heat_tick(const snowfield_state *s) {
    const firn_world_def *def = s->setting.def;
    double air = def->air.temperature, rain = auto_or(def->rain.temperature, fmax(air, 0));
    double wind =
        def->wind ? snow_exchange(def->wind->inflow.speed, def->wind->inflow.height) : SNOW_DEGREE_EXCHANGE;
    return (heat_tick){.s = (snowfield_state *)s,
                       .dt = FIELD_TICK * def->air.time_lapse,
                       .snow = SNOW_ICE_CAPACITY * fmin(air, 0),
                       .water = SNOW_LATENT + SNOW_WATER_CAPACITY * rain,
                       .air = {air, auto_or(def->air.exchange, wind), def->air.radiation}};
}

// Water that froze makes a crust as thick as the wet snow was in which it froze; melting takes it away from
// above.
static void crust(const column *c, double before, double after) {
    if (!c->frozen) return;
    double mass = MASS_UNIT * *c->mass, density = (double)*c->density, thick = (double)*c->frozen;
    if (after < before)
        thick += (before - after) / before * (mass / density - thick);
    else
        thick -= (after - before) / density;
    *c->frozen = (float)fmax(thick, 0);
}

// Its depth stays while water comes or goes.
static void keep_depth(const snowfield_law *law, const column *c, double before) {
    double density = before > 0 ? (double)*c->density * (*c->mass / before) : (double)*c->density;
    *c->density = fminf(fmaxf((float)density, law->density_min), law->densest);
}

// Water that leaves, each kg with so much heat.
static void leave(const snowfield_law *law, const column *c, int32_t units, double each, heat_gain *gain) {
    double before = *c->mass, gone = units == *c->mass ? *c->heat : each * MASS_UNIT * units;
    *c->mass -= units;
    *c->heat_mass -= units;
    *c->heat = *c->mass > 0 ? *c->heat - gone : 0;
    if (*c->mass > 0) keep_depth(law, c, before);
    gain->out += units;
    gain->sum[HEAT_LEFT] += gone;
    gain->sum[HEAT_RUN_OFF] += MASS_UNIT * units;
}

// Snow that melts at the surface sinks into what is below, which gets denser; what finds no room there drains
// away before it can freeze. Returns kg/m2 of it.
static double sink_in(const snowfield_law *law, const column *c, double melts, heat_gain *gain) {
    double mass = *c->mass, left = fmax(1 - melts / (MASS_UNIT * mass), 0.01);
    double density = (double)*c->density / left, most = (double)law->densest;
    int32_t units = density > most ? (int32_t)(mass * (1 - most / density)) : 0;
    *c->density = (float)density; // above `most` only until it has drained
    if (units > 0) leave(law, c, units, SNOW_LATENT, gain);
    *c->density = fminf(*c->density, law->densest);
    return MASS_UNIT * units;
}

// Heat from outside; kg/m2 of water before and after tell how much melted or froze.
static void warm(const heat_tick *t, const column *c, const snow_forcing *f, int from, heat_gain *gain) {
    double mass = MASS_UNIT * *c->mass, before = snow_column_water(mass, *c->heat), melts;
    double frozen = c->frozen ? (double)*c->frozen : 0;
    double heat = snow_column_gain(mass, *c->heat, (double)*c->density, frozen, f, t->dt, &melts);
    if (heat == 0) return;
    *c->heat += heat;
    double after = snow_column_water(mass, *c->heat);
    gain->sum[from] += heat;
    gain->sum[HEAT_MELTED] += melts;
    if (after != before) crust(c, before, after);
    double drained = melts > 0 ? sink_in(&t->s->law, c, melts, gain) : 0;
    double stays = snow_column_water(MASS_UNIT * *c->mass, *c->heat);
    gain->sum[HEAT_FROZEN] += before + melts - drained - stays;
}

static void take(const column *c, int32_t units, double heat, int from, heat_gain *gain) {
    double mass = MASS_UNIT * *c->heat_mass, brought = MASS_UNIT * units * heat;
    double before = snow_column_water(mass, *c->heat);
    *c->heat_mass += units;
    *c->heat += brought;
    gain->sum[from] += brought;
    // Water that falls on cold snow freezes, warm rain melts.
    double fresh = from == HEAT_RAIN ? MASS_UNIT * units : 0;
    double froze = before + fresh - snow_column_water(mass + MASS_UNIT * units, *c->heat);
    gain->sum[froze > 0 ? HEAT_FROZEN : HEAT_MELTED] += fabs(froze);
    if (froze > 0) crust(c, before + fresh, before + fresh - froze);
}

// Water that the snow does not hold leaves, with its heat. Where all has melted the rest goes, too.
static void run_off(const heat_tick *t, const column *c, heat_gain *gain) {
    double mass = MASS_UNIT * *c->mass, excess = snow_column_excess(mass, *c->heat, t->s->def.heat.retention);
    int32_t units = (int32_t)(excess / MASS_UNIT);
    if (units <= 0) return;
    if (*c->heat >= SNOW_LATENT * (mass - MASS_UNIT)) units = *c->mass;
    leave(&t->s->law, c, units, fmax(SNOW_LATENT, *c->heat / mass), gain);
}

// Under the open sky: snow has fallen already, as mass without heat.
static void weather(const heat_tick *t, const column *c, heat_gain *gain) {
    int32_t fallen = *c->mass - *c->heat_mass;
    if (fallen > 0) take(c, fallen, t->snow, HEAT_SNOW, gain);
    if (t->rain > 0) {
        *c->mass += t->rain;
        keep_depth(&t->s->law, c, *c->heat_mass);
        gain->in += t->rain;
        gain->sum[HEAT_RAINED] += MASS_UNIT * t->rain;
        take(c, t->rain, t->water, HEAT_RAIN, gain);
    }
    snow_forcing air = {t->air.warm, t->air.exchange, t->air.radiation};
    warm(t, c, &air, HEAT_AIR, gain);
}

static void from_ground(const heat_tick *t, const column *c, heat_gain *gain) {
    snow_forcing ground = {.radiation = t->s->def.heat.ground};
    if (ground.radiation != 0) warm(t, c, &ground, HEAT_GROUND, gain);
}

static void heat_cell(const heat_tick *t, size_t cell, heat_gain *gain) {
    snowfield_state *s = t->s;
    snowfield_heat *h = &s->heat;
    size_t covered = snowfield_covered(s, cell);
    bool roofed = covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF;
    column below = {&s->tiles.mass[cell], &h->mass[cell], &h->heat[cell], &s->tiles.density[cell],
                    &h->frozen[cell]};
    if (roofed) {
        column top = {&s->covers.top_mass[covered], &h->top_mass[covered], &h->top_heat[covered],
                      &s->covers.top_density[covered], NULL};
        weather(t, &top, gain);
        run_off(t, &top, gain);
    } else {
        weather(t, &below, gain);
    }
    from_ground(t, &below, gain);
    run_off(t, &below, gain);
}

void snowfield_heat_tile(const heat_tick *t, size_t tile, heat_gain *gain) {
    const snowfield_state *s = t->s;
    snowfield_rect own = tile_rect(s, tile);
    *gain = (heat_gain){0};
    for (int32_t z = 0; z < own.z1 - own.z0; z++)
        for (int32_t x = 0; x < own.x1 - own.x0; x++)
            heat_cell(t, tile * snowfield_cells(s) + (size_t)(z * s->edge + x), gain);
}

void snowfield_heat_add(snowfield_state *s, const heat_gain *gain) {
    for (int k = 0; k < HEAT_SUMS; k++) s->heat.sum[k] += gain->sum[k];
    s->counters[COUNTER_IN] += (uint64_t)gain->in;
    s->counters[COUNTER_OUT] += (uint64_t)gain->out;
}

// The column that stands for all cells without a tile; snow has fallen on it already.
void snowfield_heat_plain(const heat_tick *t, uint64_t cells) {
    snowfield_state *s = t->s;
    double *plain = s->heat.plain;
    heat_gain gain = {0};
    int32_t mass = (int32_t)s->pristine[0]; // before it fell
    float frozen = (float)plain[PLAIN_FROZEN];
    column c = {&s->start.mass, &mass, &plain[PLAIN_HEAT], &s->start.density, &frozen};
    weather(t, &c, &gain);
    from_ground(t, &c, &gain);
    run_off(t, &c, &gain);
    plain[PLAIN_FROZEN] = (double)frozen;
    snowfield_heat_show_plain(s);
    for (int k = 0; k < HEAT_SUMS; k++) gain.sum[k] *= (double)cells;
    gain.in *= (int64_t)cells, gain.out *= (int64_t)cells;
    s->counters[COUNTER_PRISTINE] += (uint64_t)(gain.in - gain.out);
    snowfield_heat_add(s, &gain);
}

// ---- bodies

// Snow that touches a body: below it, or on top of it.
static void warm_by(const heat_tick *t, const column *c, const snow_forcing *body, heat_gain *gain) {
    warm(t, c, body, HEAT_BODIES, gain);
    run_off(t, c, gain);
}

static void warm_cell(const heat_tick *t, const snowfield_print *p, size_t i, size_t cell,
                      const snow_forcing *body, heat_gain *gain) {
    snowfield_state *s = t->s;
    snowfield_heat *h = &s->heat;
    size_t covered = snowfield_covered(s, cell);
    if (covered == SIZE_MAX || s->covers.roof[covered] == NO_ROOF) return;
    double gap = (p->bottom[i] - snowfield_surface(s, cell)) * HEIGHT_UNIT;
    if (p->bottom[i] == s->covers.roof[covered] && gap <= FIELD_CONTACT_CELLS * s->def.cell) {
        column below = {&s->tiles.mass[cell], &h->mass[cell], &h->heat[cell], &s->tiles.density[cell],
                        &h->frozen[cell]};
        warm_by(t, &below, body, gain);
    }
    if (p->top[i] == s->covers.upper[covered]) {
        column top = {&s->covers.top_mass[covered], &h->top_mass[covered], &h->top_heat[covered],
                      &s->covers.top_density[covered], NULL};
        warm_by(t, &top, body, gain);
    }
}

// One after the other: there are few that are warm or cold.
void snowfield_heat_bodies(snowfield_state *s) {
    heat_tick t = snowfield_heat_tick(s);
    heat_gain gain = {0};
    for (size_t b = 0; b < body_count(s->bodies); b++) {
        const snowfield_print *p = &s->prints[b];
        double temperature = body_temperature(s->bodies, b);
        if (isnan(temperature) || b == s->start.body || rect_empty(p->cells) || p->clear) continue;
        snow_forcing body = {.warm = temperature, .exchange = s->def.heat.contact};
        size_t i = 0;
        for (int32_t z = p->cells.z0; z < p->cells.z1; z++)
            for (int32_t x = p->cells.x0; x < p->cells.x1; x++, i++)
                if (p->low[i] <= p->high[i]) warm_cell(&t, p, i, snowfield_cell(s, x, z), &body, &gain);
        snowfield_touch(s, p->cells);
    }
    snowfield_heat_add(s, &gain);
}

// ---- snow and water of other models

// Water leaves with the next tick of the weather where snow has come or gone since heat last followed it.
void snowfield_heat_give(snowfield_state *s, size_t cell, double heat) {
    snowfield_heat *h = &s->heat;
    heat_tick t = snowfield_heat_tick(s);
    heat_gain gain = {0};
    column c = {&s->tiles.mass[cell], &h->mass[cell], &h->heat[cell], &s->tiles.density[cell],
                &h->frozen[cell]};
    double mass = MASS_UNIT * *c.heat_mass, before = snow_column_water(mass, *c.heat);
    *c.heat += heat;
    double after = snow_column_water(mass, *c.heat);
    gain.sum[HEAT_BODIES] += heat;
    gain.sum[after > before ? HEAT_MELTED : HEAT_FROZEN] += fabs(after - before);
    if (*c.mass == *c.heat_mass && after != before) {
        crust(&c, before, after);
        if (after > before) sink_in(&s->law, &c, after - before, &gain);
        run_off(&t, &c, &gain);
    }
    mass = MASS_UNIT * *c.heat_mass;
    h->temperature[cell] = (float)snow_column_temperature(mass, *c.heat);
    h->wetness[cell] = mass > 0 ? (float)(snow_column_water(mass, *c.heat) / mass) : 0;
    snowfield_heat_add(s, &gain);
}
