// Eigenvalues and eigenvectors of symmetric 3x3 matrices (lane C), by Jacobi rotations. Small matrices keep
// their precision: no shift is added.
#ifndef MATH_EIGEN3_H
#define MATH_EIGEN3_H

#include "math/mat3.h"

// A symmetric matrix by its six components.
typedef struct sym3 {
    real xx, xy, xz, yy, yz, zz;
} sym3;

LANE_INLINE sym3 sym3_of(real xx, real xy, real xz, real yy, real yz, real zz) {
    sym3 a = {xx, xy, xz, yy, yz, zz};
    return a;
}
LANE_INLINE mat3 mat3_from_sym3(sym3 a) {
    return mat3_of(vec3_of(a.xx, a.xy, a.xz), vec3_of(a.xy, a.yy, a.yz), vec3_of(a.xz, a.yz, a.zz));
}
LANE_INLINE sym3 sym3_select(mask m, sym3 a, sym3 b) {
    return sym3_of(r_select(m, a.xx, b.xx), r_select(m, a.xy, b.xy), r_select(m, a.xz, b.xz),
                   r_select(m, a.yy, b.yy), r_select(m, a.yz, b.yz), r_select(m, a.zz, b.zz));
}

// a = u diag(value) u^T; u's columns are orthonormal. Values are unordered.
typedef struct eigen3 {
    mat3 u;
    vec3 value;
} eigen3;

enum { EIGEN3_MAX_SWEEPS = 8 };

// Jacobi rotation in the plane of p and q (the third axis is r) that reduces a_pq. Lanes not `active` keep
// their bits. tan 2 angle = 2 pq / (pp - qq) would make it zero; the tangent of half the angle, sine /
// cosine below, is within a tenth of that, and exact for small angles, without roots; the rotation itself is
// orthogonal for any such pair.
LANE_INLINE void eigen3_turn(real *pp, real *qq, real *pq, real *pr, real *qr, vec3 *up, vec3 *uq,
                             mask active) {
    real difference = *pp - *qq, size = r_abs(difference), bend = r_abs(*pq);
    mask turned = r_gt(bend, R(1e-18f)) & active; // smaller ones underflow when squared and are negligible
    real sine = R(2) * r_flip(*pq, difference);
    real cosine = r_fma(R(4), size, r_max(R(0.5f) * bend, r_fma(R(4.5f), bend, R(-1.4f) * size)));
    real cosine2 = cosine * cosine, sine2 = sine * sine;
    real norm = R(1) / r_select(turned, cosine2 + sine2, R(1));
    real c = r_select(turned, (cosine2 - sine2) * norm, R(1));
    real s = r_where(turned, R(2) * cosine * sine * norm);
    real cs = c * s, ss = s * s, gain = R(2) * cs * *pq - ss * difference;
    *pp += gain;
    *qq -= gain;
    *pq = *pq - R(2) * ss * *pq - cs * difference;
    real old = *pr;
    *pr = c * *pr + s * *qr;
    *qr = c * *qr - s * old;
    vec3 old_u = *up;
    *up = vec3_add_scaled(vec3_scale(*up, c), *uq, s);
    *uq = vec3_add_scaled(vec3_scale(*uq, c), old_u, -s);
}

static inline eigen3 eigen3_of(sym3 a) {
    eigen3 out;
    out.u = mat3_identity();
    // Off-diagonal elements up to 3e-8 of the norm may remain.
    real small = R(1e-15f) *
                 (a.xx * a.xx + a.yy * a.yy + a.zz * a.zz + R(2) * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz));
    for (int sweep = 0; sweep < EIGEN3_MAX_SWEEPS; sweep++) {
        mask active = r_gt(a.xy * a.xy + a.xz * a.xz + a.yz * a.yz, small);
        if (!m_any(active)) break;
        eigen3_turn(&a.xx, &a.yy, &a.xy, &a.xz, &a.yz, &out.u.x, &out.u.y, active);
        eigen3_turn(&a.xx, &a.zz, &a.xz, &a.xy, &a.yz, &out.u.x, &out.u.z, active);
        eigen3_turn(&a.yy, &a.zz, &a.yz, &a.xy, &a.xz, &out.u.y, &out.u.z, active);
    }
    out.value = vec3_of(a.xx, a.yy, a.zz);
    return out;
}

