// What tests of whole worlds share: opening and stepping them, ledgers by name, the same bits on any number
// of threads, and calls that change a world when memory runs out.
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include "support.h"

static inline firn_world *open_text(const char *yaml) {
    firn_world *world;
    assert_ok(firn_world_open_text(yaml, "test.yaml", &world));
    return world;
}

static inline firn_world *open_all_models(void) {
    firn_world *world;
    assert_ok(firn_world_open(FIRN_TEST_DATA "/scenes/all-models.yaml", &world));
    return world;
}

static inline void frames(firn_world *world, int count) {
    for (int i = 0; i < count; i++) assert_ok(firn_world_advance_frame(world));
}

static inline firn_ledger ledger_of(const firn_world *world, const char *model) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger ledger = firn_world_ledger(world, i);
        if (strcmp(ledger.model, model) == 0) return ledger;
    }
    fail_msg("no model '%s'", model);
    return (firn_ledger){0};
}

// The reaction on a body after `seconds` has the same bits on any number of threads.
static inline void assert_same_reaction(const char *yaml, size_t body, double seconds) {
    firn_impulse first = {0};
    for (int k = 0; k < THREAD_COUNTS; k++) {
        assert_ok(firn_set_threads(thread_counts[k]));
        firn_world *world = open_text(yaml);
        assert_ok(firn_world_advance(world, seconds));
        firn_impulse now = firn_world_body_reaction(world, body);
        if (k == 0) first = now;
        assert_memory_equal(&first, &now, sizeof now);
        firn_world_close(world);
    }
    assert_ok(firn_set_threads(0));
}

// A call that changes a world: whichever allocation fails, it does all or nothing; without a failure, all.
static inline void assert_all_or_nothing(firn_world *world, firn_status (*call)(firn_world *, const char *),
                                         const char *name) {
    uint64_t before = firn_world_hash(world);
    firn_status status = FIRN_NO_MEMORY;
    for (size_t n = 1; status != FIRN_OK && n < 2000; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        status = call(world, name);
        firn_set_allocator(NULL);
        assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
        assert_true((firn_world_hash(world) == before) == (status != FIRN_OK));
    }
    assert_int_equal(status, FIRN_OK);
}

#endif
