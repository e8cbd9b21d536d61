// Unit quaternions w + xi + yj + zk as rotations (lane C).
#ifndef MATH_QUAT_H
#define MATH_QUAT_H

#include "math/mat3.h"

typedef struct quat {
    real w, x, y, z;
} quat;

LANE_INLINE quat quat_of(real w, real x, real y, real z) {
    quat q = {w, x, y, z};
    return q;
}
LANE_INLINE quat quat_identity(void) { return quat_of(R(1), R(0), R(0), R(0)); }
LANE_INLINE quat quat_inverse(quat q) { return quat_of(q.w, -q.x, -q.y, -q.z); }
// a b turns by b first, then by a.
LANE_INLINE quat quat_multiply(quat a, quat b) {
    return quat_of(
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
// The identity for one that is zero.
LANE_INLINE quat quat_normalise(quat q) {
    real length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    mask good = r_gt(length2, R(1e-36f));
    real s = r_rsqrt(length2);
    return quat_of(r_select(good, q.w * s, R(1)), r_where(good, q.x * s), r_where(good, q.y * s),
                   r_where(good, q.z * s));
}
// By angle (rad) about a unit axis, right-handed.
LANE_INLINE quat quat_about(vec3 axis, real angle) {
    real s, c;
    r_sincos(angle * R(0.5f), &s, &c);
    return quat_of(c, axis.x * s, axis.y * s, axis.z * s);
}
LANE_INLINE vec3 quat_rotate(quat q, vec3 v) {
    vec3 u = vec3_of(q.x, q.y, q.z), t = vec3_scale(vec3_cross(u, v), R(2));
    return vec3_add(vec3_add_scaled(v, t, q.w), vec3_cross(u, t));
}
LANE_INLINE vec3 quat_rotate_back(quat q, vec3 v) { return quat_rotate(quat_inverse(q), v); }
LANE_INLINE mat3 quat_matrix(quat q) {
    real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, one = R(1), two = R(2);
    return mat3_of(vec3_of(one - two * (yy + zz), two * (xy + wz), two * (xz - wy)),
                   vec3_of(two * (xy - wz), one - two * (xx + zz), two * (yz + wx)),
                   vec3_of(two * (xz + wy), two * (yz - wx), one - two * (xx + yy)));
}
// q after turning for dt at angular velocity spin (rad/s, world axes); exact for a constant spin.
LANE_INLINE quat quat_spin(quat q, vec3 spin, real dt) {
    real rate = vec3_length(spin);
    vec3 axis = vec3_normalise(spin, vec3_of(R(1), R(0), R(0)));
    return quat_normalise(quat_multiply(quat_about(axis, rate * dt), q));
}

#endif
