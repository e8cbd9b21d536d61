// Storage of a level set.
//
// The box is cut into blocks of 8 cells. A block is either one leaf or 4 x 4 x 4 leaves of 2 cells. A leaf
// holds (2^level + 1)^3 samples, its border included, with trilinear interpolation in between; adjacent
// leaves share the samples that both have.
#ifndef GEOM_LEVELSET_DATA_H
#define GEOM_LEVELSET_DATA_H

#include "geom/levelset.h"

enum {
    LEVELSET_BLOCK = 8, // cells along a block
    LEVELSET_PARTS = 4, // leaves along a split block
    LEVELSET_SPLIT = 7, // in place of a level
    LEVELSET_MAX_LEVEL = 5,
    LEVELSET_ALIGN = 4 // samples of a leaf start at multiples of this
};

// An entry of `top` or `parts`: level in the low 3 bits; above them offset / LEVELSET_ALIGN of the samples
// or, if split, the number of the group of 64 parts. x fastest everywhere.
struct levelset {
    float low[3], high[3];
    float cell;
    float per_block; // 1 / (8 cell)
    uint32_t blocks[3];
    uint32_t *top;
    uint32_t *parts; // group 0 is never used, so that any lane may read it
    float *samples;
    size_t groups, sample_count; // with group 0
    bool smoothed;               // the mesh has more detail than the resolution
};

static inline uint32_t levelset_side(uint32_t level) { return (1u << level) + 1; } // samples along a leaf

ISA_DECLARE(void, levelset_query_lanes,
            (const levelset *l, size_t n, const float *x, const float *y, const float *z, float *distance,
             float *nx, float *ny, float *nz));

// Implemented in levelset_build.c; the box and `top` are set up.
firn_status levelset_build(levelset *l, const mesh *m, bool closed, const char *name);

#endif
