// 3x3 matrices of reals (lane C). Members are columns: m.y.x stands in row x, column y.
#ifndef MATH_MAT3_H
#define MATH_MAT3_H

#include "math/vec3.h"

typedef struct mat3 {
    vec3 x, y, z;
} mat3;

LANE_INLINE mat3 mat3_of(vec3 x, vec3 y, vec3 z) {
    mat3 m = {x, y, z};
    return m;
}
LANE_INLINE mat3 mat3_diagonal(vec3 d) {
    return mat3_of(vec3_of(d.x, R(0), R(0)), vec3_of(R(0), d.y, R(0)), vec3_of(R(0), R(0), d.z));
}
LANE_INLINE mat3 mat3_identity(void) { return mat3_diagonal(vec3_all(R(1))); }
LANE_INLINE mat3 mat3_add(mat3 a, mat3 b) {
    return mat3_of(vec3_add(a.x, b.x), vec3_add(a.y, b.y), vec3_add(a.z, b.z));
}
LANE_INLINE mat3 mat3_scale(mat3 a, real s) {
    return mat3_of(vec3_scale(a.x, s), vec3_scale(a.y, s), vec3_scale(a.z, s));
}
LANE_INLINE mat3 mat3_transpose(mat3 a) {
    return mat3_of(vec3_of(a.x.x, a.y.x, a.z.x), vec3_of(a.x.y, a.y.y, a.z.y), vec3_of(a.x.z, a.y.z, a.z.z));
}
LANE_INLINE vec3 mat3_times(mat3 a, vec3 v) { // a v
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(a.x, v.x), a.y, v.y), a.z, v.z);
}
LANE_INLINE mat3 mat3_multiply(mat3 a, mat3 b) { // a b
    return mat3_of(mat3_times(a, b.x), mat3_times(a, b.y), mat3_times(a, b.z));
}
LANE_INLINE mat3 mat3_multiply_transposed(mat3 a, mat3 b) {
    return mat3_multiply(a, mat3_transpose(b));
} // a b^T
// a with its columns times the parts of d: a diag(d)
LANE_INLINE mat3 mat3_scale_columns(mat3 a, vec3 d) {
    return mat3_of(vec3_scale(a.x, d.x), vec3_scale(a.y, d.y), vec3_scale(a.z, d.z));
}
LANE_INLINE real mat3_trace(mat3 a) { return a.x.x + a.y.y + a.z.z; }
// det(a) a^-T; d det(a) / d a
// Of an invertible matrix: not checked.
// Sum of the squares of all parts.

#endif
