// Parameters of liquids.
#include "pbd/pbd_params.h"

#define FLUID(member) offsetof(firn_pbd_fluid_def, member)
#define POOL(member) offsetof(firn_pbd_pool_def, member)
#define OPENING(member) offsetof(firn_opening_def, member)
#define SPOUT(member) offsetof(firn_pbd_spout_def, member)
#define DRAIN(member) offsetof(firn_pbd_drain_def, member)

static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};
static const char *const pressures[] = {"compression", "both_signs", NULL};

static const param_table pool_fill = {.name = "pbd.fluid.pools",
                                      .help = "the shape that is filled, and its pose",
                                      .rows = pbd_fill_rows,
                                      .size = sizeof(firn_fill_def)};
static const param_row pool_rows[] = {
    {.name = "fill", .type = PARAM_MERGE, .offset = POOL(fill), .table = &pool_fill},
    {.name = "pattern",
     .type = PARAM_CHOICE,
     .offset = POOL(pattern),
     .fallback = "regular",
     .choices = patterns,
     .help = "how the shape is filled"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = POOL(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 1,
     .max = 3e4,
     .help = "of this liquid; auto: that of the fluid"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = POOL(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "at the start"},
    {.name = "color",
     .type = PARAM_COLOR,
     .offset = POOL(color),
     .fallback = "auto",
     .help = "in pictures; auto: that of the fluid"},
    {0},
};

static void check_pool(const void *item, param_report *report) {
    const firn_pbd_pool_def *def = item;
    if (def->fill.shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}
static const param_table pool_params = {.name = "pbd.fluid.pools",
                                        .help = "liquid that is there at the start, by name",
                                        .rows = pool_rows,
                                        .size = sizeof(firn_pbd_pool_def),
                                        .check = check_pool};

const param_row pbd_opening_rows[] = {
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = OPENING(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e5,
     .max = 1e5,
     .help = "centre of the opening"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = OPENING(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, -1, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "of the liquid, which leaves in this direction"},
    {.name = "radius",
     .type = PARAM_REAL,
     .offset = OPENING(radius),
     .unit = DIM_LENGTH,
     .fallback = "5 cm",
     .min = 1e-4,
     .max = 1e4,
     .help = "of the opening"},
    {.name = "start",
     .type = PARAM_REAL,
     .offset = OPENING(start),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e7,
     .help = "time from which it is open"},
    {.name = "end",
     .type = PARAM_REAL,
     .offset = OPENING(end),
     .unit = DIM_TIME,
     .fallback = "1e7 s",
     .min = 0,
     .max = 1e9,
     .help = "time until which it is open"},
    {0},
};

void pbd_check_opening(const void *item, param_report *report) {
    const firn_opening_def *def = item;
    if (dvec_length(def->velocity) < 1e-3)
        report->add(report, "velocity", "must be at least 1 mm/s: nothing would flow");
    if (def->end < def->start) report->add(report, "end", "is before start");
}
static const param_table opening_params = {.name = "pbd.fluid.spouts",
                                           .help = "a round opening, and the velocity of its jet",
                                           .rows = pbd_opening_rows,
                                           .size = sizeof(firn_opening_def),
                                           .check = pbd_check_opening};

static const param_row spout_rows[] = {
    {.name = "opening", .type = PARAM_MERGE, .offset = SPOUT(opening), .table = &opening_params},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = SPOUT(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 1,
     .max = 3e4,
     .help = "of this liquid; auto: that of the fluid"},
    {.name = "color",
     .type = PARAM_COLOR,
     .offset = SPOUT(color),
     .fallback = "auto",
     .help = "in pictures; auto: that of the fluid"},
    {0},
};

static const param_table spout_params = {.name = "pbd.fluid.spouts",
                                         .help = "round spouts that emit liquid, by name",
                                         .rows = spout_rows,
                                         .size = sizeof(firn_pbd_spout_def)};

static const param_table drain_where = {.name = "pbd.fluid.drains",
                                        .help = "a shape, and its pose",
                                        .rows = pbd_fill_rows,
                                        .size = sizeof(firn_fill_def)};
const param_row pbd_drain_rows[] = {
    {.name = "where", .type = PARAM_MERGE, .offset = DRAIN(where), .table = &drain_where},
    {.name = "start",
     .type = PARAM_REAL,
     .offset = DRAIN(start),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e7,
     .help = "time from which it is open"},
    {.name = "end",
     .type = PARAM_REAL,
     .offset = DRAIN(end),
     .unit = DIM_TIME,
     .fallback = "1e7 s",
     .min = 0,
     .max = 1e9,
     .help = "time until which it is open"},
    {0},
};

void pbd_check_drain(const void *item, param_report *report) {
    const firn_pbd_drain_def *def = item;
    if (def->end < def->start) report->add(report, "end", "is before start");
}
static const param_table drain_params = {.name = "pbd.fluid.drains",
                                         .help = "shapes that remove the liquid inside them, by name",
                                         .rows = pbd_drain_rows,
                                         .size = sizeof(firn_pbd_drain_def),
                                         .check = pbd_check_drain};

static const param_row rows[] = {
    {.name = "spacing",
     .type = PARAM_REAL,
     .offset = FLUID(spacing),
     .unit = DIM_LENGTH,
     .fallback = "5 cm",
     .min = 1e-4,
     .max = 1e3,
     .help = "between particles; half the spacing means eight times the particles"},
    {.name = "smoothing",
     .type = PARAM_REAL,
     .offset = FLUID(smoothing),
     .unit = DIM_LENGTH,
     .fallback = "auto",
     .min = 1e-4,
     .max = 1e4,
     .help = "support radius of the kernel, within which particles interact; auto: 2 spacings"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = FLUID(density),
     .unit = DIM_DENSITY,
     .fallback = "1000 kg/m3",
     .min = 1,
     .max = 3e4,
     .range_note = "oil 900, water 1000, honey 1400 kg/m3",
     .help = "of the liquid at rest"},
    {.name = "pressure",
     .type = PARAM_CHOICE,
     .offset = FLUID(pressure),
     .fallback = "compression",
     .choices = pressures,
     .help = "compression: it resists compression only; both_signs: tension too, drops hold "
             "together"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = FLUID(stiffness),
     .unit = DIM_PRESSURE,
     .fallback = "0",
     .min = 0,
     .max = 1e12,
     .range_note = "water: 2.2 GPa",
     .help = "bulk modulus; 0: incompressible, as far as the iterations converge"},
    {.name = "plain_stiffness",
     .type = PARAM_REAL,
     .offset = FLUID(plain_stiffness),
     .fallback = "1",
     .min = 0,
     .max = 1,
     .help = "with elasticity plain: share of its error that an iteration corrects"},
    {.name = "unclump",
     .type = PARAM_REAL,
     .offset = FLUID(unclump),
     .fallback = "0",
     .min = 0,
     .max = 0.1,
     .help = "artificial pressure against clustering, for both_signs; about 0.001"},
    {.name = "viscosity",
     .type = PARAM_REAL,
     .offset = FLUID(viscosity),
     .fallback = "0.01",
     .min = 0,
     .max = 1,
     .help = "XSPH: share of the velocity difference to its neighbours that a particle loses in 1/60 s"},
    {.name = "vorticity",
     .type = PARAM_REAL,
     .offset = FLUID(vorticity),
     .unit = DIM_VELOCITY,
     .fallback = "0",
     .min = 0,
     .max = 100,
     .help = "vorticity confinement: speed added to eddies"},
    {.name = "cohesion",
     .type = PARAM_REAL,
     .offset = FLUID(cohesion),
     .unit = DIM_ACCELERATION,
     .fallback = "0",
     .min = 0,
     .max = 1e4,
     .help = "acceleration by which particles attract each other: an approximation of surface tension"},
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = FLUID(friction),
     .fallback = "0",
     .min = 0,
     .max = 10,
     .help = "on bodies and solids"},
    {.name = "color",
     .type = PARAM_COLOR,
     .offset = FLUID(color),
     .fallback = "auto",
     .help = "in pictures; auto: water"},
    {.name = "pools",
     .type = PARAM_MAP,
     .offset = FLUID(pools),
     .table = &pool_params,
     .help = "liquid that is there at the start, by name"},
    {.name = "spouts",
     .type = PARAM_MAP,
     .offset = FLUID(spouts),
     .table = &spout_params,
     .help = "spouts that emit liquid, by name"},
    {.name = "drains",
     .type = PARAM_MAP,
     .offset = FLUID(drains),
     .table = &drain_params,
     .help = "shapes that remove the liquid inside them, by name"},
    {0},
};

static void check_fluid(const void *item, param_report *report) {
    const firn_pbd_fluid_def *def = item;
    if (def->smoothing >= 0 && def->smoothing < 1.5 * def->spacing)
        report->add(report, "smoothing",
                    "is less than 1.5 spacings: particles would hardly interact with their neighbours; 2 "
                    "spacings is usual");
    if (def->smoothing > 4 * def->spacing)
        report->add(report, "smoothing",
                    "is more than 4 spacings: hundreds of neighbours, and no more detail");
    if (def->pools.count == 0 && def->spouts.count == 0)
        report->add(report, "pools", "there is no liquid: add a pool or a spout");
}

const param_table pbd_fluid_params = {.name = "pbd.fluid",
                                      .help = "liquids: particles held at their density",
                                      .rows = rows,
                                      .size = sizeof(firn_pbd_fluid_def),
                                      .check = check_fluid};

firn_pbd_fluid_def firn_pbd_fluid_def_default(void) {
    firn_pbd_fluid_def def;
    param_defaults(&pbd_fluid_params, &def);
    return def;
}

firn_pbd_pool_def firn_pbd_pool_def_default(void) {
    firn_pbd_pool_def def;
    param_defaults(&pool_params, &def);
    return def;
}

firn_pbd_spout_def firn_pbd_spout_def_default(void) {
    firn_pbd_spout_def def;
    param_defaults(&spout_params, &def);
    return def;
}

firn_pbd_drain_def firn_pbd_drain_def_default(void) {
    firn_pbd_drain_def def;
    param_defaults(&drain_params, &def);
    return def;
}
