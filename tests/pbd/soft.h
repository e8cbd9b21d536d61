// Small worlds of particles, for the tests of pbd.
#ifndef TESTS_PBD_SOFT_H
#define TESTS_PBD_SOFT_H

#include "support.h"

#include <math.h>

#include "pbd/pbd_batch.h"
#include "pbd/pbd_kinds.h"
#include "world/world.h"

typedef struct soft_world {
    firn_world_def world;
    firn_pbd_def pbd;
    firn_pbd_solid_def solid;
    firn_body_def body[8];
    // Of liquids (wet.h).
    firn_pbd_fluid_def fluid;
    firn_pbd_pool_def pool[3];
    firn_pbd_box_def box;
    firn_pbd_walls_def walls;
} soft_world;

// Nothing yet; 60 steps a second.
static inline void soft_start(soft_world *w) {
    memset(w, 0, sizeof *w);
    w->world = firn_world_def_default();
    w->world.max_step = 1.0 / 60;
    w->world.fps = 60;
    w->world.watch_energy = false; // tests move particles by hand
    w->pbd = firn_pbd_def_default();
    w->world.pbd = &w->pbd;
}

// One solid of a lattice, floating.
static inline void soft_lattice(soft_world *w, double nx, double ny, double nz, double spacing) {
    soft_start(w);
    w->solid = firn_pbd_solid_def_default();
    w->solid.name = "solid";
    w->solid.lattice = (firn_vec3){nx, ny, nz};
    w->solid.spacing = spacing;
    w->pbd.solids.items = &w->solid;
    w->pbd.solids.count = 1;
}

static inline firn_body_def *soft_body(soft_world *w, const char *name, firn_shape_kind kind) {
    firn_body_def *b = &w->body[w->world.bodies.count++];
    *b = firn_body_def_default();
    b->name = name;
    b->shape.kind = kind;
    w->world.bodies.items = w->body;
    return b;
}

static inline firn_world *soft_open(soft_world *w) {
    firn_world *world;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

// The model itself; the first after the bodies.
static inline pbd *soft_model(firn_world *world) {
    size_t count = world_model_count(world);
    for (size_t i = 0; i < count; i++)
        if (world_model_class(world, i) == &pbd_model) return world_model(world, i);
    return NULL;
}

// The model's hash after some steps with so many threads.
static inline uint64_t soft_hash(firn_world *world, int threads, int steps) {
    firn_set_threads(threads);
    for (int i = 0; i < steps; i++) assert_ok(firn_world_step(world));
    uint64_t hash = firn_world_hash(world);
    firn_world_close(world);
    firn_set_threads(0);
    return hash;
}

static inline void soft_run(firn_world *world, double seconds) {
    assert_ok(firn_world_advance(world, seconds));
}

#endif
