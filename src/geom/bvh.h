// BVH over the triangles of a mesh, for nearest points and winding numbers (levelset.h).
#ifndef GEOM_BVH_H
#define GEOM_BVH_H

#include "geom/levelset.h"

enum { BVH_LEAF = 4, BVH_DEPTH = 40 }; // median splits: 2^32 triangles stay below the depth

typedef struct bvh_node {
    float low[3], high[3];
    uint32_t first; // triangle of a leaf, else the first of two children
    uint32_t count; // triangles of a leaf, 0: inner node
} bvh_node;

// Multipole expansion of a node's triangles: moments of their area vectors n about the centre, to second
// order. Only the symmetric parts matter, since they are contracted with derivatives of 1/r.
typedef struct bvh_moments {
    float centre[3], radius; // bounding radius about the centre
    float area[3];           // integral of n
    float first[6];          // of n x: xx yy zz, xy yz zx
    float second[10];        // of n x x: xxx yyy zzz, xxy yyz zzx, xxz yyx zzy, xyz
} bvh_moments;

typedef struct bvh_triangle {
    float a[3], ab[3], ac[3];
    float n[3];                      // ab x ac
    float over_n;                    // 1 / n.n, 0 if the triangle has no area
    float over_ab, over_ac, over_bc; // 1 / squared length, 0 if there is none
    uint32_t id;                     // in the mesh
} bvh_triangle;

struct bvh {
    bvh_node *nodes;
    bvh_moments *far;
    bvh_triangle *triangles;
    size_t node_count, triangle_count;
};

// For n points, best close to each other: distance, and unless NULL the nearest points and triangles (of the
// BVH, not of the mesh). *hint is any triangle of the BVH, ideally a near one; it is set to one near the last
// point.
void bvh_find_nearest(const bvh *w, size_t n, const float *const at[3], uint32_t *hint, float *distance,
                      float *const nearest[3], uint32_t *triangle);
// Inside by |winding number| > 1/2: also valid for inverted meshes and overlapping parts.
void bvh_find_inside(const bvh *w, size_t n, const float *const at[3], bool *inside);
ISA_DECLARE(void, bvh_nearest_lanes,
            (const bvh *w, size_t n, const float *const at[3], uint32_t *hint, float *distance,
             float *const nearest[3], uint32_t *triangle));
ISA_DECLARE(void, bvh_winding_number_lanes,
            (const bvh *w, size_t n, const float *const at[3], float far, float *number));

// Calls visit for every triangle whose bounds intersect the box.
void bvh_in_box(const bvh *w, const float low[3], const float high[3],
                void (*visit)(void *context, const bvh_triangle *t), void *context);

#endif
