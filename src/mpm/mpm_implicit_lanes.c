// Applies the tangent stiffness to velocities on a patch: gradients are gathered one particle at a time
// (vectors over nodes), the stress differential runs over LANES particles at once and is scattered one by
// one.
#include "mpm/mpm_implicit.h"
#include "mpm/mpm_transfer.h"

#include "snow/granular_law.h"

_Static_assert(BATCH % LANES == 0, "a batch is whole vectors");

// Rows of a batch: component r of all its particles lies in row r.
enum {
    ROW_U = 0,
    ROW_DIAGONAL = 9,
    ROW_FIRST = 12,
    ROW_SECOND = 15,
    ROW_CROSSED = 18,
    ROW_VOLUME = 21,
    ROW_T = 22,
    ROW_START = 25
};

LANE_INLINE void put(float *batch, int row, real a) { r_store(batch + (size_t)row * BATCH, a); }
LANE_INLINE real get(const float *batch, int row) { return r_load(batch + (size_t)row * BATCH); }
LANE_INLINE void put3(float *batch, int row, vec3 a) {
    put(batch, row, a.x);
    put(batch, row + 1, a.y);
    put(batch, row + 2, a.z);
}
LANE_INLINE vec3 get3(const float *batch, int row) {
    return vec3_of(get(batch, row), get(batch, row + 1), get(batch, row + 2));
}
LANE_INLINE float *batch_at(float *tangent, size_t i) {
    return tangent + i / BATCH * BATCH * TANGENT_ROWS + i % BATCH;
}

// A stencil without moments.
typedef struct axis_grads {
    _Alignas(16) float w[4];
    float grad[4];
} axis_grads;
typedef struct grad_stencil {
    axis_grads axis[3];
    int start;
} grad_stencil;

LANE_INLINE void grad_stencil_build(firn_mpm_kernel kernel, vec3 t, real start, grad_stencil stencil[LANES]) {
    const real at[3] = {t.x, t.y, t.z};
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        real w[4], grad[4];
        kernel_weights(kernel, at[a], w, grad);
        f4 rows[2][LANES];
        rows_from_lanes(w[0], w[1], w[2], w[3], rows[0]);
        rows_from_lanes(grad[0], grad[1], grad[2], grad[3], rows[1]);
        for (int k = 0; k < LANES; k++) {
            f4_store(stencil[k].axis[a].w, rows[0][k]);
            f4_store(stencil[k].axis[a].grad, rows[1][k]);
        }
    }
    for (int k = 0; k < LANES; k++) stencil[k].start = (int)r_lane(start, k);
}

// sum v grad w * cell, by columns; the order of sums as in g2p_one.
LANE_INLINE void gather_grad(const float *patch, const grad_stencil *f, int width, f4 *x, f4 *y, f4 *z) {
    const axis_grads *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row v = row_zero(), gx = v, gy = v;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) {
        const float *at = patch + f->start + j * PATCH_ROW;
        f8_row w = row_zero(), grad = w;
#pragma GCC unroll 4
        for (int i = 0; i < width; i++, at += PATCH_EDGE * PATCH_ROW) {
            f8_row node = row_load(at);
            row_add(&w, ax->w[i], node);
            row_add(&grad, ax->grad[i], node);
        }
        row_add(&v, ay->w[j], w);
        row_add(&gx, ay->w[j], grad);
        row_add(&gy, ay->grad[j], w);
    }
    f8_row wz = row_of(az->w);
    *x = row_dot(wz, gx);
    *y = row_dot(wz, gy);
    *z = row_dot(row_of(az->grad), v);
}

// Adds (column . grad w) * cell to the nodes, in the rows of p2g_one.
LANE_INLINE void scatter_grad(float *patch, const grad_stencil *f, int width, f4 cx, f4 cy, f4 cz) {
    const axis_grads *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row z = row_of(az->w), zb = row_of(az->grad);
    f8 x8 = f8_twice(cx), y8 = f8_twice(cy), z8 = f8_twice(cz);
    zb.near *= z8;
    zb.far *= z8;
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        f8 xb = ax->grad[i] * x8, yb = ax->w[i] * y8;
        f8_row along = {z.near * xb + ax->w[i] * zb.near, z.far * xb + ax->w[i] * zb.far};
        f8_row flat = {z.near * yb, z.far * yb};
        float *row = patch + f->start + i * PATCH_EDGE * PATCH_ROW;
#pragma GCC unroll 4
        for (int j = 0; j < width; j++, row += PATCH_ROW) {
            f8_store(row, f8_load(row) + ay->w[j] * along.near + ay->grad[j] * flat.near);
            f8_store(row + 8, f8_load(row + 8) + ay->w[j] * along.far + ay->grad[j] * flat.far);
        }
    }
}