// u diag(value) u^T
LANE_INLINE sym3 sym3_from_eigen(mat3 u, vec3 d) {
    mat3 ud = mat3_scale_columns(u, d);
    return sym3_of(
        ud.x.x * u.x.x + ud.y.x * u.y.x + ud.z.x * u.z.x, ud.x.x * u.x.y + ud.y.x * u.y.y + ud.z.x * u.z.y,
        ud.x.x * u.x.z + ud.y.x * u.y.z + ud.z.x * u.z.z, ud.x.y * u.x.y + ud.y.y * u.y.y + ud.z.y * u.z.y,
        ud.x.y * u.x.z + ud.y.y * u.y.z + ud.z.y * u.z.z, ud.x.z * u.x.z + ud.y.z * u.y.z + ud.z.z * u.z.z);
}

// Squares of the entries, summed: the square of the Frobenius norm.
LANE_INLINE real sym3_norm2(sym3 a) {
    real off = a.xy * a.xy + a.xz * a.xz + a.yz * a.yz;
    return a.xx * a.xx + a.yy * a.yy + a.zz * a.zz + R(2) * off;
}

// A power series of a symmetric matrix is a + b e + c e^2: e^3 = first e^2 - second e + third with the
// invariants of e (Cayley-Hamilton). No eigenvectors are needed.
typedef struct sym3_powers {
    sym3 e, e2;
    real first, second, third; // invariants
} sym3_powers;

LANE_INLINE sym3_powers sym3_powers_of(sym3 e) {
    sym3_powers p = {
        .e = e,
        .e2 = sym3_of(e.xx * e.xx + e.xy * e.xy + e.xz * e.xz, e.xx * e.xy + e.xy * e.yy + e.xz * e.yz,
                      e.xx * e.xz + e.xy * e.yz + e.xz * e.zz, e.xy * e.xy + e.yy * e.yy + e.yz * e.yz,
                      e.xy * e.xz + e.yy * e.yz + e.yz * e.zz, e.xz * e.xz + e.yz * e.yz + e.zz * e.zz)};
    real minor = e.yy * e.zz - e.yz * e.yz;
    p.first = e.xx + e.yy + e.zz;
    p.second = minor + e.xx * e.zz - e.xz * e.xz + e.xx * e.yy - e.xy * e.xy;
    p.third = e.xx * minor + e.xy * (e.yz * e.xz - e.xy * e.zz) + e.xz * (e.xy * e.yz - e.yy * e.xz);
    return p;
}

// Coefficients a, b, c of the series sum terms[k] e^(terms - k), from the highest power down to the first.
LANE_INLINE vec3 sym3_series(const sym3_powers *p, const float *terms, int count) {
    vec3 s = vec3_of(R(0), R(terms[0]), R(0));
    for (int k = 1; k < count; k++) { // times e, and plus the next term
        real next = r_fma(s.z, p->first, s.y);
        s.y = r_fma(-s.z, p->second, s.x);
        s.x = s.z * p->third;
        s.z = next;
        s.y += R(terms[k]);
    }
    return s;
}
LANE_INLINE sym3 sym3_from_series(const sym3_powers *p, vec3 s) {
    sym3 e = p->e, e2 = p->e2;
    return sym3_of(s.y * e.xx + s.z * e2.xx + s.x, s.y * e.xy + s.z * e2.xy, s.y * e.xz + s.z * e2.xz,
                   s.y * e.yy + s.z * e2.yy + s.x, s.y * e.yz + s.z * e2.yz, s.y * e.zz + s.z * e2.zz + s.x);
}

#endif
