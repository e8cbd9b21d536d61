// Parameters of what snow and water come from, and where they leave.
#include "phase/phase_params.h"

#include "math/dvec.h"
#include "pbd/pbd_params.h"
#include "snow/snow_type.h"

#define SNOW(member) offsetof(firn_phase_snow_def, member)
#define WATER(member) offsetof(firn_phase_water_def, member)
#define SPOUT(member) offsetof(firn_phase_spout_def, member)

static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};

static void check_fill(const firn_fill_def *fill, param_report *report) {
    if (fill->shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}

static const param_table snow_fill = {.name = "phase.snow",
                                      .help = "the shape that is filled, and its pose",
                                      .rows = pbd_fill_rows,
                                      .size = sizeof(firn_fill_def)};
static const param_row snow_rows[] = {
    {.name = "fill", .type = PARAM_MERGE, .offset = SNOW(fill), .table = &snow_fill},
    {.name = "pattern",
     .type = PARAM_CHOICE,
     .offset = SNOW(pattern),
     .fallback = "regular",
     .choices = patterns,
     .help = "how the shape is filled"},
    {.name = "type",
     .type = PARAM_WORD,
     .offset = SNOW(type),
     .words = snow_type_names,
     .help = "snow type; packed if not given"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = SNOW(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 20,
     .max = 917,
     .help = "of the snow; auto: that of the type"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = SNOW(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "-10 C",
     PHASE_DEGREES,
     .help = "at the start; at most that of melting"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = SNOW(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "at the start"},
    {.name = "spin",
     .type = PARAM_VEC3,
     .offset = SNOW(spin),
     .unit = DIM_SPIN,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "at the start, about the centre of the fill"},
    {0},
};

static void check_snow(const void *item, param_report *report) {
    check_fill(&((const firn_phase_snow_def *)item)->fill, report);
}
const param_table phase_snow_params = {.name = "phase.snow",
                                       .help = "snow that is there at the start, by name",
                                       .rows = snow_rows,
                                       .size = sizeof(firn_phase_snow_def),
                                       .check = check_snow};

static const param_table water_fill = {.name = "phase.water",
                                       .help = "the shape that is filled, and its pose",
                                       .rows = pbd_fill_rows,
                                       .size = sizeof(firn_fill_def)};
static const param_row water_rows[] = {
    {.name = "fill", .type = PARAM_MERGE, .offset = WATER(fill), .table = &water_fill},
    {.name = "pattern",
     .type = PARAM_CHOICE,
     .offset = WATER(pattern),
     .fallback = "regular",
     .choices = patterns,
     .help = "how the shape is filled"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = WATER(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "10 C",
     PHASE_DEGREES,
     .help = "at the start; at least that of freezing"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = WATER(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "at the start"},
    {0},
};

static void check_water(const void *item, param_report *report) {
    check_fill(&((const firn_phase_water_def *)item)->fill, report);
}
const param_table phase_water_params = {.name = "phase.water",
                                        .help = "water that is there at the start, by name",
                                        .rows = water_rows,
                                        .size = sizeof(firn_phase_water_def),
                                        .check = check_water};

static const param_table opening_params = {.name = "phase.spouts",
                                           .help = "a round opening, and the velocity of its jet",
                                           .rows = pbd_opening_rows,
                                           .size = sizeof(firn_opening_def),
                                           .check = pbd_check_opening};
static const param_row spout_rows[] = {
    {.name = "opening", .type = PARAM_MERGE, .offset = SPOUT(opening), .table = &opening_params},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = SPOUT(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "10 C",
     PHASE_DEGREES,
     .help = "of the water"},
    {0},
};

const param_table phase_spout_params = {.name = "phase.spouts",
                                        .help = "round spouts that emit water, by name",
                                        .rows = spout_rows,
                                        .size = sizeof(firn_phase_spout_def)};

const param_table phase_drain_params = {.name = "phase.drains",
                                        .help = "shapes that remove the snow and water inside them, by name",
                                        .rows = pbd_drain_rows,
                                        .size = sizeof(firn_pbd_drain_def),
                                        .check = pbd_check_drain};

static const param_table wall_params = {.name = "phase.box.walls",
                                        .help = "the walls at a time",
                                        .rows = pbd_wall_rows,
                                        .size = sizeof(firn_pbd_walls_def),
                                        .check = pbd_check_walls};
static const param_row box_rows[] = {
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = offsetof(firn_pbd_box_def, friction),
     .fallback = "0.3",
     .min = 0,
     .max = 10,
     .help = "of its walls"},
    {.name = "walls",
     .type = PARAM_LIST,
     .offset = offsetof(firn_pbd_box_def, walls),
     .required = true,
     .table = &wall_params,
     .help = "positions of the walls: a list of {time, low, high}, linear in between"},
    {0},
};
const param_table phase_box_params = {.name = "phase.box",
                                      .help = "a box that all particles stay in; its walls may move",
                                      .rows = box_rows,
                                      .size = sizeof(firn_pbd_box_def),
                                      .check = pbd_check_box};

#define DEFAULT(type, table)                                                                                 \
    type type##_default(void) {                                                                              \
        type def;                                                                                            \
        param_defaults(table, &def);                                                                         \
        return def;                                                                                          \
    }
DEFAULT(firn_phase_snow_def, &phase_snow_params)
DEFAULT(firn_phase_water_def, &phase_water_params)
DEFAULT(firn_phase_spout_def, &phase_spout_params)
