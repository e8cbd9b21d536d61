// Fields that are written, drawn and hashed; the ledger; the watchdog.
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/field_kept.h"
#include "par/par.h"
#include "wind/wind_state.h"

static size_t air_count(const wind_state *s) { return s->air_n[0] * s->air_n[1] * s->air_n[2]; }

// Of these, what this rank shows.
static size_t wind_shown_first(const wind_state *s) {
    if (s->ranks.shows != WIND_SHOWS_SLAB) return 0;
    return s->air_n[0] * s->air_n[1] * wind_air_planes(s, s->ranks.slabs.rank);
}

static size_t wind_shown_count(const wind_state *s) {
    if (s->ranks.shows == WIND_SHOWS_WHOLE) return s->ranks.slabs.rank == 0 ? air_count(s) : 0;
    if (s->ranks.shows == WIND_SHOWS_ALL) return air_count(s);
    return s->air_n[0] * s->air_n[1] * wind_air_planes(s, s->ranks.slabs.rank + 1) - wind_shown_first(s);
}

static size_t column_count(const wind_state *s) { return (size_t)s->box.n[0] * (size_t)s->box.n[2]; }

static size_t cell_count(const wind_state *s) { return column_count(s) * (size_t)s->box.n[1]; }

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

// Over ranks: what this one shows of a field of all cells.
#define CELLS_GET(name, data)                                                                                \
    static field_span name(const void *model) {                                                              \
        const wind_state *s = model;                                                                         \
        return wind_part_of(s, data, sizeof *(data));                                                        \
    }
CELLS_GET(get_u, s->v[0])
CELLS_GET(get_v, s->v[1])
CELLS_GET(get_w, s->v[2])
CELLS_GET(get_pressure, s->q)
#define WARM s->warmth.air
FIELD_GET_IF(get_warmth, wind_state, WARM, s->box.size, s->warmth.air)
FIELD_GET_IF(get_warmth_sums, wind_state, WARM, WARMTH_SUMS, s->warmth.sum)
FIELD_GET(get_blown, wind_state, 2, s->turbulence.blown)
FIELD_GET_IF(get_last_dt, wind_state, !s->is_around, 1, &s->last_dt)
FIELD_GET(get_air, wind_state, wind_shown_count(s), s->air + wind_shown_first(s))
FIELD_GET(get_gauges, wind_state, wind_shown_count(s), s->gauges + wind_shown_first(s))
FIELD_GET(get_grid, wind_state, WIND_GRID_SIZE, s->grid)
FIELD_GET_IF(get_position, wind_state, s->flakes.on, s->flakes.count, s->flakes.position)
FIELD_GET_IF(get_velocity, wind_state, s->flakes.on, s->flakes.count, s->flakes.velocity)
FIELD_GET_IF(get_trait, wind_state, s->flakes.on, s->flakes.count, s->flakes.trait)
FIELD_GET_IF(get_landed, wind_state, s->flakes.on, column_count(s), s->flakes.landed)
FIELD_GET_IF(get_counters, wind_state, s->flakes.on, FLAKES_COUNTERS, s->flakes.counters)
FIELD_GET_IF(get_remainder, wind_state, s->flakes.on, FLAKES_REMAINDERS, s->flakes.emit_remainder)
FIELD_GET_IF(get_flake, wind_state, s->flakes.on, FLAKES_FACTS, s->flakes.facts)
FIELD_GET_IF(get_radius, wind_state, s->flakes.on, 1, &s->flakes.radius)
FIELD_GET_IF(get_cover, wind_state, s->cover.on, cell_count(s), s->cover.fill)
FIELD_GET_IF(get_box, wind_state, s->cover.on, WIND_BOX_SIZE, s->cells)
FIELD_GET_IF(get_snow, wind_state, s->cover.on, s->box.size, s->cover.mass)
FIELD_GET_IF(get_density, wind_state, s->cover.on, s->box.size, s->cover.density)
FIELD_GET_IF(get_melted, wind_state, s->cover.on, 1, &s->cover.melted)
FIELD_GET_IF(get_melting, wind_state, s->cover.on, 1, &s->cover.melt_remainder)
FIELD_GET_IF(get_saltation, wind_state, s->cover.saltation.mass, s->box.size, s->cover.saltation.mass)
FIELD_GET_IF(get_saltation_counters, wind_state, s->cover.saltation.mass, SALTATION_COUNTERS,
             s->cover.saltation.counters)
