// Temperature and water of the snow: each column has heat, the same at all its depths (snow/snow_column.h).
// Where no tile is, one column stands for all. Fields without heat have none of these arrays.
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/memory.h"
#include "par/par.h"
#include "snow/snow_column.h"
#include "snowfield/snowfield_state.h"

// Decided once: what a checkpoint holds must not depend on when something became warm.
firn_status snowfield_heat_create(snowfield_state *s) {
    const firn_snowfield_heat_def *def = &s->def.heat;
    bool wanted = s->setting.thaws || def->ground > 0 || !firn_is_auto(def->temperature);
    s->heat.on = def->on == FIRN_SNOWFIELD_HEAT_YES ||
                 (def->on == FIRN_SNOWFIELD_HEAT_AUTO && wanted && !(s->def.follow > 0));
    return FIRN_OK;
}

static firn_status grow(void *list, size_t bytes) {
    void *old, *bigger;
    memcpy(&old, list, sizeof old);
    bigger = mem_resize(old, bytes);
    if (!bigger) return fail_memory("making tiles of the field", bytes);
    memcpy(list, &bigger, sizeof bigger);
    return FIRN_OK;
}

firn_status snowfield_heat_reserve(snowfield_state *s, size_t tiles) {
    snowfield_heat *h = &s->heat;
    size_t cells = tiles * snowfield_cells(s);
    if (!h->on) return FIRN_OK;
    TRY(grow(&h->heat, cells * sizeof *h->heat));
    TRY(grow(&h->mass, cells * sizeof *h->mass));
    TRY(grow(&h->frozen, cells * sizeof *h->frozen));
    TRY(grow(&h->temperature, cells * sizeof *h->temperature));
    return grow(&h->wetness, cells * sizeof *h->wetness);
}

firn_status snowfield_heat_reserve_tops(snowfield_state *s, size_t covers) {
    size_t cells = covers * snowfield_cells(s);
    if (!s->heat.on) return FIRN_OK;
    TRY(grow(&s->heat.top_heat, cells * sizeof *s->heat.top_heat));
    return grow(&s->heat.top_mass, cells * sizeof *s->heat.top_mass);
}

void snowfield_heat_free(snowfield_state *s) {
    snowfield_heat *h = &s->heat;
    void *lists[] = {h->heat,   h->top_heat,    h->mass,    h->top_mass,
                     h->frozen, h->temperature, h->wetness, h->change};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *h = (snowfield_heat){0};
}

void snowfield_heat_move_tile(snowfield_state *s, size_t to, size_t from) {
    snowfield_heat *h = &s->heat;
    size_t cells = snowfield_cells(s);
    if (!h->on) return;
    memcpy(h->heat + to * cells, h->heat + from * cells, cells * sizeof *h->heat);
    memcpy(h->mass + to * cells, h->mass + from * cells, cells * sizeof *h->mass);
    memcpy(h->frozen + to * cells, h->frozen + from * cells, cells * sizeof *h->frozen);
    memcpy(h->temperature + to * cells, h->temperature + from * cells, cells * sizeof *h->temperature);
    memcpy(h->wetness + to * cells, h->wetness + from * cells, cells * sizeof *h->wetness);
}

void snowfield_heat_move_top(snowfield_state *s, size_t to, size_t from) {
    snowfield_heat *h = &s->heat;
    size_t cells = snowfield_cells(s);
    if (!h->on) return;
    memcpy(h->top_heat + to * cells, h->top_heat + from * cells, cells * sizeof *h->top_heat);
    memcpy(h->top_mass + to * cells, h->top_mass + from * cells, cells * sizeof *h->top_mass);
}

// ---- the start

static double start_heat(const snowfield_state *s) { // J/kg
    double air = fmin(s->setting.air_temperature, 0);
    return SNOW_ICE_CAPACITY * auto_or(s->def.heat.temperature, air);
}

void snowfield_heat_start(snowfield_state *s) {
    snowfield_heat *h = &s->heat;
    if (!h->on) return;
    double each = start_heat(s) * MASS_UNIT, cells = (double)snowfield_cells(s);
    for (size_t i = 0; i < s->tiles.count * (size_t)cells; i++) {
        h->mass[i] = s->tiles.mass[i];
        h->heat[i] = each * h->mass[i];
        h->frozen[i] = h->wetness[i] = 0;
        h->temperature[i] = h->mass[i] > 0 ? (float)(start_heat(s) / SNOW_ICE_CAPACITY) : 0;
    }
    for (size_t i = 0; i < s->covers.count * (size_t)cells; i++) {
        h->top_mass[i] = s->covers.top_mass[i];
        h->top_heat[i] = each * h->top_mass[i];
    }
    h->plain[PLAIN_HEAT] = each * s->start.mass;
    h->in = s->counters[COUNTER_IN], h->out = s->counters[COUNTER_OUT];
    h->sum[HEAT_SNOW] = snowfield_heat_total(s);
    snowfield_heat_show_plain(s);
}

