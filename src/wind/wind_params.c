#include "wind/wind.h"

#include <math.h>
#include <stddef.h>

#include "snow/snow_type.h"

#define CHANGE(member) offsetof(firn_wind_change_def, member)
#define INFLOW(member) offsetof(firn_wind_inflow_def, member)
#define WIND(member) offsetof(firn_wind_def, member)

static const param_row change_rows[] = {
    {.name = "time",
     .type = PARAM_REAL,
     .offset = CHANGE(time),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "time"},
    {.name = "speed",
     .type = PARAM_REAL,
     .offset = CHANGE(speed),
     .unit = DIM_VELOCITY,
     .fallback = "5 m/s",
     .min = 0,
     .max = 100,
     .help = "of the wind at that time"},
    {.name = "turn",
     .type = PARAM_REAL,
     .offset = CHANGE(turn),
     .unit = DIM_ANGLE,
     .fallback = "0",
     .min = -1000,
     .max = 1000,
     .help = "direction at that time, clockwise from the inflow's side"},
    {0},
};
static const param_table change_params = {.name = "wind.inflow.changes",
                                          .help = "the wind at given times, linear in between",
                                          .rows = change_rows,
                                          .size = sizeof(firn_wind_change_def)};

static const char *const sides[] = {"west", "east", "north", "south", NULL};
static const char *const profiles[] = {"uniform", "power", "log", NULL};

static const param_row inflow_rows[] = {
    {.name = "side",
     .type = PARAM_CHOICE,
     .offset = INFLOW(side),
     .fallback = "west",
     .choices = sides,
     .help = "where the wind comes from: x goes east, z goes south"},
    {.name = "speed",
     .type = PARAM_REAL,
     .offset = INFLOW(speed),
     .unit = DIM_VELOCITY,
     .fallback = "5 m/s",
     .min = 0,
     .max = 100,
     .live = true,
     .help = "of the undisturbed wind, at `height`",
     .range_note = "the strongest storms reach about 90 m/s"},
    {.name = "turn",
     .type = PARAM_REAL,
     .offset = INFLOW(turn),
     .unit = DIM_ANGLE,
     .fallback = "0",
     .min = -1000,
     .max = 1000,
     .live = true,
     .help = "direction, clockwise from the side: 45 deg from west is north-west"},
    {.name = "profile",
     .type = PARAM_CHOICE,
     .offset = INFLOW(profile),
     .fallback = "power",
     .choices = profiles,
     .help = "vertical profile of the speed"},
    {.name = "height",
     .type = PARAM_REAL,
     .offset = INFLOW(height),
     .unit = DIM_LENGTH,
     .fallback = "10 m",
     .min = 0.01,
     .max = 1e4,
     .help = "above the bottom, at which the speed is given"},
    {.name = "exponent",
     .type = PARAM_REAL,
     .offset = INFLOW(exponent),
     .fallback = "0.15",
     .min = 0,
     .max = 1,
     .help = "of the power law; 0.1 over water, 0.15 over open land, 0.35 over towns"},
    {.name = "roughness",
     .type = PARAM_REAL,
     .offset = INFLOW(roughness),
     .unit = DIM_LENGTH,
     .fallback = "1 cm",
     .min = 1e-6,
     .max = 10,
     .help = "of the ground, for the log law; snow 1 mm, meadow 1 cm, village 50 cm"},
    {.name = "gusts",
     .type = PARAM_REAL,
     .offset = INFLOW(gusts),
     .fallback = "0",
     .min = 0,
     .max = 1,
     .live = true,
     .help = "0: steady; 0.3: up to 30 % faster and slower"},
    {.name = "gust_time",
     .type = PARAM_REAL,
     .offset = INFLOW(gust_time),
     .unit = DIM_TIME,
     .fallback = "6 s",
     .min = 0.01,
     .max = 1e5,
     .help = "mean time from gust to gust"},
    {.name = "series",
     .type = PARAM_FILE,
     .offset = INFLOW(series),
     .help = "CSV file with columns time (s), speed (m/s) and direction (degrees; 270: from the west)"},
    {.name = "changes",
     .type = PARAM_LIST,
     .offset = INFLOW(changes),
     .table = &change_params,
     .help = "the wind at given times, linear in between; replaces speed and turn"},
    {0},
};

