// Parameters of the phase model.
#include "phase/phase.h"

#include <math.h>

#include "pbd/pbd_params.h"
#include "phase/phase_links.h"
#include "phase/phase_params.h"

static const double PHASE_MOST_DRAW = 0.2; // spacings in a step squared

static const char *const link_modes[] = {"none", "all", "dynamic", NULL};
static const char *const changes[] = {"latent", "blending", NULL};
static const char *const solves[] = {"auto", "explicit", "implicit", NULL};

static const param_row link_rows[] = {
    CHOICE_ROW(firn_phase_link_def, mode, "dynamic", link_modes,
               "none: contacts only; all: every slot of a grain is used, whatever the temperature; dynamic: "
               "the colder, the more",
               .live = true),
    INT_ROW(firn_phase_link_def, most, "12", 1, PHASE_MOST_LINKS,
            "slots of a grain: largest number of links"),
    PHASE_TEMPERATURE_ROW(firn_phase_link_def, temperature, "0 C", "warmer grains have no links",
                          .live = true),
    PHASE_TEMPERATURE_ROW(firn_phase_link_def, full_temperature, "-30 C",
                          "dynamic: temperature at and below which all slots are used (homogeneous freezing)",
                          .live = true),
    REAL_ROW(firn_phase_link_def, stiffness, DIM_NONE, "0.1", 0, 0.3,
             "share of its error that an iteration corrects", .live = true),
    REAL_ROW(firn_phase_link_def, break_strain, DIM_NONE, "10 %", 1e-4, 10, "strain at which a link breaks",
             .live = true),
    REAL_ROW(firn_phase_link_def, shape, DIM_NONE, "0.5", 0, 1,
             "stiffness of shape matching of linked lumps: share corrected in an iteration where all slots "
             "are used; 0: off",
             .live = true),
    REAL_ROW(firn_phase_link_def, young, DIM_PRESSURE, "auto", 1, 1e12,
             "Young's modulus of snow whose grains have 6 links or more; it is the same for any size of "
             "grains, step and iterations, and takes the place of stiffness and shape; auto: those",
             .live = true),
    {0},
};

static const param_table link_params =
    TABLE_OF(firn_phase_link_def, "phase.links", "links that hold grains of cold snow together", link_rows);

static const param_row air_rows[] = {
    REAL_ROW(firn_phase_air_def, time, DIM_TIME, "0", 0, 1e9,
             "thermal time, which is time_lapse times that of the motion"),
    PHASE_TEMPERATURE_ROW(firn_phase_air_def, temperature, "0 C", "temperature of the air at that time"),
    {0},
};
static const param_table air_params =
    DEF_TABLE_OF(firn_phase_air_def, "phase.heat.air", "the air's temperature at a time", air_rows);

static const param_row heat_rows[] = {
    REAL_ROW(firn_phase_heat_def, snow_conductivity, DIM_CONDUCTIVITY, "0.5 W/mK", 1e-6, 1e6,
             "thermal conductivity of snow", .range_note = "new snow 0.1, old snow 0.5, ice 2.2 W/mK",
             .live = true),
    REAL_ROW(firn_phase_heat_def, water_conductivity, DIM_CONDUCTIVITY, "0.6 W/mK", 1e-6, 1e6,
             "thermal conductivity of water", .live = true),
    REAL_ROW(firn_phase_heat_def, snow_capacity, DIM_HEAT_CAPACITY, "2090 J/kgK", 1, 1e6,
             "specific heat capacity of snow"),
    REAL_ROW(firn_phase_heat_def, water_capacity, DIM_HEAT_CAPACITY, "4182 J/kgK", 1, 1e6,
             "specific heat capacity of water"),
    REAL_ROW(firn_phase_heat_def, latent, DIM_HEAT, "334 kJ/kg", 0, 1e8,
             "latent heat that melting absorbs and freezing releases"),
    PHASE_TEMPERATURE_ROW(firn_phase_heat_def, freeze, "0 C",
                          "temperature at which snow melts and water freezes"),
    CHOICE_ROW(firn_phase_heat_def, solve, "auto", solves,
               "explicit: sub-steps as short as stability needs; implicit: stable at any step; auto: the "
               "cheaper one",
               .live = true),
    REAL_ROW(firn_phase_heat_def, time_lapse, DIM_NONE, "1", 1e-3, 1e6,
             "seconds of heat conduction per second of motion: shows a day of thaw in a minute",
             .live = true),
    REAL_ROW(firn_phase_heat_def, exchange, DIM_HEAT_EXCHANGE, "10 W/m2K", 0, 1e7,
             "heat transfer coefficient between open surfaces and the air; 0: none",
             .range_note = "still air 5, wind 30 W/m2K", .live = true),
    LIST_ROW(firn_phase_heat_def, air, &air_params,
             "temperature of the air over time: a list of {time, temperature}; not given: that of the scene"),
    {0},
};