FIELD_GET_IF(get_bank, wind_state, s->cover.bank, s->box.size, s->cover.bank)
#define HAS_HEAT (s->cover.on && s->cover.heat.on)
FIELD_GET_IF(get_heat, wind_state, HAS_HEAT, column_count(s), s->cover.heat.heat)
FIELD_GET_IF(get_heat_mass, wind_state, HAS_HEAT, column_count(s), s->cover.heat.mass)
FIELD_GET_IF(get_heat_sums, wind_state, HAS_HEAT, COVER_SUMS, s->cover.heat.sum)
FIELD_GET_IF(get_rained, wind_state, HAS_HEAT, 1, &s->cover.heat.rained)
FIELD_GET_IF(get_temperature, wind_state, HAS_HEAT, column_count(s), s->cover.heat.temperature)
FIELD_GET_IF(get_wetness, wind_state, HAS_HEAT, column_count(s), s->cover.heat.wetness)
FIELD_GET_IF(get_cover_mass, wind_state, s->cover.on, column_count(s), s->cover.column)
FIELD_GET_IF(get_handed, wind_state, s->cover.beside.other, HANDED_COUNTERS, s->cover.beside.handed)
FIELD_GET_IF(get_load, wind_state, s->cover.on, s->cover.floors.bodies, s->cover.floors.load)

#define AROUND s->around.outer && !s->is_around
FIELD_GET_IF(get_around_air, wind_state, AROUND, s->around.air_count, s->around.air)
FIELD_GET_IF(get_around_gauges, wind_state, AROUND, s->around.air_count, s->around.gauges)
FIELD_GET_IF(get_around_grid, wind_state, AROUND, WIND_GRID_SIZE * s->around.grids, s->around.grid)
FIELD_GET_IF(get_around_clock, wind_state, AROUND, AROUND_CLOCK * s->around.grids, s->around.clocks)
FIELD_GET_IF(get_around_state, wind_state, AROUND, s->around.packed_count, s->around.packed)

