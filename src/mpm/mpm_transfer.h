// Between one particle and a tile: kernel weights, one scatter, one gather. Vectors of eight floats hold two
// nodes.
#ifndef MPM_MPM_TRANSFER_H
#define MPM_MPM_TRANSFER_H

#include "mpm/mpm_rows.h"
#include "mpm/mpm_tile.h"

typedef float f8 __attribute__((vector_size(32)));
typedef f8 f8_loose __attribute__((aligned(4)));

LANE_INLINE f4 f4_all(float a) { return (f4){a, a, a, a}; }
LANE_INLINE f8 f8_all(float a) { return (f8){a, a, a, a, a, a, a, a}; }
LANE_INLINE f8 f8_twice(f4 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3); }
LANE_INLINE f4 f8_fold(f8 a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
LANE_INLINE f8 f8_load(const float *p) { return *(const f8_loose *)p; }
LANE_INLINE void f8_store(float *p, f8 a) { *(f8_loose *)p = a; }

// In memory, not in registers: a number that multiplies a whole vector is then one broadcasting load.
typedef struct axis_weights {
    _Alignas(16) float w[4]; // weight at the nodes base .. base+3; the quadratic kernel's fourth is zero
    float slope[4];          // d w / d x * cell
    float reach[4];          // w * (node - particle) / cell
} axis_weights;

// Where a particle stands in the tile of its block.
typedef struct footing {
    axis_weights axis[3];
    int start; // first float of the first row
} footing;

// How far (cells) a particle's cell lies behind its first node.
LANE_INLINE float kernel_offset(firn_mpm_kernel kernel) { return kernel == FIRN_MPM_CUBIC ? 1.0f : 0.5f; }

// The kernel and its slope at t in [0, 1) behind the cell: MPM15 eq. 18, or the quadratic B-spline.
LANE_INLINE void weigh(firn_mpm_kernel kernel, real t, real w[4], real slope[4]) {
    real u = R(1) - t;
    if (kernel == FIRN_MPM_CUBIC) {
        w[0] = R(1.0f / 6) * u * u * u;
        w[1] = R(2.0f / 3) + t * t * (R(0.5f) * t - R(1));
        w[3] = R(1.0f / 6) * t * t * t;
        w[2] = R(1) - w[0] - w[3] - w[1]; // 2.0f / 3 here too, and momentum would grow by 1e-7 every step
        slope[0] = R(-0.5f) * u * u;
        slope[1] = t * (R(1.5f) * t - R(2));
        slope[2] = u * (R(2) - R(1.5f) * u);
        slope[3] = R(0.5f) * t * t;
    } else {
        w[0] = R(0.5f) * u * u;
        w[1] = R(0.5f) + t * u;
        w[2] = R(0.5f) * t * t;
        slope[0] = -u;
        slope[1] = u - t;
        slope[2] = t;
        w[3] = slope[3] = R(0);
    }
}

// One axis of LANES footings.
LANE_INLINE void stand_axis(firn_mpm_kernel kernel, real t, footing foot[LANES], int axis) {
    real w[4], slope[4], reach[4], first = t + R(kernel_offset(kernel));
    weigh(kernel, t, w, slope);
    for (int i = 0; i < 4; i++) reach[i] = w[i] * (R((float)i) - first);
    f4 rows[3][LANES];
    rows_from_lanes(w[0], w[1], w[2], w[3], rows[0]);
    rows_from_lanes(slope[0], slope[1], slope[2], slope[3], rows[1]);
    rows_from_lanes(reach[0], reach[1], reach[2], reach[3], rows[2]);
    for (int k = 0; k < LANES; k++) {
        f4_store(foot[k].axis[axis].w, rows[0][k]);
        f4_store(foot[k].axis[axis].slope, rows[1][k]);
        f4_store(foot[k].axis[axis].reach, rows[2][k]);
    }
}

// Where LANES particles of one block stand; x: (x, y, z, -) in m. Fused arithmetic here may round to the
// other side of a cell than the sort did: the block decides, t is then a rounding error outside [0, 1], where
// the kernel is as smooth. Returns the first float of the first row.
LANE_INLINE real locate(firn_mpm_kernel kernel, const f4 x[LANES], const int block[3], float per_cell,
                        real t[3]) {
    real at[4], local[3];
    lanes_from_rows(x, at);
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        real g = at[a] * R(per_cell) - R(kernel_offset(kernel)), first = R((float)(block[a] * BLOCK_EDGE));
        local[a] = r_clamp(r_floor(g) - first, R(0), R((float)(BLOCK_EDGE - 1)));
        t[a] = g - (first + local[a]);
    }
    return (local[0] * R((float)TILE_EDGE) + local[1]) * R((float)TILE_ROW) + R(4) * local[2];
}

