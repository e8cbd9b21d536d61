#include "world/world.h"

#include "field/field.h"
#include "grains/grains.h"
#include "mpm/mpm.h"
#include "pbd/pbd.h"
#include "phase/phase.h"
#include "wind/wind.h"

static const param_row air_rows[] = {
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = offsetof(firn_air_def, temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "-5 C",
     .min = -90,
     .max = 60,
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
     .help = "acceleration of free fall; y is up"},
    {.name = "max_step",
     .type = PARAM_REAL,
     .offset = offsetof(firn_world_def, max_step),
     .unit = DIM_TIME,
     .fallback = "4 ms",
     .min = 1e-7,
     .max = 1,
     .help = "longest simulation step; models take shorter ones where they must"},
    {.name = "max_speed",
     .type = PARAM_REAL,
     .offset = offsetof(firn_world_def, max_speed),
     .unit = DIM_VELOCITY,
     .fallback = "1000 m/s",
     .min = 0.1,
     .max = 1e6,
     .help = "the run stops with a message when anything is faster: it has exploded"},
    {.name = "air",
     .type = PARAM_TABLE,
     .offset = offsetof(firn_world_def, air),
     .table = &air_params,
     .help = "the air around everything"},
    {.name = "bodies",
     .type = PARAM_MAP,
     .offset = offsetof(firn_world_def, bodies),
     .table = &body_params,
     .help = "rigid bodies, by name: the ground, obstacles, things that fall or move"},
    {.name = "grains",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, grains),
     .table = &grains_params,
     .help = "loose grains of snow that fall, bounce and slide on bodies"},
    {.name = "mpm",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, mpm),
     .table = &mpm_params,
     .help = "snow as a continuum: blocks that fall, break, stick and pile up (material point method)"},
    {.name = "field",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, field),
     .table = &field_params,
     .help = "snow lying on the ground, in which bodies leave tracks"},
    {.name = "wind",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, wind),
     .table = &wind_params,
     .help = "wind around all bodies, on a grid of cells"},
    {.name = "flakes",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, flakes),
     .table = &flakes_params,
     .help = "snow that falls through the wind"},
    {.name = "cover",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, cover),
     .table = &cover_params,
     .help = "flakes that landed and lie"},
    {.name = "pbd",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, pbd),
     .table = &pbd_params,
     .help = "particles and constraints: soft and stiff solids, ropes and cloth (position-based dynamics)"},
    {.name = "phase",
     .type = PARAM_OPTIONAL,
     .offset = offsetof(firn_world_def, phase),
     .table = &phase_params,
     .help = "snow that melts and water that freezes: grains and drops in one system"},
    {0},
};

static void check_world(const void *item, param_report *report) {
    const firn_world_def *def = item;
    if (def->duration * def->fps > 1e7)
        report->add(report, "fps", "more than ten million frames; lower fps or duration");
    if (def->bodies.count == 0 && !def->grains && !def->mpm && !def->field && !def->wind && !def->pbd &&
        !def->phase)
        report->add(report, "", "the scene is empty: add bodies or snow");
    if (def->flakes && !def->wind)
        report->add(report, "flakes", "flakes need air to fall through: add wind, if only of 0 m/s");
    if (def->cover && def->field)
        report->add(report, "cover", "with a snow field flakes land on the field; leave out the cover");
    if (def->cover && !def->flakes) report->add(report, "cover", "a cover grows from flakes: add them");
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