// ---- once a step

// U and tangent of LANES particles; the tangent of those beyond n is zero.
LANE_INLINE void store_tangent(const mpm_particles *p, const uint32_t index[LANES], int n, float scale,
                               float *batch) {
    f4 first[LANES], last[LANES], law[LANES], hardening[LANES];
    for (int k = 0; k < LANES; k++) {
        const float *strain = p->strain[index[k]];
        const mpm_law *m = &p->materials[p->material[index[k]]].law;
        first[k] = f4_load(strain);
        last[k] = (f4){strain[4], strain[5], p->jp[index[k]], m->kind};
        law[k] = (f4){m->mu, m->lambda, k < n ? scale * m->volume : 0.0f, 0};
        hardening[k] = (f4){m->hardening, m->softening, m->closed, 0};
    }
    real a[4], b[4], c[4], h[4];
    lanes_from_rows(first, a);
    lanes_from_rows(last, b);
    lanes_from_rows(law, c);
    lanes_from_rows(hardening, h);
    eigen3 d = eigen3_of(sym3_of(a[0], a[1], a[2], a[3], b[0], b[1]));
    mask granular = r_gt(b[3], R(FIRN_SNOW_LAW_STOMAKHIN));
    real hard = snow_hardness(b[2], h[0], h[1], h[2]) * c[2];
    snow_tangent k = snow_tangent_of(snow_roots(d.value), c[0] * hard, c[1] * hard);
    if (m_any(granular)) {
        real hard_flow = granular_hardness(r_log(b[2]), b[2], h[0], h[2]) * c[2];
        k = snow_tangent_select(granular, granular_tangent_of(d.value, c[0] * hard_flow, c[1] * hard_flow),
                                k);
    }
    k = snow_make_psd(k);
    put3(batch, ROW_U, d.u.x);
    put3(batch, ROW_U + 3, d.u.y);
    put3(batch, ROW_U + 6, d.u.z);
    put3(batch, ROW_DIAGONAL, k.diagonal);
    put3(batch, ROW_FIRST, k.first);
    put3(batch, ROW_SECOND, k.second);
    put3(batch, ROW_CROSSED, k.crossed);
    put(batch, ROW_VOLUME, k.volume);
}

LANE_INLINE void prepare_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                             mpm_pass pass, firn_mpm_kernel kernel, int width, float scale, float *tangent,
                             float *patch) {
    float dt = -pass.dt / pass.cell;
    const patch_map map = patch_map_of(kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        uint32_t all[LANES];
        f4 place[LANES];
        grad_stencil stencil[LANES];
        for (int k = 0; k < LANES; k++) {
            all[k] = index[i + (size_t)(k < count ? k : 0)];
            place[k] = patch_place(&map, d4_load3(p->x[all[k]]));
        }
        float *batch = batch_at(tangent, i);
        store_tangent(p, all, count, scale, batch);
        real t[3], start = stencil_locate(place, t);
        put3(batch, ROW_T, vec3_of(t[0], t[1], t[2]));
        put(batch, ROW_START, start);
        grad_stencil_build(kernel, vec3_of(t[0], t[1], t[2]), start, stencil);
        for (int k = 0; k < count; k++) {
            const float *s = p->tau[all[k]];
            scatter_grad(patch, &stencil[k], width, dt * (f4){s[0], s[1], s[2], 0},
                         dt * (f4){s[1], s[3], s[4], 0}, dt * (f4){s[2], s[4], s[5], 0});
        }
    }
}

void ISA_NAME(mpm_implicit_prepare)(const mpm_particles *p, const uint32_t *index, size_t n,
                                    const int block[3], mpm_pass pass, float scale, float *tangent,
                                    float *patch) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        prepare_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, scale, tangent, patch);
    else
        prepare_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, scale, tangent, patch);
}

// ---- every iteration