#define FACES_HELP "through the faces before the cells (of a box with one layer around, rows along x)"
static const field_row rows[] = {
    {"wind.u", "m/s", FACES_HELP, FIRN_F32, 1, STATE, get_u},
    {"wind.v", "m/s", FACES_HELP, FIRN_F32, 1, STATE, get_v},
    {"wind.w", "m/s", FACES_HELP, FIRN_F32, 1, STATE, get_w},
    {"wind.pressure", "m/s", "pressure times dt / (density * cell); initial guess of the next solve",
     FIRN_F32, 1, STATE, get_pressure},
    {"wind.warmth", "K",
     "how much warmer the air of each cell is than the undisturbed air (of a box with one layer around)",
     FIRN_F32, 1, STATE, get_warmth},
    {"wind.warmth_sums", "J", "since the start: heat that the air got from bodies, and that left", FIRN_F64,
     1, STATE, get_warmth_sums},
    {"wind.blown", "m", "how far the undisturbed wind has come along x and z", FIRN_F64, 1, STATE, get_blown},
    {"wind.last_step", "s",
     "how long the last step was, by which wind.pressure becomes Pa; 0: there was none", FIRN_F64, 1,
     FIELD_KEPT, get_last_dt},
    {"wind.air", "m/s", "velocity at the centre of every n-th cell, rows along x; 0 in obstacles", FIRN_F32,
     3, SHOWN, get_air},
    {"wind.gauges", "Pa, 1/s, K",
     "at the same places: pressure above that of the undisturbed air, divergence, and how much warmer the "
     "air "
     "is than that; 0 in obstacles",
     FIRN_F32, WIND_GAUGES, SHOWN, get_gauges},
    {"wind.grid", "",
     "grid of wind.air: x, y, z of the first sample (m), distance to the next (m), number along x, y, z; "
     "speed of "
     "the "
     "undisturbed wind (m/s)",
     FIRN_F64, 1, SHOWN, get_grid},
    {"wind.around", "m/s", "as wind.air, of the coarser grids around it, one after the other", FIRN_F32, 3,
     SHOWN, get_around_air},
    {"wind.around_gauges", "Pa, 1/s, K", "as wind.gauges, of the grids around", FIRN_F32, WIND_GAUGES, SHOWN,
     get_around_gauges},
    {"wind.around_grid", "", "as wind.grid, eight numbers for each of the grids around", FIRN_F64, 1, SHOWN,
     get_around_grid},
    {"wind.around_state", "",
     "of each grid around: velocities along x, y, z (m/s) and pressure as in wind.u, then what it told the "
     "grid "
     "inside it at two times",
     FIRN_F32, 1, STATE, get_around_state},
    {"wind.around_clock", "s, m",
     "of each grid around: how far it is ahead, its last steps, how far its wind has come", FIRN_F64, 1,
     STATE, get_around_clock},
    {"wind.position", "m", "position of each simulated flake in the air", FIRN_F32, 3, BOTH, get_position},
    {"wind.velocity", "m/s", "velocity of each flake, without its swirl", FIRN_F32, 3, BOTH, get_velocity},
    {"wind.trait", "m/s, m, rad/s, rad",
     "each flake's speed of fall in still air, and radius, angular velocity and phase of its swirl", FIRN_F32,
     TRAITS, STATE, get_trait},
    {"wind.landed", "", "simulated flakes that landed in each column of cells, rows along x", FIRN_U32, 1,
     BOTH, get_landed},
    {"wind.counters", "",
     "simulated flakes that were emitted, landed, left, and were lifted again by the wind", FIRN_U64, 1, BOTH,
     get_counters},
    {"wind.emit_remainder", "", "fractions of flakes still to be emitted, through the top and four sides",
     FIRN_F64, 1, STATE, get_remainder},
    {"wind.flake", "",
     "properties of a simulated flake: mass (kg), diameter (m), number of real flakes it represents, 1: wet",
     FIRN_F64, 1, SHOWN, get_flake},
    {"wind.radius", "m", "radius of flakes, as drawn", FIRN_F32, 1, 0, get_radius},
    {"wind.cover", "", "snow fraction of each cell, 0 .. 1, rows along x; -1: a body", FIRN_F32, 1, SHOWN,
     get_cover},
    {"wind.box", "", "grid of wind.cover: x, y, z of the corner (m), cell (m), cells along x, y, z", FIRN_F64,
     1, SHOWN, get_box},
    {"wind.snow", "1/256 of a simulated flake",
     "mass of the snow in each cell of the box with one layer around", FIRN_U32, 1, STATE, get_snow},
    {"wind.density", "kg/m3", "density of that snow", FIRN_F32, 1, STATE, get_density},
    {"wind.melted", "1/256 of a simulated flake", "snow that melted", FIRN_U64, 1, STATE, get_melted},
    {"wind.melting", "", "part of a unit of rain that is due on each column", FIRN_F64, 1, STATE,
     get_melting},
    {"wind.saltation", "1/256 of a simulated flake",
     "mass of the snow that hops along the surface, of each cell", FIRN_U32, 1, STATE, get_saltation},
    {"wind.saltation_counters", "1/256 of a simulated flake", "saltation that blew in and out", FIRN_U64, 1,
     STATE, get_saltation_counters},
    {"wind.banks", "1/8192 of a cell",
     "distance of the corner before each cell from the snow, as the wind knows it", FIRN_I32, 1, STATE,
     get_bank},
    {"wind.cover_temperature", "C", "temperature of the snow in each column of cells, rows along x", FIRN_F32,
     1, SHOWN, get_temperature},
    {"wind.cover_wetness", "", "share of the mass of each column that is water", FIRN_F32, 1, SHOWN,
     get_wetness},
    {"wind.cover_heat", "J/m2", "heat of the snow in each column, 0 at 0 C without water", FIRN_F64, 1, STATE,
     get_heat},
    {"wind.cover_heat_mass", "", "units of mass of each column that have this heat", FIRN_U64, 1, STATE,
     get_heat_mass},
    {"wind.cover_heat_sums", "",
     "since the start, per area times one cell: heat from air and sun, rain, snow, and left (J/m2); melted "
     "(kg/m2); heat from bodies",
     FIRN_F64, 1, STATE, get_heat_sums},
    {"wind.rained", "", "units of mass of rain that fell on the cover", FIRN_U64, 1, STATE, get_rained},
    {"wind.cover_mass", "kg/m2", "mass of the snow in each column of cells, rows along x", FIRN_F32, 1, SHOWN,
     get_cover_mass},
    {"wind.handed", "1/256 of a simulated flake",
     "snow that landed on the snow field beside the cover or went over to it, and that came from it",
     FIRN_U64, 1, STATE, get_handed},
    {"wind.load", "N", "weight of the snow that lies on each body, in the order of the scene", FIRN_F64, 1,
     SHOWN, get_load},
};
static const field_table own_fields = FIELD_TABLE(rows);
static const field_table *const field_tables[] = {&own_fields, NULL};

