// Laws of snow that flows (lane C): Hencky elasticity, a yield surface that depends on pressure, and the same
// hardening by density for both. The elastic strain is eps = log(F_E F_E^T) / 2, Kirchhoff stress K tr(eps) 1
// + 2 mu dev(eps). In terms of p = -K tr(eps) and q = sqrt(6) mu |dev(eps)|:
//   Drucker-Prager (Klar 2016), without cohesion: q <= M p, p <= p0. Snow that separates bears nothing; the
//   volume it gains is remembered and given back when it closes (Tampubolon 2017), or heaps would grow. M
//   falls with the inertial number I = shear rate d sqrt(rho / p), as M_s - (M_s - M_k) I^2 / (I^2 + I0^2):
//   a heap stands steeper than the slope on which it stops (DeGiuli 2017). It depends on the Lode angle as
//   that of Matsuoka and Nakai nearly does (Sheng 2000): a cone would fail from the top and its foot stand.
//   Cohesive Cam clay (Gaume 2018): (1 + 2 beta) q^2 + M^2 (p + beta p0) (p - p0) <= 0. What yields goes
//   straight towards the middle of the ellipse, so that dense snow dilates and softens, loose snow compacts
//   and hardens.
// M = sqrt(3) tan(phi) with the angle of friction phi. Stiffness and p0 grow with the density as
// J_P^-xi, and tenfold where pores close: p0 / K, the largest elastic compression, stays.
#ifndef SNOW_GRANULAR_LAW_H
#define SNOW_GRANULAR_LAW_H

#include "snow/snow_law.h"

typedef struct granular_yield {
    real limit;    // p0 / K of unbroken snow
    real shear;    // sqrt(6) mu / K
    real friction; // M
    real cohesion; // beta
    real stretch;  // log J_P at which all bonds are broken
    mask cohesive; // Cam clay; others: Drucker-Prager
    real kinetic;  // of the friction of Drucker-Prager that is left in fast flow
    real inertia;  // I / I0 = inertia slip / sqrt(p / K): of the plastic shear of one step
    real open;     // log of the least volume of snow that has come apart, see granular_open
} granular_yield;

// Invariants of the elastic strain, and log J_P.
typedef struct granular_state {
    real volume, shear; // tr(eps), |dev(eps)|
    real plastic;
} granular_state;

// M by the Lode angle, over that in plane shear: (1 - k s)^(-1/4), s = 1 where one axis is pressed most (the
// core of a heap) and -1 where two are (its foot). norm: |dev|.
LANE_INLINE real granular_lode(sym3 dev, real norm, real k) {
    real minor = dev.yy * dev.zz - dev.yz * dev.yz;
    real det = dev.xx * minor + dev.xy * (dev.yz * dev.xz - dev.xy * dev.zz) +
               dev.xz * (dev.xy * dev.yz - dev.yy * dev.xz);
    real s = R(-7.3484692f) * det / r_max(norm * norm * norm, R(1e-30f)); // 3 sqrt(6)
    return r_rsqrt(r_sqrt(R(1) - k * r_clamp(s, R(-1), R(1))));
}

// The volume a particle keeps track of drifts where snow lands: the grid brakes it before it arrives, and
// that would close its gaps. So what has come apart by more than GRANULAR_APART stays apart until the grid is
// dense enough at its place; the tolerance is for layers as thin as a cell. density: that of the grid over
// that of the snow; slope: its gradient times the cell, over itself. Near a surface the kernel reaches out of
// the snow: there -log Phi is about 0.33 |g| + 0.36 g^2, with Phi the share of the kernel inside.
#define GRANULAR_APART 0.02f
#define GRANULAR_TOLERANCE 0.6f
LANE_INLINE real granular_open(real density, vec3 slope) {
    real sides = r_abs(slope.x) + r_abs(slope.y) + r_abs(slope.z);
    real inside = R(0.33f) * sides + R(0.36f) * vec3_dot(slope, slope);
    return r_min(-r_log(r_max(density, R(1e-12f))) - inside - R(GRANULAR_TOLERANCE), R(1));
}

