// The section `coupling` of a scene: a table for each pair of models that meet.
#include "world/couple_list.h"

#include "body/place_rows.h"
#include "snow/snow_type.h"

#define ON_ROW(def) BOOL_ROW(def, on, "yes", "whether the two meet", .live = true)

static const param_row wind_field_rows[] = {ON_ROW(firn_wind_field_def), {0}};

static const param_row drag_rows[] = {
    ON_ROW(firn_drag_def),
    REAL_ROW(firn_drag_def, drag, DIM_NONE, "1", 0, 100,
             "factor on the drag of a smooth sphere (particles) or of a plate (cloth, bodies)", .live = true),
    {0},
};

static const param_row touch_rows[] = {
    ON_ROW(firn_touch_def),
    REAL_ROW(firn_touch_def, friction, DIM_NONE, "0.4", 0, 10, "Coulomb coefficient", .live = true),
    {0},
};

#define HEAT_CONTACT_ROW(def)                                                                                \
    REAL_ROW(def, heat_contact, DIM_HEAT_EXCHANGE, "1000 W/m2K", 0, 1e6,                                     \
             "heat transfer coefficient of the contact, in series with the snow on both sides; 0: no heat "  \
             "passes",                                                                                       \
             .live = true)

static const param_row warm_touch_rows[] = {
    ON_ROW(firn_warm_touch_def),
    REAL_ROW(firn_warm_touch_def, friction, DIM_NONE, "0.4", 0, 10, "Coulomb coefficient", .live = true),
    HEAT_CONTACT_ROW(firn_warm_touch_def),
    {0},
};

static const param_row mpm_phase_rows[] = {
    ON_ROW(firn_mpm_phase_def),
    REAL_ROW(firn_mpm_phase_def, friction, DIM_NONE, "0.4", 0, 10, "Coulomb coefficient", .live = true),
    HEAT_CONTACT_ROW(firn_mpm_phase_def),
    BOOL_ROW(firn_mpm_phase_def, drip, "yes",
             "water that MPM snow cannot hold leaves it as drops of phase, where it has heat", .live = true),
    REAL_ROW(firn_mpm_phase_def, holds, DIM_NONE, "10 %", 0, 1,
             "share of its mass that MPM snow holds as water; what is more goes down through the snow",
             .live = true),
    BOOL_ROW(firn_mpm_phase_def, settle, "no",
             "frozen grains of phase that have come to rest become MPM snow, where it has heat"),
    SNOW_ROW(firn_mpm_phase_def, snow, NULL, "the snow type that they become; packed if not given"),
    REAL_ROW(firn_mpm_phase_def, rest_speed, DIM_VELOCITY, "2 cm/s", 0, 10, "below it grains are at rest",
             .live = true),
    REAL_ROW(firn_mpm_phase_def, rest_time, DIM_TIME, "0.5 s", 0, 1e4,
             "for which grains must be at rest before they become MPM snow", .live = true),
    {0},
};

static const param_row failure_rows[] = {
    AT_ROW(firn_field_failure_def, "its middle; the height is ignored"),
    REAL_ROW(firn_field_failure_def, radius, DIM_LENGTH, "0", 0, 1e4,
             "radius of a bowl, which is deepest in its middle; 0: a rectangle with steep sides"),
    REAL_ROW(firn_field_failure_def, width, DIM_LENGTH, "1 m", 1e-3, 1e5, "extent of a rectangle along x"),
    REAL_ROW(firn_field_failure_def, length, DIM_LENGTH, "1 m", 1e-3, 1e5, "extent of a rectangle along z"),
    REAL_ROW(firn_field_failure_def, depth, DIM_LENGTH, "1 km", 1e-3, 1e4,
             "how deep from the surface, where there is so much snow"),
    START_ROW(firn_field_failure_def, "time at which it fails"),
    {0},
};
static const param_table failure_params = DEF_TABLE_OF(
    firn_field_failure_def, "coupling.mpm_field.fail",
    "parts of the snow field that fail: their snow becomes snow that moves, by name", failure_rows);
DEFAULT_OF(firn_field_failure_def, failure_params)

