// SDFs of primitives and of ground, over lanes.
#ifndef GEOM_SHAPE_LANES_H
#define GEOM_SHAPE_LANES_H

#include <firn/defs.h>

#include "base/isa.h"

typedef struct shape_primitive {
    firn_shape_kind kind;
    // Box: half extents; ellipsoid: radii; sphere: radius in [0]; capsule and cylinder: radius in [0], half
    // length in [1].
    float half[3];
} shape_primitive;

struct ground_map; // shape_sdf.h

// Signed distance and outward unit normal at n points; nx, ny, nz may all be NULL.
ISA_DECLARE(void, primitive_query,
            (const shape_primitive *s, size_t n, const float *x, const float *y, const float *z,
             float *distance, float *nx, float *ny, float *nz));
ISA_DECLARE(void, ground_query,
            (const struct ground_map *g, size_t n, const float *x, const float *y, const float *z,
             float *distance, float *nx, float *ny, float *nz));

#endif
