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
    uint32_t id; // in the mesh
} winding_triangle;

struct winding_tree {
    winding_node *nodes;
    winding_far *far;
    winding_triangle *triangles;
    size_t node_count, triangle_count;
};

typedef struct winding_nearest {
    float square; // of the distance
    float at[3];
    uint32_t triangle; // of the tree, not of the mesh; its own hint for a query close by
} winding_nearest;
// hint: any triangle of the tree; a near one saves time.
winding_nearest winding_find_nearest(const winding_tree *w, const float point[3], uint32_t hint);
// Inside by |winding number| > 1/2: holds also for meshes turned inside out, and where parts overlap.
bool winding_inside(const winding_tree *w, const float point[3]);
// Calls visit for every triangle of the tree whose bounds touch the box.
void winding_in_box(const winding_tree *w, const float low[3], const float high[3],
                    void (*visit)(void *context, const winding_triangle *t), void *context);

#endif
