// Slopes that are too steep, a piece of the field at a time, over lanes.
#ifndef SNOWFIELD_FIELD_SLUMP_LANES_H
#define SNOWFIELD_FIELD_SLUMP_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/isa.h"
#include "snowfield/snowfield_units.h"

enum {
    PATCH_MOST = 160,  // cells along a side
    PATCH_MARGIN = 16, // lanes look one cell beyond the ends of a row; a multiple of them
    PATCH_STRIDE = PATCH_MOST + 2 * PATCH_MARGIN,
    PATCH_CELLS = (PATCH_MOST + 2) * PATCH_STRIDE, // one more row above and below
    PATCH_CELLS_PER_SWEEP = 2, // cells that a sweep reaches: so far from the rim a patch is wrong after it
};

// The mass that the cells of one row give away, and their previous state as far as neighbours need it.
enum { LEFT, RIGHT, UP, DOWN, LEFT_UP, RIGHT_UP, LEFT_DOWN, RIGHT_DOWN, SLUMP_WAYS };
typedef struct layer_row {
    int32_t give[SLUMP_WAYS][PATCH_STRIDE];
    float thin[PATCH_STRIDE]; // 1 / density
} layer_row;
typedef struct slump_row {
    layer_row ground, top;
    int32_t height[PATCH_STRIDE];
    uint32_t gives, top_gives; // groups of eight cells that hold anything but zeros
} slump_row;

// A piece of the field with its surroundings, swept in place. Cell (x, z) is at patch_at(x, z).
typedef struct slump_patch {
    int32_t width, length; // width: a multiple of 8, and of the lanes
    int32_t level;         // HEIGHT_UNIT; of level ground
    bool roofed;           // a body stands somewhere; only then deck, roof, upper, top_* count
    int32_t mass[PATCH_CELLS];
    float density[PATCH_CELLS];
    int32_t ground[PATCH_CELLS]; // HEIGHT_UNIT
    int32_t height[PATCH_CELLS]; // of the surface
    int32_t roof[PATCH_CELLS];   // lowest point of the bodies, INT32_MAX: none
    int32_t deck[PATCH_CELLS];   // their highest point
    int32_t upper[PATCH_CELLS]; // surface that others see from above: of the snow on the body, or of the snow
                                // on the ground
    int32_t top_mass[PATCH_CELLS];
    float top_density[PATCH_CELLS];
    bool fenced;                     // something is shut; only then shut and fences count
    int32_t shut[PATCH_CELLS];       // bit w: nothing slides that way (ways of snowfield_slump_lanes.c)
    uint32_t fences[PATCH_MOST + 2]; // by row: bit k: something is shut in the cells 8 k .. 8 k + 7
    uint32_t
        dirty[PATCH_MOST + 2]; // by row: bit k: some of the cells 8 k .. 8 k + 7 changed in the last sweep
    uint32_t ever[PATCH_MOST + 2];  // changed since the patch was filled
    uint32_t need[PATCH_MOST + 2];  // are there; what is beside them is a wall
    uint32_t roofs[PATCH_MOST + 2]; // a roof may be there
    slump_row ring[3];              // zero before the first use
} slump_patch;

static inline size_t patch_at(int32_t x, int32_t z) {
    return (size_t)((z + 1) * PATCH_STRIDE + x + PATCH_MARGIN);
}

// Heights of the surfaces from masses and densities.
ISA_DECLARE(void, slump_heights, (slump_patch * p));
// One sweep; false: nothing slid.
ISA_DECLARE(int, slump_sweep, (const snowfield_law *law, slump_patch *p));

#endif
