// What the tests of the snow field share.
#ifndef TESTS_FIELD_FIELD_WORLD_H
#define TESTS_FIELD_FIELD_WORLD_H

#include <math.h>

#include "support.h"

typedef struct snowfield_world {
    firn_world_def world;
    firn_snowfield_def field;
    firn_body_def body[64];
    firn_snowfield_pour_def pour;
} snowfield_world;

// A field of n x n cells of 2 cm.
static inline void snowfield_setup(snowfield_world *w, int n) {
    memset(w, 0, sizeof *w);
    w->world = firn_world_def_default();
    w->field = firn_snowfield_def_default();
    w->pour = firn_snowfield_pour_def_default();
    w->pour.name = "spout";
    w->field.width = w->field.length = n * w->field.cell;
    w->world.fps = 100;
    w->world.max_step = 0.01;
}

static inline firn_world *snowfield_open(snowfield_world *w) {
    firn_world *world;
    w->world.field = &w->field;
    w->world.bodies.items = w->body;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

static inline firn_ledger snowfield_ledger_of(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        if (strcmp(l.model, "field") == 0) return l;
    }
    return (firn_ledger){0};
}

static inline void step_field(firn_world *world, int steps) {
    for (int i = 0; i < steps; i++) assert_ok(firn_world_step(world));
}

// The fields of a world as one map of cells.
typedef struct snowfield_map {
    int nx, nz;
    double x0, z0, cell;
    double *ground, *depth, *density;
} snowfield_map;

static inline void map_tile(const firn_world *world, snowfield_map *m, size_t t, int edge) {
    const int32_t *at = (const int32_t *)firn_world_field(world, "field.tile").data + 2 * t;
    const float *ground = firn_world_field(world, "field.ground").data,
                *depth = firn_world_field(world, "field.depth").data,
                *density = firn_world_field(world, "field.density").data;
    for (int z = 0; z < edge; z++) {
        for (int x = 0; x < edge; x++) {
            int cx = at[0] * edge + x, cz = at[1] * edge + z;
            if (cx >= m->nx || cz >= m->nz) continue;
            size_t from = (t * (size_t)edge + (size_t)z) * (size_t)edge + (size_t)x,
                   to = (size_t)(cz * m->nx + cx);
            m->ground[to] = (double)ground[from];
            m->depth[to] = (double)depth[from];
            m->density[to] = (double)density[from];
        }
    }
}

static inline snowfield_map map_of(const firn_world *world) {
    const double *g = firn_world_field(world, "field.grid").data;
    snowfield_map m = {.nx = (int)g[3], .nz = (int)g[4], .x0 = g[0], .z0 = g[1], .cell = g[2]};
    size_t cells = (size_t)m.nx * (size_t)m.nz;
    m.ground = malloc(cells * sizeof(double));
    m.depth = malloc(cells * sizeof(double));
    m.density = malloc(cells * sizeof(double));
    for (size_t i = 0; i < cells; i++) m.depth[i] = g[6], m.density[i] = g[7], m.ground[i] = g[8];
    size_t tiles = firn_world_field(world, "field.tile").count;
    for (size_t t = 0; t < tiles; t++) map_tile(world, &m, t, (int)g[5]);
    return m;
}

static inline void map_free(snowfield_map *m) { free(m->ground), free(m->depth), free(m->density); }

static inline double map_top(const snowfield_map *m, int x, int z) {
    size_t i = (size_t)(z * m->nx + x);
    return m->ground[i] + m->depth[i];
}

#endif
