// Slopes that are too steep, one tile at a time, over lanes.
#ifndef FIELD_FIELD_SLUMP_LANES_H
#define FIELD_FIELD_SLUMP_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/isa.h"
#include "field/field_units.h"

enum {
    SLUMP_HALO = 2, // a cell's new mass depends on cells this far away
    SLUMP_PAD = 16, // lanes may run over the end of a row
    SLUMP_STRIDE = 128 + 2 * SLUMP_HALO + SLUMP_PAD,
    SLUMP_ROWS = 128 + 2 * SLUMP_HALO,
};

// A piece of the field with its surroundings: cell (x, z) of the piece is at (z + 2) * SLUMP_STRIDE + x + 2.
typedef struct slump_patch {
    int32_t width, length;
    int32_t mass[SLUMP_ROWS * SLUMP_STRIDE];
    int32_t height[SLUMP_ROWS * SLUMP_STRIDE]; // of the surface, HEIGHT_UNIT
    float density[SLUMP_ROWS * SLUMP_STRIDE];
    float ground[SLUMP_ROWS * SLUMP_STRIDE]; // m
    bool roofed;                             // the rest is filled only if a body stands somewhere
    int32_t roof[SLUMP_ROWS * SLUMP_STRIDE];
    int32_t upper[SLUMP_ROWS * SLUMP_STRIDE];
    int32_t top_mass[SLUMP_ROWS * SLUMP_STRIDE];
    float top_density[SLUMP_ROWS * SLUMP_STRIDE];
    // What comes out: as many rows of SLUMP_STRIDE, counted from the first cell of the piece.
    int32_t new_mass[128 * SLUMP_STRIDE];
    float new_density[128 * SLUMP_STRIDE];
    int32_t new_top_mass[128 * SLUMP_STRIDE];
    float new_top_density[128 * SLUMP_STRIDE];
    int32_t x0, z0, x1, z1; // cells that changed
} slump_patch;

// Heights of the surface from mass, density and ground.
ISA_DECLARE(void, slump_heights, (slump_patch * p));
// One sweep over the piece; false: nothing slid.
ISA_DECLARE(int, slump_sweep, (const field_law *law, slump_patch *p));

// The same where bodies stand: cover_heights after slump_heights, cover_sweep instead of slump_sweep.
ISA_DECLARE(void, cover_heights, (slump_patch * p));
ISA_DECLARE(int, cover_sweep, (const field_law *law, slump_patch *p));

#endif
