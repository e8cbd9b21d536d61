// The inside of surface.h: a sparse grid of tiles around the particles.
#ifndef GEOM_SURFACE_TILES_H
#define GEOM_SURFACE_TILES_H

#include "geom/surface.h"
#include "grid/block_map.h"

enum {
    TILE_BITS = 3,
    TILE_EDGE = 1 << TILE_BITS, // nodes
    TILE_NODES = TILE_EDGE * TILE_EDGE * TILE_EDGE,
    SURFACE_REACH = 3,        // nodes: how far a particle's blob goes
    PAD_EDGE = TILE_EDGE + 3, // a tile with one node before it and two behind
    PAD_NODES = PAD_EDGE * PAD_EDGE * PAD_EDGE,
    NEAR = 27, // a tile and those around it, 9 * (dz + 1) + 3 * (dy + 1) + dx + 1
    NEAR_SELF = 13,
};
#define SURFACE_LEVEL 0.5f

// A particle as its tile sees it.
typedef struct surface_point {
    float at[3];  // in cells from the tile's first node, 0 .. TILE_EDGE
    float weight; // 1, or what it takes that its place is inside
} surface_point;

typedef struct surface_tiles {
    const surface_input *in;
    double cell;
    block_map map;          // tile coordinates to the tile's number before sorting
    uint32_t *rank;         // that number to the place below
    int32_t (*at)[3];       // tiles in order of z, y, x
    uint32_t (*near)[NEAR]; // BLOCK_NONE where there is none
    uint32_t *first;        // of a tile's points; one more at the end
    size_t count;
    surface_point *point; // tile by tile, in the order of the input
    uint32_t *number;     // of a point in the input
    size_t points;
    float (*density)[TILE_NODES]; // x fastest
} surface_tiles;

firn_status surface_tiles_build(const surface_input *in, surface_tiles *out);
void surface_tiles_free(surface_tiles *t);

// Density of all tiles, then the weights of thin and loose matter.
void surface_splat(surface_tiles *t, bool *loose);
// For a tile: sum of weight * value over the particles, and of weight, at its nodes.
void surface_splat_value(const surface_tiles *t, size_t tile, uint32_t channel, float sum[TILE_NODES]);
// A tile's nodes and those around it; 0 where there is no tile.
void surface_pad(const surface_tiles *t, const float (*nodes)[TILE_NODES], size_t tile, float out[PAD_NODES]);

firn_status surface_march(const surface_tiles *t, surface *out);

#endif