static void check_inflow(const void *item, param_report *report) {
    const firn_wind_inflow_def *def = item;
    if (def->series && def->changes.count)
        report->add(report, "series", "the wind follows either a series or changes, not both");
    for (size_t i = 1; i < def->changes.count; i++)
        if (!(def->changes.items[i].time > def->changes.items[i - 1].time)) {
            report->add(report, "changes", "times must increase from one to the next");
            return;
        }
}

static const param_table inflow_params = {.name = "wind.inflow",
                                          .help = "the undisturbed wind",
                                          .rows = inflow_rows,
                                          .size = sizeof(firn_wind_inflow_def),
                                          .check = check_inflow};

static const char *const borders[] = {"air", "wall", NULL};
#define SIDE(side)                                                                                           \
    {                                                                                                        \
        .name = #side, .type = PARAM_CHOICE, .offset = offsetof(firn_wind_sides_def, side),                  \
        .fallback = "air", .choices = borders, .help = "air: wind blows in or out; wall: closed"             \
    }
static const param_row side_rows[] = {SIDE(west), SIDE(east), SIDE(north), SIDE(south), SIDE(top), {0}};
static const param_table side_params = {.name = "wind.sides",
                                        .help = "boundary conditions of the sides; the bottom is ground",
                                        .rows = side_rows,
                                        .size = sizeof(firn_wind_sides_def)};

static const char *const advections[] = {"maccormack", "semi-lagrangian", NULL};
static const char *const pressures[] = {"multigrid", "jacobi", NULL};

static const param_row rows[] = {
    {.name = "grid",
     .type = PARAM_VEC3,
     .offset = WIND(grid),
     .fallback = "[64, 32, 64]",
     .min = 1,
     .max = 2048,
     .help = "cells along x, y and z"},
    {.name = "cell",
     .type = PARAM_REAL,
     .offset = WIND(cell),
     .unit = DIM_LENGTH,
     .fallback = "50 cm",
     .min = 1e-4,
     .max = 1e4,
     .help = "edge of a cell"},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = WIND(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "centre of the bottom of the domain"},
    {.name = "inflow",
     .type = PARAM_TABLE,
     .offset = WIND(inflow),
     .table = &inflow_params,
     .help = "the undisturbed wind"},
    {.name = "sides",
     .type = PARAM_TABLE,
     .offset = WIND(sides),
     .table = &side_params,
     .help = "boundary conditions of the sides; the bottom is ground"},
    {.name = "advection",
     .type = PARAM_CHOICE,
     .offset = WIND(advection),
     .fallback = "maccormack",
     .choices = advections,
     .help = "maccormack keeps vortices sharp (second order), semi-lagrangian is faster (first order)"},
    {.name = "confinement",
     .type = PARAM_REAL,
     .offset = WIND(confinement),
     .fallback = "0",
     .min = 0,
     .max = 10,
     .live = true,
     .help =
         "vorticity confinement: restores small vortices that the grid dissipates; visible from 0.1 to 0.5"},
    {.name = "pressure",
     .type = PARAM_CHOICE,
     .offset = WIND(pressure),
     .fallback = "multigrid",
     .choices = pressures,
     .help = "multigrid solves to the tolerance; jacobi: a number of sweeps, as a reference"},
    {.name = "tolerance",
     .type = PARAM_REAL,
     .offset = WIND(tolerance),
     .fallback = "0.001",
     .min = 1e-6,
     .max = 0.1,
     .live = true,
     .help = "largest divergence left in any cell, relative to the wind's speed / cell"},
    {.name = "sweeps",
     .type = PARAM_INT,
     .offset = WIND(sweeps),
     .fallback = "40",
     .min = 1,
     .max = 100000,
     .help = "iterations of jacobi"},
    {.name = "shown",
     .type = PARAM_INT,
     .offset = WIND(shown),
     .fallback = "2",
     .min = 1,
     .max = 64,
     .help = "frames store the velocity of every n-th cell along each axis"},
    {0},
};

