// The tree behind winding_number and winding_distance (levelset.h); the level set's build walks it with a
// hint.
#ifndef GEOM_WINDING_H
#define GEOM_WINDING_H

#include "geom/levelset.h"

enum { WINDING_LEAF = 4, WINDING_DEPTH = 40 }; // splits are even, so 2^32 triangles stay below the depth

typedef struct winding_node {
    float low[3], high[3];
    uint32_t first; // triangle of a leaf, else the first of two children
    uint32_t count; // triangles of a leaf, 0: inner node
} winding_node;

// A far node's triangles as seen from outside: moments of their area vectors n about the middle, to second
// order. Only the symmetric parts count, since they meet derivatives of 1/r.
typedef struct winding_far {
    float centre[3], reach; // no vertex is further from the centre
    float area[3];          // integral of n
    float first[6];         // of n x: xx yy zz, xy yz zx
    float second[10];       // of n x x: xxx yyy zzz, xxy yyz zzx, xxz yyx zzy, xyz
} winding_far;

typedef struct winding_triangle {
    float a[3], ab[3], ac[3];
    float n[3];                      // ab x ac
    float over_n;                    // 1 / n.n, 0 if the triangle has no area
    float over_ab, over_ac, over_bc; // 1 / squared length, 0 if there is none
    uint32_t id;                     // in the mesh
} winding_triangle;

struct winding_tree {
    winding_node *nodes;
    winding_far *far;
    winding_triangle *triangles;
    size_t node_count, triangle_count;
};

// For n points that are best close to each other: distance, and unless NULL the nearest points and triangles
// (of the tree, not of the mesh). *hint is any triangle of the tree, a near one saves time; it becomes one
// near the last point.
void winding_find_nearest(const winding_tree *w, size_t n, const float *const at[3], uint32_t *hint,
                          float *distance, float *const nearest[3], uint32_t *triangle);
// Inside by |winding number| > 1/2: holds also for meshes turned inside out, and where parts overlap.
void winding_find_inside(const winding_tree *w, size_t n, const float *const at[3], bool *inside);
ISA_DECLARE(void, winding_nearest_lanes,
            (const winding_tree *w, size_t n, const float *const at[3], uint32_t *hint, float *distance,
             float *const nearest[3], uint32_t *triangle));
ISA_DECLARE(void, winding_number_lanes,
            (const winding_tree *w, size_t n, const float *const at[3], float far, float *number));

// Calls visit for every triangle of the tree whose bounds touch the box.
void winding_in_box(const winding_tree *w, const float low[3], const float high[3],
                    void (*visit)(void *context, const winding_triangle *t), void *context);

#endif
