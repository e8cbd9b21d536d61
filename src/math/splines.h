// B-splines that carry particles to grid nodes and back (lane C). Positions in cells: x / h. Weights of a
// particle sum to 1, gradients to 0, and the weights' first moment is the particle's place.
#ifndef MATH_SPLINES_H
#define MATH_SPLINES_H

#include "lane/lane.h"

// The cubic N(d) of the distance d to a node, and its slope (MPM15 eq. 18).
LANE_INLINE real spline3(real d) {
    real a = r_abs(d), outer = r_max(R(0), R(2) - a);
    real near = r_fma(r_fma(R(0.5f), a, R(-1)), a * a, R(2.0f / 3));
    return r_select(r_lt(a, R(1)), near, outer * outer * outer * R(1.0f / 6));
}
LANE_INLINE real spline3_slope(real d) {
    real a = r_abs(d), outer = r_max(R(0), R(2) - a);
    real slope = r_select(r_lt(a, R(1)), r_fma(R(1.5f), a, R(-2)) * a, outer * outer * R(-0.5f));
    return r_flip(slope, d);
}

// The quadratic one.
LANE_INLINE real spline2(real d) {
    real a = r_abs(d), outer = r_max(R(0), R(1.5f) - a);
    return r_select(r_lt(a, R(0.5f)), R(0.75f) - a * a, outer * outer * R(0.5f));
}
LANE_INLINE real spline2_slope(real d) {
    real a = r_abs(d), outer = r_max(R(0), R(1.5f) - a);
    return r_flip(r_select(r_lt(a, R(0.5f)), R(-2) * a, -outer), d);
}

// All nodes that a particle at x touches: *first is the lowest, w and slope belong to first, first + 1, ...
// slope is per cell: divide by h for a gradient.
LANE_INLINE void spline3_weights(real x, real *first, real w[4], real slope[4]) {
    real cell = r_floor(x), f = x - cell, g = R(1) - f, ff = f * f, gg = g * g;
    *first = cell - R(1);
    w[0] = gg * g * R(1.0f / 6);
    w[1] = r_fma(r_fma(R(0.5f), f, R(-1)), ff, R(2.0f / 3));
    w[2] = r_fma(r_fma(R(0.5f), g, R(-1)), gg, R(2.0f / 3));
    w[3] = ff * f * R(1.0f / 6);
    slope[0] = gg * R(-0.5f);
    slope[1] = r_fma(R(1.5f), f, R(-2)) * f;
    slope[2] = r_fma(R(-1.5f), g, R(2)) * g;
    slope[3] = ff * R(0.5f);
}
LANE_INLINE void spline2_weights(real x, real *first, real w[3], real slope[3]) {
    *first = r_floor(x - R(0.5f));
    real f = x - *first, low = R(1.5f) - f, middle = f - R(1), high = f - R(0.5f); // f in [0.5, 1.5)
    w[0] = low * low * R(0.5f);
    w[1] = R(0.75f) - middle * middle;
    w[2] = high * high * R(0.5f);
    slope[0] = -low;
    slope[1] = R(-2) * middle;
    slope[2] = high;
}

#endif
