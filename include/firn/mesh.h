/* firn: triangle meshes that the library hands out: bodies, surfaces of snow and water. */
#ifndef FIRN_MESH_H
#define FIRN_MESH_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_mesh {
    size_t vertices, triangles;
    const float *position; /* m, x, y, z of each vertex */
    const float *normal;   /* unit vectors, outward, x, y, z of each vertex */
    const uint32_t *index; /* three vertices per triangle, counter-clockwise seen from outside */
    bool owned;            /* the arrays belong to the caller, until firn_mesh_free; else to the world */
} firn_mesh;

/* Frees the arrays if they belong to the caller, and makes the mesh empty. NULL and an empty mesh are fine.
   Any thread. */
FIRN_API void firn_mesh_free(firn_mesh *mesh); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
