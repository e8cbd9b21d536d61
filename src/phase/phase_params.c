// Parameters of the phase model.
#include "phase/phase.h"

#include <math.h>

#include "pbd/pbd_params.h"
#include "phase/phase_links.h"
#include "snow/snow_type.h"

#define SNOW(member) offsetof(firn_phase_snow_def, member)
#define WATER(member) offsetof(firn_phase_water_def, member)
#define SPOUT(member) offsetof(firn_phase_spout_def, member)
#define LINK(member) offsetof(firn_phase_link_def, member)
#define HEAT(member) offsetof(firn_phase_heat_def, member)
#define AIR(member) offsetof(firn_phase_air_def, member)
#define PHASE(member) offsetof(firn_phase_def, member)

static const double ABSOLUTE_ZERO = -273.15, HOTTEST = 1000; // degrees Celsius
static const char *const patterns[] = {"regular", "jittered", "blue_noise", NULL};
static const char *const link_modes[] = {"none", "all", "dynamic", NULL};
static const char *const changes[] = {"latent", "blending", NULL};
static const char *const solves[] = {"auto", "explicit", "implicit", NULL};

static void check_fill(const firn_fill_def *fill, param_report *report) {
    if (fill->shape.kind == FIRN_SHAPE_PLANE)
        report->add(report, "shape", "a plane has no end and cannot be filled; use a box");
}

// Not a range of the row: the message says what is wrong with such a number.
static void check_temperature(const char *key, double value, param_report *report) {
    if (value < ABSOLUTE_ZERO) report->add(report, key, "is below absolute zero (-273.15 C)");
    if (value > HOTTEST) report->add(report, key, "is above 1000 C; there is no steam in this model");
}

static const param_table snow_fill = {.name = "phase.snow",
                                      .help = "the shape that is filled, and its place",
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
     .help = "at the start, about the middle of the fill"},
    {0},
};

static void check_snow(const void *item, param_report *report) {
    const firn_phase_snow_def *def = item;
    check_fill(&def->fill, report);
    check_temperature("temperature", def->temperature, report);
}
static const param_table snow_params = {.name = "phase.snow",
                                        .help = "snow that is there at the start, by name",
                                        .rows = snow_rows,
                                        .size = sizeof(firn_phase_snow_def),
                                        .check = check_snow};

static const param_table water_fill = {.name = "phase.water",
                                       .help = "the shape that is filled, and its place",
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
    const firn_phase_water_def *def = item;
    check_fill(&def->fill, report);
    check_temperature("temperature", def->temperature, report);
}
static const param_table water_params = {.name = "phase.water",
                                         .help = "water that is there at the start, by name",
                                         .rows = water_rows,
                                         .size = sizeof(firn_phase_water_def),
                                         .check = check_water};

