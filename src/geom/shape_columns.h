// Where vertical lines enter and leave a shape: its lower and upper surface over a grid.
#ifndef GEOM_SHAPE_COLUMNS_H
#define GEOM_SHAPE_COLUMNS_H

#include "geom/shape.h"

typedef struct column_grid {
    double x0, z0; // m, of the first line
    double step;   // m, between lines
    int32_t nx, nz;
    double base; // m; heights are counted from here, so that they stay fine far from y = 0
} column_grid;

// Heights over `base` of the lowest and the highest point of the shape, placed at `at` and turned, on each
// line; item z * nx + x. Lines that miss it: low INFINITY, high -INFINITY. Primitives in closed form, height
// maps that stand upright by their own interpolation, everything else by its triangles.
void shape_columns(const shape *s, firn_vec3 at, firn_quat turn, const column_grid *g, float *low,
                   float *high);

#endif
