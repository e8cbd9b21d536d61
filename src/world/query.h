// Rays against the snow of a world; used by query.c.
#ifndef WORLD_QUERY_H
#define WORLD_QUERY_H

#include <firn/query.h>
#include <firn/snowfield.h>

#include "world/cover.h"

// A ray on its way: hits beyond `end` do not count any more.
typedef struct ray_way {
    firn_vec3 from, along; // m; unit
    double end;            // m
} ray_way;

static inline double ray_coordinate(firn_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }
// The part [*first, *last] of the ray inside a box; false if there is none. *side: the axis of the wall
// through which it comes in, -1 if it begins inside. Infinite limits are allowed.
bool ray_clip(const ray_way *r, const double low[3], const double high[3], double *first, double *last,
              int *side);
// query_field.c, query_cover.c: true if the snow is hit before r->end.
bool ray_snowfield(const firn_snowfield *f, const ray_way *r, firn_hit *hit);
// query_particles.c: the items of all models. find: sorts them if the world has changed since the last call.
typedef struct world_spheres world_spheres;
firn_status world_find_spheres(const firn_world *world, const world_spheres **out);
bool ray_particles(const firn_world *world, const world_spheres *s, const ray_way *r, firn_hit *hit);
void world_spheres_free(world_spheres *s); // NULL is allowed
bool ray_cover(const firn_world *world, const cover_grid *g, const ray_way *r, firn_hit *hit);

#endif
