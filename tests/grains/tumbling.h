// Bodies that tumble among many grains.
#ifndef TESTS_GRAINS_TUMBLING_H
#define TESTS_GRAINS_TUMBLING_H

#include "grains/grains_run.h"

enum { N = 12 };
static char names[N][16];

// Balls and boxes, a union, a thin plate, a sweeping wall.
static inline void tumbling_scene(firn_body_def *defs) {
    static const firn_keyframe way[] = {
        {0, {-1.5, 0.5, 0}, {0, 0, 0}}, {0.4, {1.5, 0.5, 0}, {0, 3, 0}}, {0.8, {-1.5, 0.5, 0}, {0, 9, 0}}};
    defs[0] = plane_body(0.5, 0.2);
    for (int i = 1; i < N; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        firn_vec3 at = dvec(0.5 * (i % 3) - 0.5, 0.4 + 0.3 * (i / 3), 0.5 * (i % 2) - 0.25);
        defs[i] = i % 2 ? box_body(names[i], dvec(0.3, 0.2, 0.25), at) : ball_body(names[i], 0.15, at);
        defs[i].rotate = dvec(0.4 * i, 0.9 * i, 0.2 * i);
        defs[i].velocity = dvec(3 - i % 7, -2 * (i % 3), i % 4);
        defs[i].spin = dvec(i, 10 - i, 3);
        defs[i].restitution = 0.4;
    }
    static firn_part_def parts[2]; // a body whose distance counts as sampled
    parts[0] = (firn_part_def){
        .name = "bar", .scale = 1, .shape = {.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.05, 0.1}}};
    parts[1] =
        (firn_part_def){.name = "knob", .scale = 1, .shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.12}};
    parts[1].at = dvec(0.25, 0, 0);
    defs[6].shape.kind = FIRN_SHAPE_UNION;
    defs[6].shape.parts.items = parts;
    defs[6].shape.parts.count = 2;
    defs[8] = box_body("plate", dvec(0.6, 0.004, 0.6), dvec(0, 1.2, 0));
    defs[8].spin = dvec(25, 0, 20);
    defs[8].velocity = dvec(0, 2, 0);
    defs[9] = body_of("sweeper", FIRN_SHAPE_BOX);
    defs[9].shape.size = dvec(0.02, 0.8, 1.5);
    defs[9].motion.kind = FIRN_MOTION_KEYFRAMES;
    defs[9].motion.keyframes.items = way;
    defs[9].motion.keyframes.count = 3;
}

static inline firn_grains_def many(const firn_grains_fill_def *fill) {
    firn_grains_def def = firn_grains_def_default();
    def.fill.items = fill;
    def.fill.count = 1;
    def.radius = 0.004;
    def.density = 50;
    return def;
}

#endif
