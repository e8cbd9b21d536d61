// relief_noise of relief.c for several places at once (lane C).
#ifndef GEOM_RELIEF_NOISE_H
#define GEOM_RELIEF_NOISE_H

#include "lane/lane.h"
#include "math/vec3.h"

typedef struct relief_bump {
    real value;
    vec3 slope;
} relief_bump;

LANE_INLINE real relief_corner(ireal h) {
    h = i_mul_wrap(h ^ (i_shift_right(h, 15) & RI(0x1ffff)), RI((int)0x2C1B3C6Du));
    h = i_mul_wrap(h ^ (i_shift_right(h, 12) & RI(0xfffff)), RI((int)0x297A2D39u));
    h = h ^ (i_shift_right(h, 15) & RI(0x1ffff));
    return r_fma(r_from_int(h & RI(0xffff)), R(2 / 65536.0f), R(-1));
}

LANE_INLINE real relief_mix(real a, real b, real t) { return r_fma(b - a, t, a); }

LANE_INLINE relief_bump relief_noise_at(vec3 at) {
    real x[3] = {at.x * R(0.36f) + at.y * R(0.48f) - at.z * R(0.8f), at.y * R(0.6f) - at.x * R(0.8f),
                 at.x * R(0.48f) + at.y * R(0.64f) + at.z * R(0.6f)};
    const int prime[3] = {(int)0x9E3779B1u, (int)0x85EBCA77u, (int)0xC2B2AE3Du};
    real u[3], du[3];
    ireal part[3][2];
    for (int k = 0; k < 3; k++) {
        x[k] = r_min(r_max(x[k], R(-1e8f)), R(1e8f)); // NaN becomes -1e8
        real cell = r_floor(x[k]), f = x[k] - cell;
        ireal i = r_to_int(cell);
        u[k] = f * f * f * r_fma(f, r_fma(f, R(6), R(-15)), R(10));
        du[k] = R(30) * f * f * r_fma(f, f - R(2), R(1));
        part[k][0] = i_mul_wrap(i, RI(prime[k]));
        part[k][1] = i_add_wrap(part[k][0], RI(prime[k]));
    }
    real c[8];
    for (int i = 0; i < 8; i++) c[i] = relief_corner(part[0][i & 1] ^ part[1][i >> 1 & 1] ^ part[2][i >> 2]);
    real flat[4], rise[4];
    for (int i = 0; i < 4; i++) rise[i] = c[i + 4] - c[i], flat[i] = r_fma(rise[i], u[2], c[i]);
    real along0 = relief_mix(flat[0], flat[1], u[0]), along1 = relief_mix(flat[2], flat[3], u[0]);
    real up = relief_mix(relief_mix(rise[0], rise[1], u[0]), relief_mix(rise[2], rise[3], u[0]), u[1]);
    real d0 = du[0] * relief_mix(flat[1] - flat[0], flat[3] - flat[2], u[1]), d1 = du[1] * (along1 - along0),
         d2 = du[2] * up;
    relief_bump b = {relief_mix(along0, along1, u[1]),
                     vec3_of(d0 * R(0.36f) - d1 * R(0.8f) + d2 * R(0.48f),
                             d0 * R(0.48f) + d1 * R(0.6f) + d2 * R(0.64f), d2 * R(0.6f) - d0 * R(0.8f))};
    return b;
}

#endif
