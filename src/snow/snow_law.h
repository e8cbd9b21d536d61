// The law of MPM snow (lane C): fixed-corotated elasticity that hardens as it is packed, and singular values
// of F_E that stay within what snow bears (MPM15 ch. 3.5; Stomakhin 2013). The law does not see rotations, so
// what is kept of F_E is the symmetric F_E F_E^T - 1: six numbers whose digits are all strain. Kept as F_E
// itself, numbers near 1, strains grow by less than their rounding once snow creeps slower than 1e-4 a
// second: it then flows without resistance, and a block at rest sinks. Principal values are given as strains
// too, s - 1.
#ifndef SNOW_SNOW_LAW_H
#define SNOW_SNOW_LAW_H

#include "math/eigen3.h"

// Packed to e^-1.5 of its volume at xi 10, snow is no longer snow; the limit keeps the wave speed within 12
// times the start's.
#define SNOW_HARDEST 5.0f
#define SNOW_SOFTEST (-5.0f)

// Far beyond where the hardness is limited. Crumbs that are torn apart or turned inside out would go on
// multiplying J_P until it is no number any more.
#define SNOW_DENSEST 1e-3f
#define SNOW_LOOSEST 1e3f

// e^(xi (1 - J_P)), MPM15 eq. 29, limited on both sides.
LANE_INLINE real snow_hardness(real jp, real xi) {
    return r_exp(r_clamp(xi * (R(1) - jp), R(SNOW_SOFTEST), R(SNOW_HARDEST)));
}

// J - 1 = (1 + x)(1 + y)(1 + z) - 1, without losing small ones.
LANE_INLINE real snow_dilation(vec3 e) {
    real xy = e.x + e.y + e.x * e.y;
    return xy + e.z + xy * e.z;
}

// Energy per rest volume (Pa) at the principal strains e of F_E: mu sum e_i^2 + lambda/2 (J - 1)^2, MPM15
// eq. 28 with its lost square.
LANE_INLINE real snow_energy(vec3 e, real mu, real lambda) {
    real j = snow_dilation(e);
    return mu * vec3_length2(e) + R(0.5f) * lambda * j * j;
}

// Principal Kirchhoff stresses (Pa), the eigenvalues of P F_E^T: 2 mu (s_i - 1) s_i + lambda (J - 1) J.
LANE_INLINE vec3 snow_principal_stress(vec3 e, real mu, real lambda) {
    real j = snow_dilation(e);
    vec3 shear = vec3_add(e, vec3_mul(e, e));
    return vec3_add_scaled(vec3_all(lambda * (j + j * j)), shear, R(2) * mu);
}

// The strain after the motion 1 + m: (1 + m)(1 + strain)(1 + m)^T - 1.
LANE_INLINE sym3 snow_move(sym3 e, mat3 m) {
    mat3 n = mat3_add(m, mat3_multiply(m, mat3_from_sym3(e)));
    vec3 x = vec3_of(m.x.x, m.y.x, m.z.x), y = vec3_of(m.x.y, m.y.y, m.z.y), z = vec3_of(m.x.z, m.y.z, m.z.z);
    vec3 nx = vec3_of(n.x.x, n.y.x, n.z.x), ny = vec3_of(n.x.y, n.y.y, n.z.y),
         nz = vec3_of(n.x.z, n.y.z, n.z.z); // rows
    return sym3_of(e.xx + R(2) * nx.x + vec3_dot(nx, x), e.xy + nx.y + ny.x + vec3_dot(nx, y),
                   e.xz + nx.z + nz.x + vec3_dot(nx, z), e.yy + R(2) * ny.y + vec3_dot(ny, y),
                   e.yz + ny.z + nz.y + vec3_dot(ny, z), e.zz + R(2) * nz.z + vec3_dot(nz, z));
}

// s - 1 from the eigenvalue s^2 - 1.
LANE_INLINE real snow_root(real e2) { return e2 / (R(1) + r_sqrt(r_max(R(1) + e2, R(0)))); }
LANE_INLINE vec3 snow_roots(vec3 e2) { return vec3_of(snow_root(e2.x), snow_root(e2.y), snow_root(e2.z)); }

