// Elasticity of a cell: a brick with a particle at each of its eight corners, of the material around it,
// which may reach beyond the corners (outer cells: to the surface of the solid).
//
// Corotated linear elasticity. With y the corners in the frame of the rotation R of the cell (polar
// decomposition of the deformation gradient at the middle of its material) and trilinear interpolation, the
// strain at that middle has 6 values and varies about it by 12 more (the other ways in which eight corners
// can move). The energy of each is half its stiffness times its square; all 18 are XPBD constraints, solved
// one after the other:
//   volume     tr e                       K V
//   stretch    two deviatoric ones        2 mu V
//   shear      e_ab, 3 of them            4 mu V
//   bending    d e_aa / d xi_b, 6         E V J_b   (without the shear that trilinear corners would add, and
//   as
//                                         if free to contract sideways: one layer of cells bends as a beam
//                                         does)
//   twist      d gamma_ab / d xi_c, 3     mu V J_c
//   the last   d2 e_aa / d xi_b d xi_c, 3 E V J_b J_c
// where V is the volume of the material and J its mean square distance from the middle, in xi: -1 .. 1 from
// corner to corner. (Bending: Belytschko 1993.)
#ifndef PBD_PBD_CELL_H
#define PBD_PBD_CELL_H

#include "math/svd3.h"

enum { PBD_CELL_CORNERS = 8, PBD_CELL_MULTIPLIERS = 18 };

// Parameters of a cell, in the order of its columns; its compliance is 1 / E. Corner k is at the high end of
// x if k & 1, of y if k & 2, of z if k & 4.
enum {
    PBD_CELL_EDGE = 0,   // m, from corner to corner along x, y, z
    PBD_CELL_MIDDLE = 3, // xi, of the material
    PBD_CELL_SPREAD = 6, // J, xi squared
    PBD_CELL_VOLUME = 9, // m3, of the material
    PBD_CELL_POISSON = 10,
    PBD_CELL_PARAMS = 11,
};

// Coefficients of the corners for a derivative of the interpolated field, and the sum of w times their
// squares.
typedef struct cell_pattern {
    real of[PBD_CELL_CORNERS], sum;
} cell_pattern;

typedef struct cell_state {
    real y[3][PBD_CELL_CORNERS]; // corners in the rotated frame
    const real *w;
    real *delta_lambda;
    const real *lambda;
    real error2;
} cell_state;

LANE_INLINE real cell_sum(const real *y, const cell_pattern *p) {
    real sum = y[0] * p->of[0];
    for (int k = 1; k < PBD_CELL_CORNERS; k++) sum = r_fma(y[k], p->of[k], sum);
    return sum;
}

LANE_INLINE void cell_move(cell_state *c, int axis, const cell_pattern *p, real by) {
    for (int k = 0; k < PBD_CELL_CORNERS; k++) c->y[axis][k] = r_fma(c->w[k] * p->of[k], by, c->y[axis][k]);
}

// The multiplier of constraint m: value, sum of w |gradient|^2 and compliance / dt^2.
LANE_INLINE real cell_multiply(cell_state *c, int m, real value, real sum, real alpha) {
    real wrong = r_fma(alpha, c->lambda[m] + c->delta_lambda[m], value), weight = sum + alpha;
    real by = r_where(r_gt(weight, R(0)), -wrong / weight);
    c->delta_lambda[m] = c->delta_lambda[m] + by;
    return by;
}

// Patterns of the first derivatives at the middle.
LANE_INLINE void cell_slopes(const real *rest, const real *w, const real side[3][2], cell_pattern slope[3]) {
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        real inverse = R(1) / rest[PBD_CELL_EDGE + a];
        slope[a].sum = R(0);
        for (int k = 0; k < PBD_CELL_CORNERS; k++) {
            real size = inverse * side[b][k >> b & 1] * side[c][k >> c & 1];
            slope[a].of[k] = k >> a & 1 ? size : -size;
            slope[a].sum = r_fma(w[k] * size, size, slope[a].sum);
        }
    }
}