// A tile that has just been made. With maps all tiles exist before heat starts.
void snowfield_heat_fill(snowfield_state *s, size_t tile) {
    snowfield_heat *h = &s->heat;
    size_t cells = snowfield_cells(s);
    if (!h->on) return;
    for (size_t i = tile * cells; i < (tile + 1) * cells; i++) {
        h->mass[i] = s->tiles.mass[i];
        h->heat[i] = h->mass[i] > 0 ? h->plain[PLAIN_HEAT] : 0;
        h->frozen[i] = (float)h->plain[PLAIN_FROZEN];
        h->temperature[i] = (float)h->plain[PLAIN_TEMPERATURE];
        h->wetness[i] = (float)h->plain[PLAIN_WETNESS];
    }
}

void snowfield_heat_from_frame(snowfield_state *s) {
    snowfield_heat *h = &s->heat;
    size_t cells = h->on ? snowfield_cells(s) : 0;
    for (size_t i = 0; i < s->tiles.count * cells; i++) {
        double melted = (double)h->wetness[i],
               each = heat_enthalpy(&snow_column_law, (double)h->temperature[i], melted);
        h->mass[i] = s->tiles.mass[i];
        h->heat[i] = MASS_UNIT * h->mass[i] * each;
    }
    for (size_t i = 0; i < s->covers.count * cells; i++) { // a frame does not tell of these
        h->top_mass[i] = s->covers.top_mass[i];
        h->top_heat[i] = 0;
    }
}

bool snowfield_heat_is_plain(const snowfield_state *s, size_t cell) {
    const snowfield_heat *h = &s->heat;
    double plain = h->plain[PLAIN_HEAT];
    float frozen = (float)h->plain[PLAIN_FROZEN];
    return !h->on ||
           (h->mass[cell] == s->tiles.mass[cell] && memcmp(&h->heat[cell], &plain, sizeof plain) == 0 &&
            memcmp(&h->frozen[cell], &frozen, sizeof frozen) == 0);
}

// ---- what follows from it

static float wetness_of(double mass, double heat) {
    return mass > 0 ? (float)(snow_column_water(mass, heat) / mass) : 0;
}

static void show_tile(void *context, size_t t) {
    snowfield_state *s = context;
    snowfield_heat *h = &s->heat;
    if (rect_empty(s->tiles.touched[t])) return;
    for (size_t i = t * snowfield_cells(s); i < (t + 1) * snowfield_cells(s); i++) {
        double mass = MASS_UNIT * h->mass[i];
        h->temperature[i] = (float)snow_column_temperature(mass, h->heat[i]);
        h->wetness[i] = wetness_of(mass, h->heat[i]);
    }
}

void snowfield_heat_show(snowfield_state *s) {
    if (s->heat.on) par_tasks(s->tiles.count, show_tile, s);
}

void snowfield_heat_show_plain(snowfield_state *s) {
    double mass = MASS_UNIT * s->start.mass, heat = s->heat.plain[PLAIN_HEAT];
    s->heat.plain[PLAIN_TEMPERATURE] = snow_column_temperature(mass, heat);
    s->heat.plain[PLAIN_WETNESS] = (double)wetness_of(mass, heat);
}

static double tile_heat(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += s->heat.heat[i];
    return sum;
}
static double top_heat(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += s->heat.top_heat[i];
    return sum;
}

// Cells without a tile.
static double plain_cells(const snowfield_state *s) {
    double cells = (double)s->nx * s->nz;
    for (size_t t = 0; t < s->tiles.count; t++) {
        snowfield_rect own = tile_rect(s, t);
        cells -= (double)(own.x1 - own.x0) * (own.z1 - own.z0);
    }
    return cells;
}

double snowfield_heat_total(const snowfield_state *s) {
    size_t cells = snowfield_cells(s);
    if (!s->heat.on) return 0;
    return plain_cells(s) * s->heat.plain[PLAIN_HEAT] + s->heat.sum[HEAT_FLYING] +
           par_sum(s->tiles.count * cells, cells, tile_heat, (void *)s) +
           par_sum(s->covers.count * cells, cells, top_heat, (void *)s);
}
