// Distance between two particles (PBD19 3.3.1).
#ifndef PBD_PBD_DISTANCE_H
#define PBD_PBD_DISTANCE_H

#include "math/vec3.h"

// C = |x0 - x1| - rest[0], m; its gradients are g / *length. Of two particles in one place the direction is
// x.
LANE_INLINE real pbd_distance_value(const vec3 x[2], const real *rest, vec3 g[2], real *length) {
    vec3 apart = vec3_sub(x[0], x[1]);
    real size = vec3_length(apart);
    mask distinct = r_gt(size, R(0));
    *length = r_select(distinct, size, R(1));
    g[0] = vec3_of(r_select(distinct, apart.x, R(1)), apart.y, apart.z);
    g[1] = vec3_negate(g[0]);
    return size - rest[0];
}

#endif
