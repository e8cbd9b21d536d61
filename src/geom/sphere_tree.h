// Rays against many spheres: spheres in Morton order, eight to a leaf, boxes around leaves and pairs of
// boxes.
#ifndef GEOM_SPHERE_TREE_H
#define GEOM_SPHERE_TREE_H

#include "base/status.h"

#include <stdint.h>

enum { SPHERE_TREE_LEAF = 8, SPHERE_TREE_LEVELS = 32 };

typedef struct sphere_box {
    float low[3], high[3];
} sphere_box;

typedef struct sphere_item {
    float centre[3], radius;
} sphere_item;

typedef struct sphere_tree {
    size_t count;
    sphere_item *item;                    // in the order of the leaves
    uint32_t *number;                     // of the caller
    sphere_box *box;                      // level by level: leaves, boxes of two leaves, ... the root
    size_t level[SPHERE_TREE_LEVELS + 1]; // first box of each; behind the last: the number of boxes
    int levels;
    uint32_t *key, *scratch_key, *scratch_number;
    size_t capacity[6];
} sphere_tree;

// centre: three floats for each. A sphere that is not finite, or has no radius, is never hit.
firn_status sphere_tree_build(sphere_tree *t, const float *centre, const float *radius, size_t count);
void sphere_tree_free(sphere_tree *t);

typedef struct sphere_hit {
    double t; // m
    size_t number;
    firn_vec3 centre;
} sphere_hit;
// The first sphere on a ray (unit direction) before `end`, and of those at the same distance that with the
// lowest number. Spheres around the origin are not hit.
bool sphere_tree_ray(const sphere_tree *t, firn_vec3 from, firn_vec3 along, double end, sphere_hit *hit);

#endif
