// Transfer between one particle and a patch: kernel weights, P2G, G2P. Vectors of eight floats hold two
// nodes.
#ifndef MPM_MPM_TRANSFER_H
#define MPM_MPM_TRANSFER_H

#include "mpm/mpm_rows.h"
#include "mpm/mpm_patch.h"

typedef float f8 __attribute__((vector_size(32)));
typedef f8 f8_loose __attribute__((aligned(4)));

LANE_INLINE f8 f8_all(float a) { return (f8){a, a, a, a, a, a, a, a}; }
LANE_INLINE f8 f8_twice(f4 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3); }
LANE_INLINE f4 f8_fold(f8 a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
}
LANE_INLINE f8 f8_load(const float *p) { return *(const f8_loose *)p; }
LANE_INLINE void f8_store(float *p, f8 a) { *(f8_loose *)p = a; }

// In memory, not in registers: a factor of a whole vector is then one broadcasting load.
typedef struct axis_weights {
    _Alignas(16) float w[4]; // weight at the nodes base .. base+3; the quadratic kernel's fourth is zero, or
                             // with STENCIL_MIDDLE (middle node - particle) / cell
    float grad[4];           // d w / d x * cell
    float moment[4];         // w * (node - particle) / cell
} axis_weights;

// The kernel of a particle on the patch of its block.
typedef struct mpm_stencil {
    axis_weights axis[3];
    int start; // first float of the first row
} mpm_stencil;

// What of a stencil a pass needs beside its weights; the rest is not written.
enum { STENCIL_W = 0, STENCIL_MOMENT = 1, STENCIL_GRAD = 2, STENCIL_MIDDLE = 4 };
// What P2G and G2P need: the quadratic kernel's gradients are its moments, times four, and its moments follow
// from where the particle is.
LANE_INLINE int transfer_parts(firn_mpm_kernel kernel) {
    return kernel == FIRN_MPM_CUBIC ? STENCIL_MOMENT | STENCIL_GRAD : STENCIL_MIDDLE;
}

// Offset (cells) between a particle and the origin of its stencil: floor(x / cell - offset) is the first
// node.
LANE_INLINE float kernel_offset(firn_mpm_kernel kernel) { return kernel == FIRN_MPM_CUBIC ? 1.0f : 0.5f; }

// The kernel, its moments and its gradient at t in [0, 1) of the cell: MPM15 eq. 18, or the quadratic
// B-spline. The quadratic kernel's gradient is that of moving least squares (Hu et al. 2018), four times its
// moments, so that one sum over the nodes gives the affine velocity and the velocity gradient.
LANE_INLINE void kernel_weights(firn_mpm_kernel kernel, real t, real w[4], real moment[4], real grad[4]) {
    real u = R(1) - t;
    bool cubic = kernel == FIRN_MPM_CUBIC;
    w[0] = cubic ? R(1.0f / 6) * u * u * u : R(0.5f) * u * u;
    w[1] = cubic ? R(2.0f / 3) + t * t * (R(0.5f) * t - R(1)) : R(0.5f) + t * u;
    w[3] = cubic ? R(1.0f / 6) * t * t * t : R(0);
    w[2] = R(1) - w[0] - w[3] -
           w[1]; // as 1 - the others: a rounded 2/3 would make momentum grow by 1e-7 every step
    for (int i = 0; i < 4; i++) {
        moment[i] = w[i] * (R((float)i) - (t + R(kernel_offset(kernel))));
        grad[i] = R(4) * moment[i];
    }
    if (!cubic) return;
    grad[0] = R(-0.5f) * u * u;
    grad[1] = t * (R(1.5f) * t - R(2));
    grad[2] = u * (R(2) - R(1.5f) * u);
    grad[3] = R(0.5f) * t * t;
}

// One axis of LANES stencils.
LANE_INLINE void stencil_axis(firn_mpm_kernel kernel, int parts, real t, mpm_stencil stencil[LANES],
                              int axis) {
    real w[4], grad[4], moment[4];
    kernel_weights(kernel, t, w, moment, grad);
    f4 rows[3][LANES];
    rows_from_lanes(w[0], w[1], w[2], parts & STENCIL_MIDDLE ? R(0.5f) - t : w[3], rows[0]);
    for (int k = 0; k < LANES; k++) f4_store(stencil[k].axis[axis].w, rows[0][k]);
    if (parts & STENCIL_GRAD) {
        rows_from_lanes(grad[0], grad[1], grad[2], grad[3], rows[1]);
        for (int k = 0; k < LANES; k++) f4_store(stencil[k].axis[axis].grad, rows[1][k]);
    }
    if (parts & STENCIL_MOMENT) {
        rows_from_lanes(moment[0], moment[1], moment[2], moment[3], rows[2]);
        for (int k = 0; k < LANES; k++) f4_store(stencil[k].axis[axis].moment, rows[2][k]);
    }
}