static const param_row spout_rows[] = {
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = SPOUT(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e5,
     .max = 1e5,
     .help = "middle of the opening"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = SPOUT(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, -1, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "of the water; it leaves in this direction"},
    {.name = "radius",
     .type = PARAM_REAL,
     .offset = SPOUT(radius),
     .unit = DIM_LENGTH,
     .fallback = "5 cm",
     .min = 1e-4,
     .max = 1e4,
     .help = "of the opening"},
    {.name = "start",
     .type = PARAM_REAL,
     .offset = SPOUT(start),
     .unit = DIM_TIME,
     .fallback = "0",
     .min = 0,
     .max = 1e7,
     .help = "from this moment on"},
    {.name = "end",
     .type = PARAM_REAL,
     .offset = SPOUT(end),
     .unit = DIM_TIME,
     .fallback = "1e7 s",
     .min = 0,
     .max = 1e9,
     .help = "until this moment"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = SPOUT(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "10 C",
     .help = "of the water"},
    {0},
};

static void check_spout(const void *item, param_report *report) {
    const firn_phase_spout_def *def = item;
    if (dvec_length(def->velocity) < 1e-3)
        report->add(report, "velocity", "nothing flows at less than 1 mm/s: give the water a velocity");
    if (def->end < def->start) report->add(report, "end", "is before start");
    check_temperature("temperature", def->temperature, report);
}
static const param_table spout_params = {.name = "phase.spouts",
                                         .help = "round spouts that water comes from, by name",
                                         .rows = spout_rows,
                                         .size = sizeof(firn_phase_spout_def),
                                         .check = check_spout};

static const param_table drain_params = {.name = "phase.drains",
                                         .help = "snow and water inside these shapes leave, by name",
                                         .rows = pbd_drain_rows,
                                         .size = sizeof(firn_pbd_drain_def),
                                         .check = pbd_check_drain};

static const param_table wall_params = {.name = "phase.box.walls",
                                        .help = "the walls at a moment",
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
     .help = "where they are: a list of {time, low, high}; in between they move evenly"},
    {0},
};
static const param_table box_params = {.name = "phase.box",
                                       .help = "a box that all particles stay in; its walls may move",
                                       .rows = box_rows,
                                       .size = sizeof(firn_pbd_box_def),
                                       .check = pbd_check_box};

static const param_row link_rows[] = {
    {.name = "mode",
     .type = PARAM_CHOICE,
     .offset = LINK(mode),
     .fallback = "dynamic",
     .choices = link_modes,
     .help = "none: grains only touch; all: every slot of a grain is used, whatever the temperature; "
             "dynamic: the colder, the more"},
    {.name = "most",
     .type = PARAM_INT,
     .offset = LINK(most),
     .fallback = "12",
     .min = 1,
     .max = PHASE_MOST_LINKS,
     .help = "slots of a grain: how many others it holds at most"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = LINK(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "0 C",
     .help = "grains that are warmer link to none"},
    {.name = "full_temperature",
     .type = PARAM_REAL,
     .offset = LINK(full_temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "-30 C",
     .help = "dynamic: at and below it all slots are used (homogeneous freezing)"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = LINK(stiffness),
     .fallback = "0.1",
     .min = 0,
     .max = 0.3,
     .help = "share of its error that an iteration mends"},
    {.name = "break_strain",
     .type = PARAM_REAL,
     .offset = LINK(break_strain),
     .fallback = "10 %",
     .min = 1e-4,
     .max = 10,
     .help = "a link that is longer by this share than it was when it formed breaks"},
    {.name = "shape",
     .type = PARAM_REAL,
     .offset = LINK(shape),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "how firmly a lump of linked grains keeps its shape: share mended in an iteration where all "
             "slots are used; 0: not at all"},
    {0},
};

static void check_links(const void *item, param_report *report) {
    const firn_phase_link_def *def = item;
    check_temperature("temperature", def->temperature, report);
    check_temperature("full_temperature", def->full_temperature, report);
}
static const param_table link_params = {.name = "phase.links",
                                        .help = "what holds grains of cold snow together",
                                        .rows = link_rows,
                                        .size = sizeof(firn_phase_link_def),
                                        .check = check_links};

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
     .help = "of the air then"},
    {0},
};
static void check_air(const void *item, param_report *report) {
    check_temperature("temperature", ((const firn_phase_air_def *)item)->temperature, report);
}
static const param_table air_params = {.name = "phase.heat.air",
                                       .help = "the air's temperature at a moment",
                                       .rows = air_rows,
                                       .size = sizeof(firn_phase_air_def),
                                       .check = check_air};

static const param_row heat_rows[] = {
    {.name = "snow_conductivity",
     .type = PARAM_REAL,
     .offset = HEAT(snow_conductivity),
     .unit = DIM_CONDUCTIVITY,
     .fallback = "0.5 W/mK",
     .range_note = "new snow 0.1, old snow 0.5, ice 2.2 W/mK",
     .help = "of snow"},
    {.name = "water_conductivity",
     .type = PARAM_REAL,
     .offset = HEAT(water_conductivity),
     .unit = DIM_CONDUCTIVITY,
     .fallback = "0.6 W/mK",
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
     .help = "that melting takes and freezing gives"},
    {.name = "freeze",
     .type = PARAM_REAL,
     .offset = HEAT(freeze),
     .unit = DIM_TEMPERATURE,
     .fallback = "0 C",
     .help = "where snow melts and water freezes"},
    {.name = "solve",
     .type = PARAM_CHOICE,
     .offset = HEAT(solve),
     .fallback = "auto",
     .choices = solves,
     .help =
         "explicit: sub-steps as short as they must be; implicit: stable at any step; auto: what is cheaper"},
    {.name = "time_lapse",
     .type = PARAM_REAL,
     .offset = HEAT(time_lapse),
     .fallback = "1",
     .min = 1e-3,
     .max = 1e6,
     .help = "heat moves so many times faster than all else: a day of thaw in a minute of film"},
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
    if (!(def->snow_conductivity > 0 && def->snow_conductivity <= 1e6))
        report->add(report, "snow_conductivity",
                    "must be more than 0: nothing keeps all heat in (at most 1e6 W/mK)");
    if (!(def->water_conductivity > 0 && def->water_conductivity <= 1e6))
        report->add(report, "water_conductivity",
                    "must be more than 0: nothing keeps all heat in (at most 1e6 W/mK)");
    check_temperature("freeze", def->freeze, report);
    for (size_t k = 1; k < def->air.count; k++)
        if (def->air.items[k].time <= def->air.items[k - 1].time)
            report->add(report, "air", "times must grow");
}
static const param_table heat_params = {.name = "phase.heat",
                                        .help = "how heat flows, and what melting takes of it",
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
     .help = "of each particle; water stands (mass / density)^(1/3) apart, 2.15 cm with 10 g"},
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
     .help = "radius within which particles feel each other; auto: 1.684 spacings of water, 20 neighbours"},
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
     .help = "of the solver, in a step"},
    {.name = "stiffness",
     .type = PARAM_REAL,
     .offset = PHASE(stiffness),
     .fallback = "0.25",
     .min = 0.01,
     .max = 0.3,
     .help = "of contacts: share of its depth that an iteration mends"},
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = PHASE(friction),
     .fallback = "0.35",
     .min = 0,
     .max = 5,
     .help = "of grains that slide"},
    {.name = "static_friction",
     .type = PARAM_REAL,
     .offset = PHASE(static_friction),
     .fallback = "0.5",
     .min = 0,
     .max = 5,
     .help = "of grains that do not slide yet"},
    {.name = "water_friction",
     .type = PARAM_REAL,
     .offset = PHASE(water_friction),
     .fallback = "0",
     .min = 0,
     .max = 5,
     .help = "of water on bodies"},
    {.name = "snow_viscosity",
     .type = PARAM_REAL,
     .offset = PHASE(snow_viscosity),
     .fallback = "0.75",
     .min = 0,
     .max = 1,
     .help = "share of the difference to its neighbours that the velocity of a grain loses in 1/60 s (0.1 in "
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
     .help = "with which water draws water and snow: drops that hang"},
    {.name = "change",
     .type = PARAM_CHOICE,
     .offset = PHASE(change),
     .fallback = "latent",
     .choices = changes,
     .help = "latent: a particle changes when all of its latent heat has come or gone; blending: as soon as "
             "it passes the freezing point (PHASE21)"},
    {.name = "blend_time",
     .type = PARAM_REAL,
     .offset = PHASE(blend_time),
     .unit = DIM_TIME,
     .fallback = "0.125 s",
     .min = 1e-3,
     .max = 1e3,
     .help = "in which a particle that changed takes up the ways of its new kind"},
    {.name = "threshold",
     .type = PARAM_REAL,
     .offset = PHASE(threshold),
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "with blending: so far it must have done so before it may change again"},
    {.name = "retention",
     .type = PARAM_REAL,
     .offset = PHASE(retention),
     .fallback = "10 %",
     .min = 0,
     .max = 1,
     .help = "melted share that a grain of snow holds; what is more seeps down to the grains below"},
    {.name = "seep",
     .type = PARAM_REAL,
     .offset = PHASE(seep),
     .unit = DIM_VELOCITY,
     .fallback = "2 mm/s",
     .min = 0,
     .max = 10,
     .help = "how fast melted water seeps through snow; 0: it stays until the grain has melted"},
    {.name = "links",
     .type = PARAM_TABLE,
     .offset = PHASE(links),
     .table = &link_params,
     .help = "what holds grains of cold snow together"},
    {.name = "heat",
     .type = PARAM_TABLE,
     .offset = PHASE(heat),
     .table = &heat_params,
     .help = "how heat flows, and what melting takes of it"},
    {.name = "snow",
     .type = PARAM_MAP,
     .offset = PHASE(snow),
     .table = &snow_params,
     .help = "snow that is there at the start, by name"},
    {.name = "water",
     .type = PARAM_MAP,
     .offset = PHASE(water),
     .table = &water_params,
     .help = "water that is there at the start, by name"},
    {.name = "spouts",
     .type = PARAM_MAP,
     .offset = PHASE(spouts),
     .table = &spout_params,
     .help = "where water comes from, by name"},
    {.name = "drains",
     .type = PARAM_MAP,
     .offset = PHASE(drains),
     .table = &drain_params,
     .help = "where snow and water leave, by name"},
    {.name = "box",
     .type = PARAM_OPTIONAL,
     .offset = PHASE(box),
     .table = &box_params,
     .help = "a box that all particles stay in; its walls may move"},
    {0},
};

