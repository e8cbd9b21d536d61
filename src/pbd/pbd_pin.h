// A particle held at a place.
#ifndef PBD_PBD_PIN_H
#define PBD_PBD_PIN_H

#include "math/vec3.h"

// C = |x0 - place|, m; in the place itself it has no direction.
LANE_INLINE real pbd_pin_value(const vec3 x[1], const real rest[3], vec3 g[1]) {
    vec3 away = vec3_sub(x[0], vec3_of(rest[0], rest[1], rest[2]));
    real length = vec3_length(away);
    mask distinct = r_gt(length, R(0));
    g[0] = vec3_scale(away, r_where(distinct, R(1) / length));
    return length;
}

#endif
