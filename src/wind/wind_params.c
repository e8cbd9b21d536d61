// Parameter tables of wind, flakes and cover.
#include "wind/wind.h"

#include <math.h>
#include <stddef.h>

#include "base/param_rows.h"
#include "snow/snow_type.h"

static const param_row change_rows[] = {
    REAL_ROW(firn_wind_change_def, time, DIM_TIME, "0", 0, 1e9, "time"),
    REAL_ROW(firn_wind_change_def, speed, DIM_VELOCITY, "5 m/s", 0, 100, "speed of the wind at that time"),
    REAL_ROW(firn_wind_change_def, turn, DIM_ANGLE, "0", -1000, 1000,
             "direction at that time, clockwise from the inflow's side"),
    {0},
};
static const param_table change_params = DEF_TABLE_OF(
    firn_wind_change_def, "wind.inflow.changes", "the wind at given times, linear in between", change_rows);

static const char *const sides[] = {"west", "east", "north", "south", NULL};
static const char *const profiles[] = {"uniform", "power", "log", NULL};

static const param_row inflow_rows[] = {
    CHOICE_ROW(firn_wind_inflow_def, side, "west", sides,
               "where the wind comes from: x goes east, z goes south", .live = true),
    REAL_ROW(firn_wind_inflow_def, speed, DIM_VELOCITY, "5 m/s", 0, 100,
             "speed of the undisturbed wind at `height`", .live = true,
             .range_note = "the strongest storms reach about 90 m/s"),
    REAL_ROW(firn_wind_inflow_def, turn, DIM_ANGLE, "0", -1000, 1000,
             "direction, clockwise from the side: 45 deg from west is north-west", .live = true),
    CHOICE_ROW(firn_wind_inflow_def, profile, "power", profiles, "vertical profile of the speed",
               .live = true),
    REAL_ROW(firn_wind_inflow_def, height, DIM_LENGTH, "10 m", 0.01, 1e4,
             "height above the bottom at which the speed is given", .live = true),
    REAL_ROW(firn_wind_inflow_def, exponent, DIM_NONE, "0.15", 0, 1,
             "exponent of the power law; 0.1 over water, 0.15 over open land, 0.35 over towns", .live = true),
    REAL_ROW(firn_wind_inflow_def, roughness, DIM_LENGTH, "1 cm", 1e-6, 10,
             "roughness length of the ground, for the log law; snow 1 mm, meadow 1 cm, village 50 cm",
             .live = true),
    REAL_ROW(firn_wind_inflow_def, gusts, DIM_NONE, "0", 0, 1,
             "strength of gusts: 0 is steady, 0.3 up to 30 % faster and slower", .live = true),
    REAL_ROW(firn_wind_inflow_def, gust_time, DIM_TIME, "6 s", 0.01, 1e5, "mean time from gust to gust",
             .live = true),
    REAL_ROW(firn_wind_inflow_def, turbulence, DIM_NONE, "0.2", 0, 0.5,
             "intensity of the turbulence that blows in: standard deviation of each component of the "
             "velocity over the speed; 0: none",
             .range_note = "0.1 over snow and water, 0.2 over fields, 0.3 in towns", .live = true),
    REAL_ROW(firn_wind_inflow_def, turbulence_length, DIM_LENGTH, "auto", 1e-3, 1e4,
             "size of its largest eddies; auto: half of the domain's height", .live = true),
    FILE_ROW(firn_wind_inflow_def, series,
             "CSV file with columns time (s), speed (m/s) and direction (degrees; 270: from the west)"),
    LIST_ROW(firn_wind_inflow_def, changes, &change_params,
             "the wind at given times, linear in between; replaces speed and turn"),
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

static const param_table inflow_params =
    TABLE_OF(firn_wind_inflow_def, "wind.inflow", "the undisturbed wind", inflow_rows, .check = check_inflow);

static const char *const borders[] = {"air", "wall", NULL};
#define SIDE(side)                                                                                           \
    {                                                                                                        \
        .name = #side, .type = PARAM_CHOICE, .offset = offsetof(firn_wind_sides_def, side),                  \
        .fallback = "air", .choices = borders, .live = true,                                                 \
        .help = "air: wind blows in or out; wall: closed"                                                    \
    }
static const param_row side_rows[] = {SIDE(west), SIDE(east), SIDE(north), SIDE(south), SIDE(top), {0}};
static const param_table side_params = TABLE_OF(
    firn_wind_sides_def, "wind.sides", "boundary conditions of the sides; the bottom is ground", side_rows);

static const char *const advections[] = {"maccormack", "semi-lagrangian", NULL};
static const char *const pressures[] = {"multigrid", "jacobi", NULL};

static const param_row rows[] = {
    VEC3_ROW(firn_wind_def, grid, DIM_NONE, "[64, 32, 64]", 1, 2048, "cells along x, y and z"),
    REAL_ROW(firn_wind_def, cell, DIM_LENGTH, "50 cm", 1e-4, 1e4, "edge of a cell"),
    VEC3_ROW(firn_wind_def, at, DIM_LENGTH, "[0, 0, 0]", -1e6, 1e6, "centre of the bottom of the domain"),
    VEC3_ROW(firn_wind_def, around, DIM_LENGTH, "[0, 0, 0]", 0, 1e5,
             "size of the whole domain along x, y and z: coarser grids fill it around this one, each with "
             "cells twice as large; 0: only this grid"),
    REAL_ROW(firn_wind_def, around_cell, DIM_LENGTH, "auto", 1e-4, 1e4,
             "largest cell of the grids around; auto: each is twice as large and twice as coarse as the one "
             "inside it"),
    TABLE_ROW(firn_wind_def, inflow, &inflow_params, "the undisturbed wind"),
    TABLE_ROW(firn_wind_def, sides, &side_params,
              "boundary conditions of the sides of the whole domain; the bottom is ground"),
    CHOICE_ROW(firn_wind_def, advection, "maccormack", advections,
               "maccormack keeps vortices sharp (second order), semi-lagrangian is faster (first order)",
               .live = true),
    REAL_ROW(firn_wind_def, subgrid, DIM_NONE, "0.1", 0, 0.5,
             "Smagorinsky constant: how strongly eddies smaller than a cell mix the air; 0: not at all",
             .live = true),
    REAL_ROW(firn_wind_def, roughness, DIM_LENGTH, "5 mm", 0, 10,
             "roughness length of ground and bodies, which slows the air along them; 0: it slips",
             .range_note = "snow 1 mm, meadow 3 cm, village 50 cm", .live = true),
    REAL_ROW(
        firn_wind_def, confinement, DIM_NONE, "0", 0, 10,
        "vorticity confinement: restores small vortices that the grid dissipates; visible from 0.1 to 0.5",
        .live = true),
    BOOL_ROW(firn_wind_def, buoyancy, "false",
             "whether bodies and ground with a temperature warm or cool the air, which then rises or sinks"),
    CHOICE_ROW(firn_wind_def, pressure, "multigrid", pressures,
               "multigrid solves to the tolerance; jacobi: a number of sweeps, as a reference", .live = true),
    REAL_ROW(firn_wind_def, tolerance, DIM_NONE, "0.001", 1e-6, 0.1,
             "largest divergence left in any cell, relative to wind speed / cell", .live = true),
    INT_ROW(firn_wind_def, sweeps, "40", 1, 100000, "iterations of the jacobi solver per step", .live = true),
    INT_ROW(firn_wind_def, shown, "2", 1, 64, "frames store the velocity of every n-th cell along each axis"),
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
    firn_wind_def grid = *def, next;
    for (int i = 0; wind_next_grid(&grid, &next); i++, grid = next) {
        const firn_vec3 m = next.grid;
        if (i == WIND_MOST_AROUND) {
            report->add(report, "around", "more than 12 grids around this one; raise cell or grid");
            break;
        }
        if (!(m.x * m.y * m.z <= 1e9) || fmax(m.x, fmax(m.y, m.z)) > 2048) {
            report->add(report, "around",
                        "a grid around has more than 2048 cells along an axis or a billion in all; raise "
                        "around_cell");
            break;
        }
    }
    if (!blows_in(def))
        report->add(report, "sides", "no inflow boundary: all sides that the wind comes from are walls");
}

const param_table wind_params = DEF_TABLE_OF(
    firn_wind_def, "wind", "wind around all bodies, on a grid of cells", rows, .check = check_wind);

static const char *const flake_kinds[] = {"auto", "dry", "wet", NULL};
static const param_row flake_rows[] = {
    REAL_ROW(firn_flakes_def, snowfall, DIM_PRECIPITATION, "5 mm/h", 0, 1e-3,
             "snowfall in water equivalent; 1 mm/h is light, 10 mm/h a heavy storm", .live = true),
    INT_ROW(firn_flakes_def, shown, "20000", 1, 10000000,
            "approximate number of simulated flakes in the air; each represents many real ones"),
    CHOICE_ROW(firn_flakes_def, kind, "auto", flake_kinds,
               "dry flakes fall at 0.5 to 1.5 m/s, wet ones at 1 to 2 m/s; auto: wet above -1 C"),
    REAL_ROW(firn_flakes_def, swirl, DIM_LENGTH, "2 m", 0, 100,
             "largest radius of the spirals in which flakes fall; 0: straight", .live = true),
    BOOL_ROW(firn_flakes_def, filled, "true", "whether the air is full of flakes at the start"),
    {0},
};
const param_table flakes_params =
    DEF_TABLE_OF(firn_flakes_def, "flakes", "snowfall: flakes in the wind", flake_rows);

static const param_row cover_rows[] = {
    SNOW_ROW(firn_cover_def, snow, "fresh", "snow type; single values may be overridden beside it"),
    REAL_ROW(firn_cover_def, density, DIM_DENSITY, "auto", 10, 1000, "density of new snow", .live = true),
    REAL_ROW(firn_cover_def, settled, DIM_DENSITY, "auto", 10, 1000, "density that new snow settles to",
             .live = true),
    REAL_ROW(firn_cover_def, settle_time, DIM_TIME, "20000 s", 1, 1e10,
             "time constant of settling, after which two thirds of it have happened", .live = true),
    REAL_ROW(firn_cover_def, repose, DIM_ANGLE, "auto", 0.01, 1.5, "angle of repose; steeper snow slides",
             .live = true),
    REAL_ROW(firn_cover_def, melt, DIM_PRECIPITATION, "auto", 0, 1e-3,
             "melt rate in water equivalent, for each degree of air temperature above 0 C; auto: by "
             "air.exchange",
             .live = true),
    BOOL_ROW(firn_cover_def, wind, "false", "whether the snow is an obstacle to the wind, by its surface",
             .live = true),
    BOOL_ROW(firn_cover_def, drift, "false", "whether wind erodes lying snow and deposits it in the lee",
             .live = true),
    REAL_ROW(firn_cover_def, drift_threshold, DIM_VELOCITY, "auto", 0.01, 10,
             "threshold friction velocity above which snow drifts; about 1/25 of the wind at 10 m",
             .range_note = "powder 0.15 m/s, wet snow 0.5 m/s", .live = true),
    REAL_ROW(firn_cover_def, drift_height, DIM_LENGTH, "15 cm", 1e-3, 10,
             "mean height of drifting snow above the ground", .live = true),
    REAL_ROW(firn_cover_def, drift_rate, DIM_NONE, "1", 0, 1e6,
             "factor on the natural transport rate; raise it for a time-lapse, together with the snowfall",
             .live = true),
    REAL_ROW(firn_cover_def, saltation, DIM_NONE, "0", 0, 1,
             "share of the transport that hops along the surface; the rest flies as flakes"),
    REAL_ROW(firn_cover_def, drift_length, DIM_LENGTH, "1 m", 0.01, 1000,
             "way after which saltation has come to 63 % of what the wind can carry", .live = true),
    REAL_ROW(firn_cover_def, roughness, DIM_LENGTH, "1 mm", 1e-6, 1,
             "roughness length of the snow surface, for the friction velocity", .live = true),
    INT_ROW(firn_cover_def, sweeps, "4", 1, 1000,
            "relaxation sweeps per step; in each, snow falls and slides by one cell", .live = true),
    {0},
};
const param_table cover_params =
    DEF_TABLE_OF(firn_cover_def, "cover", "snow cover made of landed flakes", cover_rows);

DEFAULT_OF(firn_cover_def, cover_params)
DEFAULT_OF(firn_flakes_def, flakes_params)
DEFAULT_OF(firn_wind_def, wind_params)
DEFAULT_OF(firn_wind_change_def, change_params)
DEFAULT_OF(firn_wind_inflow_def, inflow_params)
DEFAULT_OF(firn_wind_sides_def, side_params)
static const param_row sections[] = {
    OPTIONAL_ROW(firn_world_def, wind, &wind_params, "wind around all bodies, on a grid of cells"),
    OPTIONAL_ROW(firn_world_def, flakes, &flakes_params, "snowfall: flakes in the wind"),
    OPTIONAL_ROW(firn_world_def, cover, &cover_params, "snow cover made of landed flakes"),
    {0},
};

static void check_sections(const void *item, param_report *report) {
    const firn_world_def *def = item;
    if (def->flakes && !def->wind)
        report->add(report, "flakes", "flakes need wind, even if it is 0 m/s: add wind");
    if (def->cover && !def->flakes) report->add(report, "cover", "a cover needs flakes: add flakes");
}

const param_table wind_sections = TABLE_OF(firn_world_def, "", NULL, sections, .check = check_sections);