// The return mapping of both laws. Returns the share of dev(eps) that is left; changes volume and plastic.
LANE_INLINE real granular_flow(granular_state *s, const granular_yield *y) {
    real gap = r_max(s->plastic, R(0)), trial = s->volume + gap; // as if its gaps had closed first
    real apart = r_max(trial, y->open - r_min(s->plastic, R(0)));
    trial = r_select(r_gt(trial, R(GRANULAR_APART)), apart, trial);
    real volume = r_clamp(trial, -y->limit, R(0));
    real bound = -y->friction * volume, q = y->shear * s->shear;
    real fast = y->inertia * r_max(q - bound, R(0)) / y->shear, fast2 = fast * fast;
    bound *= R(1) - (R(1) - y->kinetic) * fast2 / (fast2 + r_max(-volume, R(1e-12f)));
    real share = r_select(r_gt(q, bound), bound / r_max(q, R(1e-30f)), R(1));
    *s = (granular_state){volume, s->shear, s->plastic - gap + (trial - volume)};
    return share;
}
LANE_INLINE real granular_clay(granular_state *s, const granular_yield *y) {
    real bonds = r_clamp(R(1) - s->plastic / y->stretch, R(0), R(1)), p0 = y->limit * bonds;
    real middle = R(0.5f) * (R(1) - y->cohesion) * p0, half = R(0.5f) * (R(1) + y->cohesion) * p0;
    real p = -s->volume - middle, q = y->shear * s->shear;
    real size2 = (R(1) + R(2) * y->cohesion) * q * q + y->friction * y->friction * p * p;
    real edge = y->friction * half;
    real share = r_select(r_gt(size2, edge * edge), edge * r_rsqrt(r_max(size2, R(1e-30f))), R(1));
    real volume = r_select(r_lt(share, R(1)), -(middle + share * p), s->volume);
    *s = (granular_state){volume, s->shear, s->plastic + (s->volume - volume)};
    return share;
}
// log J_P ends at `densest`; further compression is elastic.
LANE_INLINE real granular_return_map(granular_state *s, const granular_yield *y, real densest) {
    granular_state flow = *s, clay = *s;
    real share_flow = granular_flow(&flow, y), share_clay = granular_clay(&clay, y);
    s->volume = r_select(y->cohesive, clay.volume, flow.volume);
    s->plastic = r_select(y->cohesive, clay.plastic, flow.plastic);
    real left = r_min(s->plastic - densest, R(0));
    s->plastic -= left;
    s->volume += left;
    return r_select(y->cohesive, share_clay, share_flow);
}

// J_P^-xi; loosened snow is as stiff as it was.
LANE_INLINE real granular_hardness(real plastic, real jp, real xi, real closed) {
    return r_exp(-xi * r_min(plastic, R(0))) * snow_closing(jp, closed);
}

// log(1 + x) and e^x - 1, exact for small x as well: the rounding of 1 + x cancels in the quotient.
LANE_INLINE real granular_log1p(real x) {
    real u = R(1) + x, d = u - R(1);
    return r_select(r_eq(d, R(0)), x, r_log(r_max(u, R(1e-12f))) * (x / r_select(r_eq(d, R(0)), R(1), d)));
}
LANE_INLINE real granular_expm1(real x) {
    real u = r_exp(x), d = u - R(1);
    return r_select(r_eq(d, R(0)), x, d * (x / r_select(r_eq(d, R(0)), R(1), r_log(u))));
}
LANE_INLINE vec3 granular_logs(vec3 e2) { // eps from the eigenvalues of F_E F_E^T - 1
    return vec3_scale(vec3_of(granular_log1p(e2.x), granular_log1p(e2.y), granular_log1p(e2.z)), R(0.5f));
}
LANE_INLINE vec3 granular_exps(vec3 eps) { // and back
    vec3 x = vec3_add(eps, eps);
    return vec3_of(granular_expm1(x.x), granular_expm1(x.y), granular_expm1(x.z));
}

// The same of a whole strain, as series: exact to float precision where snow_small.
LANE_INLINE sym3 granular_small_log(sym3 e) {
    const float terms[8] = {-1.0f / 16, 1.0f / 14, -1.0f / 12, 1.0f / 10,
                            -1.0f / 8,  1.0f / 6,  -1.0f / 4,  1.0f / 2};
    sym3_powers p = sym3_powers_of(e);
    return sym3_from_series(&p, sym3_series(&p, terms, 8));
}
LANE_INLINE sym3 granular_small_exp(sym3 eps) {
    const float terms[7] = {8.0f / 315, 4.0f / 45, 4.0f / 15, 2.0f / 3, 4.0f / 3, 2, 2};
    sym3_powers p = sym3_powers_of(eps);
    return sym3_from_series(&p, sym3_series(&p, terms, 7));
}

// a dev(eps) + b 1
LANE_INLINE sym3 granular_combine(sym3 eps, real mean, real a, real b) {
    real shift = b - a * mean;
    return sym3_of(a * eps.xx + shift, a * eps.xy, a * eps.xz, a * eps.yy + shift, a * eps.yz,
                   a * eps.zz + shift);
}

#endif
