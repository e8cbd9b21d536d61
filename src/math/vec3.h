// Vectors of three reals (lane C).
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include "lane/lane.h"

typedef struct vec3 {
    real x, y, z;
} vec3;

LANE_INLINE vec3 vec3_of(real x, real y, real z) {
    vec3 v = {x, y, z};
    return v;
}
LANE_INLINE vec3 vec3_all(real s) { return vec3_of(s, s, s); }
LANE_INLINE vec3 vec3_add(vec3 a, vec3 b) { return vec3_of(a.x + b.x, a.y + b.y, a.z + b.z); }
LANE_INLINE vec3 vec3_sub(vec3 a, vec3 b) { return vec3_of(a.x - b.x, a.y - b.y, a.z - b.z); }
LANE_INLINE vec3 vec3_mul(vec3 a, vec3 b) { return vec3_of(a.x * b.x, a.y * b.y, a.z * b.z); }
LANE_INLINE vec3 vec3_scale(vec3 a, real s) { return vec3_of(a.x * s, a.y * s, a.z * s); }
LANE_INLINE vec3 vec3_negate(vec3 a) { return vec3_of(-a.x, -a.y, -a.z); }
LANE_INLINE vec3 vec3_add_scaled(vec3 a, vec3 b, real s) { // a + s b
    return vec3_of(r_fma(b.x, s, a.x), r_fma(b.y, s, a.y), r_fma(b.z, s, a.z));
}
LANE_INLINE vec3 vec3_max(vec3 a, vec3 b) {
    return vec3_of(r_max(a.x, b.x), r_max(a.y, b.y), r_max(a.z, b.z));
}
LANE_INLINE vec3 vec3_abs(vec3 a) { return vec3_of(r_abs(a.x), r_abs(a.y), r_abs(a.z)); }
LANE_INLINE vec3 vec3_select(mask m, vec3 a, vec3 b) {
    return vec3_of(r_select(m, a.x, b.x), r_select(m, a.y, b.y), r_select(m, a.z, b.z));
}
LANE_INLINE real vec3_dot(vec3 a, vec3 b) { return r_fma(a.z, b.z, r_fma(a.y, b.y, a.x * b.x)); }
LANE_INLINE vec3 vec3_cross(vec3 a, vec3 b) {
    return vec3_of(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
LANE_INLINE real vec3_length2(vec3 a) { return vec3_dot(a, a); }
LANE_INLINE real vec3_length(vec3 a) { return r_sqrt(vec3_length2(a)); }
LANE_INLINE real vec3_largest(vec3 a) { return r_max(a.x, r_max(a.y, a.z)); }
// Vectors shorter than 1e-18, whose square would not be a normal float, become `other`.
// A unit vector perpendicular to the unit vector a: the axis of its smallest component, orthogonalised.
LANE_INLINE vec3 vec3_perpendicular(vec3 a) {
    vec3 size = vec3_abs(a);
    mask x = r_le(size.x, r_min(size.y, size.z)), y = r_le(size.y, size.z) & ~x;
    vec3 axis = vec3_of(r_where(x, R(1)), r_where(y, R(1)), r_where(~(x | y), R(1)));
    vec3 side = vec3_cross(a, axis);
    return vec3_scale(side, r_rsqrt(vec3_length2(side))); // at least sqrt(2/3) long
}

#endif
