// The constitutive law of MPM snow (lane C): fixed-corotated elasticity that hardens under compression, and a
// return mapping that keeps the singular values of F_E within [1 - theta_c, 1 + theta_s] (MPM15 ch. 3.5;
// Stomakhin 2013). The law is invariant under rotation, so that of the deformation gradient F_E only the
// symmetric strain F_E F_E^T - 1 is stored: six numbers whose digits are all strain. With F_E itself, whose
// entries are near 1, the strain increments of snow that creeps slower than 1e-4 per second are lost in
// rounding: it flows without resistance, and a block at rest sinks. Principal values are strains too, s - 1.
#ifndef SNOW_SNOW_LAW_H
#define SNOW_SNOW_LAW_H

#include "math/eigen3.h"

// Limits of the exponent of hardening. At xi = 10 the upper one is reached at half the volume; it keeps the
// wave speed within 12 times the initial one.
#define SNOW_HARDEST 5.0f
#define SNOW_SOFTEST (-5.0f)

// Largest J_P: that of torn or inverted particles would otherwise grow until it overflows.
#define SNOW_LOOSEST 1e3f

// Pores close: snow cannot become denser than ice (917 kg/m3). `closed` is the J_P at which it would be, at
// its largest elastic compression. From a share of SNOW_CLOSING of that density on the snow hardens beyond
// its law, 10 times up to the share SNOW_CLOSED, where J_P ends and further compression is elastic.
#define SNOW_CLOSING 0.95f
#define SNOW_CLOSED 0.995f
LANE_INLINE real snow_densest(real closed) { return closed * R(1 / SNOW_CLOSED); }
LANE_INLINE real snow_closing(real jp, real closed) {
    real start = R(1) - r_max(closed, R(SNOW_CLOSING));
    return r_max(R(1), start / (R(1) - r_min(closed / jp, R(SNOW_CLOSED))));
}

// Without pores, elastic compression ends as well: `share` is the density over that of ice. Above SNOW_FULL
// of it stress and stiffness grow up to 100 times at the density of ice, while the blow lasts: unlike J_P the
// elastic strain comes back, and with it the time step.
#define SNOW_FULL 0.96f
// Whether it can be that dense at all: elastic compression beyond 10 % is rare.
LANE_INLINE mask snow_may_be_full(real jp, real densest) { return r_lt(jp * R(SNOW_FULL * 0.9f), densest); }
LANE_INLINE real snow_barrier(real share) {
    real over = r_max(share - R(SNOW_FULL), R(0)) * R(1 / (1 - SNOW_FULL));
    return R(1) + R(100) * r_min(over * over, R(9));
}

// Speed of a wave, squared (m2/s2), that limits the time step as much as closing pores do: in a step an
// element loses at most a quarter of its pores, and a hundredth of its volume when they are closed. rate: -tr
// grad v times cell (m/s).
LANE_INLINE real snow_closing_speed2(real jp, real closed, real rate) {
    real pores = R(0.25f) * (jp - closed) / jp + R(0.01f),
         speed = R(0.45f) * r_max(rate, R(0)) / r_max(pores, R(0.01f));
    return speed * speed;
}

// e^(xi (1 - J_P)), MPM15 eq. 29, limited on both sides; soft: xi of snow that is loosened.
LANE_INLINE real snow_hardness(real jp, real xi, real soft, real closed) {
    real loose = R(1) - jp, rate = r_select(r_lt(loose, R(0)), soft, xi);
    return r_exp(r_clamp(rate * loose, R(SNOW_SOFTEST), R(SNOW_HARDEST))) * snow_closing(jp, closed);
}

// J - 1 = (1 + x)(1 + y)(1 + z) - 1, without cancellation.
LANE_INLINE real snow_dilation(vec3 e) {
    real xy = e.x + e.y + e.x * e.y;
    return xy + e.z + xy * e.z;
}

// Principal Kirchhoff stresses (Pa), the eigenvalues of P F_E^T: 2 mu (s_i - 1) s_i + lambda (J - 1) J.
LANE_INLINE vec3 snow_principal_stress(vec3 e, real mu, real lambda) {
    real j = snow_dilation(e);
    vec3 shear = vec3_add(e, vec3_mul(e, e));
    return vec3_add_scaled(vec3_all(lambda * (j + j * j)), shear, R(2) * mu);
}

// Push-forward of the strain by the deformation 1 + m: (1 + m)(1 + strain)(1 + m)^T - 1.
LANE_INLINE sym3 snow_push_forward(sym3 e, mat3 m) {
    mat3 n = mat3_add(m, mat3_multiply(m, mat3_from_sym3(e)));
    vec3 x = vec3_of(m.x.x, m.y.x, m.z.x), y = vec3_of(m.x.y, m.y.y, m.z.y), z = vec3_of(m.x.z, m.y.z, m.z.z);
    vec3 nx = vec3_of(n.x.x, n.y.x, n.z.x), ny = vec3_of(n.x.y, n.y.y, n.z.y),
         nz = vec3_of(n.x.z, n.y.z, n.z.z); // rows
    return sym3_of(e.xx + R(2) * nx.x + vec3_dot(nx, x), e.xy + nx.y + ny.x + vec3_dot(nx, y),
                   e.xz + nx.z + nz.x + vec3_dot(nx, z), e.yy + R(2) * ny.y + vec3_dot(ny, y),
                   e.yz + ny.z + nz.y + vec3_dot(ny, z), e.zz + R(2) * nz.z + vec3_dot(nz, z));
}

