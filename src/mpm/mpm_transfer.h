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

LANE_INLINE void scatter_one(float *tile, const footing *f, const particle_load *l, int width) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8 zw[2], zb[2], yb[4];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        f4 near = az->reach[2 * k] * l->affine[2] - az->slope[2 * k] * l->stress[2];
        f4 far = az->reach[2 * k + 1] * l->affine[2] - az->slope[2 * k + 1] * l->stress[2];
        zb[k] = __builtin_shufflevector(near, far, 0, 1, 2, 3, 4, 5, 6, 7);
        zw[k] =
            __builtin_shufflevector(f4_all(az->w[2 * k]), f4_all(az->w[2 * k + 1]), 0, 1, 2, 3, 4, 5, 6, 7);
    }
#pragma GCC unroll 4
    for (int j = 0; j < width; j++)
        yb[j] = f8_twice(ay->reach[j] * l->affine[1] - ay->slope[j] * l->stress[1]);
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        f8 xb = f8_twice(ax->w[i] * l->mv + ax->reach[i] * l->affine[0] - ax->slope[i] * l->stress[0]);
        f8 wi = f8_all(ax->w[i]);
        float *row = tile + f->start + i * TILE_EDGE * TILE_ROW;
#pragma GCC unroll 4
        for (int j = 0; j < width; j++, row += TILE_ROW) {
            f8 wj = f8_all(ay->w[j]);
            f8 plane = wj * xb + wi * yb[j], wij = wi * wj;
            f8_store(row, f8_load(row) + zw[0] * plane + wij * zb[0]);
            f8_store(row + 8, f8_load(row + 8) + zw[1] * plane + wij * zb[1]);
        }
    }
}

// Sums over the nodes: velocity, its affine moments and its gradient (columns; cell units).
typedef struct particle_catch {
    f4 v;
    f4 moment[3]; // sum w v delta / cell
    f4 slope[3];  // sum v grad w * cell
} particle_catch;

LANE_INLINE particle_catch gather_one(const float *tile, const footing *f, int width) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8 zw[2], zr[2], zs[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        zw[k] =
            __builtin_shufflevector(f4_all(az->w[2 * k]), f4_all(az->w[2 * k + 1]), 0, 1, 2, 3, 4, 5, 6, 7);
        zr[k] = __builtin_shufflevector(f4_all(az->reach[2 * k]), f4_all(az->reach[2 * k + 1]), 0, 1, 2, 3, 4,
                                        5, 6, 7);
        zs[k] = __builtin_shufflevector(f4_all(az->slope[2 * k]), f4_all(az->slope[2 * k + 1]), 0, 1, 2, 3, 4,
                                        5, 6, 7);
    }
    f8 v = {0}, mx = {0}, my = {0}, mz = {0}, gx = {0}, gy = {0}, gz = {0};
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        const float *row = tile + f->start + i * TILE_EDGE * TILE_ROW;
        f8 s = {0}, sr = {0}, ss = {0}, sz = {0}, sg = {0};
#pragma GCC unroll 4
        for (int j = 0; j < width; j++, row += TILE_ROW) {
            f8 a = f8_load(row), b = f8_load(row + 8);
            f8 w = zw[0] * a + zw[1] * b, r = zr[0] * a + zr[1] * b, g = zs[0] * a + zs[1] * b;
            s += ay->w[j] * w;
            sr += ay->reach[j] * w;
            ss += ay->slope[j] * w;
            sz += ay->w[j] * r;
            sg += ay->w[j] * g;
        }
        v += ax->w[i] * s;
        mx += ax->reach[i] * s;
        gx += ax->slope[i] * s;
        my += ax->w[i] * sr;
        gy += ax->w[i] * ss;
        mz += ax->w[i] * sz;
        gz += ax->w[i] * sg;
    }
    return (particle_catch){
        f8_fold(v), {f8_fold(mx), f8_fold(my), f8_fold(mz)}, {f8_fold(gx), f8_fold(gy), f8_fold(gz)}};
}

#endif
