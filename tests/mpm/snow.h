// Small worlds with snow, for the tests of mpm.
#ifndef TESTS_MPM_SNOW_H
#define TESTS_MPM_SNOW_H

#include "support.h"

#include <math.h>

#include "base/memory.h"

typedef struct snow_world {
    firn_world_def world;
    firn_mpm_def mpm;
    firn_mpm_snow_def snow;
    firn_body_def floor;
} snow_world;

// A box of packed snow with the values of MPM15, floating; no floor yet.
static inline void snow_box(snow_world *w, firn_vec3 size, firn_vec3 at, double cell) {
    w->world = firn_world_def_default();
    w->mpm = firn_mpm_def_default();
    w->snow = firn_mpm_snow_def_default();
    w->snow.name = "box";
    w->snow.young = 1.4e5; // MPM15 table 2
    w->snow.critical_stretch = 7.5e-3;
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

// Particles inside bodies, and how deep the deepest is.
static inline double snow_inside(const firn_world *world) {
    return series_value(world, "mpm", "items inside bodies", "");
}
static inline double snow_depth(const firn_world *world) {
    return series_value(world, "mpm", "deepest inside bodies", "");
}

// Mean of a packed three-component field.
static inline firn_vec3 snow_mean(const firn_world *world, const char *field) {
    firn_field f = firn_world_field(world, field);
    const float *v = f.data;
    const double *x = f.data;
    double sum[3] = {0};
    for (size_t i = 0; i < f.count; i++)
        for (int a = 0; a < 3; a++) sum[a] += f.type == FIRN_F64 ? x[3 * i + a] : (double)v[3 * i + a];
    return (firn_vec3){sum[0] / (double)f.count, sum[1] / (double)f.count, sum[2] / (double)f.count};
}

static inline const double *snow_positions(const firn_world *world, size_t *count) {
    firn_field f = firn_world_field(world, "mpm.position");
    assert_int_equal(f.type, FIRN_F64);
    if (count) *count = f.count;
    return f.data;
}

// Distances of all particles from a body; near the origin, where floats do.
static inline void snow_distances(const firn_world *world, size_t body, float *distance) {
    size_t count;
    const double *x = snow_positions(world, &count);
    for (size_t i = 0; i < count; i++) {
        const float at[3] = {(float)x[3 * i], (float)x[3 * i + 1], (float)x[3 * i + 2]};
        assert_ok(firn_world_body_query(world, body, 1, at, &distance[i], NULL, NULL));
    }
}

// Each allocation fails once, of making a world and of some steps.
static inline void world_may_lack_memory(const firn_world_def *def, int steps) {
    size_t before = mem_in_use();
    bool done = false;
    for (size_t n = 1; n <= 2000 && !done; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        firn_world *world;
        firn_status status = firn_world_create(def, &world);
        for (int i = 0; i < steps && status == FIRN_OK; i++) status = firn_world_step(world);
        firn_world_close(world);
        done = f.calls < n;
        if (done) assert_ok(status);
        firn_set_allocator(NULL);
        assert_int_equal(mem_in_use(), before);
    }
    assert_true(done);
}

static inline void snow_may_lack_memory(double implicit, int steps) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.2, 0.2, 0.2}, (firn_vec3){0, 0.12, 0}, 0.05);
    snow_floor(&w, 0.4, 0);
    w.mpm.implicit = implicit;
    world_may_lack_memory(&w.world, steps);
}

#endif
