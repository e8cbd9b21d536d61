// Parameter tables of the snow field.
#include "snowfield/snowfield.h"

#include "body/place_rows.h"
#include "snow/snow_type.h"

static const param_row pour_rows[] = {
    AT_ROW(firn_snowfield_pour_def, "position; the height is ignored", .live = true),
    REAL_ROW(firn_snowfield_pour_def, radius, DIM_LENGTH, "5 cm", 0, 1e4, "radius of the spout",
             .live = true),
    REAL_ROW(firn_snowfield_pour_def, rate, DIM_NONE, "1", 0, 1e6, "mass flow in kg per second",
             .live = true),
    REAL_ROW(firn_snowfield_pour_def, density, DIM_DENSITY, "auto", 10, 3000,
             "density of the poured snow; auto: that of the field at the start", .live = true),
    START_ROW(firn_snowfield_pour_def, "time at which it opens", .live = true),
    END_ROW(firn_snowfield_pour_def, "time at which it closes", .live = true),
    {0},
};
static void check_pour(const void *item, param_report *report) {
    const firn_snowfield_pour_def *def = item;
    check_times(def->start, def->end, report);
}
static const param_table pour_params =
    DEF_TABLE_OF(firn_snowfield_pour_def, "field.pour", "places where snow is poured onto the field, by name",
                 pour_rows, .check = check_pour);

static const param_row ground_rows[] = {
    SHAPE_ROW(
        firn_snowfield_ground_def, "plane",
        "its upper surface is the ground: a plane, height map (16-bit PNG), hills, mesh or any other shape"),
    AT_ROW(firn_snowfield_ground_def, "position of the shape's origin, relative to the field's `at`"),
    ROTATE_ROW(firn_snowfield_ground_def),
    SCALE_ROW(firn_snowfield_ground_def),
    TEXT_ROW(firn_snowfield_ground_def, body, "name of a fixed body that is the ground, instead of a shape"),
    {0},
};
static const param_table ground_params =
    TABLE_OF(firn_snowfield_ground_def, "field.ground", "terrain under the snow", ground_rows);

static const param_row fall_rows[] = {
    REAL_ROW(firn_snowfield_fall_def, rate, DIM_PRECIPITATION, "0", 0, 1,
             "snowfall in water equivalent; 0: none", .live = true),
    REAL_ROW(firn_snowfield_fall_def, density, DIM_DENSITY, "auto", 10, 3000,
             "density of the falling snow; auto: density_min", .live = true),
    {0},
};
static const param_table fall_params = TABLE_OF(
    firn_snowfield_fall_def, "field.fall", "snowfall over the whole field, which fills tracks", fall_rows);

static const param_row ageing_rows[] = {
    REAL_ROW(firn_snowfield_ageing_def, time, DIM_TIME, "0", 0, 1e9,
             "time constant, after which 63 % of the difference to the settled density is gone; 0: snow does "
             "not age",
             .live = true),
    REAL_ROW(firn_snowfield_ageing_def, density, DIM_DENSITY, "auto", 10, 3000,
             "density that looser snow settles to; auto: density_max", .live = true),
    {0},
};
static const param_table ageing_params =
    TABLE_OF(firn_snowfield_ageing_def, "field.ageing", "ageing: snow settles and becomes denser with time",
             ageing_rows);

static const param_row bits_rows[] = {
    INT_ROW(firn_snowfield_bits_def, most, "4000", 0, 1000000,
            "largest number of particles in the air; 0: none"),
    REAL_ROW(firn_snowfield_bits_def, speed, DIM_VELOCITY, "2 m/s", 0.01, 1e4,
             "bodies faster than this throw snow up", .live = true),
    REAL_ROW(firn_snowfield_bits_def, smallest, DIM_LENGTH, "0.3 mm", 1e-5, 1,
             "diameter of the smallest bits, powder that hangs in the air and drifts with the wind",
             .live = true),
    REAL_ROW(firn_snowfield_bits_def, largest, DIM_LENGTH, "3 cm", 1e-5, 1, "diameter of the largest bits",
             .live = true),
    {0},
};
static void check_bits(const void *item, param_report *report) {
    const firn_snowfield_bits_def *def = item;
    if (def->smallest > def->largest) report->add(report, "smallest", "must not be more than largest");
}
static const param_table bits_params =
    TABLE_OF(firn_snowfield_bits_def, "field.bits",
             "loose snow that fast bodies throw up and that falls back", bits_rows, .check = check_bits);