static bool whole(double a) { return a == floor(a); }

// Is there a side without a wall for the wind to come through, if there is wind?
static bool blows_in(const firn_wind_def *def) {
    const firn_wind_sides_def *s = &def->sides;
    const firn_wind_border at[] = {s->west, s->east, s->north, s->south};
    const firn_wind_inflow_def *in = &def->inflow;
    static const double angle[] = {270, 90, 0, 180}; // of the compass, in the order of firn_wind_side
    bool steady = !in->series && in->changes.count == 0;
    if (steady && in->speed == 0) return true;
    for (int i = 0; i < 4; i++) {
        double away = (angle[in->side] - angle[i]) * 3.14159265358979 / 180 + in->turn;
        if (at[i] == FIRN_WIND_AIR && (!steady || cos(away) > 0.05)) return true;
    }
    return false;
}

static void check_wind(const void *item, param_report *report) {
    const firn_wind_def *def = item;
    const firn_vec3 n = def->grid;
    if (!whole(n.x) || !whole(n.y) || !whole(n.z))
        report->add(report, "grid", "must be whole numbers of cells");
    if (n.x * n.y * n.z > 1e9) report->add(report, "grid", "more than a billion cells; raise cell");
    if (!blows_in(def))
        report->add(report, "sides", "no inflow boundary: all sides that the wind comes from are walls");
}

const param_table wind_params = {.name = "wind",
                                 .help = "wind around all bodies, on a grid of cells",
                                 .rows = rows,
                                 .size = sizeof(firn_wind_def),
                                 .check = check_wind};

#define FLAKES(member) offsetof(firn_flakes_def, member)

static const char *const flake_kinds[] = {"auto", "dry", "wet", NULL};
static const param_row flake_rows[] = {
    {.name = "snowfall",
     .type = PARAM_REAL,
     .offset = FLAKES(snowfall),
     .unit = DIM_PRECIPITATION,
     .fallback = "5 mm/h",
     .min = 0,
     .max = 1e-3,
     .live = true,
     .help = "water that comes down as snow; 1 mm/h is light, 10 mm/h a heavy storm"},
    {.name = "shown",
     .type = PARAM_INT,
     .offset = FLAKES(shown),
     .fallback = "20000",
     .min = 1,
     .max = 10000000,
     .help = "number of simulated flakes in the air, about; each represents many real ones"},
    {.name = "kind",
     .type = PARAM_CHOICE,
     .offset = FLAKES(kind),
     .fallback = "auto",
     .choices = flake_kinds,
     .help = "dry ones fall with 0.5 to 1.5 m/s, wet ones with 1 to 2; auto: wet above -1 C"},
    {.name = "swirl",
     .type = PARAM_REAL,
     .offset = FLAKES(swirl),
     .unit = DIM_LENGTH,
     .fallback = "2 m",
     .min = 0,
     .max = 100,
     .help = "largest radius of the spirals in which flakes fall; 0: straight"},
    {.name = "filled",
     .type = PARAM_BOOL,
     .offset = FLAKES(filled),
     .fallback = "true",
     .help = "whether the air is full of flakes at the start"},
    {0},
};
const param_table flakes_params = {.name = "flakes",
                                   .help = "snowfall: flakes in the wind",
                                   .rows = flake_rows,
                                   .size = sizeof(firn_flakes_def)};

#define COVER(member) offsetof(firn_cover_def, member)

