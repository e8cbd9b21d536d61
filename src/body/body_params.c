// Parameter table of rigid bodies.
#include "body/body.h"

#include <stdio.h>

#include "base/plain.h"
#include "body/place_rows.h"
#include "snow/snow_type.h"

static const param_row keyframe_rows[] = {
    REAL_ROW(firn_keyframe, time, DIM_TIME, NULL, -1e7, 1e7, "time of this pose", .required = true),
    AT_ROW(firn_keyframe, "position of its origin at that time"),
    VEC3_ROW(firn_keyframe, rotate, DIM_ANGLE, "[0, 0, 0]", -1e6, 1e6,
             "rotation at that time: about x, then y, then z; may exceed a full turn"),
    {0},
};
static const param_table keyframe_params =
    TABLE_OF(firn_keyframe, "bodies.motion.keyframes", "a pose of a moving body at a time", keyframe_rows);

static const param_row motion_rows[] = {
    LIST_ROW(firn_motion_def, keyframes, &keyframe_params,
             "poses in order of time; in between the motion is smooth, before and after the body is at rest",
             .required = true),
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

static const param_table motion_table =
    TABLE_OF(firn_motion_def, "bodies.motion", "a list of keyframes: {time, at, rotate}", motion_rows,
             .check = check_motion);
static const param_variant motion_variants[] = {
    {"fixed", FIRN_MOTION_FIXED, NULL, "never moves", false},
    {"dynamic", FIRN_MOTION_DYNAMIC, NULL, "falls, collides and is pushed, according to its mass", false},
    {"keyframes", FIRN_MOTION_KEYFRAMES, &motion_table, "moved along keyframes; pushes others, is not pushed",
     true},
    {"kinematic", FIRN_MOTION_KINEMATIC, NULL, "moved by the embedding program; pushes others, is not pushed",
     false},
    {0},
};

static const char *const renamed_motions[] = {"led", "kinematic", NULL};
static const char *const contacts[] = {"friction", "slip", "sticky", NULL};
static const char *const materials[] = {"paint", "wood",  "brick",   "stone", "bark",
                                        "cloth", "metal", "needles", NULL};

static const param_row rows[] = {
    SHAPE_ROW(firn_body_def, "box",
              "form of the body for pictures and contacts: a word, or {word: {its parameters}}"),
    AT_ROW(firn_body_def, "initial position of the shape's origin"),
    ROTATE_ROW(firn_body_def),
    SCALE_ROW(firn_body_def),
    VARIANT_ROW(firn_body_def, motion, "fixed", motion_variants,
                "fixed, dynamic, kinematic (moved by a program), or a list of keyframes {time, at, rotate}",
                .renamed = renamed_motions),
    SNOW_ROW(firn_body_def, snow, NULL,
             "snow type that the body is made of; gives density, friction, restitution and colour"),
    REAL_ROW(firn_body_def, density, DIM_DENSITY, "auto", 1, 3e4,
             "mass of a dynamic body per volume of its shape; auto: from snow, or 600 kg/m3",
             .range_note = "air 1.3, snow 50 to 900, water 1000, stone 2700, iron 7900 kg/m3"),
    REAL_ROW(firn_body_def, friction, DIM_NONE, "auto", 0, 10,
             "Coulomb friction coefficient; a contact takes the geometric mean of both bodies; auto: from "
             "snow, or 0.5",
             .range_note = "ice 0.05, wood on snow 0.1, stone 0.6, rubber 1", .live = true),
    REAL_ROW(firn_body_def, restitution, DIM_NONE, "auto", 0, 1,
             "coefficient of restitution: speed after a bounce over speed before; a contact takes the larger "
             "of both bodies; auto: from snow, or 0.1",
             .range_note = "0: no bounce, 1: a perfect bounce", .live = true),
    REAL_ROW(
        firn_body_def, rolling_friction, DIM_NONE, "auto", 0, 10,
        "rolling resistance of round bodies: its torque over normal force times radius; a contact takes the "
        "geometric mean of both bodies; 0: rolls for ever; auto: 0.1 friction",
        .range_note = "steel on steel 0.001, tyre 0.01, ball in grass 0.1", .live = true),
    CHOICE_ROW(firn_body_def, contact, "friction", contacts,
               "boundary condition for mpm snow: Coulomb friction, slip (slides freely) or sticky (snow in "
               "contact stays)",
               .live = true),
    REAL_ROW(firn_body_def, temperature, DIM_TEMPERATURE, "auto", -273.15, 1e4,
             "constant temperature of the body, whatever is in contact with it: a hot plate, frozen ground; "
             "auto: insulated",
             .range_note = "absolute zero is -273.15 C", .live = true),
    REAL_ROW(firn_body_def, heat_contact, DIM_HEAT_EXCHANGE, "auto", 0, 1e7,
             "heat transfer coefficient of its surface; auto: perfect contact",
             .range_note = "wood 20, a thin layer of air 100, bare metal 5000 W/m2K", .live = true),
    VEC3_ROW(firn_body_def, velocity, DIM_VELOCITY, "[0, 0, 0]", -1e6, 1e6,
             "initial velocity of a dynamic body"),
    VEC3_ROW(firn_body_def, spin, DIM_SPIN, "[0, 0, 0]", -1e5, 1e5,
             "initial angular velocity of a dynamic body, about the direction of this vector"),
    COLOR_ROW(
        firn_body_def, color, "auto",
        "colour in pictures; auto: that of the snow or the material, or one chosen from the body's name"),
    CHOICE_ROW(
        firn_body_def, material, "paint", materials,
        "what the body looks like in pictures: even paint, planks of wood, brick (slopes have tiles), "
        "stone, bark, cloth, brushed metal or needles of a conifer (with bark near the body's y axis), "
        "in the body's colour",
        .unhashed = true),
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
    if (firn_is_auto(def->temperature) && !firn_is_auto(def->heat_contact))
        report->add(report, "heat_contact", "needs a temperature: a body without one is insulated");
    if (def->motion.kind == FIRN_MOTION_KEYFRAMES && !is_zero(def->at))
        report->add(report, "at", "the position of this body comes from its keyframes; set it there");
    if (def->motion.kind == FIRN_MOTION_KEYFRAMES && !is_zero(def->rotate))
        report->add(report, "rotate", "the rotation of this body comes from its keyframes; set it there");
}

const param_table body_params = DEF_TABLE_OF(
    firn_body_def, "bodies", "a rigid body: ground, an obstacle, something that falls or is moved", rows,
    .check = check_body);

DEFAULT_OF(firn_body_def, body_params)
firn_motion_def firn_motion_def_default(void) { return (firn_motion_def){.kind = FIRN_MOTION_FIXED}; }
static const param_row sections[] = {
    MAP_ROW(firn_world_def, bodies, &body_params,
            "rigid bodies, by name: the ground, obstacles, things that fall or move"),
    {0},
};
const param_table body_sections = TABLE_OF(firn_world_def, "", NULL, sections);
