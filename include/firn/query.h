/* firn: where is the snow? Rays and depths, for games, tools and sensors. Asking changes no state. */
#ifndef FIRN_QUERY_H
#define FIRN_QUERY_H

#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a ray may hit; flags. */
typedef enum firn_ray_target {
    FIRN_RAY_BODIES = 1,
    FIRN_RAY_SNOWFIELD = 2, /* its surface, to a fraction of a millimetre; also its sides */
    FIRN_RAY_COVER = 4,     /* columns of snow on ground and bodies, one cell of the wind's grid wide */
    /* items of mpm, grains, pbd, phase and registered models: each a sphere of the radius with which it is
       drawn alone. Not flakes: each of them represents many. Surfaces around particles are meshes
       (firn/surface.h) */
    FIRN_RAY_PARTICLES = 8,
    FIRN_RAY_ALL = 15,
} firn_ray_target;

typedef struct firn_ray {
    firn_vec3 origin;    /* m */
    firn_vec3 direction; /* of any length but 0 */
    double max_distance; /* m, > 0; INFINITY is allowed */
    uint32_t targets;    /* firn_ray_target; 0: all */
} firn_ray;

typedef struct firn_hit {
    firn_ray_target what; /* 0: nothing was hit, and the other members except body and item are 0 */
    size_t body;          /* SIZE_MAX unless a body was hit */
    double distance;      /* m */
    firn_vec3 point;      /* m */
    firn_vec3 normal;     /* unit, outward */
    double depth;         /* m of snow below the point; 0 if a body or a particle was hit */
    const char *model;    /* of a particle: "mpm", valid until the world is closed; else NULL */
    size_t item;          /* of a particle: its index in that model's fields; else SIZE_MAX */
} firn_hit;

/* The first hit on a ray. An object that contains the origin is hit only after the ray has left it. Bodies
   are found by sphere tracing of their SDF, to about 0.01 mm; meshes and generated shapes to the accuracy of
   their level set. The first call after a step that may hit particles builds a tree of them. */
FIRN_API firn_status firn_world_ray(const firn_world *world, firn_vec3 origin, firn_vec3 direction,
                                    double max_distance, firn_hit *hit); /* [read] */
/* n rays on all threads; results do not depend on how many. */
FIRN_API firn_status firn_world_rays(const firn_world *world, size_t n, const firn_ray *rays,
                                     firn_hit *hits); /* [read] */

/* At n places (x, z, packed in pairs, m): the depth of the snow of the snow field and of the cover on top of
   it (m), and the height of its surface (y, m; of the ground where there is no snow). Where there is neither
   field nor cover, depth is 0 and surface is NAN. Outputs may be NULL. Snow of the field that lies on top of
   bodies is not included. FIRN_BAD_INPUT if the world has neither field nor cover. */
FIRN_API firn_status firn_world_depth(const firn_world *world, size_t n, const double *places, double *depth,
                                      double *surface); /* [read] */

#ifdef __cplusplus
}
#endif
#endif
