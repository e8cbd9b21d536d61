// Many points from one frame to another.
#ifndef BODY_BODY_FRAME_LANES_H
#define BODY_BODY_FRAME_LANES_H

#include <stddef.h>

#include "base/isa.h"

// out = turn * in + at
typedef struct frame_map {
    float turn[3][3];
    float at[3];
} frame_map;

ISA_DECLARE(void, frame_points,
            (const frame_map *map, size_t n, const float *x, const float *y, const float *z, float *ox,
             float *oy, float *oz));
// Directions, in place, by the transposed of map->turn: back to where frame_points came from.
ISA_DECLARE(void, frame_turn_back, (const frame_map *map, size_t n, float *x, float *y, float *z));

#endif
