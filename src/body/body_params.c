#include "body/body.h"

#include <stdio.h>

#include "base/plain.h"
#include "snow/snow_type.h"

#define AT(member) offsetof(firn_body_def, member)
#define KEY_AT(member) offsetof(firn_keyframe, member)

static const param_row keyframe_rows[] = {
    {.name = "time",
     .type = PARAM_REAL,
     .offset = KEY_AT(time),
     .unit = DIM_TIME,
     .required = true,
     .min = -1e7,
     .max = 1e7,
     .help = "time of this pose"},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = KEY_AT(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "position of its origin at that time"},
    {.name = "rotate",
     .type = PARAM_VEC3,
     .offset = KEY_AT(rotate),
     .unit = DIM_ANGLE,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "rotation at that time: about x, then y, then z; may exceed a full turn"},
    {0},
};
static const param_table keyframe_params = {.name = "bodies.motion.keyframes",
                                            .help = "a pose of a moving body at a time",
                                            .rows = keyframe_rows,
                                            .size = sizeof(firn_keyframe)};

static const param_row motion_rows[] = {
    {.name = "keyframes",
     .type = PARAM_LIST,
     .offset = offsetof(firn_motion_def, keyframes),
     .required = true,
     .table = &keyframe_params,
     .help = "poses in order of time; in between the motion is smooth, before and after the body is at rest"},
    {0},
};

static void check_motion(const void *item, param_report *report) {
    const firn_motion_def *motion = item;
    if (motion->keyframes.count == 0) report->add(report, "keyframes", "at least one keyframe is needed");
    for (size_t i = 1; i < motion->keyframes.count; i++) {
        double before = motion->keyframes.items[i - 1].time, now = motion->keyframes.items[i].time;
        if (now > before) continue;
        char message[160];
        plain_print(message, sizeof message,
                    "times must increase: keyframe %zu is at %g s, the one before it at %g s", i + 1, now,
                    before);
        report->add(report, "keyframes", message);
    }
}

static const param_table motion_table = {.name = "bodies.motion",
                                         .help = "a list of keyframes: {time, at, rotate}",
                                         .rows = motion_rows,
                                         .size = sizeof(firn_motion_def),
                                         .check = check_motion};
static const param_variant motion_variants[] = {
    {"fixed", FIRN_MOTION_FIXED, NULL, "never moves", false},
    {"dynamic", FIRN_MOTION_DYNAMIC, NULL, "falls, collides and is pushed, according to its mass", false},
    {"keyframes", FIRN_MOTION_KEYFRAMES, &motion_table,
     "kinematic: moved along keyframes; pushes others, is not pushed", true},
    {"led", FIRN_MOTION_LED, NULL, "kinematic: moved by the embedding program; pushes others, is not pushed",
     false},
    {0},
};

static const char *const contacts[] = {"friction", "slip", "sticky", NULL};