static const param_row mpm_field_rows[] = {
    ON_ROW(firn_mpm_field_def),
    BOOL_ROW(firn_mpm_field_def, settle, "yes", "snow that has come to rest becomes snow of the field",
             .live = true),
    BOOL_ROW(firn_mpm_field_def, release, "yes", "snow of the field that is hit hard becomes snow that moves",
             .live = true),
    REAL_ROW(firn_mpm_field_def, rest_speed, DIM_VELOCITY, "2 cm/s", 0, 10, "below it snow is at rest",
             .live = true),
    REAL_ROW(firn_mpm_field_def, rest_time, DIM_TIME, "0.5 s", 0, 1e4,
             "for which snow must be at rest before it becomes snow of the field", .live = true),
    REAL_ROW(firn_mpm_field_def, impact_speed, DIM_VELOCITY, "1 m/s", 0, 1000,
             "what hits the field faster sets its snow in motion", .live = true),
    REAL_ROW(
        firn_mpm_field_def, powder, DIM_NONE, "0", 0, 1,
        "how fast the surface of fast snow over the field wears off as powder, which flies as loose bits "
        "of the field: a share of its speed above powder_speed; 0.02 makes a cloud, 0 none",
        .live = true),
    REAL_ROW(firn_mpm_field_def, powder_speed, DIM_VELOCITY, "2 m/s", 0, 1000,
             "snow that is slower makes no powder", .live = true),
    REAL_ROW(firn_mpm_field_def, friction, DIM_NONE, "auto", 0, 10,
             "Coulomb coefficient between both; auto: the tangent of the field's angle of repose",
             .live = true),
    HEAT_CONTACT_ROW(firn_mpm_field_def),
    MAP_ROW(firn_mpm_field_def, fail, &failure_params,
            "parts of the snow field that fail: their snow becomes snow that moves, by name"),
    {0},
};

// Each pair: its key, the struct of its section, the rows of that struct, and who they are.
#define PAIRS(PAIR)                                                                                          \
    PAIR(wind_field, firn_wind_field_def, wind_field_rows, "wind and snow field")                            \
    PAIR(cover_field, firn_wind_field_def, wind_field_rows, "snow cover and snow field")                     \
    PAIR(wind_bodies, firn_drag_def, drag_rows, "wind and bodies")                                           \
    PAIR(wind_grains, firn_drag_def, drag_rows, "wind and grains")                                           \
    PAIR(wind_mpm, firn_drag_def, drag_rows, "wind and MPM snow")                                            \
    PAIR(wind_pbd, firn_drag_def, drag_rows, "wind and cloth, solids and liquids of pbd")                    \
    PAIR(wind_phase, firn_drag_def, drag_rows, "wind and snow that melts")                                   \
    PAIR(mpm_field, firn_mpm_field_def, mpm_field_rows, "MPM snow and snow field")                           \
    PAIR(grains_field, firn_touch_def, touch_rows, "grains and snow field")                                  \
    PAIR(pbd_field, firn_touch_def, touch_rows, "solids and liquids of pbd and snow field")                  \
    PAIR(phase_field, firn_warm_touch_def, warm_touch_rows, "snow that melts and snow field")                \
    PAIR(grains_mpm, firn_touch_def, touch_rows, "grains and MPM snow")                                      \
    PAIR(grains_pbd, firn_touch_def, touch_rows, "grains and solids of pbd")                                 \
    PAIR(grains_phase, firn_touch_def, touch_rows, "grains and snow that melts")                             \
    PAIR(mpm_pbd, firn_touch_def, touch_rows, "MPM snow and solids and liquids of pbd")                      \
    PAIR(mpm_phase, firn_mpm_phase_def, mpm_phase_rows, "MPM snow and snow that melts")                      \
    PAIR(pbd_phase, firn_touch_def, touch_rows, "solids and liquids of pbd and snow that melts")

#define TABLE(key, def, rows_, who)                                                                          \
    static const param_table key##_params = TABLE_OF(def, "coupling." #key, who, rows_);
PAIRS(TABLE)
#undef TABLE

#define ROW(key, def, rows_, who) TABLE_ROW(firn_coupling_def, key, &key##_params, who),
static const param_row rows[] = {PAIRS(ROW){0}};
#undef ROW
const param_table coupling_params = TABLE_OF(
    firn_coupling_def, "coupling", "how the models of the scene meet: on where both are there", rows);

#define SECTION(name) offsetof(firn_coupling_def, name),
static const size_t offsets[] = {WORLD_COUPLINGS(SECTION)};
#undef SECTION

const void *coupling_section(const firn_coupling_def *def, size_t number) {
    return (const char *)def + offsets[number];
}

bool coupling_on(const void *section) { return *(const bool *)section; } // the first member of each

DEFAULT_OF(firn_wind_field_def, wind_field_params)
DEFAULT_OF(firn_drag_def, wind_mpm_params)
DEFAULT_OF(firn_touch_def, mpm_pbd_params)
DEFAULT_OF(firn_warm_touch_def, phase_field_params)
DEFAULT_OF(firn_mpm_field_def, mpm_field_params)
DEFAULT_OF(firn_mpm_phase_def, mpm_phase_params)
DEFAULT_OF(firn_coupling_def, coupling_params)
