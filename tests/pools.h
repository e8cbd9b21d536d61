// Pools at rest in tanks as people write them, for the tests of pbd and phase.
#ifndef TESTS_POOLS_H
#define TESTS_POOLS_H

#include "support.h"

#include <math.h>

#include "world/world.h"

typedef enum pool_tank { POOL_BOX, POOL_PLANE_AND_BOX, POOL_WALLS } pool_tank;
static const char *const pool_tank_names[] = {"box", "plane and box", "walls of bodies"};

typedef struct pool_scene {
    char bodies[1200], box[200], fill[200];
} pool_scene;

// A pool of `width` x `depth` (m) that fills its tank, longer by `more`.
static inline pool_scene pool_in(pool_tank tank, double width, double depth, double more) {
    pool_scene p = {0};
    double half = width / 2;
    if (tank == POOL_PLANE_AND_BOX || tank == POOL_WALLS)
        snprintf(p.bodies, sizeof p.bodies, "bodies:\n  floor: {shape: plane}\n");
    if (tank == POOL_WALLS)
        for (int k = 0; k < 4; k++) {
            double x = k < 2 ? 2 * k - 1 : 0, z = k < 2 ? 0 : 2 * k - 5;
            size_t at = strlen(p.bodies);
            snprintf(p.bodies + at, sizeof p.bodies - at,
                     "  wall%d: {shape: {box: {size: [%g, 1, %g]}}, at: [%g, 0.5, %g]}\n", k,
                     k < 2 ? 0.3 : width + 0.6, k < 2 ? width + 0.6 : 0.3, x * (half + 0.15),
                     z * (half + 0.15));
        }
    if (tank == POOL_BOX || tank == POOL_PLANE_AND_BOX)
        snprintf(p.box, sizeof p.box, "  box: {walls: [{low: [%g, 0, %g], high: [%g, 2, %g]}]}\n", -half,
                 -half, half, half);
    snprintf(p.fill, sizeof p.fill, "{shape: {box: {size: [%g, %g, %g]}}, at: [0, %g, 0]", width + more,
             depth + more, width + more, (depth + more) / 2);
    return p;
}

typedef struct pool_motion {
    double gain;   // J above the energy of the start, at most, over the kinetic energy of ...
    double weight; // ... and what lifts all of it by its own depth (J)
    double speed;  // m/s, the largest after the first second
    double sunk;   // m, of the middle, from the first second on
} pool_motion;

static inline firn_ledger pool_ledger(const firn_world *world) {
    return firn_world_ledger(world, firn_world_ledger_count(world) - 1);
}

static inline pool_motion pool_watch(const char *words, double depth, int frames, double fps) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    firn_ledger start = pool_ledger(world), now = start;
    pool_motion m = {-INFINITY, 9.81 * start.mass * depth, 0, 0};
    double after_a_second = 0;
    for (int k = 1; k <= frames; k++) {
        if (firn_world_advance_frame(world) != FIRN_OK) fail_msg("%s", firn_last_error());
        now = pool_ledger(world);
        m.gain = fmax(m.gain, now.kinetic + now.potential - start.kinetic - start.potential);
        if (k > fps) m.speed = fmax(m.speed, now.max_speed);
        if (k == (int)fps) after_a_second = now.potential;
    }
    m.sunk = (after_a_second - now.potential) / (9.81 * now.mass);
    firn_world_close(world);
    return m;
}

#endif
