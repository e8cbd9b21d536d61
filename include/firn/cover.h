/* firn: the snow cover of the wind as a closed mesh, for viewers and games. It is built by another thread
   while the world steps on; asking for it changes no state. */
#ifndef FIRN_COVER_H
#define FIRN_COVER_H

#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_cover_mesh {
    size_t vertices, triangles;
    const float *position;    /* m, x, y, z of each vertex */
    const float *normal;      /* unit, outward */
    const uint32_t *triangle; /* three vertices each, counter-clockwise seen from outside */
    double time;              /* s, the moment that it shows */
    double volume;            /* m3, of the snow at that moment */
    double seconds;           /* of real time that building it took */
} firn_cover_mesh;

/* Begins to build the surface of the cover as it is now, beside whatever the world does next. While one is
   being built no other is begun: *begun (may be NULL) says which it was. FIRN_BAD_INPUT if the scene has no
   cover. */
FIRN_API firn_status firn_world_cover_ask(firn_world *world, bool *begun); /* [world] */
/* The newest surface that is finished; no vertices if none is yet, or if there is no snow. Never waits. The
   arrays hold until the next call of this function or of the next one. An error of building is returned
   here. */
FIRN_API firn_status firn_world_cover_mesh(firn_world *world, firn_cover_mesh *mesh); /* [world] */
/* The same, after waiting for the one that is being built. */
FIRN_API firn_status firn_world_cover_wait(firn_world *world, firn_cover_mesh *mesh); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