static void check_heat(const void *item, param_report *report) {
    const firn_phase_heat_def *def = item;
    for (size_t k = 1; k < def->air.count; k++)
        if (def->air.items[k].time <= def->air.items[k - 1].time)
            report->add(report, "air", "times must increase");
}
static const param_table heat_params =
    TABLE_OF(firn_phase_heat_def, "phase.heat", "heat conduction, exchange with the air and latent heat",
             heat_rows, .check = check_heat);

static const param_row rows[] = {
    REAL_ROW(
        firn_phase_def, mass, DIM_MASS, "10 g", 1e-9, 1e3,
        "mass of each particle; the spacing of water is (mass / density)^(1/3), 2.15 cm with 10 g, adapted a "
        "little so that fills have the mass of their shape"),
    REAL_ROW(firn_phase_def, density, DIM_DENSITY, "1000 kg/m3", 100, 1e4, "density of water"),
    REAL_ROW(firn_phase_def, smoothing, DIM_LENGTH, "auto", 1e-5, 1e3,
             "support radius of the kernel; auto: 2.4 spacings of water; with 1.7 a step takes half the "
             "time, but water at rest resists small forces like a paste"),
    REAL_ROW(firn_phase_def, max_step, DIM_TIME, "1.25 ms", 1e-6, 0.1,
             "longest time step of this model; shorter ones make it stiffer", .live = true, .was = "step"),
    INT_ROW(firn_phase_def, iterations, "3", 1, 1000, "solver iterations per step", .live = true),
    REAL_ROW(firn_phase_def, stiffness, DIM_NONE, "0.25", 0.01, 0.3,
             "stiffness of contacts: share of the penetration that an iteration corrects", .live = true),
    REAL_ROW(firn_phase_def, friction, DIM_NONE, "0.35", 0, 5, "kinetic friction coefficient between grains",
             .live = true),
    REAL_ROW(firn_phase_def, static_friction, DIM_NONE, "0.5", 0, 5,
             "static friction coefficient between grains", .live = true),
    REAL_ROW(firn_phase_def, water_friction, DIM_NONE, "0", 0, 5, "friction coefficient of water on bodies",
             .live = true),
    REAL_ROW(firn_phase_def, snow_viscosity, DIM_NONE, "0.75", 0, 1,
             "XSPH: share of the velocity difference to its neighbours that a grain loses in 1/60 s (0.1 in "
             "a step of 1.25 ms)",
             .live = true),
    REAL_ROW(firn_phase_def, water_viscosity, DIM_NONE, "0.12", 0, 1, "the same for water", .live = true),
    REAL_ROW(firn_phase_def, calm, DIM_VELOCITY, "auto", 0, 100,
             "velocity differences between neighbours in water below this are noise of the particles and are "
             "lost; auto: 0.2 sqrt(gravity spacing), 9.2 cm/s with 10 g; 0: none",
             .live = true),
    REAL_ROW(
        firn_phase_def, cohesion, DIM_ACCELERATION, "auto", 0, 1e4,
        "largest attraction of water to a flat water surface nearby; it holds drops together; auto: none, "
        "but 2 m/s2 without gravity, where nothing else holds water together",
        .live = true),
    REAL_ROW(firn_phase_def, adhesion, DIM_ACCELERATION, "auto", 0, 1e4,
             "largest attraction between water and a flat surface of snow or ice nearby; above gravity, "
             "water runs along the underside of ice as a film and hangs as a drop from its tip, held by "
             "cohesion, until it freezes or falls; auto: as for cohesion",
             .range_note = "none 0; more than gravity: drops hang", .live = true),
    REAL_ROW(
        firn_phase_def, body_adhesion, DIM_ACCELERATION, "auto", 0, 1e4,
        "largest attraction of water and ice to bodies and the walls of the box; it drags water in contact "
        "along (water_viscosity) and freezes ice to them; 0: none, so no water hangs below a body; auto: as "
        "for "
        "cohesion",
        .live = true),
    CHOICE_ROW(firn_phase_def, change, "latent", changes,
               "latent: a particle changes when it has absorbed or released all of its latent heat; "
               "blending: as soon as it passes the freezing point (PHASE21)"),
    REAL_ROW(firn_phase_def, blend_time, DIM_TIME, "0.125 s", 1e-3, 1e3,
             "time in which a particle that melted or froze takes on the properties of its new kind",
             .live = true),
    REAL_ROW(firn_phase_def, threshold, DIM_NONE, "0.5", 0, 1,
             "with blending: share of blend_time after which a particle may melt or freeze again",
             .live = true),
    REAL_ROW(firn_phase_def, retention, DIM_NONE, "10 %", 0, 1,
             "melted share that a grain of snow retains: up to it water soaks in, any excess seeps down to "
             "the grains below",
             .live = true),
    REAL_ROW(firn_phase_def, seep, DIM_VELOCITY, "2 mm/s", 0, 10,
             "speed at which water soaks into snow and seeps through it; 0: none soaks in, and melt stays "
             "until the grain has melted",
             .live = true),
    TABLE_ROW(firn_phase_def, links, &link_params, "links that hold grains of cold snow together"),
    TABLE_ROW(firn_phase_def, heat, &heat_params, "heat conduction, exchange with the air and latent heat"),
    MAP_ROW(firn_phase_def, snow, &phase_snow_params, "initial snow, by name"),
    MAP_ROW(firn_phase_def, water, &phase_water_params, "initial water, by name"),
    MAP_ROW(firn_phase_def, spouts, &phase_spout_params, "spouts that emit water, by name"),
    MAP_ROW(firn_phase_def, drains, &phase_drain_params,
            "shapes that remove the snow and water inside them, by name"),
    OPTIONAL_ROW(firn_phase_def, box, &pbd_box_params,
                 "a box that all particles stay in; its walls may move"),
    {0},
};