// Those of d2 / d xi_b d xi_c, by the third axis.
LANE_INLINE void cell_warps(const real *w, const real side[3][2], cell_pattern warp[3]) {
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        warp[a].sum = R(0);
        for (int k = 0; k < PBD_CELL_CORNERS; k++) {
            real size = R(0.25f) * side[a][k >> a & 1];
            warp[a].of[k] = (k >> b & 1) == (k >> c & 1) ? size : -size;
            warp[a].sum = r_fma(w[k] * size, size, warp[a].sum);
        }
    }
}

// Volume and stretch: the diagonal of the strain.
LANE_INLINE void cell_solve_diagonal(cell_state *c, const cell_pattern slope[3], real alpha, real poisson) {
    enum { KINDS = 3 };
    static const float part[KINDS][3] = {
        {1, 1, 1}, {0.70710678f, -0.70710678f, 0}, {-0.40824829f, -0.40824829f, 0.81649658f}};
    for (int m = 0; m < KINDS; m++) {
        real value = R(0), sum = R(0);
        for (int a = 0; a < 3; a++) {
            real f = R(part[m][a]);
            value = r_fma(f, cell_sum(c->y[a], &slope[a]) - R(1), value);
            sum = r_fma(f * f, slope[a].sum, sum);
        }
        real soft = m == 0 ? R(3) * (R(1) - R(2) * poisson) : R(1) + poisson;
        real by = cell_multiply(c, m, value, sum, alpha * soft);
        c->error2 = r_fma(by * sum, by * sum, c->error2);
        for (int a = 0; a < 3; a++) cell_move(c, a, &slope[a], R(part[m][a]) * by);
    }
}

LANE_INLINE void cell_solve_shear(cell_state *c, const cell_pattern slope[3], real alpha, real poisson) {
    for (int m = 0; m < 3; m++) {
        int a = (m + 1) % 3, b = (m + 2) % 3;
        real value = R(0.5f) * (cell_sum(c->y[a], &slope[b]) + cell_sum(c->y[b], &slope[a]));
        real sum = R(0.25f) * (slope[a].sum + slope[b].sum);
        real by = cell_multiply(c, 3 + m, value, sum, alpha * R(0.5f) * (R(1) + poisson));
        c->error2 = r_fma(by * sum, by * sum, c->error2);
        cell_move(c, a, &slope[b], R(0.5f) * by);
        cell_move(c, b, &slope[a], R(0.5f) * by);
    }
}

// d e_aa / d xi_b: the pattern of the third axis, over the edge along a.
LANE_INLINE void cell_solve_bending(cell_state *s, const cell_pattern warp[3], const real *rest, real alpha) {
    for (int a = 0; a < 3; a++)
        for (int i = 1; i <= 2; i++) {
            int b = (a + i) % 3, c = 3 - a - b;
            const cell_pattern *p = &warp[c];
            real edge = R(0.5f) * rest[PBD_CELL_EDGE + a];
            real soft = edge * edge / rest[PBD_CELL_SPREAD + b];
            real by = cell_multiply(s, 6 + 2 * a + i - 1, cell_sum(s->y[a], p), p->sum, alpha * soft);
            cell_move(s, a, p, by);
        }
}

LANE_INLINE void cell_solve_twist(cell_state *s, const cell_pattern warp[3], const real *rest, real alpha,
                                  real poisson) {
    for (int c = 0; c < 3; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        real over_a = R(2) / rest[PBD_CELL_EDGE + a], over_b = R(2) / rest[PBD_CELL_EDGE + b];
        // d2 / d xi_b d xi_c is pattern a, and acts on y_a.
        real value = over_b * cell_sum(s->y[a], &warp[a]) + over_a * cell_sum(s->y[b], &warp[b]);
        real sum = over_b * over_b * warp[a].sum + over_a * over_a * warp[b].sum;
        real soft = R(2) * (R(1) + poisson) / rest[PBD_CELL_SPREAD + c];
        real by = cell_multiply(s, 12 + c, value, sum, alpha * soft);
        cell_move(s, a, &warp[a], over_b * by);
        cell_move(s, b, &warp[b], over_a * by);
    }
}