// Places (cells) of positions in the patch of a block, from its first node; the sums of large numbers are in
// double, so that a place is as exact far from the origin as near it.
typedef struct patch_map {
    d4 first; // cells
    double per_cell;
} patch_map;
LANE_INLINE patch_map patch_map_of(firn_mpm_kernel kernel, const int block[3], mpm_pass pass) {
    double offset = (double)kernel_offset(kernel);
    return (patch_map){{BLOCK_EDGE * (double)block[0] + offset, BLOCK_EDGE * (double)block[1] + offset,
                        BLOCK_EDGE * (double)block[2] + offset, 0},
                       pass.per_cell};
}
LANE_INLINE f4 patch_place(const patch_map *m, d4 x) { return f4_of(x * m->per_cell - m->first); }

// Cells and place within them of LANES particles; place: (x, y, z, -) by patch_place. Arithmetic may round to
// another cell than the sort did: the block decides, and t is then outside [0, 1] by a rounding error, which
// the kernel tolerates. Returns the first float of the first row.
LANE_INLINE real stencil_locate(const f4 place[LANES], real t[3]) {
    real at[4], local[3];
    lanes_from_rows(place, at);
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        local[a] = r_clamp(r_floor(at[a]), R(0), R((float)(BLOCK_EDGE - 1)));
        t[a] = at[a] - local[a];
    }
    return (local[0] * R((float)PATCH_EDGE) + local[1]) * R((float)PATCH_ROW) + R(4) * local[2];
}

LANE_INLINE void stencil_build(firn_mpm_kernel kernel, int parts, const f4 place[LANES],
                               mpm_stencil stencil[LANES]) {
    real t[3], start = stencil_locate(place, t);
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) stencil_axis(kernel, parts, t[a], stencil, a);
    for (int k = 0; k < LANES; k++) stencil[k].start = (int)r_lane(start, k);
}

// momentum at a node = w (m v + m C d) - dt V0 tau grad w; the fourth component is the mass.
typedef struct p2g_source {
    f4 mv;        // (m v, m)
    f4 affine[3]; // columns of m C cell, fourth 0
    f4 stress[3]; // columns of dt V0 tau / cell, fourth 0
} p2g_source;

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
LANE_INLINE void p2g_one(float *patch, const mpm_stencil *f, const p2g_source *l, int width) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row z = row_of(az->w), moment = row_of(az->moment), grad = row_of(az->grad), zb;
    f8 affine = f8_twice(l->affine[2]), stress = f8_twice(l->stress[2]), yb[4];
    zb.near = moment.near * affine - grad.near * stress;
    zb.far = moment.far * affine - grad.far * stress;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++)
        yb[j] = f8_twice(ay->moment[j] * l->affine[1] - ay->grad[j] * l->stress[1]);
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        f8 xb = f8_twice(ax->w[i] * l->mv + ax->moment[i] * l->affine[0] - ax->grad[i] * l->stress[0]);
        f8_row along = {z.near * xb + ax->w[i] * zb.near, z.far * xb + ax->w[i] * zb.far};
        f8_row flat = {ax->w[i] * z.near, ax->w[i] * z.far};
        float *row = patch + f->start + i * PATCH_EDGE * PATCH_ROW;
#pragma GCC unroll 4
        for (int j = 0; j < width; j++, row += PATCH_ROW) {
            f8_store(row, f8_load(row) + ay->w[j] * along.near + flat.near * yb[j]);
            f8_store(row + 8, f8_load(row + 8) + ay->w[j] * along.far + flat.far * yb[j]);
        }
    }
}

// Three nodes of a row.
typedef struct f12_row {
    f8 near;
    f4 far;
} f12_row;
LANE_INLINE f12_row row3_load(const float *p) { return (f12_row){f8_load(p), f4_load(p + 8)}; }
LANE_INLINE f12_row row3_of(const float a[3]) {
    f4 all = f4_load(a);
    return (f12_row){__builtin_shufflevector(all, all, 0, 0, 0, 0, 1, 1, 1, 1),
                     __builtin_shufflevector(all, all, 2, 2, 2, 2)};
}
LANE_INLINE f4 f8_low(f8 a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }
LANE_INLINE f12_row row3_scale(float a, f12_row b) { return (f12_row){a * b.near, a * b.far}; }
LANE_INLINE f12_row row3_mul(f12_row a, f12_row b) { return (f12_row){a.near * b.near, a.far * b.far}; }
LANE_INLINE f12_row row3_add(f12_row a, f12_row b) { return (f12_row){a.near + b.near, a.far + b.far}; }
LANE_INLINE f12_row row3_sub(f12_row a, f12_row b) { return (f12_row){a.near - b.near, a.far - b.far}; }
LANE_INLINE f12_row row3_add_scaled(f12_row a, float s, f12_row b) {
    return (f12_row){a.near + s * b.near, a.far + s * b.far};
}
LANE_INLINE f4 row3_sum(f12_row a) { return f8_fold(a.near) + a.far; }

