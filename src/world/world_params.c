#include "world/world_models.h"

static const param_row air_rows[] = {
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = offsetof(firn_air_def, temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "-5 C",
     .min = -90,
     .max = 60,
     .live = true,
     .help = "temperature of the air; decides between dry and wet snow, melting and freezing"},
    {0},
};
static const param_table air_params = {
    .name = "air", .help = "the air around everything", .rows = air_rows, .size = sizeof(firn_air_def)};

static const param_row rows[] = {
    {.name = "name",
     .type = PARAM_TEXT,
     .offset = offsetof(firn_world_def, name),
     .fallback = "untitled",
     .unhashed = true,
     .help = "title of the scene, shown in pictures and lists"},
    {.name = "duration",
     .type = PARAM_REAL,
     .offset = offsetof(firn_world_def, duration),
     .unit = DIM_TIME,
     .fallback = "5 s",
     .min = 1e-4,
     .max = 1e7,
     .unhashed = true,
     .help = "how much time is simulated; a finished run goes on when it grows"},
    {.name = "fps",
     .type = PARAM_REAL,
     .offset = offsetof(firn_world_def, fps),
     .unit = DIM_FREQUENCY,
     .fallback = "30",
     .min = 1e-3,
     .max = 1e5,
     .help = "frames written per simulated second, and the speed of a movie"},
    {.name = "seed",
     .type = PARAM_INT,
     .offset = offsetof(firn_world_def, seed),
     .fallback = "1",
     .min = 0,
     .max = 2147483647,
     .help = "another seed gives another, equally likely run; the same seed gives the same bits"},
    {.name = "gravity",
     .type = PARAM_VEC3,
     .offset = offsetof(firn_world_def, gravity),
     .unit = DIM_ACCELERATION,
     .fallback = "[0, -9.81, 0]",
     .min = -1000,
     .max = 1000,
     .live = true,
     .help = "acceleration of free fall; y is up"},
    {.name = "max_step",
     .type = PARAM_REAL,
     .offset = offsetof(firn_world_def, max_step),
     .unit = DIM_TIME,
     .fallback = "4 ms",
     .min = 1e-7,
     .max = 1,
     .live = true,
     .help = "longest simulation step; models take shorter ones where they must"},
    {.name = "max_speed",
     .type = PARAM_REAL,
     .offset = offsetof(firn_world_def, max_speed),
     .unit = DIM_VELOCITY,
     .fallback = "1000 m/s",
     .min = 0.1,
     .max = 1e6,
     .live = true,
     .help = "the run stops with a message when anything is faster: it has exploded"},
    {.name = "air",
     .type = PARAM_TABLE,
     .offset = offsetof(firn_world_def, air),
     .table = &air_params,
     .help = "the air around everything"},
#define SECTIONS(model) {.name = #model, .type = PARAM_MERGE, .table = &model##_sections},
    WORLD_MODELS(SECTIONS)
#undef SECTIONS
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
}

const param_table world_params = {.name = "",
                                  .help = "a scene: time, air, bodies and snow models",
                                  .rows = rows,
                                  .size = sizeof(firn_world_def),
                                  .check = check_world};

firn_world_def firn_world_def_default(void) {
    firn_world_def def;
    param_defaults(&world_params, &def);
    return def;
}
