// Parameters of the phase model.
#include "phase/phase.h"

#include <math.h>

#include "phase/phase_links.h"
#include "phase/phase_params.h"

#define LINK(member) offsetof(firn_phase_link_def, member)
#define HEAT(member) offsetof(firn_phase_heat_def, member)
#define AIR(member) offsetof(firn_phase_air_def, member)
#define PHASE(member) offsetof(firn_phase_def, member)

static const double PHASE_MOST_DRAW = 0.2; // spacings in a step squared

static const char *const link_modes[] = {"none", "all", "dynamic", NULL};
static const char *const changes[] = {"latent", "blending", NULL};
static const char *const solves[] = {"auto", "explicit", "implicit", NULL};

static const param_row link_rows[] = {
    {.name = "mode",
     .type = PARAM_CHOICE,
     .offset = LINK(mode),
     .fallback = "dynamic",
     .choices = link_modes,
     .help = "none: contacts only; all: every slot of a grain is used, whatever the temperature; "
             "dynamic: the colder, the more"},
    {.name = "most",
     .type = PARAM_INT,
     .offset = LINK(most),
     .fallback = "12",
     .min = 1,
     .max = PHASE_MOST_LINKS,
     .help = "slots of a grain: largest number of links"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = LINK(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "0 C",
     PHASE_DEGREES,
     .help = "warmer grains have no links"},
    {.name = "full_temperature",
     .type = PARAM_REAL,
     .offset = LINK(full_temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "-30 C",
     PHASE_DEGREES,
     .help = "dynamic: at and below it all slots are used (homogeneous freezing)"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = LINK(stiffness),
     .fallback = "0.1",
     .min = 0,
     .max = 0.3,
     .help = "share of its error that an iteration corrects"},
    {.name = "break_strain",
     .type = PARAM_REAL,
     .offset = LINK(break_strain),
     .fallback = "10 %",
     .min = 1e-4,
     .max = 10,
     .help = "strain at which a link breaks"},
    {.name = "shape",
     .type = PARAM_REAL,
     .offset = LINK(shape),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "stiffness of shape matching of linked lumps: share corrected in an iteration where all slots "
             "are used; 0: off"},
    {0},
};

static const param_table link_params = {.name = "phase.links",
                                        .help = "links that hold grains of cold snow together",
                                        .rows = link_rows,
                                        .size = sizeof(firn_phase_link_def)};

static const param_row air_rows[] = {
    {.name = "time",
     .type = PARAM_REAL,
     .offset = AIR(time),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "of the heat: time_lapse times that of the motion"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = AIR(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "0 C",
     PHASE_DEGREES,
     .help = "of the air at that time"},
    {0},
};
static const param_table air_params = {.name = "phase.heat.air",
                                       .help = "the air's temperature at a time",
                                       .rows = air_rows,
                                       .size = sizeof(firn_phase_air_def)};

static const param_row heat_rows[] = {
    {.name = "snow_conductivity",
     .type = PARAM_REAL,
     .offset = HEAT(snow_conductivity),
     .unit = DIM_CONDUCTIVITY,
     .fallback = "0.5 W/mK",
     .range_note = "new snow 0.1, old snow 0.5, ice 2.2 W/mK",
     .min = 1e-6,
     .max = 1e6,
     .help = "of snow"},
    {.name = "water_conductivity",
     .type = PARAM_REAL,
     .offset = HEAT(water_conductivity),
     .unit = DIM_CONDUCTIVITY,
     .fallback = "0.6 W/mK",
     .min = 1e-6,
     .max = 1e6,
     .help = "of water"},
    {.name = "snow_capacity",
     .type = PARAM_REAL,
     .offset = HEAT(snow_capacity),
     .unit = DIM_HEAT_CAPACITY,
     .fallback = "2090 J/kgK",
     .min = 1,
     .max = 1e6,
     .help = "of snow"},
    {.name = "water_capacity",
     .type = PARAM_REAL,
     .offset = HEAT(water_capacity),
     .unit = DIM_HEAT_CAPACITY,
     .fallback = "4182 J/kgK",
     .min = 1,
     .max = 1e6,
     .help = "of water"},
    {.name = "latent",
     .type = PARAM_REAL,
     .offset = HEAT(latent),
     .unit = DIM_HEAT,
     .fallback = "334 kJ/kg",
     .min = 0,
     .max = 1e8,
     .help = "latent heat that melting absorbs and freezing releases"},
    {.name = "freeze",
     .type = PARAM_REAL,
     .offset = HEAT(freeze),
     .unit = DIM_TEMPERATURE,
     .fallback = "0 C",
     PHASE_DEGREES,
     .help = "temperature at which snow melts and water freezes"},
    {.name = "solve",
     .type = PARAM_CHOICE,
     .offset = HEAT(solve),
     .fallback = "auto",
     .choices = solves,
     .help = "explicit: sub-steps as short as stability needs; implicit: stable at any step; auto: the "
             "cheaper one"},
    {.name = "time_lapse",
     .type = PARAM_REAL,
     .offset = HEAT(time_lapse),
     .fallback = "1",
     .min = 1e-3,
     .max = 1e6,
     .help = "seconds of heat in a second of motion: a day of thaw in a minute of film"},
    {.name = "exchange",
     .type = PARAM_REAL,
     .offset = HEAT(exchange),
     .unit = DIM_HEAT_EXCHANGE,
     .fallback = "10 W/m2K",
     .min = 0,
     .max = 1e7,
     .range_note = "still air 5, wind 30 W/m2K",
     .help = "between open surface and air; 0: none"},
    {.name = "air",
     .type = PARAM_LIST,
     .offset = HEAT(air),
     .table = &air_params,
     .help = "temperature of the air over time: a list of {time, temperature}; not given: that of the scene"},
    {0},
};

static void check_heat(const void *item, param_report *report) {
    const firn_phase_heat_def *def = item;
    for (size_t k = 1; k < def->air.count; k++)
        if (def->air.items[k].time <= def->air.items[k - 1].time)
            report->add(report, "air", "times must increase");
}
static const param_table heat_params = {.name = "phase.heat",
                                        .help = "heat conduction, exchange with the air and latent heat",
                                        .rows = heat_rows,
                                        .size = sizeof(firn_phase_heat_def),
                                        .check = check_heat};

static const param_row rows[] = {
    {.name = "mass",
     .type = PARAM_REAL,
     .offset = PHASE(mass),
     .unit = DIM_MASS,
     .fallback = "10 g",
     .min = 1e-9,
     .max = 1e3,
     .help = "of each particle; the spacing of water is (mass / density)^(1/3), 2.15 cm with 10 g"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = PHASE(density),
     .unit = DIM_DENSITY,
     .fallback = "1000 kg/m3",
     .min = 100,
     .max = 1e4,
     .help = "of water"},
    {.name = "smoothing",
     .type = PARAM_REAL,
     .offset = PHASE(smoothing),
     .unit = DIM_LENGTH,
     .fallback = "auto",
     .min = 1e-5,
     .max = 1e3,
     .help =
         "support radius of the kernel; auto: 2.2 spacings of water; with 1.7 a step takes half the time, "
         "but water at rest resists small forces like a paste"},
    {.name = "step",
     .type = PARAM_REAL,
     .offset = PHASE(step),
     .unit = DIM_TIME,
     .fallback = "1.25 ms",
     .min = 1e-6,
     .max = 0.1,
     .help = "longest step of this model; stiffness grows with shorter ones"},
    {.name = "iterations",
     .type = PARAM_INT,
     .offset = PHASE(iterations),
     .fallback = "3",
     .min = 1,
     .max = 1000,
     .help = "of the solver in a step"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = PHASE(stiffness),
     .fallback = "0.25",
     .min = 0.01,
     .max = 0.3,
     .help = "of contacts: share of the depth that an iteration corrects"},
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = PHASE(friction),
     .fallback = "0.35",
     .min = 0,
     .max = 5,
     .help = "kinetic friction coefficient between grains"},
    {.name = "static_friction",
     .type = PARAM_REAL,
     .offset = PHASE(static_friction),
     .fallback = "0.5",
     .min = 0,
     .max = 5,
     .help = "static friction coefficient between grains"},
    {.name = "water_friction",
     .type = PARAM_REAL,
     .offset = PHASE(water_friction),
     .fallback = "0",
     .min = 0,
     .max = 5,
     .help = "friction coefficient of water on bodies"},
    {.name = "snow_viscosity",
     .type = PARAM_REAL,
     .offset = PHASE(snow_viscosity),
     .fallback = "0.75",
     .min = 0,
     .max = 1,
     .help = "XSPH: share of the velocity difference to its neighbours that a grain loses in 1/60 s (0.1 in "
             "a step of 1.25 ms)"},
    {.name = "water_viscosity",
     .type = PARAM_REAL,
     .offset = PHASE(water_viscosity),
     .fallback = "0.12",
     .min = 0,
     .max = 1,
     .help = "the same for water"},
    {.name = "cohesion",
     .type = PARAM_REAL,
     .offset = PHASE(cohesion),
     .unit = DIM_ACCELERATION,
     .fallback = "0",
     .min = 0,
     .max = 1e4,
     .help =
         "largest attraction of water by a flat surface of water, at a small distance: keeps drops together"},
    {.name = "adhesion",
     .type = PARAM_REAL,
     .offset = PHASE(adhesion),
     .unit = DIM_ACCELERATION,
     .fallback = "0",
     .min = 0,
     .max = 1e4,
     .range_note = "none 0; more than gravity: drops hang",
     .help =
         "largest attraction between water and a flat surface of snow or ice, at a small distance; with more "
         "than gravity a film of water runs along the underside of ice and hangs at its tip as a drop, as "
         "thick "
         "as cohesion can hold, until it freezes or falls"},
    {.name = "body_adhesion",
     .type = PARAM_REAL,
     .offset = PHASE(body_adhesion),
     .unit = DIM_ACCELERATION,
     .fallback = "0",
     .min = 0,
     .max = 1e4,
     .help = "largest attraction of water and ice to bodies and to the walls of the box; water in contact "
             "with them "
             "is dragged along (water_viscosity) and ice is frozen to them; 0: no water hangs below a body"},
    {.name = "change",
     .type = PARAM_CHOICE,
     .offset = PHASE(change),
     .fallback = "latent",
     .choices = changes,
     .help =
         "latent: a particle changes when it has absorbed or released all of its latent heat; blending: as "
         "soon as it passes the freezing point (PHASE21)"},
    {.name = "blend_time",
     .type = PARAM_REAL,
     .offset = PHASE(blend_time),
     .unit = DIM_TIME,
     .fallback = "0.125 s",
     .min = 1e-3,
     .max = 1e3,
     .help = "time in which a particle that melted or froze takes on the properties of its new kind"},
    {.name = "threshold",
     .type = PARAM_REAL,
     .offset = PHASE(threshold),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "with blending: share of that change after which it may melt or freeze again"},
    {.name = "retention",
     .type = PARAM_REAL,
     .offset = PHASE(retention),
     .fallback = "10 %",
     .min = 0,
     .max = 1,
     .help =
         "melted share that a grain of snow retains: up to it water soaks in, any excess seeps down to the "
         "grains below"},
    {.name = "seep",
     .type = PARAM_REAL,
     .offset = PHASE(seep),
     .unit = DIM_VELOCITY,
     .fallback = "2 mm/s",
     .min = 0,
     .max = 10,
     .help =
         "speed at which water soaks into snow and seeps through it; 0: none soaks in, and melt stays until "
         "the grain has melted"},
    {.name = "links",
     .type = PARAM_TABLE,
     .offset = PHASE(links),
     .table = &link_params,
     .help = "links that hold grains of cold snow together"},
    {.name = "heat",
     .type = PARAM_TABLE,
     .offset = PHASE(heat),
     .table = &heat_params,
     .help = "heat conduction, exchange with the air and latent heat"},
    {.name = "snow",
     .type = PARAM_MAP,
     .offset = PHASE(snow),
     .table = &phase_snow_params,
     .help = "snow that is there at the start, by name"},
    {.name = "water",
     .type = PARAM_MAP,
     .offset = PHASE(water),
     .table = &phase_water_params,
     .help = "water that is there at the start, by name"},
    {.name = "spouts",
     .type = PARAM_MAP,
     .offset = PHASE(spouts),
     .table = &phase_spout_params,
     .help = "spouts that emit water, by name"},
    {.name = "drains",
     .type = PARAM_MAP,
     .offset = PHASE(drains),
     .table = &phase_drain_params,
     .help = "shapes that remove the snow and water inside them, by name"},
    {.name = "box",
     .type = PARAM_OPTIONAL,
     .offset = PHASE(box),
     .table = &phase_box_params,
     .help = "a box that all particles stay in; its walls may move"},
    {0},
};

static double spacing_of(const firn_phase_def *def) { return cbrt(def->mass / def->density); }

static void check_sources(const firn_phase_def *def, param_report *report) {
    if (def->snow.count + def->water.count + def->spouts.count == 0)
        report->add(report, "snow", "there are no particles: add snow, water or a spout");
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
        if (draws[k] * def->step * def->step > PHASE_MOST_DRAW * spacing)
            report->add(
                report, names[k],
                "too strong for this step: at most 0.2 spacings of water, (mass / density)^(1/3), per step "
                "squared; shorten step");
}

static void check_phase(const void *item, param_report *report) {
    const firn_phase_def *def = item;
    double spacing = spacing_of(def);
    if (def->smoothing >= 0 && (def->smoothing < 1.5 * spacing || def->smoothing > 4 * spacing))
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

const param_table phase_params = {
    .name = "phase",
    .help = "snow that melts and water that freezes: grains and drops in one system",
    .rows = rows,
    .size = sizeof(firn_phase_def),
    .check = check_phase};

firn_phase_def firn_phase_def_default(void) {
    firn_phase_def def;
    param_defaults(&phase_params, &def);
    return def;
}

static const param_row sections[] = {
    {.name = "phase",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, phase),
     .table = &phase_params,
     .help = "snow that melts and water that freezes: grains and drops in one system"},
    {0},
};
const param_table phase_sections = {.name = "", .rows = sections, .size = sizeof(firn_world_def)};
