// Filling a shape with points; solids made of voxels.
#ifndef GEOM_FILL_H
#define GEOM_FILL_H

#include "geom/shape.h"

typedef struct fill_points {
    float (*at)[3]; // m, in the shape's frame
    size_t count;
    double volume;  // m3 per point: the shape's volume shared out exactly
    double spacing; // m, the shortest edge of a lattice's cell; of other patterns the mean spacing
} fill_points;

// spacing: edge of a cubic cell (m); per_cell: points in a cell of that size (1, 8, ...), so that the mean
// spacing is e = spacing / cbrt(per_cell). Same points for any thread count.
//   regular      a lattice of edge e, centred on the shape's box; the seed is ignored
//   jittered     one point anywhere in each cell of that lattice
//   blue noise   no two closer than 0.84 e; they keep off the surface by up to 0.28 e
// FIRN_BAD_INPUT for unbounded shapes, for more than 2e8 points, and if no point fits.
firn_status fill_shape(const shape *s, double spacing, unsigned per_cell, firn_fill_pattern pattern,
                       uint64_t seed, fill_points *out);
// As fill_shape with one point per cell, for points that have a size: layers of a lattice are as many, but
// drawn together to fill the shape's box exactly, so that its outer ones are half a layer from the faces.
firn_status fill_shape_fitted(const shape *s, double spacing, firn_fill_pattern pattern, uint64_t seed,
                              fill_points *out);

// Points `depth` below the surface, about one on each spacing^2 of it and none closer than 0.8 spacings,
// also in any order of threads; and the vertices of a mesh from a file. volume: the shape's, shared out, as
// of a shell that weighs as much as the full shape.
firn_status fill_surface(const shape *s, double spacing, double depth, uint64_t seed, fill_points *out);
firn_status fill_vertices(const shape *s, double spacing, fill_points *out);

// Particles that bring a volume of their own, about spacing^3 each: a fill of them has the volume of the
// shape.
typedef enum fill_sizes {
    FILL_EQUAL,   // spacing^3 in every fill: the count is the nearest that there is
    FILL_ADAPTED, // the same within a fill: a box is a lattice of whole layers
} fill_sizes;
// What follows from shape and spacing alone.
typedef struct fill_plan {
    double count;   // of points: what fill_planned makes. 0: the shape is unbounded
    double volume;  // m3, of a point; spacing^3 if that is right to 0.1 %
    double edge[3]; // m, between layers along x, y and z; where rows differ, the mean along them
    double spacing; // m, the shortest of the edges between two layers
    double depth;   // m, of the outer layers below flat faces: half the shortest edge
    size_t n[3];    // layers of a box; 0: of any other shape
    int rows;       // axis along which the rows of a box differ by a point; -1: they do not
} fill_plan;
fill_plan fill_plan_of(const shape *s, double spacing, fill_sizes sizes);
// As fill_shape with one point per cell, but plan.count points. A box is filled in whole layers, the outer
// ones half a layer below its faces; of other shapes a lattice's deepest points are taken; random patterns
// are made a little too dense and thinned out evenly.
firn_status fill_planned(const shape *s, double spacing, fill_sizes sizes, firn_fill_pattern pattern,
                         uint64_t seed, fill_points *out);
void fill_free(fill_points *points);
// Cheap estimate of the points of fill_shape: within a few percent if the shape is more than about ten
// spacings wide. 0 for unbounded shapes.
double fill_estimate(const shape *s, double spacing, unsigned per_cell);

// Solid voxels: bit (x + nx (y + ny z)), 1 where the cell's centre is inside.
typedef struct voxels {
    uint8_t *bits;
    uint32_t nx, ny, nz;
    float low[3]; // corner of cell 0
    float cell;   // m
} voxels;
enum { VOXELS_MAX_SIDE = 2048 };
#define VOXELS_MAX_CELLS ((size_t)1 << 31)
void voxels_free(voxels *v);
bool voxels_at(const voxels *v, uint32_t x, uint32_t y, uint32_t z);
firn_status voxels_to_mesh(const voxels *v, mesh *out); // closed surface, smooth

// .binvox version 1 (run lengths; x slowest, then z, then y fastest).
firn_status binvox_read(const char *path, voxels *out);
firn_status binvox_parse(const char *data, size_t bytes, const char *name, voxels *out);

#endif
