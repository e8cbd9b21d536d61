// Grains with bodies in tests.
#ifndef TESTS_GRAINS_GRAINS_RUN_H
#define TESTS_GRAINS_GRAINS_RUN_H

#include "body/bodies.h"
#include "grains/grains.h"

typedef struct grains_run {
    run bodies;
    void *grains;
} grains_run;

// A box of grains with its middle at `at`.
static inline firn_grains_fill_def box_of_grains(firn_vec3 at, firn_vec3 size, double spacing) {
    firn_grains_fill_def fill = firn_grains_fill_def_default();
    fill.name = "box";
    fill.fill.shape.kind = FIRN_SHAPE_BOX;
    fill.fill.shape.size = size;
    fill.fill.at = at;
    fill.spacing = spacing;
    return fill;
}

static inline grains_run start_grains(const firn_body_def *bodies, size_t count, const firn_grains_def *def,
                                      const model_setting *setting) {
    grains_run r = {.bodies = start(bodies, count, setting)};
    assert_ok(grains_model.create(def, setting, r.bodies.set, &r.grains));
    return r;
}

// As the world does: bodies first, then the grains.
static inline void step_grains(grains_run *r, double dt) {
    dt = fmin(dt, body_model.max_dt(r->bodies.set));
    model_step step = {r->bodies.time, dt, r->bodies.step, 0, NULL};
    one_step(&r->bodies, dt);
    assert_ok(grains_model.step(r->grains, r->bodies.set, step));
}

static inline void run_grains_to(grains_run *r, double time, double dt) {
    while (r->bodies.time < time - 1e-9) step_grains(r, fmin(dt, time - r->bodies.time));
}

static inline void stop_grains(grains_run *r) {
    grains_model.destroy(r->grains);
    stop(&r->bodies);
}

static inline firn_field grain_field(const grains_run *r, size_t index) {
    firn_field fields[8];
    assert_int_equal(fields_of(&grains_model, r->grains, fields, 8), 4);
    return fields[index];
}
static inline float (*grain_positions(const grains_run *r))[3] { return (float(*)[3])grain_field(r, 0).data; }
static inline float (*grain_velocities(const grains_run *r))[3] {
    return (float(*)[3])grain_field(r, 1).data;
}
static inline size_t grain_count(const grains_run *r) { return grain_field(r, 0).count; }

static inline firn_ledger grains_ledger_of(const grains_run *r) {
    firn_ledger ledger = {0};
    grains_model.ledger(r->grains, &ledger);
    return ledger;
}

static inline uint64_t grains_hash(const grains_run *r) {
    uint64_t hash = state_hash(&r->bodies);
    for (size_t i = 0; i < 4; i++) {
        firn_field f = grain_field(r, i);
        if (f.flags & FIRN_FIELD_STATE) hash = hash64(f.data, f.count * f.components * 4, hash);
    }
    return hash;
}

// How near any grain is to any body; negative: inside.
static inline double nearest_body(const grains_run *r) {
    double least = INFINITY;
    enum { BLOCK = 512 };
    float x[BLOCK], y[BLOCK], z[BLOCK], d[BLOCK], (*at)[3] = grain_positions(r);
    for (size_t begin = 0; begin < grain_count(r); begin += BLOCK) {
        size_t n = grain_count(r) - begin < BLOCK ? grain_count(r) - begin : BLOCK;
        for (size_t i = 0; i < n; i++)
            x[i] = at[begin + i][0], y[i] = at[begin + i][1], z[i] = at[begin + i][2];
        for (size_t b = 0; b < body_count(r->bodies.set); b++) {
            body_query(r->bodies.set, b, n, x, y, z, d, NULL, NULL, NULL);
            for (size_t i = 0; i < n; i++) least = fmin(least, (double)d[i]);
        }
    }
    return least;
}

#endif