static const param_row crust_rows[] = {
    REAL_ROW(firn_snowfield_crust_def, thickness, DIM_LENGTH, "0", 0, 1, "thickness of the crust; 0: none"),
    REAL_ROW(firn_snowfield_crust_def, strength, DIM_PRESSURE, "20 kPa", 0, 1e9,
             "shear strength of the crust: along the edge of what presses on it, it bears this times its "
             "thickness",
             .range_note = "2 cm of 50 kPa bear a standing person", .live = true),
    {0},
};
static const param_table crust_params =
    TABLE_OF(firn_snowfield_crust_def, "field.crust",
             "hard crust on the snow, which bears light bodies and breaks under heavy ones", crust_rows);

static const char *const heat_choices[] = {"auto", "yes", "no", NULL};
static const param_row heat_rows[] = {
    CHOICE_ROW(
        firn_snowfield_heat_def, on, "auto", heat_choices,
        "whether the snow has temperature and water and melts; auto: where the air, the sun, rain, the "
        "ground or a body of the scene can melt it, at the start or by keyframes"),
    REAL_ROW(firn_snowfield_heat_def, temperature, DIM_TEMPERATURE, "auto", -90, 0,
             "temperature of the snow at the start; auto: that of the air, at most 0 C"),
    REAL_ROW(firn_snowfield_heat_def, ground, DIM_NONE, "0", -1e4, 1e6,
             "heat in W/m2 that flows from the ground into the snow",
             .range_note = "soil in winter 2, a heated road 300", .live = true),
    REAL_ROW(firn_snowfield_heat_def, contact, DIM_HEAT_EXCHANGE, "1000 W/m2K", 0, 1e6,
             "heat transfer coefficient between the snow and bodies with a temperature that touch it",
             .live = true),
    REAL_ROW(
        firn_snowfield_heat_def, retention, DIM_NONE, "5 %", 0, 1,
        "liquid water that the snow holds between its grains, as a share of the mass of its ice; what is "
        "more runs off and leaves",
        .live = true),
    {0},
};
static const param_table heat_params = TABLE_OF(
    firn_snowfield_heat_def, "field.heat",
    "temperature and water of the snow: it warms, melts, soaks up rain and freezes again", heat_rows);

static const char *const spreads[] = {"contour", "distance", NULL};
static const char *const borders[] = {"wall", "open", NULL};

static const param_row rows[] = {
    VEC3_ROW(firn_snowfield_def, at, DIM_LENGTH, "[0, 0, 0]", -1e6, 1e6,
             "centre of the area, and height of flat ground"),
    REAL_ROW(firn_snowfield_def, width, DIM_LENGTH, "10 m", 1e-3, 1e6,
             "extent along x; large areas cost nothing until something happens there"),
    REAL_ROW(firn_snowfield_def, length, DIM_LENGTH, "10 m", 1e-3, 1e6, "extent along z"),
    REAL_ROW(
        firn_snowfield_def, cell, DIM_LENGTH, "2 cm", 1e-3, 100,
        "edge of a cell, reduced a little if it does not divide the area; finer cells show finer tracks"),
    INT_ROW(
        firn_snowfield_def, tile, "64", 16, 64,
        "cells along the edge of a tile: 16, 32 or 64; only tiles in which something happened use memory"),
    REAL_ROW(firn_snowfield_def, follow, DIM_LENGTH, "0", 0, 1e6,
             "tiles at rest farther than this from every movable body are compressed, and unpacked when one "
             "comes near; 0: never"),
    CHOICE_ROW(firn_snowfield_def, border, "wall", borders,
               "boundary condition; wall: snow stays in; open: snow that slides out leaves", .live = true),
    TABLE_ROW(firn_snowfield_def, ground, &ground_params,
              "terrain under the snow; level ground at the height of `at` if not given"),
    SNOW_ROW(firn_snowfield_def, snow, "fresh", "snow type; single values may be overridden beside it"),
    REAL_ROW(firn_snowfield_def, depth, DIM_LENGTH, "30 cm", 0, 1000, "initial depth of the snow"),
    FILE_ROW(firn_snowfield_def, depth_map,
             "16-bit grey PNG over the whole area, rows along x: black no snow, white `depth`"),
    FILE_ROW(firn_snowfield_def, density_map,
             "16-bit grey PNG of the density, of the same size: black density_min, white density_max"),
    FILE_ROW(firn_snowfield_def, snow_from,
             "takes depth and density of the initial snow from the wind's snow cover in a run", .run = true),
    REAL_ROW(firn_snowfield_def, density, DIM_DENSITY, "auto", 10, 3000, "initial density of the snow"),
    REAL_ROW(firn_snowfield_def, density_min, DIM_DENSITY, "auto", 10, 3000,
             "lowest density: snow this loose is compressed and not displaced"),
    REAL_ROW(firn_snowfield_def, density_max, DIM_DENSITY, "auto", 10, 3000,
             "highest density: snow this dense is displaced and not compressed"),
    REAL_ROW(firn_snowfield_def, slope_loose, DIM_ANGLE, "auto", 0.01, 1.553,
             "angle of repose of the loosest snow",
             .range_note = "less than 89 degrees: a wall holds no snow", .live = true),
    REAL_ROW(firn_snowfield_def, slope_packed, DIM_ANGLE, "auto", 0.01, 1.553,
             "angle of repose of the densest snow; in between it grows with the density",
             .range_note = "less than 89 degrees: a wall holds no snow", .live = true),
    REAL_ROW(firn_snowfield_def, bearing, DIM_PRESSURE, "auto", 1, 1e9,
             "bearing strength at its type's density: pressure at which the snow yields",
             .range_note =
                 "fresh snow about 1 kPa, packed snow 100 kPa; a standing person presses with 20 kPa",
             .live = true),
    REAL_ROW(firn_snowfield_def, bearing_power, DIM_NONE, "auto", 0, 20,
             "the bearing strength grows with this power of the density", .live = true),
    REAL_ROW(firn_snowfield_def, friction, DIM_NONE, "auto", 0, 10,
             "friction coefficient of the snow; a contact takes the geometric mean with the body's",
             .live = true),
    CHOICE_ROW(
        firn_snowfield_def, spread, "contour", spreads,
        "where displaced snow goes: along the contour of the overlap, or cell by cell to the nearest edge",
        .live = true),
    TABLE_ROW(firn_snowfield_def, fall, &fall_params, "snowfall over the whole field, which fills tracks"),
    TABLE_ROW(firn_snowfield_def, ageing, &ageing_params,
              "ageing: snow settles and becomes denser with time"),
    TABLE_ROW(firn_snowfield_def, bits, &bits_params,
              "loose snow that fast bodies throw up and that falls back"),
    TABLE_ROW(firn_snowfield_def, crust, &crust_params,
              "hard crust on the snow, which bears light bodies and breaks under heavy ones"),
    TABLE_ROW(firn_snowfield_def, heat, &heat_params,
              "temperature and water of the snow: it warms, melts, soaks up rain and freezes again"),
    INT_ROW(firn_snowfield_def, sweeps, "0", 0, 100000,
            "largest number of sweeps over steep slopes in a step; 0: as many as needed, so that no slope "
            "stays more "
            "than about 2 degrees above its limit; the rest of a large heap slides in the next steps",
            .live = true),
    MAP_ROW(firn_snowfield_def, pour, &pour_params, "places where snow is poured onto the field, by name"),
    {0},
};

