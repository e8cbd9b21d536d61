// Same bits for any number of threads and over a restart.
#ifndef TESTS_BITS_H
#define TESTS_BITS_H

#include "support.h"

#include "cache/cache.h"

static inline void assert_threads_do_not_show(firn_world *(*make)(void), int steps) {
    uint64_t hash[THREAD_COUNTS];
    for (int t = 0; t < THREAD_COUNTS; t++) {
        firn_set_threads(thread_counts[t]);
        firn_world *world = make();
        for (int i = 0; i < steps; i++) assert_ok(firn_world_step(world));
        hash[t] = firn_world_hash(world);
        firn_world_close(world);
    }
    firn_set_threads(0);
    for (int t = 1; t < THREAD_COUNTS; t++) assert_true(hash[t] == hash[0]);
}

// `cut` is of the same scene as `whole`, at any time: it goes on from where that is.
static inline void assert_restarts(firn_world *whole, firn_world *cut, int steps) {
    char path[64];
    snprintf(path, sizeof path, "restart-%d.h5", (int)getpid());
    assert_ok(cache_write(path, whole, 7, CACHE_CHECKPOINT, false));
    assert_ok(cache_read(path, cut, 7, CACHE_CHECKPOINT));
    remove(path);
    for (int i = 0; i < steps; i++) {
        if (firn_world_hash(whole) != firn_world_hash(cut)) fail_msg("step %d after the restart differs", i);
        assert_ok(firn_world_step(whole));
        assert_ok(firn_world_step(cut));
    }
    assert_true(firn_world_hash(whole) == firn_world_hash(cut));
}

// The same after some steps of a world that `make` makes.
static inline void assert_restarts_after(int before, firn_world *(*make)(void), int steps) {
    firn_world *whole = make(), *cut = make();
    for (int i = 0; i < before; i++) assert_ok(firn_world_step(whole));
    assert_restarts(whole, cut, steps);
    firn_world_close(whole);
    firn_world_close(cut);
}

#endif
