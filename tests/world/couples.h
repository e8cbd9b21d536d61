// For tests of couplings: worlds from words, particles of a model, what has passed, hashes.
#ifndef WORLD_COUPLES_H
#define WORLD_COUPLES_H

#include "support.h"

#include <math.h>

#include "world/world.h"

static inline firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

static inline void advance(firn_world *world, double seconds) {
    if (firn_world_advance(world, seconds) != FIRN_OK) fail_msg("%s", firn_last_error());
}

static inline firn_ledger ledger_of(const firn_world *world, const char *model) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, model) == 0) return firn_world_ledger(world, i);
    fail_msg("there is no model %s", model);
    return (firn_ledger){0};
}

static inline firn_coupling coupling_of(const firn_world *world, const char *name) {
    for (size_t i = 0; i < firn_world_coupling_count(world); i++)
        if (strcmp(firn_world_coupling(world, i).name, name) == 0) return firn_world_coupling(world, i);
    fail_msg("there is no coupling %s", name);
    return (firn_coupling){0};
}

typedef struct flock {
    size_t count;
    double lowest, highest, mean; // m, of the middles
    double fastest, mean_speed;   // m/s
} flock;

static inline double component(const firn_field *f, size_t item, size_t k) {
    return f->type == FIRN_F64 ? ((const double *)f->data)[item * f->components + k]
                               : (double)((const float *)f->data)[item * f->components + k];
}

static inline flock flock_of(const firn_world *world, const char *model) {
    char name[64];
    snprintf(name, sizeof name, "%s.position", model);
    firn_field x = firn_world_field(world, name);
    snprintf(name, sizeof name, "%s.velocity", model);
    firn_field v = firn_world_field(world, name);
    flock out = {.count = x.count, .lowest = INFINITY, .highest = -INFINITY};
    for (size_t i = 0; i < x.count; i++) {
        double y = component(&x, i, 1), speed2 = 0;
        for (size_t k = 0; k < 3; k++) speed2 += component(&v, i, k) * component(&v, i, k);
        out.lowest = fmin(out.lowest, y), out.highest = fmax(out.highest, y);
        out.mean += y / (double)x.count;
        out.fastest = fmax(out.fastest, sqrt(speed2));
        out.mean_speed += sqrt(speed2) / (double)x.count;
    }
    return out;
}

// Bytes of all fields of a model that are state.
static inline void assert_same_fields(const firn_world *a, const firn_world *b, const char *prefix) {
    size_t compared = 0;
    for (size_t k = 0; k < firn_world_field_count(a); k++) {
        firn_field x = firn_world_field_at(a, k), y;
        if (strncmp(x.name, prefix, strlen(prefix)) != 0) continue;
        y = firn_world_field(b, x.name);
        assert_int_equal(x.count, y.count);
        size_t bytes = x.type == FIRN_F64 || x.type == FIRN_U64 ? 8 : 4;
        if (x.count > 0) assert_memory_equal(x.data, y.data, x.count * x.components * bytes);
        compared++;
    }
    assert_true(compared >= 2);
}

static inline uint64_t hash_after(const char *words, int steps, int restart_step) {
    firn_world *world = open_world(words);
    void *memory = NULL;
    size_t bytes = 0;
    for (int step = 0; step < steps; step++) {
        if (firn_world_step(world) != FIRN_OK) fail_msg("%s", firn_last_error());
        if (step != restart_step) continue;
        assert_ok(firn_world_save(world, &memory, &bytes));
        firn_world_close(world);
        world = open_world(words);
        assert_ok(firn_world_load(world, memory, bytes));
        firn_data_free(memory);
    }
    uint64_t hash = firn_world_hash(world);
    firn_world_close(world);
    return hash;
}

// The same bits for all numbers of threads, and over restarts at these steps.
static inline void assert_bits_hold(const char *words, int steps, const int *restart) {
    firn_set_threads(1);
    uint64_t hash = hash_after(words, steps, -1);
    for (int i = 0; i < THREAD_COUNTS; i++) {
        firn_set_threads(thread_counts[i]);
        assert_int_equal(hash_after(words, steps, restart[i]), hash);
    }
    firn_set_threads(0);
}

#endif
