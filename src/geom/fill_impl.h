// Shared by fill.c and fill_blue.c.
#ifndef GEOM_FILL_IMPL_H
#define GEOM_FILL_IMPL_H

#include "geom/fill.h"

enum { FILL_BLOCK = 512 }; // points asked about at once

// A grid of cells that holds the shape.
typedef struct fill_grid {
    const shape *shape;
    double cell;      // m, edge of a cubic cell
    double edge[3];   // m, of a cell; less than `cell` where it was fitted to the shape's box
    double origin[3]; // lowest corner; the grid stands centred over the shape's box
    size_t n[3];
    uint64_t seed;
} fill_grid;

// Fails if the grid would be absurdly large.
firn_status fill_grid_over(const shape *s, double cell, uint64_t seed, fill_grid *out);

// Points with one in each cell of edge e = cbrt(volume / count) and none closer than about 0.8 e.
firn_status fill_blue_noise(const shape *s, double mean_spacing, uint64_t seed, fill_points *out);

#endif
