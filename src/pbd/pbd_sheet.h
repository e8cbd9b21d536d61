// What gives cloth and ropes their shape beside the stretch of their threads (distance constraints): bending
// along a row of particles, shear and twist of the squares between four of them. (Quadratic bending of nearly
// inextensible sheets: Bergou 2006.)
#ifndef PBD_PBD_SHEET_H
#define PBD_PBD_SHEET_H

#include "math/vec3.h"

// Bending: C = x0 - 2 x1 + x2, three values that are zero in a straight row; energy |C|^2 / (2 compliance).
enum { PBD_BEND_PARTICLES = 3, PBD_BEND_MULTIPLIERS = 3 };
enum { PBD_BEND_EDGE, PBD_BEND_FACTOR, PBD_BEND_PARAMS }; // m; compliance times bending stiffness

LANE_INLINE void sheet_move(vec3 error, real weight, const real *w, const float *part, int count,
                            real *delta_lambda, vec3 *move) {
    real inverse = r_where(r_gt(weight, R(0)), R(-1) / weight);
    vec3 by = vec3_scale(error, inverse);
    delta_lambda[0] = by.x, delta_lambda[1] = by.y, delta_lambda[2] = by.z;
    for (int k = 0; k < count; k++) move[k] = vec3_add_scaled(move[k], by, w[k] * R(part[k]));
}

LANE_INLINE real pbd_bend_solve(const vec3 x[PBD_BEND_PARTICLES], const real w[PBD_BEND_PARTICLES],
                                const real *rest, real compliance, const real *lambda, real *delta_lambda,
                                vec3 move[PBD_BEND_PARTICLES]) {
    static const float part[PBD_BEND_PARTICLES] = {1, -2, 1};
    (void)rest;
    // Where the row is clamped it bends on one side only, by C over half the length: twice as stiff.
    mask clamped = r_le(w[1], R(0)) & (r_le(w[0], R(0)) | r_le(w[2], R(0)));
    real alpha = compliance * r_select(clamped, R(0.5f), R(1));
    vec3 error = vec3_sub(vec3_sub(x[0], x[1]), vec3_sub(x[1], x[2]));
    error = vec3_add_scaled(error, vec3_of(lambda[0], lambda[1], lambda[2]), alpha);
    for (int k = 0; k < PBD_BEND_PARTICLES; k++) move[k] = vec3_all(R(0));
    sheet_move(error, r_fma(R(4), w[1], w[0] + w[2]) + alpha, w, part, PBD_BEND_PARTICLES, delta_lambda,
               move);
    return vec3_length(error);
}

// A square of particles (low, low), (high, low), (low, high), (high, high). Shear: the product of its two
// directions over that of its edges; its compliance is the constraint's. Twist: x0 - x1 - x2 + x3.
enum { PBD_SQUARE_PARTICLES = 4, PBD_SQUARE_MULTIPLIERS = 4 };
enum {
    PBD_SQUARE_EDGE = 0,  // m, two of them
    PBD_SQUARE_AREA = 2,  // m2, of the material
    PBD_SQUARE_TWIST = 3, // compliance of the twist over that of the shear
    PBD_SQUARE_PARAMS = 4,
};

LANE_INLINE real pbd_square_solve(const vec3 x[PBD_SQUARE_PARTICLES], const real w[PBD_SQUARE_PARTICLES],
                                  const real *rest, real compliance, const real *lambda, real *delta_lambda,
                                  vec3 move[PBD_SQUARE_PARTICLES]) {
    static const float part[PBD_SQUARE_PARTICLES] = {1, -1, -1, 1};
    real over = R(0.5f) / (rest[0] * rest[1]), sum = R(0);
    vec3 low = vec3_sub(x[3], x[0]), high = vec3_sub(x[1], x[2]);
    vec3 along = vec3_scale(vec3_add(low, high), R(0.5f)), across = vec3_scale(vec3_sub(low, high), R(0.5f));
    vec3 g[PBD_SQUARE_PARTICLES], both = vec3_scale(vec3_add(along, across), over),
                                  other = vec3_scale(vec3_sub(across, along), over);
    g[0] = vec3_negate(both), g[1] = other, g[2] = vec3_negate(other), g[3] = both;
    for (int k = 0; k < PBD_SQUARE_PARTICLES; k++) sum = r_fma(w[k], vec3_length2(g[k]), sum);
    real shear = vec3_dot(along, across) * R(2) * over;
    real wrong = r_fma(compliance, lambda[3], shear), weight = sum + compliance;
    real by = r_where(r_gt(weight, R(0)), -wrong / weight);
    delta_lambda[3] = by;
    vec3 to[PBD_SQUARE_PARTICLES];
    for (int k = 0; k < PBD_SQUARE_PARTICLES; k++) {
        move[k] = vec3_scale(g[k], w[k] * by);
        to[k] = vec3_add(x[k], move[k]);
    }
    real alpha = compliance * rest[PBD_SQUARE_TWIST];
    vec3 error = vec3_sub(vec3_sub(to[0], to[1]), vec3_sub(to[2], to[3]));
    error = vec3_add_scaled(error, vec3_of(lambda[0], lambda[1], lambda[2]), alpha);
    sheet_move(error, w[0] + w[1] + w[2] + w[3] + alpha, w, part, PBD_SQUARE_PARTICLES, delta_lambda, move);
    return r_abs(wrong);
}

#endif