LANE_INLINE void cell_solve_last(cell_state *s, const real *w, const real *rest, real alpha) {
    cell_pattern p = {.sum = R(0)};
    for (int k = 0; k < PBD_CELL_CORNERS; k++) {
        p.of[k] = ((k >> 2) + (k >> 1) + k) & 1 ? R(0.125f) : R(-0.125f);
        p.sum = r_fma(w[k], R(0.015625f), p.sum);
    }
    for (int a = 0; a < 3; a++) {
        real edge = R(0.5f) * rest[PBD_CELL_EDGE + a];
        real soft = edge * edge / (rest[PBD_CELL_SPREAD + (a + 1) % 3] * rest[PBD_CELL_SPREAD + (a + 2) % 3]);
        cell_move(s, a, &p, cell_multiply(s, 15 + a, cell_sum(s->y[a], &p), p.sum, alpha * soft));
    }
}

// One projection: as PBD_BATCH's solve_of. compliance: 1 / (E dt^2). Returns the strain error.
LANE_INLINE real pbd_cell_solve(const vec3 x[PBD_CELL_CORNERS], const real w[PBD_CELL_CORNERS],
                                const real *rest, real compliance, const real *lambda, real *delta_lambda,
                                vec3 move[PBD_CELL_CORNERS]) {
    real side[3][2], before[3][PBD_CELL_CORNERS];
    for (int a = 0; a < 3; a++) {
        side[a][0] = R(0.5f) * (R(1) - rest[PBD_CELL_MIDDLE + a]);
        side[a][1] = R(0.5f) * (R(1) + rest[PBD_CELL_MIDDLE + a]);
    }
    cell_pattern slope[3], warp[3];
    cell_slopes(rest, w, side, slope);
    cell_warps(w, side, warp);
    vec3 arm[PBD_CELL_CORNERS];
    mat3 f = mat3_diagonal(vec3_all(R(0)));
    for (int k = 0; k < PBD_CELL_CORNERS; k++) {
        arm[k] = vec3_sub(x[k], x[0]);
        f.x = vec3_add_scaled(f.x, arm[k], slope[0].of[k]);
        f.y = vec3_add_scaled(f.y, arm[k], slope[1].of[k]);
        f.z = vec3_add_scaled(f.z, arm[k], slope[2].of[k]);
    }
    svd3 parts = svd3_of(f);
    mat3 rotation = mat3_multiply_transposed(parts.u, parts.v);
    cell_state c = {.w = w, .delta_lambda = delta_lambda, .lambda = lambda, .error2 = R(0)};
    for (int k = 0; k < PBD_CELL_CORNERS; k++) {
        c.y[0][k] = before[0][k] = vec3_dot(rotation.x, arm[k]);
        c.y[1][k] = before[1][k] = vec3_dot(rotation.y, arm[k]);
        c.y[2][k] = before[2][k] = vec3_dot(rotation.z, arm[k]);
    }
    for (int m = 0; m < PBD_CELL_MULTIPLIERS; m++) delta_lambda[m] = R(0);
    real alpha = compliance / rest[PBD_CELL_VOLUME], poisson = rest[PBD_CELL_POISSON];
    cell_solve_diagonal(&c, slope, alpha, poisson);
    cell_solve_shear(&c, slope, alpha, poisson);
    cell_solve_bending(&c, warp, rest, alpha);
    cell_solve_twist(&c, warp, rest, alpha, poisson);
    cell_solve_last(&c, w, rest, alpha);
    for (int k = 0; k < PBD_CELL_CORNERS; k++)
        move[k] = mat3_times(
            rotation, vec3_of(c.y[0][k] - before[0][k], c.y[1][k] - before[1][k], c.y[2][k] - before[2][k]));
    return r_sqrt(c.error2);
}

#endif