static const param_row cover_rows[] = {
    {.name = "snow",
     .type = PARAM_WORD,
     .offset = COVER(snow),
     .fallback = "fresh",
     .words = snow_type_names,
     .help = "snow type; single values may be given beside it"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = COVER(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 10,
     .max = 1000,
     .help = "of new snow"},
    {.name = "settled",
     .type = PARAM_REAL,
     .offset = COVER(settled),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 10,
     .max = 1000,
     .help = "density that it settles to"},
    {.name = "settle_time",
     .type = PARAM_REAL,
     .offset = COVER(settle_time),
     .unit = DIM_TIME,
     .fallback = "20000 s",
     .min = 1,
     .max = 1e10,
     .help = "time in which two thirds of the settling happen"},
    {.name = "repose",
     .type = PARAM_REAL,
     .offset = COVER(repose),
     .unit = DIM_ANGLE,
     .fallback = "auto",
     .min = 0.01,
     .max = 1.5,
     .help = "angle of repose; steeper snow slides"},
    {.name = "melt",
     .type = PARAM_REAL,
     .offset = COVER(melt),
     .unit = DIM_PRECIPITATION,
     .fallback = "0.2 mm/h",
     .min = 0,
     .max = 1e-3,
     .help = "water that melts for each degree of the air above 0 C"},
    {.name = "wind",
     .type = PARAM_BOOL,
     .offset = COVER(wind),
     .fallback = "false",
     .help = "whether cells full of snow are obstacles to the wind"},
    {.name = "drift",
     .type = PARAM_BOOL,
     .offset = COVER(drift),
     .fallback = "false",
     .help = "whether wind erodes lying snow and deposits it in the lee"},
    {.name = "drift_threshold",
     .type = PARAM_REAL,
     .offset = COVER(drift_threshold),
     .unit = DIM_VELOCITY,
     .fallback = "auto",
     .min = 0.01,
     .max = 10,
     .help = "threshold friction velocity above which snow drifts; about 1/25 of the wind at 10 m",
     .range_note = "powder 0.15 m/s, wet snow 0.5 m/s"},
    {.name = "drift_height",
     .type = PARAM_REAL,
     .offset = COVER(drift_height),
     .unit = DIM_LENGTH,
     .fallback = "15 cm",
     .min = 1e-3,
     .max = 10,
     .help = "mean height of drifting snow above the ground"},
    {.name = "drift_rate",
     .type = PARAM_REAL,
     .offset = COVER(drift_rate),
     .fallback = "1",
     .min = 0,
     .max = 1e6,
     .help = "factor of the natural transport; more for a time-lapse, as with the snowfall"},
    {.name = "roughness",
     .type = PARAM_REAL,
     .offset = COVER(roughness),
     .unit = DIM_LENGTH,
     .fallback = "1 mm",
     .min = 1e-6,
     .max = 1,
     .help = "of the snow's surface, for the friction velocity"},
    {.name = "sweeps",
     .type = PARAM_INT,
     .offset = COVER(sweeps),
     .fallback = "4",
     .min = 1,
     .max = 1000,
     .help = "sweeps in a step; in each, snow falls and slides by one cell"},
    {0},
};
const param_table cover_params = {.name = "cover",
                                  .help = "snow cover made of landed flakes",
                                  .rows = cover_rows,
                                  .size = sizeof(firn_cover_def)};

firn_cover_def firn_cover_def_default(void) {
    firn_cover_def def;
    param_defaults(&cover_params, &def);
    return def;
}

firn_flakes_def firn_flakes_def_default(void) {
    firn_flakes_def def;
    param_defaults(&flakes_params, &def);
    return def;
}

firn_wind_def firn_wind_def_default(void) {
    firn_wind_def def;
    param_defaults(&wind_params, &def);
    return def;
}

firn_wind_change_def firn_wind_change_def_default(void) {
    firn_wind_change_def def;
    param_defaults(&change_params, &def);
    return def;
}

static const param_row sections[] = {
    {.name = "wind",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, wind),
     .table = &wind_params,
     .help = "wind around all bodies, on a grid of cells"},
    {.name = "flakes",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, flakes),
     .table = &flakes_params,
     .help = "snowfall: flakes in the wind"},
    {.name = "cover",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, cover),
     .table = &cover_params,
     .help = "snow cover made of landed flakes"},
    {0},
};

static void check_sections(const void *item, param_report *report) {
    const firn_world_def *def = item;
    if (def->flakes && !def->wind)
        report->add(report, "flakes", "flakes need wind, even if it is 0 m/s: add wind");
    if (def->cover && def->field)
        report->add(report, "cover", "with a snow field flakes land on the field; leave out the cover");
    if (def->cover && !def->flakes) report->add(report, "cover", "a cover needs flakes: add flakes");
}

const param_table wind_sections = {
    .name = "", .rows = sections, .size = sizeof(firn_world_def), .check = check_sections};
