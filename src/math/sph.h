// Smoothing kernels of particle fluids (lane C; Mueller et al. 2003; PBD19, PHASE21): zero beyond radius h.
// Written in q = r / h, so that no power of a small h leaves the range of floats.
#ifndef MATH_SPH_H
#define MATH_SPH_H

#include "math/vec3.h"

#define SPH_PI 3.14159265358979f

// What depends on h alone; make it once.
typedef struct sph {
    real inverse_h;
    real poly6;     // 315 / (64 pi h^3)
    real spiky;     // -45 / (pi h^4)
    real viscosity; // 45 / (pi h^5)
} sph;
LANE_INLINE sph sph_of(real h) {
    real a = R(1) / h, a3 = a * a * a;
    sph k = {a, R(315 / (64 * SPH_PI)) * a3, R(-45 / SPH_PI) * a3 * a, R(45 / SPH_PI) * a3 * (a * a)};
    return k;
}

// W, for densities: 315/(64 pi h^9) (h^2 - r^2)^3. Takes r^2: no root needed.
LANE_INLINE real sph_poly6(sph k, real r2) {
    real rest = r_max(R(0), R(1) - r2 * k.inverse_h * k.inverse_h);
    return k.poly6 * rest * rest * rest;
}
// Slope dW/dr of the spiky kernel, for pressures: -45/(pi h^6) (h - r)^2. Never positive.
LANE_INLINE real sph_spiky_slope(sph k, real r) {
    real rest = r_max(R(0), R(1) - r * k.inverse_h);
    return k.spiky * rest * rest;
}
// Its gradient with respect to the first of two points, `apart` = first - second; zero where they coincide.
LANE_INLINE vec3 sph_spiky_gradient(sph k, vec3 apart) {
    real r = vec3_length(apart);
    mask distinct = r_gt(r, R(0));
    return vec3_scale(apart, r_where(distinct, sph_spiky_slope(k, r) / r));
}
// Laplacian of the viscosity kernel, for what spreads (momentum, heat): 45/(pi h^6) (h - r). Never negative.
LANE_INLINE real sph_viscosity_laplacian(sph k, real r) {
    return k.viscosity * r_max(R(0), R(1) - r * k.inverse_h);
}

#endif
