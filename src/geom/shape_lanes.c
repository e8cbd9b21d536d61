// Lane C: signed distances of primitives and of ground.
#include "geom/shape_lanes.h"

#include <assert.h>

#include "geom/shape_sdf.h"

// Evaluates `value`, an expression in px, py, pz, for LANES points at a time; the last points fill part of
// the lanes.
#define QUERY_LOOP(value)                                                                                    \
    for (size_t i = 0; i < n; i += LANES) {                                                                  \
        size_t left = n - i;                                                                                 \
        bool whole = left >= LANES;                                                                          \
        int count = whole ? LANES : (int)left;                                                               \
        real px = whole ? r_load(x + i) : r_load_some(x + i, count, R(0));                                   \
        real py = whole ? r_load(y + i) : r_load_some(y + i, count, R(0));                                   \
        real pz = whole ? r_load(z + i) : r_load_some(z + i, count, R(0));                                   \
        (void)px, (void)pz;                                                                                  \
        isosurface_result said = value;                                                                      \
        store_lanes(distance + i, said.d, count);                                                            \
        if (!nx) continue;                                                                                   \
        store_lanes(nx + i, said.nx, count);                                                                 \
        store_lanes(ny + i, said.ny, count);                                                                 \
        store_lanes(nz + i, said.nz, count);                                                                 \
    }

LANE_INLINE void store_lanes(float *to, real a, int count) {
    if (count == LANES) {
        r_store(to, a);
    } else {
        r_store_some(to, a, count);
    }
}

void ISA_NAME(primitive_query)(const shape_primitive *s, size_t n, const float *x, const float *y,
                               const float *z, float *distance, float *nx, float *ny, float *nz) {
    const real a = R(s->half[0]), b = R(s->half[1]), c = R(s->half[2]);
    switch (s->kind) {
    case FIRN_SHAPE_PLANE: QUERY_LOOP(plane_answer(py)) break;
    case FIRN_SHAPE_BOX: QUERY_LOOP(box_answer(px, py, pz, a, b, c)) break;
    case FIRN_SHAPE_SPHERE: QUERY_LOOP(sphere_answer(px, py, pz, a)) break;
    case FIRN_SHAPE_ELLIPSOID: QUERY_LOOP(ellipsoid_answer(px, py, pz, a, b, c)) break;
    case FIRN_SHAPE_CAPSULE: QUERY_LOOP(capsule_answer(px, py, pz, a, b)) break;
    case FIRN_SHAPE_CYLINDER: QUERY_LOOP(cylinder_answer(px, py, pz, a, b)) break;
    default: assert(!"not a primitive");
    }
}

void ISA_NAME(ground_query)(const ground_map *g, size_t n, const float *x, const float *y, const float *z,
                            float *distance, float *nx, float *ny, float *nz) {
    QUERY_LOOP(ground_answer(g, px, py, pz))
}