LANE_INLINE void stand(firn_mpm_kernel kernel, const f4 x[LANES], const int block[3], float per_cell,
                       footing foot[LANES]) {
    real t[3], start = locate(kernel, x, block, per_cell, t);
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) stand_axis(kernel, t[a], foot, a);
    for (int k = 0; k < LANES; k++) foot[k].start = (int)r_lane(start, k);
}

// momentum at a node = w (m v + m C d) - dt V0 tau grad w; the mass rides in the fourth component.
typedef struct particle_load {
    f4 mv;        // (m v, m)
    f4 affine[3]; // columns of m C cell, fourth 0
    f4 stress[3]; // columns of dt V0 tau / cell, fourth 0
} particle_load;

// Four nodes of a row.
typedef struct f8_row {
    f8 near, far;
} f8_row;
LANE_INLINE f8_row row_zero(void) { return (f8_row){f8_all(0), f8_all(0)}; }
LANE_INLINE f8_row row_load(const float *p) { return (f8_row){f8_load(p), f8_load(p + 8)}; }
LANE_INLINE f8_row row_of(const float a[4]) {
    f4 all = f4_load(a);
    return (f8_row){__builtin_shufflevector(all, all, 0, 0, 0, 0, 1, 1, 1, 1),
                    __builtin_shufflevector(all, all, 2, 2, 2, 2, 3, 3, 3, 3)};
}
LANE_INLINE void row_add(f8_row *sum, float a, f8_row b) {
    sum->near += a * b.near;
    sum->far += a * b.far;
}
LANE_INLINE f4 row_dot(f8_row a, f8_row b) { return f8_fold(a.near * b.near + a.far * b.far); }

// Node (i, j, k) gets z_k (y_j X_i + x_i Y_j) + x_i y_j Z_k, with x, y, z the weights and X, Y, Z the affine
// part and the stress along an axis, X with the velocity: a row of k along j is y_j (z X_i + x_i Z) + (x_i z)
// Y_j.
LANE_INLINE void scatter_one(float *tile, const footing *f, const particle_load *l, int width) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row z = row_of(az->w), reach = row_of(az->reach), slope = row_of(az->slope), zb;
    f8 affine = f8_twice(l->affine[2]), stress = f8_twice(l->stress[2]), yb[4];
    zb.near = reach.near * affine - slope.near * stress;
    zb.far = reach.far * affine - slope.far * stress;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++)
        yb[j] = f8_twice(ay->reach[j] * l->affine[1] - ay->slope[j] * l->stress[1]);
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        f8 xb = f8_twice(ax->w[i] * l->mv + ax->reach[i] * l->affine[0] - ax->slope[i] * l->stress[0]);
        f8_row along = {z.near * xb + ax->w[i] * zb.near, z.far * xb + ax->w[i] * zb.far};
        f8_row flat = {ax->w[i] * z.near, ax->w[i] * z.far};
        float *row = tile + f->start + i * TILE_EDGE * TILE_ROW;
#pragma GCC unroll 4
        for (int j = 0; j < width; j++, row += TILE_ROW) {
            f8_store(row, f8_load(row) + ay->w[j] * along.near + flat.near * yb[j]);
            f8_store(row + 8, f8_load(row + 8) + ay->w[j] * along.far + flat.far * yb[j]);
        }
    }
}

// Sums over the nodes: velocity, its affine moments and its gradient (columns; cell units).
typedef struct particle_catch {
    f4 v;
    f4 moment[3]; // sum w v delta / cell
    f4 slope[3];  // sum v grad w * cell
} particle_catch;

// x is summed up first, then y, then z: three sums of rows over 16 of them, ten over 4, seven over one.
LANE_INLINE particle_catch gather_one(const float *tile, const footing *f, int width) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1];
    f8_row v = row_zero(), vx = v, gx = v, vy = v, gy = v;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) {
        const float *at = tile + f->start + j * TILE_ROW;
        f8_row w = row_zero(), reach = w, slope = w;
#pragma GCC unroll 4
        for (int i = 0; i < width; i++, at += TILE_EDGE * TILE_ROW) {
            f8_row node = row_load(at);
            row_add(&w, ax->w[i], node);
            row_add(&reach, ax->reach[i], node);
            row_add(&slope, ax->slope[i], node);
        }
        row_add(&v, ay->w[j], w);
        row_add(&vy, ay->reach[j], w);
        row_add(&gy, ay->slope[j], w);
        row_add(&vx, ay->w[j], reach);
        row_add(&gx, ay->w[j], slope);
    }
    const axis_weights *az = &f->axis[2];
    f8_row z = row_of(az->w);
    return (particle_catch){row_dot(z, v),
                            {row_dot(z, vx), row_dot(z, vy), row_dot(row_of(az->reach), v)},
                            {row_dot(z, gx), row_dot(z, gy), row_dot(row_of(az->slope), v)}};
}

#endif
