/* firn: triangle meshes that the library returns: bodies, surfaces of snow and water. */
#ifndef FIRN_MESH_H
#define FIRN_MESH_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The arrays belong to the world; the function that returns a mesh says how long they are valid. */
typedef struct firn_mesh {
    size_t vertices, triangles;
    const float *position; /* m, x, y, z of each vertex */
    const float *normal;   /* unit vectors, outward, x, y, z of each vertex */
    const uint32_t *index; /* three vertices per triangle, counter-clockwise seen from outside */
} firn_mesh;

#ifdef __cplusplus
}
#endif
#endif
