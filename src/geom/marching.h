// Isosurface of a sampled field: marching cubes whose cases leave no holes at ambiguous faces.
#ifndef GEOM_MARCHING_H
#define GEOM_MARCHING_H

#include "geom/mesh.h"

// values: nx * ny * nz samples, x fastest; inside where value < level. Surface closed if the border is all
// outside. Vertices in x + i*cell; normals from the field's gradient, outward (towards larger values); shared
// vertices.
typedef struct marching_grid {
    const float *values;
    uint32_t nx, ny, nz;
    float low[3];
    float cell;
    float level;
    // Where the surface crosses the edge from sample `at` along `axis`, if known better than by linear
    // interpolation; NULL: linear, with the normal of the gradient.
    void (*place)(const void *context, const uint32_t at[3], int axis, float position[3], float normal[3]);
    const void *context;
} marching_grid;
firn_status marching_cubes(const marching_grid *grid, mesh *out);

#endif
