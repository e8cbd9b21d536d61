// Parameters of liquids.
#include "pbd/pbd_params.h"

#include "body/place_rows.h"

static const char *const methods[] = {"pressure", "position", NULL};
static const char *const pressures[] = {"compression", "both_signs", NULL};

static const param_row pool_rows[] = {
    FILL_ROW(firn_pbd_pool_def, fill),
    PATTERN_ROW(firn_pbd_pool_def, "regular"),
    REAL_ROW(firn_pbd_pool_def, density, DIM_DENSITY, "auto", 1, 3e4,
             "density of this liquid; auto: that of the fluid"),
    VELOCITY_ROW(firn_pbd_pool_def),
    COLOR_ROW(firn_pbd_pool_def, color, "auto", "colour in pictures; auto: that of the fluid"),
    {0},
};

static const param_table pool_params =
    DEF_TABLE_OF(firn_pbd_pool_def, "pbd.fluid.pools", "initial liquid, by name", pool_rows);

static const param_row opening_rows[] = {
    VEC3_ROW(firn_opening_def, at, DIM_LENGTH, "[0, 0, 0]", -1e5, 1e5, "centre of the opening", .live = true),
    VEC3_ROW(firn_opening_def, velocity, DIM_VELOCITY, "[0, -1, 0]", -1e4, 1e4,
             "velocity of the liquid, which leaves in this direction", .live = true),
    REAL_ROW(firn_opening_def, radius, DIM_LENGTH, "5 cm", 1e-4, 1e4, "radius of the opening", .live = true),
    START_ROW(firn_opening_def, "time from which it is open", .live = true),
    END_ROW(firn_opening_def, "time until which it is open", .live = true),
    {0},
};

static void check_opening(const void *item, param_report *report) {
    const firn_opening_def *def = item;
    if (dvec_length(def->velocity) < 1e-3)
        report->add(report, "velocity", "must be at least 1 mm/s: nothing would flow");
    check_times(def->start, def->end, report);
}
const param_table pbd_opening_params =
    TABLE_OF(firn_opening_def, "pbd.fluid.spouts", "a round opening, and the velocity of its jet",
             opening_rows, .check = check_opening);

static const param_row spout_rows[] = {
    MERGE_ROW(firn_pbd_spout_def, opening, &pbd_opening_params),
    REAL_ROW(firn_pbd_spout_def, density, DIM_DENSITY, "auto", 1, 3e4,
             "density of this liquid; auto: that of the fluid"),
    COLOR_ROW(firn_pbd_spout_def, color, "auto", "colour in pictures; auto: that of the fluid"),
    {0},
};

static const param_table spout_params = DEF_TABLE_OF(firn_pbd_spout_def, "pbd.fluid.spouts",
                                                     "round spouts that emit liquid, by name", spout_rows);

const param_row pbd_drain_rows[] = {
    MERGE_ROW(firn_pbd_drain_def, where, &region_params),
    START_ROW(firn_pbd_drain_def, "time from which it is open", .live = true),
    END_ROW(firn_pbd_drain_def, "time until which it is open", .live = true),
    {0},
};

void pbd_check_drain(const void *item, param_report *report) {
    const firn_pbd_drain_def *def = item;
    check_times(def->start, def->end, report);
}
static const param_table drain_params =
    DEF_TABLE_OF(firn_pbd_drain_def, "pbd.fluid.drains", "shapes that remove the liquid inside them, by name",
                 pbd_drain_rows, .check = pbd_check_drain);

