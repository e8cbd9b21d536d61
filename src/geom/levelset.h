// Sampled signed distance field (SDF) of a closed or nearly closed triangle mesh, stored sparsely: fine near
// the surface, coarse elsewhere.
#ifndef GEOM_LEVELSET_H
#define GEOM_LEVELSET_H

#include "base/isa.h"
#include "geom/mesh.h"

typedef struct levelset levelset;

// cell: resolution in m. Distance is exact at the mesh's vertices to 0.1 cell; the sign comes from the
// generalised winding number, so that small holes and flipped triangles are tolerated. `name` is used in the
// warning about them.
firn_status levelset_create(const mesh *m, float cell, const char *name, levelset **out);
void levelset_destroy(levelset *l);
// Repeats the warnings about the mesh, for a level set that was read from a file.
void levelset_warn(const levelset *l, const mesh *m, const char *name);
size_t levelset_bytes(const levelset *l);

// Distance (negative inside) and unit gradient at n points; normals may be NULL. Valid everywhere: beyond the
// sampled box it is the distance to the surface point that is nearest where the box is entered, continuous at
// the box and at most some percent too large.
void levelset_query(const levelset *l, size_t n, const float *x, const float *y, const float *z,
                    float *distance, float *nx, float *ny, float *nz);

// Generalised winding number of a mesh at points (Jacobson 2013, multipole BVH as in Barill 2018): about 1
// inside, 0 outside, in between near holes.
typedef struct bvh bvh;
firn_status bvh_create(const mesh *m, bvh **out);
void bvh_destroy(bvh *w);
float bvh_winding_number(const bvh *w, const float point[3]);
// Exact unsigned distance to the nearest triangle; nearest point and triangle on request (may be NULL).
float bvh_distance(const bvh *w, const float point[3], float nearest[3], uint32_t *triangle);

#endif
