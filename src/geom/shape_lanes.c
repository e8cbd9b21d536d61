#include "geom/shape_lanes.h"

#include <assert.h>
#include <stddef.h>

#include "geom/shape_distance.h"

// One loop with and one without normals, so that each is a straight line for the compiler.
#define QUERY_LOOP(answer)                                                                                   \
    if (nx) {                                                                                                \
        for (size_t i = 0; i < n; i++) {                                                                     \
            surface_answer a = answer;                                                                       \
            distance[i] = a.d;                                                                               \
            nx[i] = a.nx;                                                                                    \
            ny[i] = a.ny;                                                                                    \
            nz[i] = a.nz;                                                                                    \
        }                                                                                                    \
    } else {                                                                                                 \
        for (size_t i = 0; i < n; i++) distance[i] = (answer).d;                                             \
    }                                                                                                        \
    break

void ISA_NAME(primitive_query)(const shape_primitive *s, size_t n, const float *restrict x,
                               const float *restrict y, const float *restrict z, float *restrict distance,
                               float *restrict nx, float *restrict ny, float *restrict nz) {
    const float h[3] = {s->half[0], s->half[1], s->half[2]};
    switch (s->kind) {
    case FIRN_SHAPE_PLANE: QUERY_LOOP(plane_answer(x[i], y[i], z[i]));
    case FIRN_SHAPE_BOX: QUERY_LOOP(box_answer(x[i], y[i], z[i], h));
    case FIRN_SHAPE_SPHERE: QUERY_LOOP(sphere_answer(x[i], y[i], z[i], h[0]));
    case FIRN_SHAPE_ELLIPSOID: QUERY_LOOP(ellipsoid_answer(x[i], y[i], z[i], h));
    case FIRN_SHAPE_CAPSULE: QUERY_LOOP(capsule_answer(x[i], y[i], z[i], h[0], h[1]));
    case FIRN_SHAPE_CYLINDER: QUERY_LOOP(cylinder_answer(x[i], y[i], z[i], h[0], h[1]));
    default: assert(!"not a primitive");
    }
}