// How many values a field of a fixed size has; SIZE_MAX: one for each flake.
static size_t fixed_size(const wind_state *s, const char *name) {
    const struct {
        const char *name;
        size_t count;
    } fixed[] = {{"wind.air", air_count(s)},
                 {"wind.gauges", air_count(s)},
                 {"wind.grid", WIND_GRID_SIZE},
                 {"wind.around", s->around.air_count},
                 {"wind.around_gauges", s->around.air_count},
                 {"wind.around_grid", WIND_GRID_SIZE * s->around.grids},
                 {"wind.around_state", s->around.packed_count},
                 {"wind.around_clock", AROUND_CLOCK * s->around.grids},
                 {"wind.last_step", 1},
                 {"wind.blown", 2},
                 {"wind.warmth_sums", WARMTH_SUMS},
                 {"wind.landed", column_count(s)},
                 {"wind.counters", FLAKES_COUNTERS},
                 {"wind.emit_remainder", FLAKES_REMAINDERS},
                 {"wind.flake", FLAKES_FACTS},
                 {"wind.radius", 1},
                 {"wind.position", SIZE_MAX},
                 {"wind.velocity", SIZE_MAX},
                 {"wind.trait", SIZE_MAX},
                 {"wind.cover", cell_count(s)},
                 {"wind.box", WIND_BOX_SIZE},
                 {"wind.cover_mass", column_count(s)},
                 {"wind.cover_heat", column_count(s)},
                 {"wind.cover_heat_mass", column_count(s)},
                 {"wind.cover_temperature", column_count(s)},
                 {"wind.cover_wetness", column_count(s)},
                 {"wind.cover_heat_sums", COVER_SUMS},
                 {"wind.rained", 1},
                 {"wind.saltation_counters", SALTATION_COUNTERS},
                 {"wind.handed", HANDED_COUNTERS},
                 {"wind.load", s->cover.floors.bodies},
                 {"wind.melted", 1},
                 {"wind.melting", 1}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i].name) == 0) return fixed[i].count;
    return s->box.size;
}

static firn_status wind_resize(void *model, const char *name, size_t count) {
    wind_state *s = model;
    size_t expected = fixed_size(s, name);
    if (wind_is_divided(s)) s->ranks.whole = true, s->ranks.shows = WIND_SHOWS_ALL;
    if (expected == SIZE_MAX) {
        if (count >= UINT32_MAX) return fail(FIRN_BAD_INPUT, "field '%s' has too many flakes", name);
        TRY(flakes_reserve(&s->flakes, count));
        s->flakes.count = count;
        return FIRN_OK;
    }
    if (count == expected) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "field '%s' has %zu values instead of %zu", name, count, expected);
}

// What is shown of a state that was loaded: obstacles, the undisturbed wind, sums over the air. The next step
// finds all of it again.
firn_status wind_derive(wind_state *s) {
    if (s->around.outer) TRY(wind_derive(s->around.outer));
    wind_inflow_state now = wind_inflow_at(s, s->setting.time);
    wind_set_sides(s, now);
    now = wind_over_banks(s, s->setting.time);
    wind_find_cells(s, s->bodies);
    if (s->cover.on) TRY(floors_find(s, s->bodies));
    TRY(wind_measure(s));
    s->reference = now.top > 0 ? now.top : s->fastest;
    s->air_stale = true;
    return FIRN_OK;
}