static const param_row rows[] = {
    REAL_ROW(
        firn_pbd_fluid_def, spacing, DIM_LENGTH, "5 cm", 1e-4, 1e3,
        "distance between particles, adapted a little so that each pool has the mass of its shape; half the "
        "spacing means eight times the particles"),
    REAL_ROW(firn_pbd_fluid_def, smoothing, DIM_LENGTH, "auto", 1e-4, 1e4,
             "support radius of the kernel, within which particles interact; auto: 2 spacings", .live = true),
    REAL_ROW(firn_pbd_fluid_def, density, DIM_DENSITY, "1000 kg/m3", 1, 3e4, "density of the liquid at rest",
             .range_note = "oil 900, water 1000, honey 1400 kg/m3"),
    CHOICE_ROW(
        firn_pbd_fluid_def, method, "pressure", methods,
        "pressure: pressures that leave no liquid denser, solved until density_error is met; position: "
        "position-based fluids, as many iterations as pbd.iterations says"),
    REAL_ROW(firn_pbd_fluid_def, density_error, DIM_NONE, "0.15 %", 1e-6, 0.1,
             "method pressure: mean share by which liquid may be too dense", .live = true),
    INT_ROW(firn_pbd_fluid_def, most_iterations, "60", 1, 10000,
            "method pressure: iterations of a sub-step, at most", .live = true),
    REAL_ROW(firn_pbd_fluid_def, max_travel, DIM_NONE, "0.4", 0.05, 10,
             "method pressure: spacings that liquid moves in a sub-step at most; where it is faster, steps "
             "have more sub-steps",
             .live = true),
    CHOICE_ROW(firn_pbd_fluid_def, pressure, "compression", pressures,
               "compression: the liquid resists compression only; both_signs (method position): also "
               "tension, which holds "
               "drops together",
               .live = true),
    REAL_ROW(firn_pbd_fluid_def, stiffness, DIM_PRESSURE, "0", 0, 1e12,
             "method position: bulk modulus; 0: incompressible, as far as the iterations converge",
             .range_note = "water: 2.2 GPa", .live = true),
    REAL_ROW(firn_pbd_fluid_def, plain_stiffness, DIM_NONE, "1", 0, 1,
             "method position with elasticity plain: share of its error that an iteration corrects",
             .live = true),
    REAL_ROW(firn_pbd_fluid_def, unclump, DIM_NONE, "0", 0, 0.1,
             "method position: artificial pressure against clustering, for both_signs; about 0.001",
             .live = true),
    REAL_ROW(firn_pbd_fluid_def, viscosity, DIM_VISCOSITY, "0", 0, 1e4,
             "dynamic viscosity; 0: none. What 100 rounds of smoothing in a sub-step cannot reach is thinner",
             .range_note = "water 0.001, oil 0.1, honey 10 Pa s", .live = true),
    REAL_ROW(
        firn_pbd_fluid_def, xsph, DIM_NONE, "auto", 0, 1,
        "smoothing of particles' velocities, whatever the spacing: share of the difference to its neighbours "
        "that a particle loses in 1/60 s; auto: 0.01, or 0 where there is a viscosity",
        .live = true),
    REAL_ROW(firn_pbd_fluid_def, calm, DIM_VELOCITY, "auto", 0, 100,
             "velocity differences between neighbours below this are noise of the particles and are lost; "
             "auto: 0.2 sqrt(gravity spacing), 14 cm/s with 5 cm; 0: none, for waves that must not die out",
             .live = true),
    REAL_ROW(firn_pbd_fluid_def, vorticity, DIM_VELOCITY, "0", 0, 100,
             "vorticity confinement: speed added to eddies", .live = true),
    REAL_ROW(firn_pbd_fluid_def, cohesion, DIM_ACCELERATION, "0", 0, 1e4,
             "acceleration by which particles attract each other: an approximation of surface tension",
             .live = true),
    REAL_ROW(
        firn_pbd_fluid_def, surface_tension, DIM_STIFFNESS, "0", 0, 1e4,
        "surface tension; 0: none. For drops and films of at least some spacings, whose steps get as short "
        "as waves of a spacing need",
        .range_note = "water 0.072, oil 0.03, mercury 0.48 N/m", .live = true),
    REAL_ROW(
        firn_pbd_fluid_def, contact_angle, DIM_ANGLE, "60 deg", 0, 3.1415927,
        "with surface tension: angle between a wall and the liquid's surface; 0: spreads, 180 deg: pearls",
        .range_note = "water on glass 20, on wood 60, on wax 110 degrees", .live = true),
    REAL_ROW(firn_pbd_fluid_def, friction, DIM_NONE, "0", 0, 10, "friction coefficient on bodies and solids",
             .live = true),
    REAL_ROW(firn_pbd_fluid_def, foam, DIM_NONE, "0", 0, 100,
             "amount of spray, foam and bubbles, which are only seen: they have no mass and move nothing; 0: "
             "none, 1: usual"),
    COLOR_ROW(firn_pbd_fluid_def, color, "auto", "colour in pictures; auto: that of water"),
    MAP_ROW(firn_pbd_fluid_def, pools, &pool_params, "initial liquid, by name"),
    MAP_ROW(firn_pbd_fluid_def, spouts, &spout_params, "spouts that emit liquid, by name"),
    MAP_ROW(firn_pbd_fluid_def, drains, &drain_params, "shapes that remove the liquid inside them, by name"),
    {0},
};

static void check_fluid(const void *item, param_report *report) {
    const firn_pbd_fluid_def *def = item;
    if (def->smoothing < 1.5 * def->spacing)
        report->add(report, "smoothing",
                    "is less than 1.5 spacings: particles would hardly interact with their neighbours; 2 "
                    "spacings is usual");
    if (def->smoothing > 4 * def->spacing)
        report->add(report, "smoothing",
                    "is more than 4 spacings: hundreds of neighbours, and no more detail");
    if (def->method == FIRN_PBD_PRESSURE && def->stiffness > 0)
        report->add(report, "stiffness", "needs method: position; pressures keep liquid incompressible");
    if (def->method == FIRN_PBD_PRESSURE && def->pressure == FIRN_PBD_BOTH_SIGNS)
        report->add(report, "pressure", "both_signs needs method: position");
    if (def->method == FIRN_PBD_PRESSURE && def->unclump > 0)
        report->add(report, "unclump", "needs method: position");
    if (def->pools.count == 0 && def->spouts.count == 0)
        report->add(report, "pools", "there is no liquid: add a pool or a spout");
}

const param_table pbd_fluid_params =
    DEF_TABLE_OF(firn_pbd_fluid_def, "pbd.fluid", "liquids: particles that keep their density", rows,
                 .check = check_fluid);

DEFAULT_OF(firn_pbd_fluid_def, pbd_fluid_params)
DEFAULT_OF(firn_pbd_pool_def, pool_params)
DEFAULT_OF(firn_pbd_spout_def, spout_params)
DEFAULT_OF(firn_pbd_drain_def, drain_params)
DEFAULT_OF(firn_opening_def, pbd_opening_params)
