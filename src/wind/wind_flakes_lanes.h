// Flight of flakes, many at a time.
#ifndef WIND_WIND_FLAKES_LANES_H
#define WIND_WIND_FLAKES_LANES_H

#include "base/isa.h"
#include "solve/poisson.h"

enum { TRAIT_FALL, TRAIT_RADIUS, TRAIT_TURN, TRAIT_PHASE, TRAITS }; // m/s, m, rad/s, rad

typedef struct flakes_job {
    poisson_box box;
    const float *v[3];        // wind through the faces
    float low[3], per_cell;   // m, 1/m
    float gravity[3], weight; // m/s2; its length
    float dt;                 // s
    double time;              // s, for the swirl
} flakes_job;

// Of each of a few flakes: the cell that it starts in, its column (a number for each row along x and place
// in it, as in one layer) and layer; does it stay inside the domain and move no further than a simple path?
enum { FLAKES_CHUNK = 512, FLAKES_SPARE = 16 };
typedef struct flakes_start {
    int32_t cell[FLAKES_CHUNK + FLAKES_SPARE], column[FLAKES_CHUNK + FLAKES_SPARE];
    int32_t layer[FLAKES_CHUNK + FLAKES_SPARE], simple[FLAKES_CHUNK + FLAKES_SPARE];
} flakes_start;

// Flakes [0, n), at most FLAKES_CHUNK: velocity after dt, end position. simple_path: in cells.
ISA_DECLARE(void, flakes_fly,
            (const flakes_job *job, size_t n, const float (*position)[3], float (*velocity)[3],
             const float (*trait)[TRAITS], float simple_path, float (*to)[3], flakes_start *start));

#endif
