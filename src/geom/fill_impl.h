// Shared by the fill*.c files.
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

// The points at the middles of a grid's cells, or anywhere in them, whose signed distance is below `limit`
// (m). distance: NULL, or where to put an array of the distances (mem_free).
firn_status fill_cells(const fill_grid *grid, bool jittered, float limit, fill_points *out, float **distance);
// Fails for what cannot be filled at this spacing. mass: of the shape.
firn_status fill_check(const shape *s, double spacing, unsigned per_cell, firn_fill_pattern pattern,
                       shape_mass *mass);
firn_status fill_check_grid(const double size[3], double cell, const double n[3]);

// Points with one in each cell of edge e = cbrt(volume / count) and none closer than about 0.8 e.
firn_status fill_blue_noise(const shape *s, double mean_spacing, uint64_t seed, fill_points *out);

#endif
