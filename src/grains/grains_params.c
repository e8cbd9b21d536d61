// Parameter tables of the grains.
#include "grains/grains.h"
#include "body/place_rows.h"
#include "snow/snow_type.h"

static const param_row fill_rows[] = {
    MERGE_ROW(firn_grains_fill_def, fill, &fill_params),
    REAL_ROW(firn_grains_fill_def, spacing, DIM_LENGTH, "3 cm", 1e-4, 1e4,
             "distance between neighbours; half the spacing means eight times the grains",
             .range_note = "the number of grains is the volume of the shape over spacing cubed"),
    PATTERN_ROW(firn_grains_fill_def, "jittered"),
    VELOCITY_ROW(firn_grains_fill_def),
    {0},
};

static const param_table filled_params =
    DEF_TABLE_OF(firn_grains_fill_def, "grains.fill", "a shape filled with grains", fill_rows);

static const param_row rows[] = {
    SNOW_ROW(firn_grains_def, snow, "packed",
             "snow type of the grains; gives density, friction and restitution"),
    REAL_ROW(firn_grains_def, radius, DIM_LENGTH, "5 mm", 1e-5, 10,
             "radius of a grain, for contacts, mass and pictures",
             .range_note = "snow crystals 0.5 mm, grains 1 to 5 mm, clumps some cm"),
    REAL_ROW(firn_grains_def, density, DIM_DENSITY, "auto", 1, 3e4, "density of a grain; auto: from snow",
             .range_note = "air 1.3, snow 50 to 900, water 1000 kg/m3"),
    REAL_ROW(firn_grains_def, friction, DIM_NONE, "auto", 0, 10,
             "Coulomb friction coefficient; a contact takes the geometric mean of grain and body; auto: from "
             "snow",
             .live = true),
    REAL_ROW(firn_grains_def, restitution, DIM_NONE, "auto", 0, 1,
             "coefficient of restitution; a contact takes the larger of grain and body; auto: from snow",
             .live = true),
    REAL_ROW(firn_grains_def, drag, DIM_FREQUENCY, "0.2", 0, 1e4,
             "linear drag: share of the speed lost per second; the terminal speed is gravity over drag",
             .live = true),
    REAL_ROW(firn_grains_def, floor, DIM_LENGTH, "-20 m", -1e6, 1e6,
             "height below which grains are removed and counted as left", .live = true),
    MAP_ROW(firn_grains_def, fill, &filled_params, "shapes filled with grains at the start, by name",
            .required = true),
    {0},
};

static void check_grains(const void *item, param_report *report) {
    const firn_grains_def *def = item;
    if (def->fill.count == 0) report->add(report, "fill", "at least one shape must be filled");
}

const param_table grains_params = DEF_TABLE_OF(
    firn_grains_def, "grains", "loose grains that fall, bounce and slide on bodies, and push them", rows,
    .check = check_grains);

DEFAULT_OF(firn_grains_def, grains_params)
DEFAULT_OF(firn_grains_fill_def, filled_params)
static const param_row sections[] = {
    OPTIONAL_ROW(firn_world_def, grains, &grains_params,
                 "loose grains of snow that fall, bounce and slide on bodies"),
    {0},
};
const param_table grains_sections = TABLE_OF(firn_world_def, "", NULL, sections);
