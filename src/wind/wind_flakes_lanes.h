// How flakes fly, many at a time.
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

// Flakes [0, n): velocity after dt, where to, the cell that they start in, and whether they stay inside the
// domain and fly no further than `plain_way` cells. The arrays written have room for FLAKES_SPARE more.
enum { FLAKES_SPARE = 16 };
ISA_DECLARE(void, flakes_fly,
            (const flakes_job *job, size_t n, const float (*position)[3], float (*velocity)[3],
             const float (*trait)[TRAITS], float plain_way, float (*to)[3], int32_t *cell, int32_t *plain));

#endif
