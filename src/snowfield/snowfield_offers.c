// What the snow field offers to other models.
#include <math.h>

#include "snow/snow_column.h"
#include "snowfield/snowfield_state.h"

static double heat_lapse(const void *model) {
    const snowfield_state *s = model;
    return s->heat.on ? s->setting.def->air.time_lapse : 0;
}

static bool column(const void *model, const double at[3], double reach, uint64_t *number, double *distance) {
    const snowfield_state *s = model;
    int32_t x, z;
    float far, normal[3], bears;
    if (!snowfield_cell_of(s, at[0], at[2], &x, &z)) return false;
    bool tile = snowfield_tile_at(s, x >> s->shift, z >> s->shift) != TILE_NONE;
    if (!((tile ? s->heat.mass[snowfield_cell(s, x, z)] : s->start.mass) > 0)) return false;
    snowfield_bed_look(s, at, (float)reach, &far, normal, &bears);
    *number = (uint64_t)z * (uint64_t)s->nx + (uint64_t)x, *distance = (double)far;
    return true;
}

static void place_of(const snowfield_state *s, uint64_t number, int32_t *x, int32_t *z) {
    *x = (int32_t)(number % (uint64_t)s->nx), *z = (int32_t)(number / (uint64_t)s->nx);
}

// Heat goes through half of the snow, and at most through SNOW_SKIN, as that of the air does.
static void read_heat(const void *model, uint64_t number, offer_heat *out) {
    const snowfield_state *s = model;
    int32_t x, z;
    place_of(s, number, &x, &z);
    bool tile = snowfield_tile_at(s, x >> s->shift, z >> s->shift) != TILE_NONE;
    size_t cell = tile ? snowfield_cell(s, x, z) : 0;
    double mass = MASS_UNIT * (tile ? s->heat.mass[cell] : s->start.mass),
           heat = tile ? s->heat.heat[cell] : s->heat.plain[PLAIN_HEAT],
           density = (double)(tile ? s->tiles.density[cell] : s->start.density);
    double area = s->def.cell * s->def.cell, middle = fmin(0.5 * mass / density, SNOW_SKIN);
    *out = (offer_heat){.law = &snow_column_law,
                        .mass = mass * area,
                        .enthalpy = heat / mass,
                        .resistance = middle / snow_column_conductivity(density),
                        .area = area};
}

static firn_status warm(void *model, size_t count, const uint64_t *number, const double *heat) {
    snowfield_state *s = model;
    double area = s->def.cell * s->def.cell;
    for (size_t i = 0; i < count; i++) {
        int32_t x, z;
        place_of(s, number[i], &x, &z);
        snowfield_rect here = {x, z, x + 1, z + 1};
        TRY(snowfield_tiles_make(s, here));
        snowfield_heat_give(s, snowfield_cell(s, x, z), heat[i] / area);
        snowfield_touch(s, here);
    }
    snowfield_show(s);
    return FIRN_OK;
}

static const offer_ground ground = {.highest = snowfield_highest,
                                    .press = snowfield_press_feet,
                                    .stand = snowfield_stand,
                                    .heat_lapse = heat_lapse,
                                    .column = column,
                                    .read_heat = read_heat,
                                    .warm = warm};
const struct firn_offers snowfield_offers = {.ground = &ground};
