// Heat of the snow field as fields and time series.
#include <math.h>

#include "par/par.h"
#include "snow/snow_column.h"
#include "snowfield/snowfield_state.h"

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

#define GET(name, count, data) FIELD_GET_IF(name, snowfield_state, s->heat.on, count, data)
GET(get_temperature, s->tiles.count *snowfield_cells(s), s->heat.temperature)
GET(get_wetness, s->tiles.count *snowfield_cells(s), s->heat.wetness)
GET(get_frozen, s->tiles.count *snowfield_cells(s), s->heat.frozen)
GET(get_heat, s->tiles.count *snowfield_cells(s), s->heat.heat)
GET(get_mass, s->tiles.count *snowfield_cells(s), s->heat.mass)
GET(get_top_heat, s->covers.count *snowfield_cells(s), s->heat.top_heat)
GET(get_top_mass, s->covers.count *snowfield_cells(s), s->heat.top_mass)
GET(get_plain, PLAIN_SIZE, s->heat.plain)
GET(get_sums, HEAT_SUMS, s->heat.sum)

static const field_row rows[] = {
    {"field.temperature", "C", "temperature of the snow; only where it has heat", FIRN_F32, 1, SHOWN,
     get_temperature},
    {"field.wetness", "", "share of the mass that is water; only where the snow has heat", FIRN_F32, 1, SHOWN,
     get_wetness},
    {"field.frozen", "m", "thickness of the crust of refrozen water; 0: none, or broken", FIRN_F32, 1, BOTH,
     get_frozen},
    {"field.heat", "J/m2", "heat of the snow, 0 at 0 C without water", FIRN_F64, 1, STATE, get_heat},
    {"field.heat_mass", "2^-15 kg/m2", "mass of the snow that has this heat", FIRN_I32, 1, STATE, get_mass},
    {"field.top_heat", "J/m2", "heat of the snow on top of bodies", FIRN_F64, 1, STATE, get_top_heat},
    {"field.top_heat_mass", "2^-15 kg/m2", "mass of the snow on top of bodies that has this heat", FIRN_I32,
     1, STATE, get_top_mass},
    {"field.heat_plain", "",
     "of snow where no tile is: heat (J/m2), refrozen crust (m), temperature (C), water as a share of the "
     "mass",
     FIRN_F64, 1, BOTH, get_plain},
    {"field.heat_sums", "",
     "since the start, per area times one cell: heat from air and sun, ground, bodies and other models, "
     "rain, snow, and left "
     "(J/m2); rain, melted, frozen, run off (kg/m2); rain due and falling (2^-15 kg/m2), heat of loose bits",
     FIRN_F64, 1, STATE, get_sums},
};
const field_table snowfield_heat_table = FIELD_TABLE(rows);

// ---- time series

static const series_row series[] = {
    {"snow temperature", "mean", "C", "mean temperature of the snow field by mass"},
    {"snow temperature", "air", "C", "temperature of the air"},
    {"water in the snow", "", "kg", "liquid water in the snow field"},
    {"melt", "melted", "kg", "snow of the field that has melted since the start"},
    {"melt", "refrozen", "kg", "water in the field that has frozen since the start"},
    {"melt", "run-off", "kg", "water that has run off the field since the start"},
    {"melt", "rain", "kg", "rain that has fallen on the field since the start"},
    {"heat into the snow", "air and sun", "J", "heat that the snow field took from air and radiation"},
    {"heat into the snow", "ground", "J", "heat that it took from the ground"},
    {"heat into the snow", "bodies", "J", "heat that it took from bodies and snow of other models"},
    {"heat into the snow", "rain", "J", "heat that rain brought, with its latent heat"},
};

// Sums over a block of columns.
static double degrees_of(const int32_t *mass, const double *heat, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += mass[i] * snow_column_temperature(MASS_UNIT * mass[i], heat[i]);
    return sum;
}
static double water_of(const int32_t *mass, const double *heat, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += snow_column_water(MASS_UNIT * mass[i], heat[i]);
    return sum;
}
static double tile_degrees(void *context, size_t begin, size_t end) {
    const snowfield_heat *h = context;
    return degrees_of(h->mass + begin, h->heat + begin, end - begin);
}
static double top_degrees(void *context, size_t begin, size_t end) {
    const snowfield_heat *h = context;
    return degrees_of(h->top_mass + begin, h->top_heat + begin, end - begin);
}
static double tile_water(void *context, size_t begin, size_t end) {
    const snowfield_heat *h = context;
    return water_of(h->mass + begin, h->heat + begin, end - begin);
}
static double top_water(void *context, size_t begin, size_t end) {
    const snowfield_heat *h = context;
    return water_of(h->top_mass + begin, h->top_heat + begin, end - begin);
}

static void get_series(const void *model, double *values) {
    const snowfield_state *s = model;
    void *h = (void *)&s->heat;
    size_t cells = snowfield_cells(s), tiles = s->tiles.count * cells, tops = s->covers.count * cells;
    double area = s->def.cell * s->def.cell, plain = (double)s->counters[COUNTER_PRISTINE];
    firn_ledger all = {0};
    snowfield_ledger(s, &all);
    double units = all.mass / snowfield_kg(s);
    double degrees = plain * s->heat.plain[PLAIN_TEMPERATURE] + par_sum(tiles, cells, tile_degrees, h) +
                     par_sum(tops, cells, top_degrees, h);
    double water = plain * MASS_UNIT * s->heat.plain[PLAIN_WETNESS] + par_sum(tiles, cells, tile_water, h) +
                   par_sum(tops, cells, top_water, h);
    const double *sum = s->heat.sum;
    double out[] = {units > 0 ? degrees / units : (double)NAN,
                    s->setting.air_temperature,
                    water * area,
                    sum[HEAT_MELTED] * area,
                    sum[HEAT_FROZEN] * area,
                    sum[HEAT_RUN_OFF] * area,
                    sum[HEAT_RAINED] * area,
                    sum[HEAT_AIR] * area,
                    sum[HEAT_GROUND] * area,
                    sum[HEAT_BODIES] * area,
                    sum[HEAT_RAIN] * area};
    for (size_t i = 0; i < sizeof out / sizeof out[0]; i++) values[i] = out[i];
}

static bool has_heat(const void *model) { return ((const snowfield_state *)model)->heat.on; }

static const series_table heat_series = SERIES_TABLE(series, has_heat, get_series);
const series_table *const snowfield_series[] = {&heat_series, NULL};
