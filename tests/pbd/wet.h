// Small worlds of liquid, for the tests of pbd.
#ifndef TESTS_PBD_WET_H
#define TESTS_PBD_WET_H

#include "pbd/pbd_fluid.h"
#include "pbd/soft.h"

typedef struct wet_world {
    firn_world_def world;
    firn_pbd_def pbd;
    firn_pbd_fluid_def fluid;
    firn_pbd_pool_def pool[3];
    firn_pbd_box_def box;
    firn_pbd_walls_def walls;
    firn_body_def body[8];
} wet_world;

// A pool from `low` to `high` in a box with open top (m).
static inline void wet_pool(wet_world *w, firn_vec3 low, firn_vec3 high, double spacing) {
    memset(w, 0, sizeof *w);
    w->world = firn_world_def_default();
    w->world.max_step = 1.0 / 60;
    w->world.fps = 60;
    w->pbd = firn_pbd_def_default();
    w->pbd.solver = FIRN_PBD_JACOBI_PARTICLE;
    w->fluid = firn_pbd_fluid_def_default();
    w->fluid.spacing = spacing;
    w->pool[0] = firn_pbd_pool_def_default();
    w->pool[0].name = "water";
    w->pool[0].fill.shape.kind = FIRN_SHAPE_BOX;
    w->pool[0].fill.shape.size = dvec_sub(high, low);
    w->pool[0].fill.at = dvec_mix(low, high, 0.5);
    w->fluid.pools.items = w->pool;
    w->fluid.pools.count = 1;
    w->pbd.fluid = &w->fluid;
    w->world.pbd = &w->pbd;
}

static inline void wet_box(wet_world *w, firn_vec3 low, firn_vec3 high) {
    w->box = firn_pbd_box_def_default();
    w->box.friction = 0;
    w->walls = (firn_pbd_walls_def){0, low, high};
    w->box.walls.items = &w->walls;
    w->box.walls.count = 1;
    w->pbd.box = &w->box;
}

static inline firn_body_def *wet_body(wet_world *w, const char *name, firn_shape_kind kind) {
    firn_body_def *b = &w->body[w->world.bodies.count++];
    *b = firn_body_def_default();
    b->name = name;
    b->shape.kind = kind;
    w->world.bodies.items = w->body;
    return b;
}

static inline firn_world *wet_open(wet_world *w) {
    firn_world *world;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

#endif