static const param_row rows[] = {
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = AT(shape),
     .fallback = "box",
     .variants = shape_variants,
     .help = "form of the body for pictures and contacts: a word, or {word: {its parameters}}"},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = AT(at),
     .unit = DIM_LENGTH,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "initial position of the shape's origin"},
    {.name = "rotate",
     .type = PARAM_VEC3,
     .offset = AT(rotate),
     .unit = DIM_ANGLE,
     .fallback = "[0, 0, 0]",
     .min = -1e4,
     .max = 1e4,
     .help = "turned about x, then y, then z"},
    {.name = "scale",
     .type = PARAM_REAL,
     .offset = AT(scale),
     .fallback = "1",
     .min = 1e-3,
     .max = 1e3,
     .help = "enlarges or shrinks it in all directions"},
    {.name = "motion",
     .type = PARAM_VARIANT,
     .offset = AT(motion),
     .fallback = "fixed",
     .variants = motion_variants,
     .help = "fixed, dynamic, led (by a program), or a list of keyframes {time, at, rotate}"},
    {.name = "snow",
     .type = PARAM_WORD,
     .offset = AT(snow),
     .words = snow_type_names,
     .help = "a snow type the body is made of; gives density, friction, restitution and colour"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = AT(density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 1,
     .max = 3e4,
     .help = "mass of a dynamic body per volume of its shape; auto: from snow, or 600 kg/m3",
     .range_note = "air 1.3, snow 50 to 900, water 1000, stone 2700, iron 7900 kg/m3"},
    {.name = "friction",
     .type = PARAM_REAL,
     .offset = AT(friction),
     .fallback = "auto",
     .min = 0,
     .max = 10,
     .help = "Coulomb coefficient; two bodies take the geometric mean of theirs; auto: from snow, or 0.5",
     .range_note = "ice 0.05, wood on snow 0.1, stone 0.6, rubber 1"},
    {.name = "restitution",
     .type = PARAM_REAL,
     .offset = AT(restitution),
     .fallback = "auto",
     .min = 0,
     .max = 1,
     .help = "speed after a bounce over speed before; two bodies take the larger; auto: from snow, or 0.1",
     .range_note = "0: no bounce, 1: a perfect bounce"},
    {.name = "contact",
     .type = PARAM_CHOICE,
     .offset = AT(contact),
     .fallback = "friction",
     .choices = contacts,
     .help = "how snow of mpm meets it: with its friction, slip (slides freely) or sticky (what touches it "
             "stays)"},
    {.name = "temperature",
     .type = PARAM_REAL,
     .offset = AT(temperature),
     .unit = DIM_TEMPERATURE,
     .fallback = "auto",
     .min = -273.15,
     .max = 1e4,
     .help =
         "constant temperature of the body, whatever touches it: a hot plate, frozen ground; auto: insulated",
     .range_note = "absolute zero is -273.15 C"},
    {.name = "heat_contact",
     .type = PARAM_REAL,
     .offset = AT(heat_contact),
     .unit = DIM_HEAT_EXCHANGE,
     .fallback = "auto",
     .min = 0,
     .max = 1e7,
     .help = "heat transfer coefficient of its surface; auto: perfect contact",
     .range_note = "wood 20, a thin layer of air 100, bare metal 5000 W/m2K"},
    {.name = "velocity",
     .type = PARAM_VEC3,
     .offset = AT(velocity),
     .unit = DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -1e6,
     .max = 1e6,
     .help = "initial velocity of a dynamic body"},
    {.name = "spin",
     .type = PARAM_VEC3,
     .offset = AT(spin),
     .unit = DIM_SPIN,
     .fallback = "[0, 0, 0]",
     .min = -1e5,
     .max = 1e5,
     .help = "initial angular velocity of a dynamic body; the axis is the direction"},
    {.name = "color",
     .type = PARAM_COLOR,
     .offset = AT(color),
     .fallback = "auto",
     .help = "in pictures; auto: that of the snow, or one chosen from the body's name"},
    {0},
};

static bool is_zero(firn_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static bool ground_kind(firn_shape_kind kind) {
    return kind == FIRN_SHAPE_PLANE || kind == FIRN_SHAPE_HEIGHT_MAP || kind == FIRN_SHAPE_HILLS;
}

// Consistency of shape and motion.
static void check_body(const void *item, param_report *report) {
    const firn_body_def *def = item;
    bool dynamic = def->motion.kind == FIRN_MOTION_DYNAMIC;
    if (dynamic && ground_kind(def->shape.kind))
        report->add(report, "motion",
                    def->shape.kind == FIRN_SHAPE_PLANE
                        ? "a plane cannot be dynamic: it is infinite and has no mass"
                        : "ground (height_map, hills) cannot be dynamic: it has no underside");
    if (!dynamic && !is_zero(def->velocity))
        report->add(report, "velocity", "only a dynamic body has a velocity of its own; set motion: dynamic");
    if (!dynamic && !is_zero(def->spin))
        report->add(report, "spin", "only a dynamic body has a spin of its own; set motion: dynamic");
    if (def->temperature < -273.15 && def->heat_contact >= 0)
        report->add(report, "heat_contact", "needs a temperature: a body without one is insulated");
    if (def->motion.kind == FIRN_MOTION_KEYFRAMES && !is_zero(def->at))
        report->add(report, "at", "the position of this body comes from its keyframes; set it there");
    if (def->motion.kind == FIRN_MOTION_KEYFRAMES && !is_zero(def->rotate))
        report->add(report, "rotate", "the rotation of this body comes from its keyframes; set it there");
}

const param_table body_params = {.name = "bodies",
                                 .help =
                                     "a rigid body: ground, an obstacle, something that falls or is moved",
                                 .rows = rows,
                                 .size = sizeof(firn_body_def),
                                 .check = check_body};

firn_body_def firn_body_def_default(void) {
    firn_body_def def;
    param_defaults(&body_params, &def);
    return def;
}

static const param_row sections[] = {
    {.name = "bodies",
     .type = PARAM_MAP,
     .offset = offsetof(firn_world_def, bodies),
     .table = &body_params,
     .help = "rigid bodies, by name: the ground, obstacles, things that fall or move"},
    {0},
};
const param_table body_sections = {.name = "", .rows = sections, .size = sizeof(firn_world_def)};
