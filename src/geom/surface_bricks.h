// Internals of isosurface.h: a sparse grid of bricks around the particles.
#ifndef GEOM_SURFACE_BRICKS_H
#define GEOM_SURFACE_BRICKS_H

#include "base/isa.h"
#include "geom/isosurface.h"
#include "grid/block_map.h"

enum {
    BRICK_BITS = 3,
    BRICK_EDGE = 1 << BRICK_BITS, // nodes
    BRICK_NODES = BRICK_EDGE * BRICK_EDGE * BRICK_EDGE,
    SURFACE_SUPPORT = 3,       // nodes: support radius of the kernel
    PAD_EDGE = BRICK_EDGE + 3, // a brick with one node before it and two behind
    PAD_NODES = PAD_EDGE * PAD_EDGE * PAD_EDGE,
    NEAR = 27, // a brick and those around it, 9 * (dz + 1) + 3 * (dy + 1) + dx + 1
    NEAR_SELF = 13,
};
#define SURFACE_LEVEL 0.5f

// A particle in the frame of its brick.
typedef struct surface_point {
    float at[3];  // in cells from the brick's first node, 0 .. BRICK_EDGE
    float weight; // 1, or more if it would otherwise be outside
} surface_point;

typedef struct surface_bricks {
    const isosurface_input *in;
    double cell;
    block_map map;          // brick coordinates to the brick's number before sorting
    uint32_t *rank;         // that number to the place below
    int32_t (*at)[3];       // bricks in order of z, y, x
    uint32_t (*near)[NEAR]; // BLOCK_NONE where there is none
    uint32_t *first;        // of a brick's points; one more at the end
    size_t count;
    surface_point *point; // brick by brick, in the order of the input
    uint32_t *number;     // of a point in the input
    size_t points;
    float (*density)[BRICK_NODES]; // x fastest
} surface_bricks;

firn_status surface_bricks_build(const isosurface_input *in, surface_bricks *out);
void surface_bricks_free(surface_bricks *t);

// Density of all bricks, then the weights of thin and loose matter.
void surface_splat(surface_bricks *t, bool *loose);
// For a brick: sum of weight * value over the particles at its nodes, for each of some channels.
void surface_splat_values(const surface_bricks *t, size_t brick, uint32_t first, uint32_t count,
                          float (*sum)[BRICK_NODES]);
// Their inner loops; these add. again: only what weighs other than 1.
enum { SPLAT_CHANNELS = 8 };
ISA_DECLARE(void, surface_splat_density,
            (const surface_bricks *t, size_t brick, float share, bool again, float nodes[BRICK_NODES]));
ISA_DECLARE(void, surface_splat_channels,
            (const surface_bricks *t, size_t brick, float share, uint32_t first, uint32_t count,
             float (*sum)[BRICK_NODES]));
// A brick's nodes and those around it; 0 where there is no brick. `nodes` has `stride` channels of each
// brick.
void surface_pad(const surface_bricks *t, const float (*nodes)[BRICK_NODES], size_t stride, size_t channel,
                 size_t brick, float out[PAD_NODES]);

firn_status surface_march(const surface_bricks *t, surface *out);

#endif
