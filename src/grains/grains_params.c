#include "grains/grains.h"
#include "snow/snow_type.h"

#define AT(member) offsetof(firn_grains_def, member)
#define FILL_AT(member) offsetof(firn_grains_fill_def, member)

static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};

static const param_row fill_rows[] = {
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = FILL_AT(shape),
     .fallback = "box",
     .variants = shape_variants,
     .help = "shape filled with grains: a word, or {word: {its parameters}}"},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = FILL_AT(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "position of the shape's origin"},
    {.name = "rotate",
     .type = PARAM_VEC3,
     .offset = FILL_AT(rotate),
     .unit = DIM_ANGLE,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "rotation about x, then y, then z"},
    {.name = "scale",
     .type = PARAM_REAL,
     .offset = FILL_AT(scale),
     .fallback = "1",
     .min = 1e-3,
     .max = 1e3,
     .help = "factor in all directions"},
    {.name = "spacing",
     .type = PARAM_REAL,
     .offset = FILL_AT(spacing),
     .unit = DIM_LENGTH,
     .fallback = "3 cm",
     .min = 1e-4,
     .max = 1e4,
     .help = "between neighbours; half the spacing means eight times the grains",
     .range_note = "the number of grains is the volume of the shape over spacing cubed"},
    {.name = "pattern",
     .type = PARAM_CHOICE,
     .offset = FILL_AT(pattern),
     .fallback = "jittered",
     .choices = patterns,
     .help = "regular: a lattice; jittered: one at random in each cell; blue_noise: random, with a least "
             "distance"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = FILL_AT(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "of the grains at the start"},
    {0},
};

static void check_fill(const void *item, param_report *report) {
    const firn_grains_fill_def *def = item;
    if (def->shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}

static const param_table fill_params = {.name = "grains.fill",
                                        .help = "a shape filled with grains",
                                        .rows = fill_rows,
                                        .size = sizeof(firn_grains_fill_def),
                                        .check = check_fill};

static const param_row rows[] = {
    {.name = "snow",
     .type = PARAM_WORD,
     .offset = AT(snow),
     .fallback = "packed",
     .words = snow_type_names,
     .help = "snow type of the grains; gives density, friction and restitution"},
    {.name = "radius",
     .type = PARAM_REAL,
     .offset = AT(radius),
     .unit = DIM_LENGTH,
     .fallback = "5 mm",
     .min = 1e-5,
     .max = 10,
     .help = "of a grain, for contacts, mass and pictures",
     .range_note = "snow crystals 0.5 mm, grains 1 to 5 mm, clumps some cm"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = AT(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 1,
     .max = 3e4,
     .help = "of a grain; auto: from snow",
     .range_note = "air 1.3, snow 50 to 900, water 1000 kg/m3"},
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = AT(friction),
     .fallback = "auto",
     .min = 0,
     .max = 10,
     .help = "Coulomb friction coefficient; a contact takes the geometric mean of grain and body; auto: from "
             "snow"},
    {.name = "restitution",
     .type = PARAM_REAL,
     .offset = AT(restitution),
     .fallback = "auto",
     .min = 0,
     .max = 1,
     .help = "coefficient of restitution; a contact takes the larger of grain and body; auto: from snow"},
    {.name = "drag",
     .type = PARAM_REAL,
     .offset = AT(drag),
     .unit = DIM_FREQUENCY,
     .fallback = "0.2",
     .min = 0,
     .max = 1e4,
     .help = "linear drag: share of the speed lost per second; the terminal speed is gravity over drag"},
    {.name = "floor",
     .type = PARAM_REAL,
     .offset = AT(floor),
     .unit = DIM_LENGTH,
     .fallback = "-20 m",
     .min = -1e6,
     .max = 1e6,
     .help = "height below which grains are removed and counted as left"},
    {.name = "fill",
     .type = PARAM_MAP,
     .offset = AT(fill),
     .required = true,
     .table = &fill_params,
     .help = "shapes filled with grains at the start, by name"},
    {0},
};

static void check_grains(const void *item, param_report *report) {
    const firn_grains_def *def = item;
    if (def->fill.count == 0) report->add(report, "fill", "at least one shape must be filled");
}

const param_table grains_params = {.name = "grains",
                                   .help =
                                       "loose grains that fall, bounce and slide on bodies, and push them",
                                   .rows = rows,
                                   .size = sizeof(firn_grains_def),
                                   .check = check_grains};

firn_grains_def firn_grains_def_default(void) {
    firn_grains_def def;
    param_defaults(&grains_params, &def);
    return def;
}

firn_grains_fill_def firn_grains_fill_def_default(void) {
    firn_grains_fill_def def;
    param_defaults(&fill_params, &def);
    return def;
}

static const param_row sections[] = {
    {.name = "grains",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, grains),
     .table = &grains_params,
     .help = "loose grains of snow that fall, bounce and slide on bodies"},
    {0},
};
const param_table grains_sections = {.name = "", .rows = sections, .size = sizeof(firn_world_def)};
