// Parameter table of the world.
#include "world/world_models.h"

#include "base/param_rows.h"
#include "phase/phase.h"
#include "snow/snow_type.h"

static const param_row air_rows[] = {
    REAL_ROW(firn_air_def, temperature, DIM_TEMPERATURE, "-5 C", -90, 60,
             "temperature of the air: decides whether flakes are dry or wet and whether the cover melts, and "
             "exchanges heat with the snow field, the cover, mpm and phase",
             .live = true),
    REAL_ROW(firn_air_def, radiation, DIM_NONE, "0", -1e4, 1e6,
             "heat in W/m2 that snow field and cover absorb from sun and sky, less what they radiate",
             .range_note = "clear night -70, old snow in the sun of spring 200", .live = true),
    REAL_ROW(firn_air_def, exchange, DIM_HEAT_EXCHANGE, "auto", 0, 1e5,
             "heat transfer coefficient between the air and snow field and cover; auto: by the speed of the "
             "wind, 6.3 W/m2K in calm air and 18.6 at 5 m/s, and 18.6 in scenes without wind, which melts "
             "0.2 mm/h (4.8 mm a day) for each degree",
             .live = true),
    REAL_ROW(firn_air_def, time_lapse, DIM_NONE, "1", 1e-3, 1e6,
             "seconds of weather on the ground per second of motion: heat, rain, snowfall and ageing of the "
             "snow field, heat and rain of the cover"),
    {0},
};
static const param_table air_params = TABLE_OF(firn_air_def, "air", "the air around everything", air_rows);

static const param_row rain_rows[] = {
    REAL_ROW(firn_rain_def, rate, DIM_PRECIPITATION, "0", 0, 1,
             "rain on snow field and cover, as the depth of its water; 0: none",
             .range_note = "drizzle 0.5 mm/h, moderate rain 5 mm/h, a downpour 50 mm/h", .live = true),
    REAL_ROW(firn_rain_def, temperature, DIM_TEMPERATURE, "auto", 0, 60,
             "temperature of the rain; auto: that of the air, at least 0 C", .live = true),
    {0},
};
static const param_table rain_params =
    TABLE_OF(firn_rain_def, "rain", "rain on snow field and cover: it soaks in, warms and melts", rain_rows);

static const param_row rows[] = {
    TEXT_ROW(firn_world_def, name, "title of the scene, shown in pictures and lists", .unhashed = true,
             .fallback = "untitled"),
    REAL_ROW(firn_world_def, duration, DIM_TIME, "5 s", 1e-4, 1e7,
             "simulated time; a finished run continues when this grows", .unhashed = true),
    REAL_ROW(firn_world_def, fps, DIM_FREQUENCY, "30", 1e-3, 1e5,
             "frames written per simulated second; also the frame rate of movies"),
    INT_ROW(firn_world_def, seed, "1", 0, 2147483647,
            "another seed gives another, equally likely run; the same seed gives the same bits"),
    VEC3_ROW(firn_world_def, gravity, DIM_ACCELERATION, "[0, -9.81, 0]", -1000, 1000,
             "acceleration of free fall; y is up", .live = true),
    REAL_ROW(firn_world_def, max_step, DIM_TIME, "4 ms", 1e-7, 1,
             "longest time step; models take shorter ones where their CFL limit requires it", .live = true),
    REAL_ROW(
        firn_world_def, max_speed, DIM_VELOCITY, "1000 m/s", 0.1, 1e6,
        "the run stops with a message when anything moves faster, because the simulation has become unstable",
        .live = true),
    BOOL_ROW(
        firn_world_def, watch_energy, "yes",
        "the run stops with a message when kinetic and potential energy come from nothing; looked at where "
        "nothing does work from outside: no moved bodies or walls, no wind, no sources",
        .unhashed = true),
    TABLE_ROW(firn_world_def, air, &air_params, "the air around everything"),
    TABLE_ROW(firn_world_def, rain, &rain_params,
              "rain on snow field and cover: it soaks in, warms and melts"),
    TABLE_ROW(firn_world_def, coupling, &coupling_params,
              "how the models of the scene meet: on where both are there"),
    MAP_ROW(firn_world_def, snow_types, &snow_type_params,
            "snow types that the scene defines, by name: each takes the values that it does not give from "
            "another",
            .sparse = true),
#define SECTIONS(model) {.name = #model, .type = PARAM_MERGE, .table = &model##_sections},
    WORLD_MODELS(SECTIONS)
#undef SECTIONS
        {.name = "extensions", .type = PARAM_MERGE, .table = &world_extensions},
    {0},
};

// Whether the scene has a model beside the bodies, which every world has.
static bool any_section(const firn_world_def *def) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 1; i < count; i++)
        if (world_section(def, classes[i])) return true;
    return false;
}

static void check_world(const void *item, param_report *report) {
    const firn_world_def *def = item;
    if (def->duration * def->fps > 1e7)
        report->add(report, "fps", "more than ten million frames; lower fps or duration");
    if (def->bodies.count == 0 && !any_section(def))
        report->add(report, "", "the scene is empty: add bodies or snow");
    if (def->phase && phase_is_empty(def->phase) && !phase_gets_melt(def))
        report->add(report, "phase",
                    "there are no particles: add snow, water or a spout, or MPM snow with heat that melts");
    snow_types_check(def, report);
}

const param_table world_params = DEF_TABLE_OF(
    firn_world_def, "", "a scene: time, air, bodies and snow models", rows, .check = check_world);

DEFAULT_OF(firn_world_def, world_params)
DEFAULT_OF(firn_air_def, air_params)
DEFAULT_OF(firn_rain_def, rain_params)