// What is beyond [-squeeze, stretch] of the trial strains becomes plastic: they are clamped and J_P takes the
// volume over, in the lanes that `may`. Returns where that happened.
LANE_INLINE mask snow_flow(vec3 *e, real *jp, real squeeze, real stretch, mask may) {
    vec3 kept = vec3_of(r_clamp(e->x, -squeeze, stretch), r_clamp(e->y, -squeeze, stretch),
                        r_clamp(e->z, -squeeze, stretch));
    mask flows = (r_ne(kept.x, e->x) | r_ne(kept.y, e->y) | r_ne(kept.z, e->z)) & may;
    real flowed = *jp * (R(1) + snow_dilation(*e)) / (R(1) + snow_dilation(kept));
    *jp = r_select(flows, r_clamp(flowed, R(SNOW_DENSEST), R(SNOW_LOOSEST)), *jp);
    *e = vec3_select(flows, kept, *e);
    return flows;
}

// Where no principal strain is beyond [-squeeze, stretch]: strain - low and high - strain are positive
// (Sylvester). Most snow of most steps is such, and saves the eigenvectors.
LANE_INLINE mask snow_positive(sym3 a) {
    real xx = a.yy * a.zz - a.yz * a.yz, xy = a.yz * a.xz - a.xy * a.zz, xz = a.xy * a.yz - a.yy * a.xz;
    return r_ge(a.zz, R(0)) & r_ge(xx, R(0)) & r_ge(a.xx * xx + a.xy * xy + a.xz * xz, R(0));
}
LANE_INLINE mask snow_bears(sym3 e, real squeeze, real stretch) {
    real low = squeeze * (R(2) - squeeze), high = stretch * (R(2) + stretch); // 1 - (1 - squeeze)^2, ...
    return snow_positive(sym3_of(e.xx + low, e.xy, e.xz, e.yy + low, e.yz, e.zz + low)) &
           snow_positive(sym3_of(high - e.xx, -e.xy, -e.xz, high - e.yy, -e.yz, high - e.zz));
}

// Strains up to about a twentieth, for which the series below has all digits of a float.
LANE_INLINE mask snow_small(sym3 e) {
    real off = e.xy * e.xy + e.xz * e.xz + e.yz * e.yz;
    return r_le(e.xx * e.xx + e.yy * e.yy + e.zz * e.zz + R(2) * off, R(0.01f));
}

// Kirchhoff stress (Pa) at a small strain, without eigenvectors: with V the symmetric root of 1 + strain, 2
// mu (V - 1) V + lambda (J - 1) J, and (V - 1) V = strain - (V - 1). The series of the root, sqrt(1 + x) - 1
// = x/2
// - x^2/8 + ..., is taken in 1, e, e^2: e^3 = first e^2 - second e + third (Cayley and Hamilton).
LANE_INLINE sym3 snow_small_stress(sym3 e, real mu, real lambda) {
    sym3 e2 = sym3_of(e.xx * e.xx + e.xy * e.xy + e.xz * e.xz, e.xx * e.xy + e.xy * e.yy + e.xz * e.yz,
                      e.xx * e.xz + e.xy * e.yz + e.xz * e.zz, e.xy * e.xy + e.yy * e.yy + e.yz * e.yz,
                      e.xy * e.xz + e.yy * e.yz + e.yz * e.zz, e.xz * e.xz + e.yz * e.yz + e.zz * e.zz);
    real minor = e.yy * e.zz - e.yz * e.yz;
    real first = e.xx + e.yy + e.zz;
    real second = minor + e.xx * e.zz - e.xz * e.xz + e.xx * e.yy - e.xy * e.xy;
    real third = e.xx * minor + e.xy * (e.yz * e.xz - e.xy * e.zz) + e.xz * (e.xy * e.yz - e.yy * e.xz);
    const float series[6] = {-21.0f / 1024, 7.0f / 256, -5.0f / 128, 1.0f / 16, -1.0f / 8, 1.0f / 2};
    real a = R(0), b = R(33.0f / 2048), c = R(0); // a + b e + c e^2, times e and plus the next term
    for (int k = 0; k < 6; k++) {
        real next = r_fma(c, first, b);
        b = r_fma(-c, second, a);
        a = c * third;
        c = next;
        b += R(series[k]);
    }
    real j = snow_root(first + second + third), two = R(2) * mu;
    real rest = lambda * (j + j * j) - two * a, one = two * (R(1) - b), square = -two * c;
    return sym3_of(one * e.xx + square * e2.xx + rest, one * e.xy + square * e2.xy,
                   one * e.xz + square * e2.xz, one * e.yy + square * e2.yy + rest,
                   one * e.yz + square * e2.yz, one * e.zz + square * e2.zz + rest);
}

#endif