static firn_status wind_loaded(void *model) {
    wind_state *s = model;
    const uint64_t *counters = s->flakes.counters;
    if (wind_is_divided(s)) return FIRN_OK; // when it is shared
    around_unpack(s);
    s->measured = false;
    s->stale = true;                                                             // bodies are elsewhere
    if (s->cover.on) memset(s->cover.row_has_snow, 1, s->box.size / s->box.row); // any row may hold snow
    if (s->cover.saltation.mass) memset(s->cover.saltation.row_has, 1, s->box.size / s->box.row);
    s->cover.floors.known = false;
    s->air_stale = false; // a frame holds what is shown
    if (s->flakes.on && counters[FLAKES_EMITTED] + counters[FLAKES_LIFTED] !=
                            s->flakes.count + counters[FLAKES_LANDED] + counters[FLAKES_LEFT])
        return fail(FIRN_BAD_INPUT, "field 'wind.counters' does not add up: %zu flakes are in the air",
                    s->flakes.count);
    return s->setting.for_frames ? FIRN_OK : wind_derive(s);
}

// Through the open part of a face.
static float flux(const wind_state *s, int axis, size_t a) {
    return (float)s->open[axis][a] * (1.0f / POISSON_WHOLE) * s->v[axis][a];
}

// Pressure, divergence and warmth of a cell; what a body that moves through it displaces is not counted.
static void gauge(const wind_state *s, size_t c, float out[WIND_GAUGES]) {
    bool air = s->is_around ? !s->fixed_owner[c] : s->kind[c] == POISSON_FREE;
    float more = flux(s, 0, c + 1) - flux(s, 0, c) + flux(s, 1, c + s->box.row) - flux(s, 1, c) +
                 flux(s, 2, c + s->box.plane) - flux(s, 2, c);
    double unit = s->last_dt > 0 ? AIR_DENSITY * s->def.cell / s->last_dt : 0;
    out[0] = air ? (float)(unit * (double)s->q[c]) : 0;
    out[1] = air ? more / (float)s->def.cell : 0;
    out[2] = s->warmth.air ? s->warmth.air[c] : 0;
}

static void show_planes(void *context, size_t begin, size_t end) {
    wind_state *s = context;
    const size_t step = (size_t)s->def.shown, row = s->box.row, plane = s->box.plane;
    for (size_t k = begin; k < end; k++)
        for (size_t j = 0; j < s->air_n[1]; j++)
            for (size_t i = 0; i < s->air_n[0]; i++) {
                size_t c = poisson_at(&s->box, (int32_t)(1 + i * step), (int32_t)(1 + j * step),
                                      (int32_t)(1 + k * step));
                size_t point = (k * s->air_n[1] + j) * s->air_n[0] + i;
                float *to = s->air[point];
                // Bodies that move are where they were when a grid around stepped, which a restart does not
                // know.
                bool air = s->is_around ? !s->fixed_owner[c] : s->kind[c] == POISSON_FREE && !s->owner[c];
                float scale = air ? 0.5f : 0;
                to[0] = scale * (s->v[0][c] + s->v[0][c + 1]);
                to[1] = scale * (s->v[1][c] + s->v[1][c + row]);
                to[2] = scale * (s->v[2][c] + s->v[2][c + plane]);
                gauge(s, c, s->gauges[point]);
            }
}

void wind_show_planes(wind_state *s) {
    const size_t rank = s->ranks.slabs.rank;
    par_for_part(wind_air_planes(s, rank), wind_air_planes(s, rank + 1), 4, show_planes, s);
    s->grid[WIND_GRID_SIZE - 1] = s->reference;
    s->air_stale = false;
}

void wind_show(void *model) {
    wind_state *s = model;
    if (!s->air_stale || wind_is_divided(s)) return; // then all ranks show it together
    if (s->cover.on) cover_show(s);
    if (!s->is_around) around_show(s);
    wind_show_planes(s);
}

