// Small worlds of liquid, for the tests of pbd.
#ifndef TESTS_PBD_WET_H
#define TESTS_PBD_WET_H

#include "pbd/pbd_fluid.h"
#include "pbd/soft.h"

typedef soft_world wet_world;

// A pool from `low` to `high` in a box with open top (m).
static inline void wet_pool(wet_world *w, firn_vec3 low, firn_vec3 high, double spacing) {
    soft_start(w);
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
}

static inline void wet_box(wet_world *w, firn_vec3 low, firn_vec3 high) {
    w->box = firn_pbd_box_def_default();
    w->box.friction = 0;
    w->walls = firn_pbd_walls_def_default();
    w->walls.low = low, w->walls.high = high;
    w->box.walls.items = &w->walls;
    w->box.walls.count = 1;
    w->pbd.box = &w->box;
}

#endif
