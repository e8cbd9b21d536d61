// What the tests of pins, constraints and solids that come and go share.
#ifndef TESTS_WORLD_CHANGES_H
#define TESTS_WORLD_CHANGES_H

#include "worlds.h"

#include <math.h>
#include <stdio.h>

// A constraint that a program may bring: |a - b| = its value.
static inline float tether(const float (*x)[3], const float *values, float (*gradient)[3]) {
    float d[3], length = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = x[0][a] - x[1][a];
        length += d[a] * d[a];
    }
    length = sqrtf(length);
    for (int a = 0; a < 3; a++) {
        gradient[0][a] = length > 0 ? d[a] / length : 0;
        gradient[1][a] = -gradient[0][a];
    }
    return length - values[0];
}
static inline void tether_rest(const float (*x)[3], float *values) {
    float none[2][3];
    const float zero = 0;
    values[0] = tether(x, &zero, none);
}

// A play in parts, each of which changes the world and steps: the same bits on other threads, and from a
// saved state after each part on, in a world of the scene itself and in one that goes back in time.
static inline void assert_same_play(const char *yaml, void (*act)(firn_world *, int), int parts) {
    enum { MOST = 8 };
    void *saved[MOST];
    size_t bytes[MOST];
    assert_true(parts <= MOST);
    firn_world *a = open_text(yaml);
    for (int k = 0; k < parts; k++) {
        act(a, k);
        assert_ok(firn_world_save(a, &saved[k], &bytes[k]));
    }
    frames(a, 2);
    uint64_t end = firn_world_hash(a);
    assert_ok(firn_set_threads(3));
    firn_world *b = open_text(yaml);
    for (int k = 0; k < parts; k++) act(b, k);
    frames(b, 2);
    assert_ok(firn_set_threads(0));
    assert_true(firn_world_hash(b) == end);
    for (int from = parts - 1; from >= 0; from--) {
        firn_world *fresh = open_text(yaml), *worlds[] = {fresh, b};
        for (size_t i = 0; i < 2; i++) {
            assert_ok(firn_world_load(worlds[i], saved[from], bytes[from]));
            for (int k = from + 1; k < parts; k++) act(worlds[i], k);
            frames(worlds[i], 2);
            if (firn_world_hash(worlds[i]) != end) fail_msg("other bits from part %d on", from);
        }
        firn_world_close(fresh);
    }
    for (int k = 0; k < parts; k++) firn_data_free(saved[k]);
    firn_world_close(a);
    firn_world_close(b);
}

#endif