static void check_field(const void *item, param_report *report) {
    const firn_snowfield_def *def = item;
    if (def->follow > 0 && (def->fall.rate > 0 || def->ageing.time > 0))
        report->add(report, "follow", "packed tiles cannot receive snow or age: leave out fall and ageing");
    if (def->follow > 0 && def->heat.on == FIRN_SNOWFIELD_HEAT_YES)
        report->add(report, "follow", "packed tiles cannot warm or melt: leave out heat.on");
    if (def->snow_from && (def->depth_map || def->density_map))
        report->add(report, "snow_from", "gives depths and densities: leave out depth_map and density_map");
    if (def->crust.thickness > 0 && (def->follow > 0 || def->fall.rate > 0 || def->ageing.time > 0))
        report->add(report, "crust", "lies at the initial surface: leave out follow, fall and ageing");
    if ((def->tile & (def->tile - 1)) != 0) report->add(report, "tile", "must be 16, 32 or 64");
    if (def->at.y > 4000 || def->at.y < -4000)
        report->add(report, "at", "the ground must be within 4 km of y = 0");
}

const param_table snowfield_params =
    DEF_TABLE_OF(firn_snowfield_def, "field", "snow lying on the ground, in which bodies leave tracks", rows,
                 .check = check_field);

DEFAULT_OF(firn_snowfield_def, snowfield_params)
DEFAULT_OF(firn_snowfield_pour_def, pour_params)
DEFAULT_OF(firn_snowfield_ground_def, ground_params)
DEFAULT_OF(firn_snowfield_fall_def, fall_params)
DEFAULT_OF(firn_snowfield_ageing_def, ageing_params)
DEFAULT_OF(firn_snowfield_bits_def, bits_params)
DEFAULT_OF(firn_snowfield_crust_def, crust_params)
DEFAULT_OF(firn_snowfield_heat_def, heat_params)
static const param_row sections[] = {
    OPTIONAL_ROW(firn_world_def, field, &snowfield_params,
                 "snow lying on the ground, in which bodies leave tracks"),
    {0},
};
const param_table snowfield_sections = TABLE_OF(firn_world_def, "", NULL, sections);
