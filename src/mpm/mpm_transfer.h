// Between one particle and a tile: kernel weights, one scatter, one gather. Vectors of eight floats hold two
// nodes.
#ifndef MPM_MPM_TRANSFER_H
#define MPM_MPM_TRANSFER_H

#include "lane/lane.h"
#include "mpm/mpm_tile.h"

typedef float f4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
typedef f8 f8_loose __attribute__((aligned(4)));
typedef f4 f4_loose __attribute__((aligned(4)));

LANE_INLINE f4 f4_all(float a) { return (f4){a, a, a, a}; }
LANE_INLINE f8 f8_all(float a) { return (f8){a, a, a, a, a, a, a, a}; }
LANE_INLINE f8 f8_twice(f4 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3); }
LANE_INLINE f4 f8_fold(f8 a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
LANE_INLINE f4 f4_load(const float *p) { return *(const f4_loose *)p; }
LANE_INLINE f8 f8_load(const float *p) { return *(const f8_loose *)p; }
LANE_INLINE void f8_store(float *p, f8 a) { *(f8_loose *)p = a; }

// Weights along one axis: the kernel at the nodes base .. base+3 as polynomials of t in [0, 1); the quadratic
// kernel's fourth weight is zero. `offset`: how far (cells) the particle's cell lies behind the first node.
typedef struct spline {
    f4 c0, c1, c2, c3;
    float offset;
    int width; // nodes with weight, per axis
} spline;

LANE_INLINE spline spline_of(firn_mpm_kernel kernel) {
    if (kernel == FIRN_MPM_CUBIC) // MPM15 eq. 18
        return (spline){{1.0f / 6, 4.0f / 6, 1.0f / 6, 0},
                        {-0.5f, 0, 0.5f, 0},
                        {0.5f, -1, 0.5f, 0},
                        {-1.0f / 6, 0.5f, -0.5f, 1.0f / 6},
                        1.0f,
                        4};
    return (spline){{0.5f, 0.5f, 0, 0}, {-1, 1, 0, 0}, {0.5f, -1, 0.5f, 0}, {0, 0, 0, 0}, 0.5f, 3};
}

// In memory, not in registers: a number that multiplies a whole vector is then one broadcasting load.
typedef struct axis_weights {
    _Alignas(16) float w[4]; // weight
    float slope[4];          // d w / d x * cell
    float reach[4];          // w * (node - particle) / cell
} axis_weights;

LANE_INLINE void weigh(const spline *s, float t, axis_weights *out) {
    f4 tt = f4_all(t);
    f4 w = ((s->c3 * tt + s->c2) * tt + s->c1) * tt + s->c0;
    f4 slope = (3.0f * s->c3 * tt + 2.0f * s->c2) * tt + s->c1;
    f4 delta = (f4){0, 1, 2, 3} - f4_all(t + s->offset);
    *(f4 *)out->w = w;
    *(f4_loose *)out->slope = slope;
    *(f4_loose *)out->reach = w * delta;
}

// Where a particle stands in the tile of `block`.
typedef struct footing {
    axis_weights axis[3];
    int start; // first float of the first row
} footing;

LANE_INLINE int floor_int(float a) {
    int i = (int)a;
    return i - ((float)i > a);
}

LANE_INLINE void stand(const spline *s, const float x[3], const int block[3], float per_cell, footing *f) {
    int local[3];
    for (int a = 0; a < 3; a++) {
        float g = x[a] * per_cell - s->offset;
        // Fused arithmetic here may round to the other side of a cell than the sort did: the block decides, t
        // is then a rounding error outside [0, 1], where the kernel is as smooth.
        int first = block[a] * BLOCK_EDGE, base = floor_int(g);
        base = base < first ? first : base > first + BLOCK_EDGE - 1 ? first + BLOCK_EDGE - 1 : base;
        weigh(s, g - (float)base, &f->axis[a]);
        local[a] = base - first;
    }
    f->start = (local[0] * TILE_EDGE + local[1]) * TILE_ROW + 4 * local[2];
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
