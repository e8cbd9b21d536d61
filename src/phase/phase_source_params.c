// Parameters of what snow and water come from, and where they leave.
#include "phase/phase_params.h"

#include "math/dvec.h"
#include "pbd/pbd_params.h"
#include "snow/snow_type.h"

static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};

static void check_fill(const firn_fill_def *fill, param_report *report) {
    if (fill->shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}

static const param_table snow_fill =
    TABLE_OF(firn_fill_def, "phase.snow", "the shape that is filled, and its pose", pbd_fill_rows);
static const param_row snow_rows[] = {
    MERGE_ROW(firn_phase_snow_def, fill, &snow_fill),
    CHOICE_ROW(firn_phase_snow_def, pattern, "regular", patterns, "how the shape is filled"),
    WORD_ROW(firn_phase_snow_def, type, NULL, snow_type_names, "snow type; packed if not given"),
    REAL_ROW(firn_phase_snow_def, density, DIM_DENSITY, "auto", 20, 917,
             "density of the snow; auto: that of the type"),
    PHASE_TEMPERATURE_ROW(firn_phase_snow_def, temperature, "-10 C",
                          "initial temperature, at most the melting point"),
    VEC3_ROW(firn_phase_snow_def, velocity, DIM_VELOCITY, "[0, 0, 0]", -1e4, 1e4, "initial velocity"),
    VEC3_ROW(firn_phase_snow_def, spin, DIM_SPIN, "[0, 0, 0]", -1e4, 1e4,
             "initial angular velocity, about the centre of the fill"),
    {0},
};

static void check_snow(const void *item, param_report *report) {
    check_fill(&((const firn_phase_snow_def *)item)->fill, report);
}
const param_table phase_snow_params =
    TABLE_OF(firn_phase_snow_def, "phase.snow", "snow that is there at the start, by name", snow_rows,
             .check = check_snow);

static const param_table water_fill =
    TABLE_OF(firn_fill_def, "phase.water", "the shape that is filled, and its pose", pbd_fill_rows);
static const param_row water_rows[] = {
    MERGE_ROW(firn_phase_water_def, fill, &water_fill),
    CHOICE_ROW(firn_phase_water_def, pattern, "regular", patterns, "how the shape is filled"),
    PHASE_TEMPERATURE_ROW(firn_phase_water_def, temperature, "10 C",
                          "initial temperature, at least the freezing point"),
    VEC3_ROW(firn_phase_water_def, velocity, DIM_VELOCITY, "[0, 0, 0]", -1e4, 1e4, "initial velocity"),
    {0},
};

static void check_water(const void *item, param_report *report) {
    check_fill(&((const firn_phase_water_def *)item)->fill, report);
}
const param_table phase_water_params =
    TABLE_OF(firn_phase_water_def, "phase.water", "water that is there at the start, by name", water_rows,
             .check = check_water);

static const param_table opening_params =
    TABLE_OF(firn_opening_def, "phase.spouts", "a round opening, and the velocity of its jet",
             pbd_opening_rows, .check = pbd_check_opening);
static const param_row spout_rows[] = {
    MERGE_ROW(firn_phase_spout_def, opening, &opening_params),
    PHASE_TEMPERATURE_ROW(firn_phase_spout_def, temperature, "10 C", "of the water", .live = true),
    {0},
};

const param_table phase_spout_params =
    TABLE_OF(firn_phase_spout_def, "phase.spouts", "round spouts that emit water, by name", spout_rows);

const param_table phase_drain_params =
    TABLE_OF(firn_pbd_drain_def, "phase.drains", "shapes that remove the snow and water inside them, by name",
             pbd_drain_rows, .check = pbd_check_drain);

static const param_table wall_params = TABLE_OF(firn_pbd_walls_def, "phase.box.walls", "the walls at a time",
                                                pbd_wall_rows, .check = pbd_check_walls);
static const param_row box_rows[] = {
    REAL_ROW(firn_pbd_box_def, friction, DIM_NONE, "0.3", 0, 10, "of its walls", .live = true),
    LIST_ROW(firn_pbd_box_def, walls, &wall_params,
             "positions of the walls: a list of {time, low, high}, linear in between", .required = true),
    {0},
};
const param_table phase_box_params =
    TABLE_OF(firn_pbd_box_def, "phase.box", "a box that all particles stay in; its walls may move", box_rows,
             .check = pbd_check_box);

DEFAULT_OF(firn_phase_snow_def, phase_snow_params)
DEFAULT_OF(firn_phase_water_def, phase_water_params)
DEFAULT_OF(firn_phase_spout_def, phase_spout_params)
