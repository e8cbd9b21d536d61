// What the tests of the wind share.
#ifndef TESTS_WIND_WINDS_H
#define TESTS_WIND_WINDS_H

#include <math.h>

#include "support.h"
#include "wind/wind_state.h"
#include "world/world.h"

#define PI 3.14159265358979

typedef struct wind_world {
    firn_world_def world;
    firn_wind_def wind;
    firn_body_def body[8];
} wind_world;

// Cells of 1 m, steps of dt seconds, air without friction and turbulence.
static inline void wind_setup(wind_world *w, int nx, int ny, int nz, double dt) {
    memset(w, 0, sizeof *w);
    w->world = firn_world_def_default();
    w->wind = firn_wind_def_default();
    w->wind.grid = (firn_vec3){nx, ny, nz};
    w->wind.cell = 1;
    w->wind.inflow.profile = FIRN_WIND_UNIFORM;
    w->wind.inflow.turbulence = w->wind.subgrid = w->wind.roughness = 0;
    w->world.max_step = dt;
    w->world.fps = 1 / dt;
    for (int i = 0; i < 8; i++) w->body[i] = firn_body_def_default();
}

// As it is in scenes that say nothing of it.
static inline void wind_real_air(wind_world *w) {
    firn_wind_def usual = firn_wind_def_default();
    w->wind.subgrid = usual.subgrid;
    w->wind.roughness = usual.roughness;
    w->wind.inflow.turbulence = usual.inflow.turbulence;
}

static inline void wind_ball(wind_world *w, double x, double y, double z, double radius) {
    firn_body_def *b = &w->body[w->world.bodies.count++];
    b->name = "ball";
    b->shape.kind = FIRN_SHAPE_SPHERE;
    b->shape.radius = radius;
    b->at = (firn_vec3){x, y, z};
}

static inline void wind_box(wind_world *w, const char *name, firn_vec3 at, firn_vec3 size) {
    firn_body_def *b = &w->body[w->world.bodies.count++];
    b->name = name;
    b->shape.kind = FIRN_SHAPE_BOX;
    b->shape.size = size;
    b->at = at;
}

static inline firn_world *wind_open(wind_world *w) {
    firn_world *world;
    w->world.wind = &w->wind;
    w->world.bodies.items = w->body;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

// With flakes and the snow that they build.
typedef struct snowy_world {
    wind_world w;
    firn_flakes_def flakes;
    firn_cover_def cover;
} snowy_world;

static inline void snowy_setup(snowy_world *w, int nx, int ny, int nz, double cell, double dt) {
    wind_setup(&w->w, nx, ny, nz, dt);
    w->w.wind.cell = cell;
    w->flakes = firn_flakes_def_default();
    w->cover = firn_cover_def_default();
}

static inline firn_world *snowy_open(snowy_world *w) {
    w->w.world.flakes = &w->flakes;
    w->w.world.cover = &w->cover;
    return wind_open(&w->w);
}

static inline wind_state *wind_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (world_model_class(world, i) == &wind_model) return world_model(world, i);
    return NULL;
}

static inline body_set *bodies_of(const firn_world *world) { return world_model(world, 0); }

static inline void wind_steps(firn_world *world, int steps) {
    for (int i = 0; i < steps; i++) assert_ok(firn_world_step(world));
}

// Momentum of the air along an axis (kg m/s), over the faces that the pressure moves.
static inline double wind_momentum(const wind_state *s, int axis) {
    const size_t step = axis == 0 ? 1 : axis == 1 ? s->box.row : s->box.plane;
    double sum = 0, cell = s->def.cell;
    for (size_t a = s->box.plane; a < s->box.size; a++) {
        int both = s->kind[a] * s->kind[a - step];
        if (both == POISSON_FREE || both == POISSON_OPEN)
            sum += (double)s->open[axis][a] / POISSON_WHOLE * (double)s->v[axis][a];
    }
    return AIR_DENSITY * cell * cell * cell * sum;
}

#endif
