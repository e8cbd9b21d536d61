// Small worlds with snow, for the tests of mpm.
#ifndef TESTS_MPM_SNOW_H
#define TESTS_MPM_SNOW_H

#include "support.h"

#include <math.h>

typedef struct snow_world {
    firn_world_def world;
    firn_mpm_def mpm;
    firn_mpm_snow_def snow;
    firn_body_def floor;
} snow_world;

// A box of packed snow, floating; no floor yet.
static inline void snow_box(snow_world *w, firn_vec3 size, firn_vec3 at, double cell) {
    w->world = firn_world_def_default();
    w->mpm = firn_mpm_def_default();
    w->snow = firn_mpm_snow_def_default();
    w->snow.name = "box";
    w->snow.fill.shape.kind = FIRN_SHAPE_BOX;
    w->snow.fill.shape.size = size;
    w->snow.fill.at = at;
    w->mpm.cell = cell;
    w->mpm.snow.items = &w->snow;
    w->mpm.snow.count = 1;
    w->world.mpm = &w->mpm;
}

static inline void snow_floor(snow_world *w, double friction, double slope) {
    w->floor = firn_body_def_default();
    w->floor.name = "floor";
    w->floor.shape.kind = FIRN_SHAPE_PLANE;
    w->floor.friction = friction;
    w->floor.rotate.z = -slope; // downhill is +x
    w->world.bodies.items = &w->floor;
    w->world.bodies.count = 1;
}

static inline firn_world *snow_open(const snow_world *w) {
    firn_world *world;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

static inline firn_ledger snow_ledger(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        if (strcmp(l.model, "mpm") == 0) return l;
    }
    fail_msg("there is no mpm in this world");
    return (firn_ledger){0};
}

// Mean of a packed three-component field.
static inline firn_vec3 snow_mean(const firn_world *world, const char *field) {
    firn_field f = firn_world_field(world, field);
    const float *v = f.data;
    double sum[3] = {0};
    for (size_t i = 0; i < f.count; i++)
        for (int a = 0; a < 3; a++) sum[a] += v[3 * i + a];
    return (firn_vec3){sum[0] / (double)f.count, sum[1] / (double)f.count, sum[2] / (double)f.count};
}

#endif
