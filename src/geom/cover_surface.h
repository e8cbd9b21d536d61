// Isosurface of snow in cells: marching cubes over columns of snow.
#ifndef GEOM_COVER_SURFACE_H
#define GEOM_COVER_SURFACE_H

#include "geom/mesh.h"

// Where the surface of a body is, in the column of a cell that stands on the body.
typedef struct cover_floor {
    uint32_t cell; // index of the cell, in growing order
    float up;      // cells above the bottom of that cell, -0.5 .. 0.5; on thin bodies from -1 on
    float steep;   // the tangent of its slope: tells a roof's stairs of cells from a wall
    float rise[2]; // of that slope, along x and z
    uint32_t body; // whose surface it is, from 1; 0: of none, the bottom of the domain
} cover_floor;

#define COVER_WALL                                                                                           \
    1.732f // steepness of what only looks like a floor: a wall, or a ledge much narrower than a cell

typedef struct cover_grid {
    const float *fill; // n[0] n[1] n[2] cells, rows along x, then y: 0 .. 1 full of snow; below 0: a body
    int32_t n[3];
    double low[3], cell;      // m, the corner of the first cell; its edge
    const cover_floor *floor; // of the cells that have one; the others stand on the cells below them
    size_t floors;
    float overlap;   // cells that the surface reaches into bodies, so that pictures show no gap; 0: none
    uint32_t smooth; // rounds of mesh_fair; 0: none
    uint32_t level;  // rounds of mesh_level, against heaps of single flakes; 0: none
    bool lying;      // without unsupported snow that is about to fall
} cover_grid;

// Closed, two-manifold, normals outward (those of the upper side from the gradient of the snow's height).
// Between the middles of columns heights are linear, so that without overlap the volume is that of the snow.
firn_status cover_surface(const cover_grid *in, mesh *out);
// A column of cells; lengths in cells.
typedef struct cover_column {
    float depth;    // of all snow in it
    float height;   // above the domain's bottom: of its uppermost snow or body, as far as `floor` is known
    uint32_t floor; // the cell that the uppermost snow stands on, or 0 ...
    bool stands;    // ... if this is false: it hangs, or there is nothing
} cover_column;
cover_column cover_column_at(const cover_grid *in, int32_t i, int32_t k);
// Of each column of cells, rows along x: how much snow lies in it (m), and how high its uppermost snow or
// body reaches (m).
void cover_heights(const cover_grid *in, float *depth, float *height);
double cover_volume(const cover_grid *in); // m3, of the snow

#endif
