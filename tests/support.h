// What the tests share: cmocka, failing allocators, temporary folders.
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// `fail` is ours (base/status.h); fail_msg is what tests use.
#undef fail
#undef fail_msg
#define fail_msg(...) (print_error("ERROR: " __VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <firn/firn.h>

// First in a literal of options that begin as zeros: `(firn_run_options){COOKIE(run), .scene = path}`.
#define COOKIE(kind) .cookie = firn_##kind##_options_default().cookie

#define assert_ok(call)                                                                                      \
    do {                                                                                                     \
        firn_status ok_status = (call);                                                                      \
        if (ok_status != FIRN_OK) fail_msg("%s: status %d: %s", #call, (int)ok_status, firn_last_error());   \
    } while (0)

#define assert_near(actual, expected, tolerance)                                                             \
    do {                                                                                                     \
        double near_a = (actual), near_e = (expected), near_t = (tolerance);                                 \
        double near_d = near_a > near_e ? near_a - near_e : near_e - near_a;                                 \
        if (!(near_d <= near_t))                                                                             \
            fail_msg("%s = %.9g, expected %.9g within %.3g", #actual, near_a, near_e, near_t);               \
    } while (0)

// Numbers of threads that must give the same bits; a sanitizer's build takes the first two.
static const int thread_counts[] = {1, 3, 2, 8};
enum { THREAD_COUNTS = FIRN_FEWER > 1 ? 2 : 4 };

// First in main: under the thread sanitizer, which makes all of it twenty times slower, only the group's
// tests whose names tell of threads are run.
static inline void only_threads_under_tsan(void) {
#ifdef __SANITIZE_THREAD__
    cmocka_set_test_filter("*thread*");
#endif
}

// Makes the n-th allocation from now on fail (1: the next), once; 0: none. Counts all.
typedef struct failing_allocator {
    size_t n, calls;
} failing_allocator;

static inline void *failing_allocate(void *context, size_t bytes) {
    failing_allocator *f = context;
    size_t call = __atomic_add_fetch(&f->calls, 1, __ATOMIC_RELAXED);
    return call == f->n ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static inline void failing_release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free(memory);
}

static inline void fail_allocation(failing_allocator *f, size_t n) {
    *f = (failing_allocator){.n = n};
    firn_set_allocator(&(firn_allocator){failing_allocate, failing_release, f});
}

// The value of a time series of a world; it must have it.
static inline double series_value(const firn_world *world, const char *model, const char *panel,
                                  const char *name) {
    for (size_t i = 0; i < firn_world_series_count(world); i++) {
        firn_series s = firn_world_series_at(world, i);
        if (strcmp(s.model, model) == 0 && strcmp(s.panel, panel) == 0 && strcmp(s.name, name) == 0)
            return s.value;
    }
    fail_msg("%s has no series '%s: %s'", model, panel, name);
    return 0;
}

#endif
