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

// The derivative of the stress, at the principal strains s - 1 of F_E. F_E = U S V^T moves by dF = L F_E; in
// the axes of U, with G = U^T L U, B = U^T (dP F_E^T) U is
//   B_ii = (2 mu s_i^2 - lambda (J-1) J) G_ii + lambda J (2J-1) tr G
//   B_ij = 2 mu s_j^2 (1 - 1/(s_i+s_j)) G_ij + (2 mu s_i s_j/(s_i+s_j) - lambda (J-1) J) G_ji
// which holds dR, (U^T dR V)_ij = (dF_ij - dF_ji)/(s_i + s_j), and the cofactor's change; V is not in it.
// Equal singular values are no exception, only s_i = -s_j would be. `x` of a pair stands for (y, z), `y` for
// (z, x), `z` for (x, y).
typedef struct snow_stiffness {
    vec3 own;                    // of G_ii
    real volume;                 // of tr G
    vec3 first, second, crossed; // B_ij = first G_ij + crossed G_ji, B_ji = second G_ji + crossed G_ij
} snow_stiffness;

LANE_INLINE snow_stiffness snow_stiffness_of(vec3 e, real mu, real lambda) {
    real j = snow_dilation(e), pressure = lambda * (j + j * j);
    vec3 s = vec3_add(e, vec3_all(R(1))), next = vec3_of(s.y, s.z, s.x), last = vec3_of(s.z, s.x, s.y);
    vec3 sum = vec3_add(next, last);
    vec3 turn = vec3_of(R(2) * mu / sum.x, R(2) * mu / sum.y, R(2) * mu / sum.z);
    vec3 shear = vec3_sub(vec3_all(R(2) * mu), turn);
    snow_stiffness k;
    k.own = vec3_sub(vec3_scale(vec3_mul(s, s), R(2) * mu), vec3_all(pressure));
    k.volume = lambda * (R(1) + j) * (R(1) + R(2) * j);
    k.first = vec3_mul(vec3_mul(last, last), shear);
    k.second = vec3_mul(vec3_mul(next, next), shear);
    k.crossed = vec3_sub(vec3_mul(vec3_mul(next, last), turn), vec3_all(pressure));
    return k;
}

// The nearest [[a, c], [c, b]] without a negative eigenvalue.
LANE_INLINE void snow_definite_pair(real *a, real *b, real *c) {
    real mean = R(0.5f) * (*a + *b), half_gap = R(0.5f) * (*a - *b);
    real spread = r_sqrt(half_gap * half_gap + *c * *c), low = mean - spread;
    mask sound = r_ge(low, R(0));
    real share = r_max(mean + spread, R(0)) / r_max(R(2) * spread, R(1e-30f));
    *a = r_select(sound, *a, share * (*a - low));
    *b = r_select(sound, *b, share * (*b - low));
    *c = r_select(sound, *c, share * *c);
}

// Without the directions in which snow under pressure would buckle: over a long step they would not slow the
// snow down but speed it up.
LANE_INLINE snow_stiffness snow_definite(snow_stiffness k) {
    k.own = vec3_max(k.own, vec3_all(R(0)));
    k.volume = r_max(k.volume, R(0));
    snow_definite_pair(&k.first.x, &k.second.x, &k.crossed.x);
    snow_definite_pair(&k.first.y, &k.second.y, &k.crossed.y);
    snow_definite_pair(&k.first.z, &k.second.z, &k.crossed.z);
    return k;
}

// B of G, both in the axes of U.
LANE_INLINE mat3 snow_stress_change(snow_stiffness k, mat3 g) {
    vec3 own = vec3_add(vec3_mul(k.own, vec3_of(g.x.x, g.y.y, g.z.z)), vec3_all(k.volume * mat3_trace(g)));
    return mat3_of(
        vec3_of(own.x, k.second.z * g.x.y + k.crossed.z * g.y.x, k.first.y * g.x.z + k.crossed.y * g.z.x),
        vec3_of(k.first.z * g.y.x + k.crossed.z * g.x.y, own.y, k.second.x * g.y.z + k.crossed.x * g.z.y),
        vec3_of(k.second.y * g.z.x + k.crossed.y * g.x.z, k.first.x * g.z.y + k.crossed.x * g.y.z, own.z));
}

#endif
