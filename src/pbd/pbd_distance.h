// Distance between two particles (PBD19 3.3.1).
#ifndef PBD_PBD_DISTANCE_H
#define PBD_PBD_DISTANCE_H

#include "math/vec3.h"

// C = |x0 - x1| - rest[0], m; of two particles in one place the direction is x.
LANE_INLINE real pbd_distance_value(const vec3 x[2], const real *rest, vec3 g[2]) {
    vec3 apart = vec3_sub(x[0], x[1]);
    real length = vec3_length(apart);
    mask distinct = r_gt(length, R(0));
    real inverse = R(1) / r_select(distinct, length, R(1));
    g[0] = vec3_select(distinct, vec3_scale(apart, inverse), vec3_of(R(1), R(0), R(0)));
    g[1] = vec3_negate(g[0]);
    return length - rest[0];
}

#endif
