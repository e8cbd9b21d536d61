// Parameters of liquids.
#include "pbd/pbd_params.h"

#include "base/param_rows.h"

static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};
static const char *const pressures[] = {"compression", "both_signs", NULL};

static const param_table pool_fill =
    TABLE_OF(firn_fill_def, "pbd.fluid.pools", "the shape that is filled, and its pose", pbd_fill_rows);
static const param_row pool_rows[] = {
    MERGE_ROW(firn_pbd_pool_def, fill, &pool_fill),
    CHOICE_ROW(firn_pbd_pool_def, pattern, "regular", patterns, "how the shape is filled"),
    REAL_ROW(firn_pbd_pool_def, density, DIM_DENSITY, "auto", 1, 3e4,
             "density of this liquid; auto: that of the fluid"),
    VEC3_ROW(firn_pbd_pool_def, velocity, DIM_VELOCITY, "[0, 0, 0]", -1e4, 1e4, "initial velocity"),
    COLOR_ROW(firn_pbd_pool_def, color, "auto", "colour in pictures; auto: that of the fluid"),
    {0},
};

static void check_pool(const void *item, param_report *report) {
    const firn_pbd_pool_def *def = item;
    if (def->fill.shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane is infinite and cannot be filled; use a box");
}
static const param_table pool_params =
    TABLE_OF(firn_pbd_pool_def, "pbd.fluid.pools", "initial liquid, by name", pool_rows, .check = check_pool);

const param_row pbd_opening_rows[] = {
    VEC3_ROW(firn_opening_def, at, DIM_LENGTH, "[0, 0, 0]", -1e5, 1e5, "centre of the opening", .live = true),
    VEC3_ROW(firn_opening_def, velocity, DIM_VELOCITY, "[0, -1, 0]", -1e4, 1e4,
             "velocity of the liquid, which leaves in this direction", .live = true),
    REAL_ROW(firn_opening_def, radius, DIM_LENGTH, "5 cm", 1e-4, 1e4, "radius of the opening", .live = true),
    REAL_ROW(firn_opening_def, start, DIM_TIME, "0", 0, 1e7, "time from which it is open", .live = true),
    REAL_ROW(firn_opening_def, end, DIM_TIME, "1e7 s", 0, 1e9, "time until which it is open", .live = true),
    {0},
};

void pbd_check_opening(const void *item, param_report *report) {
    const firn_opening_def *def = item;
    if (dvec_length(def->velocity) < 1e-3)
        report->add(report, "velocity", "must be at least 1 mm/s: nothing would flow");
    if (def->end < def->start) report->add(report, "end", "is before start");
}
static const param_table opening_params =
    TABLE_OF(firn_opening_def, "pbd.fluid.spouts", "a round opening, and the velocity of its jet",
             pbd_opening_rows, .check = pbd_check_opening);

static const param_row spout_rows[] = {
    MERGE_ROW(firn_pbd_spout_def, opening, &opening_params),
    REAL_ROW(firn_pbd_spout_def, density, DIM_DENSITY, "auto", 1, 3e4,
             "density of this liquid; auto: that of the fluid"),
    COLOR_ROW(firn_pbd_spout_def, color, "auto", "colour in pictures; auto: that of the fluid"),
    {0},
};

static const param_table spout_params =
    TABLE_OF(firn_pbd_spout_def, "pbd.fluid.spouts", "round spouts that emit liquid, by name", spout_rows);

static const param_table drain_where =
    TABLE_OF(firn_fill_def, "pbd.fluid.drains", "a shape, and its pose", pbd_fill_rows);
const param_row pbd_drain_rows[] = {
    MERGE_ROW(firn_pbd_drain_def, where, &drain_where),
    REAL_ROW(firn_pbd_drain_def, start, DIM_TIME, "0", 0, 1e7, "time from which it is open", .live = true),
    REAL_ROW(firn_pbd_drain_def, end, DIM_TIME, "1e7 s", 0, 1e9, "time until which it is open", .live = true),
    {0},
};

void pbd_check_drain(const void *item, param_report *report) {
    const firn_pbd_drain_def *def = item;
    if (def->end < def->start) report->add(report, "end", "is before start");
}
static const param_table drain_params =
    TABLE_OF(firn_pbd_drain_def, "pbd.fluid.drains", "shapes that remove the liquid inside them, by name",
             pbd_drain_rows, .check = pbd_check_drain);

static const param_row rows[] = {
    REAL_ROW(firn_pbd_fluid_def, spacing, DIM_LENGTH, "5 cm", 1e-4, 1e3,
             "distance between particles; half the spacing means eight times the particles"),
    REAL_ROW(firn_pbd_fluid_def, smoothing, DIM_LENGTH, "auto", 1e-4, 1e4,
             "support radius of the kernel, within which particles interact; auto: 2 spacings", .live = true),
    REAL_ROW(firn_pbd_fluid_def, density, DIM_DENSITY, "1000 kg/m3", 1, 3e4, "density of the liquid at rest",
             .range_note = "oil 900, water 1000, honey 1400 kg/m3"),
    CHOICE_ROW(firn_pbd_fluid_def, pressure, "compression", pressures,
               "compression: the liquid resists compression only; both_signs: also tension, which holds "
               "drops together",
               .live = true),
    REAL_ROW(firn_pbd_fluid_def, stiffness, DIM_PRESSURE, "0", 0, 1e12,
             "bulk modulus; 0: incompressible, as far as the iterations converge",
             .range_note = "water: 2.2 GPa", .live = true),
    REAL_ROW(firn_pbd_fluid_def, plain_stiffness, DIM_NONE, "1", 0, 1,
             "with elasticity plain: share of its error that an iteration corrects", .live = true),
    REAL_ROW(firn_pbd_fluid_def, unclump, DIM_NONE, "0", 0, 0.1,
             "artificial pressure against clustering, for both_signs; about 0.001", .live = true),
    REAL_ROW(firn_pbd_fluid_def, viscosity, DIM_NONE, "0.01", 0, 1,
             "XSPH: share of the velocity difference to its neighbours that a particle loses in 1/60 s",
             .live = true),
    REAL_ROW(firn_pbd_fluid_def, vorticity, DIM_VELOCITY, "0", 0, 100,
             "vorticity confinement: speed added to eddies", .live = true),
    REAL_ROW(firn_pbd_fluid_def, cohesion, DIM_ACCELERATION, "0", 0, 1e4,
             "acceleration by which particles attract each other: an approximation of surface tension",
             .live = true),
    REAL_ROW(firn_pbd_fluid_def, friction, DIM_NONE, "0", 0, 10, "friction coefficient on bodies and solids",
             .live = true),
    COLOR_ROW(firn_pbd_fluid_def, color, "auto", "colour in pictures; auto: that of water"),
    MAP_ROW(firn_pbd_fluid_def, pools, &pool_params, "initial liquid, by name"),
    MAP_ROW(firn_pbd_fluid_def, spouts, &spout_params, "spouts that emit liquid, by name"),
    MAP_ROW(firn_pbd_fluid_def, drains, &drain_params, "shapes that remove the liquid inside them, by name"),
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

const param_table pbd_fluid_params =
    TABLE_OF(firn_pbd_fluid_def, "pbd.fluid", "liquids: particles that keep their density", rows,
             .check = check_fluid);

DEFAULT_OF(firn_pbd_fluid_def, pbd_fluid_params)
DEFAULT_OF(firn_pbd_pool_def, pool_params)
DEFAULT_OF(firn_pbd_spout_def, spout_params)
DEFAULT_OF(firn_pbd_drain_def, drain_params)
