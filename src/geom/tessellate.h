// Triangle meshes of primitives, with exact normals.
#ifndef GEOM_TESSELLATE_H
#define GEOM_TESSELLATE_H

#include "geom/mesh.h"
#include "geom/shape_sdf.h"
#include "geom/shape_lanes.h"

firn_status tessellate_primitive(const shape_primitive *p, mesh *out);
// At most `most_steps` cells of the surface are drawn along x and along z.
firn_status tessellate_ground(const ground_map *g, size_t most_steps, mesh *out);

// A surface of revolution about y. The profile runs from the bottom to the top with r = 0 only at its two
// ends; two points in the same place with different normals make a crease.
typedef struct lathe_point {
    double r, y;
    double nr, ny; // unit normal in the half plane
} lathe_point;
firn_status tessellate_lathe(const lathe_point *profile, size_t points, size_t segments, mesh *out);

#endif
