// The cost of a run, estimated by running a part of it.
#ifndef CACHE_MEASURE_H
#define CACHE_MEASURE_H

#include "scene/scene.h"

// What reading files and building the world took.
typedef struct build_cost {
    double cpu;    // s
    size_t before; // bytes in use
    size_t peak;   // bytes in use at most, since then
} build_cost;
build_cost build_cost_begin(void);
void build_cost_end(build_cost *built);

// The cost of a run of so many frames (0: the scene's duration), from the world before its first step, which
// is of no use afterwards. Takes about two and a half CPU seconds at most. *cost: as world_cost left it.
firn_status measure_run(const scene *s, firn_world *world, uint64_t frames, const build_cost *built,
                        firn_cost *cost);

#endif