// det(1 + strain) = J_E^2
LANE_INLINE real snow_volume2(sym3 e) {
    real xx = R(1) + e.xx, yy = R(1) + e.yy, zz = R(1) + e.zz;
    return xx * (yy * zz - e.yz * e.yz) - e.xy * (e.xy * zz - e.yz * e.xz) + e.xz * (e.xy * e.yz - yy * e.xz);
}
// Density over that of ice; densest: J at which it would be 1.
LANE_INLINE real snow_share(sym3 e, real jp, real densest) {
    return densest * r_rsqrt(r_max(snow_volume2(e), R(1e-4f))) / jp;
}

// s - 1 from the eigenvalue s^2 - 1.
LANE_INLINE real snow_root(real e2) { return e2 / (R(1) + r_sqrt(r_max(R(1) + e2, R(0)))); }
LANE_INLINE vec3 snow_roots(vec3 e2) { return vec3_of(snow_root(e2.x), snow_root(e2.y), snow_root(e2.z)); }

// Tearing takes time (Duvaut 1976): of what is stretched beyond theta_s, the share that a step leaves.
// Without it the waves of an impact tear snow that they pass for a moment, the more the finer the cells that
// carry them.
LANE_INLINE real snow_held(real tearing, float dt) {
    mask at_once = r_le(tearing, R(0));
    if (m_all(at_once)) return R(0);
    return r_select(at_once, R(0), r_exp(R(-dt) / r_max(tearing, R(0.02f * dt))));
}

// Return mapping: clamps the principal trial strains to [-theta_c, theta_s], but for the share `held` above
// it, and moves the excess volume to J_P, in the lanes of `may`. Returns the lanes that yielded.
LANE_INLINE real snow_limit(real e, real theta_c, real theta_s, real held) {
    return r_clamp(e, -theta_c, theta_s) + held * r_max(e - theta_s, R(0));
}
LANE_INLINE mask snow_return_map(vec3 *e, real *jp, real theta_c, real theta_s, real held, real closed,
                                 mask may) {
    vec3 clamped = vec3_of(snow_limit(e->x, theta_c, theta_s, held), snow_limit(e->y, theta_c, theta_s, held),
                           snow_limit(e->z, theta_c, theta_s, held));
    mask yields = (r_ne(clamped.x, e->x) | r_ne(clamped.y, e->y) | r_ne(clamped.z, e->z)) & may;
    real plastic = *jp * (R(1) + snow_dilation(*e)) / (R(1) + snow_dilation(clamped));
    real densest = snow_densest(closed);
    mask shut = r_lt(plastic, densest) & yields;
    if (m_any(shut)) { // what J_P cannot take
        real left = r_exp(R(1.0f / 3) * r_log(r_max(plastic, R(1e-6f)) / densest));
        vec3 pressed = vec3_sub(vec3_scale(vec3_add(clamped, vec3_all(R(1))), left), vec3_all(R(1)));
        clamped = vec3_select(shut, pressed, clamped);
    }
    *jp = r_select(yields, r_clamp(plastic, densest, R(SNOW_LOOSEST)), *jp);
    *e = vec3_select(yields, clamped, *e);
    return yields;
}

// Whether a matrix is positive semidefinite (Sylvester).
LANE_INLINE mask snow_positive(sym3 a) {
    real xx = a.yy * a.zz - a.yz * a.yz, xy = a.yz * a.xz - a.xy * a.zz, xz = a.xy * a.yz - a.yy * a.xz;
    return r_ge(a.zz, R(0)) & r_ge(xx, R(0)) & r_ge(a.xx * xx + a.xy * xy + a.xz * xz, R(0));
}
// The trial strain is within the yield surface: no principal strain is outside [-theta_c, theta_s]. This
// holds for most particles in most steps and saves the eigenvectors.
LANE_INLINE mask snow_is_elastic(sym3 e, real theta_c, real theta_s) {
    real low = theta_c * (R(2) - theta_c),
         high = theta_s * (R(2) + theta_s); // 1 - (1 - theta_c)^2, (1 + theta_s)^2 - 1
    return snow_positive(sym3_of(e.xx + low, e.xy, e.xz, e.yy + low, e.yz, e.zz + low)) &
           snow_positive(sym3_of(high - e.xx, -e.xy, -e.xz, high - e.yy, -e.yz, high - e.zz));
}

// Strains up to about a twentieth, for which the series below is exact to float precision.
LANE_INLINE mask snow_small(sym3 e) { return r_le(sym3_norm2(e), R(0.01f)); }

// Kirchhoff stress (Pa) at a small strain, without eigenvectors: with V the symmetric root of 1 + strain, 2
// mu (V - 1) V + lambda (J - 1) J, and (V - 1) V = strain - (V - 1); sqrt(1 + x) - 1 = x/2 - x^2/8 + ...
LANE_INLINE sym3 snow_small_stress(sym3 e, real mu, real lambda) {
    const float root[7] = {33.0f / 2048, -21.0f / 1024, 7.0f / 256, -5.0f / 128,
                           1.0f / 16,    -1.0f / 8,     1.0f / 2};
    sym3_powers p = sym3_powers_of(e);
    vec3 s = sym3_series(&p, root, 7);
    real j = snow_root(p.first + p.second + p.third), two = R(2) * mu;
    return sym3_from_series(&p, vec3_of(lambda * (j + j * j) - two * s.x, two * (R(1) - s.y), -two * s.z));
}

#endif