// Turns columns of velocity gradients, one row per particle, into columns of V0 b dt^2 dP F_E^T.
LANE_INLINE void stress_differential(const float *batch, f4 column[3][LANES]) {
    real x[4], y[4], z[4];
    lanes_from_rows(column[0], x);
    lanes_from_rows(column[1], y);
    lanes_from_rows(column[2], z);
    mat3 l = mat3_of(vec3_of(x[0], x[1], x[2]), vec3_of(y[0], y[1], y[2]), vec3_of(z[0], z[1], z[2]));
    mat3 u = mat3_of(get3(batch, ROW_U), get3(batch, ROW_U + 3), get3(batch, ROW_U + 6));
    snow_tangent k = {get3(batch, ROW_DIAGONAL), get(batch, ROW_VOLUME), get3(batch, ROW_FIRST),
                      get3(batch, ROW_SECOND), get3(batch, ROW_CROSSED)};
    mat3 b = snow_stress_differential(k, mat3_multiply(mat3_transposed_multiply(u, l), u));
    b = mat3_multiply(u, mat3_multiply_transposed(b, u));
    rows_from_lanes(b.x.x, b.x.y, b.x.z, R(0), column[0]);
    rows_from_lanes(b.y.x, b.y.y, b.y.z, R(0), column[1]);
    rows_from_lanes(b.z.x, b.z.y, b.z.z, R(0), column[2]);
}

LANE_INLINE void apply_all(size_t n, firn_mpm_kernel kernel, int width, const float *tangent, const float *in,
                           float *out) {
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        const float *batch = batch_at((float *)tangent, i);
        grad_stencil stencil[LANES];
        f4 column[3][LANES];
        grad_stencil_build(kernel, get3(batch, ROW_T), get(batch, ROW_START), stencil);
        for (int k = 0; k < LANES; k++) // those beyond count repeat the first with a zero tangent
            gather_grad(in, &stencil[k], width, &column[0][k], &column[1][k], &column[2][k]);
        stress_differential(batch, column);
        for (int k = 0; k < count; k++)
            scatter_grad(out, &stencil[k], width, column[0][k], column[1][k], column[2][k]);
    }
}

void ISA_NAME(mpm_implicit_apply)(size_t n, firn_mpm_kernel kernel, const float *tangent, const float *in,
                                  float *out) {
    if (kernel == FIRN_MPM_CUBIC)
        apply_all(n, FIRN_MPM_CUBIC, 4, tangent, in, out);
    else
        apply_all(n, FIRN_MPM_QUADRATIC, 3, tangent, in, out);
}

// ---- vectors: two nodes at once

typedef int i8 __attribute__((vector_size(32)));

LANE_INLINE double f8_sum(f8 a) {
    f4 b = f8_fold(a);
    return (double)(b[0] + b[1]) + (double)(b[2] + b[3]);
}

// The masses of two nodes, for their three components each.
LANE_INLINE f8 masses(const float *node) {
    f8 none = {0};
    return __builtin_shufflevector(f8_load(node), none, 3, 3, 3, 8, 7, 7, 7, 8);
}
// 1 for nodes without mass, whose vectors are zero.
LANE_INLINE f8 per_mass(f8 mass) {
    f8 none = {0}, one = none + 1.0f;
    i8 there = (i8)(mass > none);
    return one / (f8)(((i8)mass & there) | ((i8)one & ~there));
}

mpm_sums ISA_NAME(mpm_implicit_finish_ar)(const mpm_vectors *v) {
    f8 rAr = {0}, ArAr = {0}, ArAp = {0}, none = {0};
    for (int k = 0; k < BLOCK_FLOATS; k += 8) {
        f8 mass = masses(v->node + k), z = f8_load(v->residual + k), q = f8_load(v->Ap + k);
        f8 w = f8_load(v->Ar + k) + mass * z;
        w = (f8)((i8)w & (i8)(mass > none));
        f8_store(v->Ar + k, w);
        f8 weighed = per_mass(mass) * w;
        rAr += z * w;
        ArAr += weighed * w;
        ArAp += weighed * q;
    }
    return (mpm_sums){0, f8_sum(rAr), f8_sum(ArAr), f8_sum(ArAp)};
}

mpm_sums ISA_NAME(mpm_implicit_advance)(const mpm_vectors *v, float alpha, float beta) {
    f8 residual2 = {0};
    for (int k = 0; k < BLOCK_FLOATS; k += 8) {
        f8 mass = masses(v->node + k), z = f8_load(v->residual + k);
        f8 p = z + beta * f8_load(v->direction + k);
        f8 q = f8_load(v->Ar + k) + beta * f8_load(v->Ap + k);
        f8_store(v->direction + k, p);
        f8_store(v->Ap + k, q);
        f8_store(v->node + k, f8_load(v->node + k) + alpha * p); // the fourth is 0: the mass stays
        z -= alpha * per_mass(mass) * q;
        f8_store(v->residual + k, z);
        residual2 += mass * z * z;
    }
    return (mpm_sums){.residual2 = f8_sum(residual2)};
}