static double spacing_of(const firn_phase_def *def) { return cbrt(def->mass / def->density); }

static void check_sources(const firn_phase_def *def, param_report *report) {
    for (size_t k = 0; k < def->snow.count; k++)
        if (def->snow.items[k].temperature > def->heat.freeze)
            report->add(report, "snow", "some snow is warmer than heat.freeze, at which it melts");
    for (size_t k = 0; k < def->water.count; k++)
        if (def->water.items[k].temperature < def->heat.freeze)
            report->add(report, "water", "some water is colder than heat.freeze, at which it freezes");
    for (size_t k = 0; k < def->spouts.count; k++)
        if (def->spouts.items[k].temperature < def->heat.freeze)
            report->add(report, "spouts", "some water is colder than heat.freeze, at which it freezes");
}

// A step may not throw water through what draws it.
static void check_draws(const firn_phase_def *def, double spacing, param_report *report) {
    const char *const names[] = {"cohesion", "adhesion", "body_adhesion"};
    const double draws[] = {def->cohesion, def->adhesion, def->body_adhesion};
    for (int k = 0; k < 3; k++)
        if (draws[k] * def->max_step * def->max_step > PHASE_MOST_DRAW * spacing)
            report->add(
                report, names[k],
                "too strong for this max_step: at most 0.2 spacings of water, (mass / density)^(1/3), per "
                "max_step squared; lower max_step");
}

static void check_phase(const void *item, param_report *report) {
    const firn_phase_def *def = item;
    double spacing = spacing_of(def);
    if (def->smoothing < 1.5 * spacing || def->smoothing > 4 * spacing)
        report->add(report, "smoothing", "must be 1.5 to 4 spacings of water, (mass / density)^(1/3)");
    if (def->static_friction < def->friction)
        report->add(report, "static_friction",
                    "must not be less than friction: static friction is at least kinetic friction");
    if (def->links.full_temperature >= def->heat.freeze)
        report->add(report, "links",
                    "links.full_temperature must be below heat.freeze: snow is fully linked when it is "
                    "colder than that");
    if (def->links.temperature > def->heat.freeze)
        report->add(report, "links",
                    "links.temperature is above heat.freeze, at which there is no snow left");
    check_draws(def, spacing, report);
    check_sources(def, report);
}

const param_table phase_params = DEF_TABLE_OF(
    firn_phase_def, "phase", "snow that melts and water that freezes: grains and drops in one system", rows,
    .check = check_phase);

DEFAULT_OF(firn_phase_def, phase_params)
DEFAULT_OF(firn_phase_link_def, link_params)
DEFAULT_OF(firn_phase_air_def, air_params)
DEFAULT_OF(firn_phase_heat_def, heat_params)
static const param_row sections[] = {
    OPTIONAL_ROW(firn_world_def, phase, &phase_params,
                 "snow that melts and water that freezes: grains and drops in one system"),
    {0},
};
const param_table phase_sections = TABLE_OF(firn_world_def, "", NULL, sections);
