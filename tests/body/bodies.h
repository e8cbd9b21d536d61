// Building and stepping sets of bodies in tests.
#ifndef TESTS_BODY_BODIES_H
#define TESTS_BODY_BODIES_H

#include "support.h"

#include <math.h>

#include "base/hash.h"
#include "body/body.h"
#include "math/dvec.h"

static const double G = 9.81;

// The fields of a model without a world; those that fit.
static inline size_t fields_of(const model_class *kind, const void *model, firn_field *out, size_t room) {
    size_t count = 0;
    for (const field_table *const *table = kind->fields; *table; table++)
        for (size_t k = 0; k < (*table)->count && count < room; k++)
            count += field_fetch(&(*table)->rows[k], model, &out[count]);
    return count;
}

static inline model_setting usual_setting(void) {
    return (model_setting){
        .gravity = {0, -G, 0}, .air_temperature = -5, .seed = 7, .max_speed = 1000, .folder = "."};
}

static inline firn_body_def body_of(const char *name, firn_shape_kind kind) {
    firn_body_def def = firn_body_def_default();
    def.name = name;
    def.shape.kind = kind;
    return def;
}

static inline firn_body_def plane_body(double friction, double restitution) {
    firn_body_def def = body_of("ground", FIRN_SHAPE_PLANE);
    def.friction = friction;
    def.restitution = restitution;
    return def;
}

static inline firn_body_def box_body(const char *name, firn_vec3 size, firn_vec3 at) {
    firn_body_def def = body_of(name, FIRN_SHAPE_BOX);
    def.shape.size = size;
    def.at = at;
    def.motion.kind = FIRN_MOTION_DYNAMIC;
    def.restitution = 0;
    return def;
}

static inline firn_body_def ball_body(const char *name, double radius, firn_vec3 at) {
    firn_body_def def = body_of(name, FIRN_SHAPE_SPHERE);
    def.shape.radius = radius;
    def.at = at;
    def.motion.kind = FIRN_MOTION_DYNAMIC;
    def.restitution = 0;
    return def;
}

typedef struct run {
    body_set *set;
    double time;
    uint64_t step;
} run;

static inline run start(const firn_body_def *defs, size_t count, const model_setting *setting) {
    run r = {0};
    assert_ok(body_set_create(defs, count, setting, &r.set));
    return r;
}

static inline void one_step(run *r, double dt) {
    dt = fmin(dt, body_model.max_dt(r->set));
    model_step step = {r->time, dt, r->step, 0, NULL};
    assert_ok(body_model.step(r->set, r->set, step));
    r->time += dt;
    r->step++;
}

// To a moment, in steps of at most dt.
static inline void run_to(run *r, double time, double dt) {
    while (r->time < time - 1e-9) one_step(r, fmin(dt, time - r->time));
}

static inline void stop(run *r) { body_set_destroy(r->set); }

static inline firn_ledger ledger_of(const run *r) {
    firn_ledger ledger = {0};
    body_model.ledger(r->set, &ledger);
    return ledger;
}

static inline uint64_t state_hash(const run *r) {
    firn_field fields[32];
    size_t count = fields_of(&body_model, r->set, fields, 32);
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        if (fields[i].flags & FIRN_FIELD_STATE)
            hash = hash64(fields[i].data, fields[i].count * fields[i].components * sizeof(double), hash);
    return hash;
}

#endif
