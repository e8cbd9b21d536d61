// The law of MPM snow (lane C): fixed-corotated elasticity that hardens as it is packed, and singular values
// of F_E that stay within what snow bears (MPM15 ch. 3.5; Stomakhin 2013).
#ifndef SNOW_SNOW_LAW_H
#define SNOW_SNOW_LAW_H

#include "math/svd3.h"

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

// Energy per rest volume (Pa) at the singular values s of F_E: mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2, MPM15
// eq. 28 with its lost square.
LANE_INLINE real snow_energy(vec3 s, real mu, real lambda) {
    vec3 e = vec3_sub(s, vec3_all(R(1)));
    real j = s.x * s.y * s.z - R(1);
    return mu * vec3_length2(e) + R(0.5f) * lambda * j * j;
}

// Principal Kirchhoff stresses (Pa), the eigenvalues of P F_E^T: 2 mu (s_i - 1) s_i + lambda (J - 1) J.
LANE_INLINE vec3 snow_principal_stress(vec3 s, real mu, real lambda) {
    real j = s.x * s.y * s.z;
    vec3 shear = vec3_mul(vec3_sub(s, vec3_all(R(1))), s);
    return vec3_add_scaled(vec3_all(lambda * (j - R(1)) * j), shear, R(2) * mu);
}

// What is beyond [low, high] of the trial singular values becomes plastic: s is clamped and J_P takes the
// volume over.
LANE_INLINE void snow_flow(vec3 *s, real *jp, real low, real high) {
    vec3 kept = vec3_of(r_clamp(s->x, low, high), r_clamp(s->y, low, high), r_clamp(s->z, low, high));
    real flowed = *jp * (s->x * s->y * s->z) / (kept.x * kept.y * kept.z);
    *jp = r_clamp(flowed, R(SNOW_DENSEST), R(SNOW_LOOSEST));
    *s = kept;
}

#endif