static double spacing_of(const firn_phase_def *def) { return cbrt(def->mass / def->density); }

static void check_sources(const firn_phase_def *def, param_report *report) {
    if (def->snow.count + def->water.count + def->spouts.count == 0)
        report->add(report, "snow", "there are no particles: add snow, water or a spout");
    for (size_t k = 0; k < def->snow.count; k++)
        if (def->snow.items[k].temperature > def->heat.freeze)
            report->add(report, "snow", "there is snow warmer than heat.freeze, where it melts");
    for (size_t k = 0; k < def->water.count; k++)
        if (def->water.items[k].temperature < def->heat.freeze)
            report->add(report, "water", "there is water colder than heat.freeze, where it freezes");
    for (size_t k = 0; k < def->spouts.count; k++)
        if (def->spouts.items[k].temperature < def->heat.freeze)
            report->add(report, "spouts", "there is water colder than heat.freeze, where it freezes");
}

static void check_phase(const void *item, param_report *report) {
    const firn_phase_def *def = item;
    double spacing = spacing_of(def);
    if (def->smoothing >= 0 && (def->smoothing < 1.5 * spacing || def->smoothing > 4 * spacing))
        report->add(report, "smoothing", "must be 1.5 to 4 spacings of water, (mass / density)^(1/3)");
    if (def->static_friction < def->friction)
        report->add(report, "static_friction", "what rests holds at least as well as what slides");
    if (def->links.full_temperature >= def->heat.freeze)
        report->add(report, "links",
                    "links.full_temperature must be below heat.freeze: snow is fully linked when it is "
                    "colder than that");
    if (def->links.temperature > def->heat.freeze)
        report->add(report, "links",
                    "links.temperature is above heat.freeze, where there is no snow any more");
    check_sources(def, report);
}

const param_table phase_params = {
    .name = "phase",
    .help = "snow that melts and water that freezes: grains and drops in one system",
    .rows = rows,
    .size = sizeof(firn_phase_def),
    .check = check_phase};

#define DEFAULT(type, table)                                                                                 \
    type type##_default(void) {                                                                              \
        type def;                                                                                            \
        param_defaults(table, &def);                                                                         \
        return def;                                                                                          \
    }
DEFAULT(firn_phase_def, &phase_params)
DEFAULT(firn_phase_snow_def, &snow_params)
DEFAULT(firn_phase_water_def, &water_params)
DEFAULT(firn_phase_spout_def, &spout_params)
