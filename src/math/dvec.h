// Vectors and rotations in double, for host code that handles bodies and cameras one at a time. Code over
// many particles is written in lane C instead (vec3.h).
#ifndef MATH_DVEC_H
#define MATH_DVEC_H

#include <firn/base.h>

#include <math.h>

static inline firn_vec3 dvec(double x, double y, double z) { return (firn_vec3){x, y, z}; }
static inline firn_vec3 dvec_of_floats(const float v[3]) {
    return dvec((double)v[0], (double)v[1], (double)v[2]);
}
static inline firn_vec3 dvec_add(firn_vec3 a, firn_vec3 b) { return dvec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline firn_vec3 dvec_sub(firn_vec3 a, firn_vec3 b) { return dvec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline firn_vec3 dvec_scale(firn_vec3 a, double s) { return dvec(a.x * s, a.y * s, a.z * s); }
// A place near `a` to count floats from, which are exact to 1e-4 m then: its whole kilometres.
static inline firn_vec3 dvec_whole_km(firn_vec3 a) {
    return dvec(1000 * floor(a.x / 1000 + 0.5), 1000 * floor(a.y / 1000 + 0.5),
                1000 * floor(a.z / 1000 + 0.5));
}
static inline firn_vec3 dvec_negate(firn_vec3 a) { return dvec(-a.x, -a.y, -a.z); }
// a + s b
static inline firn_vec3 dvec_add_scaled(firn_vec3 a, firn_vec3 b, double s) {
    return dvec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
// a at t = 0, b at t = 1
static inline firn_vec3 dvec_mix(firn_vec3 a, firn_vec3 b, double t) {
    return dvec_add(dvec_scale(a, 1 - t), dvec_scale(b, t));
}
static inline firn_vec3 dvec_min(firn_vec3 a, firn_vec3 b) {
    return dvec(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
}
static inline firn_vec3 dvec_max(firn_vec3 a, firn_vec3 b) {
    return dvec(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
}
static inline firn_vec3 dvec_abs(firn_vec3 a) { return dvec(fabs(a.x), fabs(a.y), fabs(a.z)); }
static inline double dvec_dot(firn_vec3 a, firn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline firn_vec3 dvec_cross(firn_vec3 a, firn_vec3 b) {
    return dvec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double dvec_length2(firn_vec3 a) { return dvec_dot(a, a); }
static inline double dvec_length(firn_vec3 a) { return sqrt(dvec_length2(a)); }
static inline double dvec_distance(firn_vec3 a, firn_vec3 b) { return dvec_length(dvec_sub(a, b)); }
static inline bool dvec_finite(firn_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
// Zero stays zero. Scaled first, so that no length over- or underflows.
static inline firn_vec3 dvec_normalise(firn_vec3 a) {
    double largest = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    if (!(largest > 0)) return dvec(0, 0, 0);
    firn_vec3 scaled = dvec(a.x / largest, a.y / largest, a.z / largest);
    return dvec_scale(scaled, 1 / dvec_length(scaled));
}
// A unit vector perpendicular to the unit vector a.
static inline firn_vec3 dvec_perpendicular(firn_vec3 a) {
    firn_vec3 axis = fabs(a.x) < 0.6 ? dvec(1, 0, 0) : dvec(0, 1, 0);
    return dvec_normalise(dvec_cross(a, axis));
}

static inline firn_quat dquat_identity(void) { return (firn_quat){1, 0, 0, 0}; }
// a b rotates by b first, then by a.
static inline firn_quat dquat_multiply(firn_quat a, firn_quat b) {
    return (firn_quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline firn_quat dquat_inverse(firn_quat q) {
    return (firn_quat){q.w, -q.x, -q.y, -q.z};
} // of a unit one
// The identity for a zero or non-finite one.
static inline firn_quat dquat_normalise(firn_quat q) {
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 0) || !isfinite(length)) return dquat_identity();
    return (firn_quat){q.w / length, q.x / length, q.y / length, q.z / length};
}
// By angle (rad) about a unit axis, right-handed.
static inline firn_quat dquat_about(firn_vec3 axis, double angle) {
    double s = sin(angle / 2);
    return (firn_quat){cos(angle / 2), axis.x * s, axis.y * s, axis.z * s};
}
// Angles (rad) about the fixed axes x, then y, then z, as `rotate:` in a scene.
static inline firn_quat dquat_from_angles(firn_vec3 angles) {
    firn_quat x = dquat_about(dvec(1, 0, 0), angles.x), y = dquat_about(dvec(0, 1, 0), angles.y),
              z = dquat_about(dvec(0, 0, 1), angles.z);
    return dquat_multiply(z, dquat_multiply(y, x));
}
static inline firn_vec3 dquat_rotate(firn_quat q, firn_vec3 v) {
    firn_vec3 u = dvec(q.x, q.y, q.z), t = dvec_scale(dvec_cross(u, v), 2);
    return dvec_add(dvec_add_scaled(v, t, q.w), dvec_cross(u, t));
}
static inline firn_vec3 dquat_rotate_back(firn_quat q, firn_vec3 v) {
    return dquat_rotate(dquat_inverse(q), v);
}
// m[row][column]
static inline void dquat_matrix(firn_quat q, double m[3][3]) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    m[0][0] = 1 - 2 * (yy + zz), m[0][1] = 2 * (xy - wz), m[0][2] = 2 * (xz + wy);
    m[1][0] = 2 * (xy + wz), m[1][1] = 1 - 2 * (xx + zz), m[1][2] = 2 * (yz - wx);
    m[2][0] = 2 * (xz - wy), m[2][1] = 2 * (yz + wx), m[2][2] = 1 - 2 * (xx + yy);
}
// Of a rotation matrix; the largest component is computed first, to avoid cancellation.
static inline firn_quat dquat_from_matrix(double m[3][3]) {
    double trace = m[0][0] + m[1][1] + m[2][2];
    firn_quat q;
    if (trace > 0)
        q = (firn_quat){1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
        q = (firn_quat){m[2][1] - m[1][2], 1 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0],
                        m[0][2] + m[2][0]};
    else if (m[1][1] >= m[2][2])
        q = (firn_quat){m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + m[1][1] - m[0][0] - m[2][2],
                        m[1][2] + m[2][1]};
    else
        q = (firn_quat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1],
                        1 + m[2][2] - m[0][0] - m[1][1]};
    return dquat_normalise(q);
}
// Slerp: from a (t = 0) to b (t = 1) along the shorter arc at uniform speed.
static inline firn_quat dquat_mix(firn_quat a, firn_quat b, double t) {
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, sign = dot < 0 ? -1 : 1;
    double angle = acos(fmin(fabs(dot), 1)), wa = 1 - t, wb = t;
    if (angle > 1e-6) wa = sin(wa * angle) / sin(angle), wb = sin(wb * angle) / sin(angle);
    wb *= sign;
    return dquat_normalise(
        (firn_quat){wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z});
}
// q after rotating for dt at angular velocity spin (rad/s, world axes).
static inline firn_quat dquat_spin(firn_quat q, firn_vec3 spin, double dt) {
    double rate = dvec_length(spin);
    if (!(rate > 0)) return q;
    return dquat_normalise(dquat_multiply(dquat_about(dvec_scale(spin, 1 / rate), rate * dt), q));
}

#endif