static void wind_ledger(const void *model, firn_ledger *out) {
    const wind_state *s = model;
    wind_totals now = s->totals;
    const double *sum = now.sum; // velocity and its square
    out->items = s->free_cells;
    out->max_speed = s->fastest;
    if (!s->measured && !wind_is_divided(s) && wind_total(s, &now) != FIRN_OK) return;
    double mass = AIR_DENSITY * s->def.cell * s->def.cell * s->def.cell; // of a cell; air is no snow
    out->momentum = (firn_vec3){mass * sum[0], mass * sum[1], mass * sum[2]};
    out->kinetic = 0.5 * mass * sum[3];
    if (!s->flakes.on) return;
    const wind_flakes *f = &s->flakes;
    out->items = f->count;
    out->mass = f->mass * (double)f->count;
    out->mass_in = f->mass * (double)f->counters[FLAKES_EMITTED];
    out->mass_out = f->mass * (double)(f->counters[FLAKES_LANDED] + f->counters[FLAKES_LEFT]);
    if (!s->cover.on) return;
    out->mass += s->cover.unit * (double)cover_units(s);
    out->mass += s->cover.unit * (double)saltation_units(s);
    out->mass_in +=
        s->cover.unit * (double)(s->cover.heat.rained + s->cover.saltation.counters[SALTATION_IN]);
    out->mass_in += s->cover.unit * (double)s->cover.beside.handed[HANDED_IN];
    out->heat = cover_heat_total(s);
    out->mass_out = f->mass * (double)f->counters[FLAKES_LEFT] +
                    s->cover.unit * (double)(s->cover.melted + s->cover.saltation.counters[SALTATION_OUT] +
                                             s->cover.beside.handed[HANDED_OUT]);
}

static bool invalid_flake(const wind_flakes *f, float limit, uint64_t *item, const char **what) {
    for (size_t i = 0; i < f->count; i++)
        for (int k = 0; k < 3; k++)
            if (!(fabsf(f->velocity[i][k]) <= limit && fabsf(f->position[i][k]) < INFINITY)) {
                *item = i;
                *what = "velocity or position of a flake";
                return true;
            }
    return false;
}

static bool wind_find_invalid(const void *model, uint64_t *item, const char **what) {
    const wind_state *s = model;
    if (invalid_flake(&s->flakes, (float)s->setting.max_speed, item, what)) return true;
    *what = "velocity";
    *item = 0;
    if (!(around_fastest(s) <= s->setting.max_speed)) {
        *what = "velocity in a grid around";
        return true;
    }
    if (s->fastest <= s->setting.max_speed) return false;
    float limit = (float)s->setting.max_speed;
    const wind_items own = wind_own_items(s, 0);
    bool found = false;
    for (size_t a = own.first; a < own.end && !found; a++)
        for (int c = 0; c < 3 && !found; c++)
            if (s->kind[a] == POISSON_FREE && !(fabsf(s->v[c][a]) <= limit)) {
                *item = a;
                found = true;
            }
    if (s->ranks.shows == WIND_SHOWS_ALL) (void)wind_ranks_first(s, found, item);
    return true;
}

static double wind_max_dt(const void *model) {
    (void)model;
    return INFINITY; // stable for any
}

static profile *wind_profile(void *model) { return &((wind_state *)model)->passes; }

static model_look wind_look(const void *model, size_t number) {
    (void)number;
    return (model_look){.kind = MODEL_FLAKES,
                        .radius = (double)((const wind_state *)model)->flakes.radius,
                        .color = AUTO_COLOR};
}
static const firn_grid_drawing around = {.values = "wind.around",
                                         .grid = "wind.around_grid",
                                         .gauges = "wind.around_gauges"},
                               air = {"wind.air", "wind.grid", "wind.gauges", &around},
                               cover = {.values = "wind.cover", .grid = "wind.box"};
static const model_drawing wind_drawing = {.position = "wind.position",
                                           .velocity = "wind.velocity",
                                           .look = wind_look,
                                           .air = &air,
                                           .cover = &cover};

const model_class wind_model = {
    .name = "wind",
    .help = "wind around all bodies, on a grid of cells",
    .sections = &wind_sections,
    .create = wind_create,
    .destroy = wind_destroy,
    .may_change = wind_may_change,
    .changed = wind_changed,
    .max_dt = wind_max_dt,
    .step = wind_step,
    .fields = field_tables,
    .resize = wind_resize,
    .loaded = wind_loaded,
    .show = wind_show,
    .ledger = wind_ledger,
    .find_invalid = wind_find_invalid,
    .cost = wind_cost,
    .profile = wind_profile,
    .series = wind_series,
    .drawing = &wind_drawing,
    .growth = &cover_growth,
    .offers = &wind_offers,
    .ranks = &wind_model_ranks,
};