// p2g_one with the quadratic kernel; `linear`: affine part and stress, four times, in one matrix. A node gets
// its weight times what is linear in its place, which is followed from row to row by sums.
LANE_INLINE void p2g_by_moments(float *patch, const mpm_stencil *f, f4 mv, const f4 linear[3]) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f4 middle = mv + ax->w[3] * linear[0] + ay->w[3] * linear[1] + az->w[3] * linear[2],
       below = middle - linear[2];
    f12_row z = row3_of(az->w),
            value = {__builtin_shufflevector(below, middle, 0, 1, 2, 3, 4, 5, 6, 7), middle + linear[2]};
    f8 x_step = f8_twice(linear[0]), y_step = f8_twice(linear[1]);
    value.near -= x_step;
    value.far -= f8_low(x_step);
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
        f12_row w = row3_scale(ax->w[i], z), along = row3_mul(w, value),
                step = {w.near * y_step, w.far * f8_low(y_step)};
        f12_row rows[3] = {row3_sub(along, step), along, row3_add(along, step)};
        float *row = patch + f->start + i * PATCH_EDGE * PATCH_ROW;
#pragma GCC unroll 3
        for (int j = 0; j < 3; j++, row += PATCH_ROW) {
            f12_row sum = row3_add_scaled(row3_load(row), ay->w[j], rows[j]);
            f8_store(row, sum.near);
            f4_store(row + 8, sum.far);
        }
        value.near += x_step;
        value.far += f8_low(x_step);
    }
}

// Sums over the nodes: velocity, its affine moments and its gradient (columns; cell units).
typedef struct g2p_result {
    f4 v;
    f4 moment[3]; // sum w v delta / cell
    f4 grad[3];   // sum v grad w * cell; of the quadratic kernel a quarter of it
} g2p_result;

// Of three rows their sum, and the last less the first.
typedef struct row3_pair {
    f12_row sum, difference;
} row3_pair;
LANE_INLINE row3_pair row3_reduce(const float w[3], f12_row first, f12_row second, f12_row third) {
    f12_row a = row3_scale(w[0], first), c = row3_scale(w[2], third);
    return (row3_pair){row3_add(row3_add_scaled(a, w[1], second), c), row3_sub(c, a)};
}

// The quadratic kernel: its gradients are its moments, times four, which velocity_gradient knows. Moments are
// first taken from the middle node, then moved to the particle.
LANE_INLINE g2p_result g2p_by_moments(const float *patch, const mpm_stencil *f) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    enum { X = PATCH_EDGE * PATCH_ROW };
    row3_pair x[3];
#pragma GCC unroll 3
    for (int j = 0; j < 3; j++) {
        const float *at = patch + f->start + j * PATCH_ROW;
        x[j] = row3_reduce(ax->w, row3_load(at), row3_load(at + X), row3_load(at + 2 * X));
    }
    row3_pair y = row3_reduce(ay->w, x[0].sum, x[1].sum, x[2].sum);
    f12_row slope = row3_scale(ay->w[0], x[0].difference);
    for (int j = 1; j < 3; j++) slope = row3_add_scaled(slope, ay->w[j], x[j].difference);
    f12_row z = row3_of(az->w), all = row3_mul(z, y.sum);
    f4 v = row3_sum(all), x1 = row3_sum(row3_mul(z, slope)) + ax->w[3] * v,
       y1 = row3_sum(row3_mul(z, y.difference)) + ay->w[3] * v,
       z1 = all.far - f8_low(all.near) + az->w[3] * v;
    return (g2p_result){v, {x1, y1, z1}, {x1, y1, z1}};
}

// Reduces x first, then y, then z: three row sums over 16 rows, ten over 4, seven over one.
LANE_INLINE g2p_result g2p_one(const float *patch, const mpm_stencil *f, int width) {
    if (width == 3) return g2p_by_moments(patch, f);
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1];
    f8_row v = row_zero(), vx = v, gx = v, vy = v, gy = v;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) {
        const float *at = patch + f->start + j * PATCH_ROW;
        f8_row w = row_zero(), moment = w, grad = w;
#pragma GCC unroll 4
        for (int i = 0; i < width; i++, at += PATCH_EDGE * PATCH_ROW) {
            f8_row node = row_load(at);
            row_add(&w, ax->w[i], node);
            row_add(&moment, ax->moment[i], node);
            row_add(&grad, ax->grad[i], node);
        }
        row_add(&v, ay->w[j], w);
        row_add(&vy, ay->moment[j], w);
        row_add(&gy, ay->grad[j], w);
        row_add(&vx, ay->w[j], moment);
        row_add(&gx, ay->w[j], grad);
    }
    const axis_weights *az = &f->axis[2];
    f8_row z = row_of(az->w);
    return (g2p_result){row_dot(z, v),
                        {row_dot(z, vx), row_dot(z, vy), row_dot(row_of(az->moment), v)},
                        {row_dot(z, gx), row_dot(z, gy), row_dot(row_of(az->grad), v)}};
}

#endif
