// The derivative of the elastic forces, applied to velocities on a tile: gradients come in one particle at a
// time (vectors over nodes), the law's derivative runs over LANES particles at once, and goes out one by one.
#include "mpm/mpm_implicit.h"
#include "mpm/mpm_transfer.h"

#include "snow/snow_law.h"

_Static_assert(BATCH % LANES == 0, "a batch is whole vectors");

// Rows of a batch: component r of all its particles lies in row r.
enum {
    ROW_U = 0,
    ROW_OWN = 9,
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
LANE_INLINE float *batch_at(float *frozen, size_t i) {
    return frozen + i / BATCH * BATCH * FROZEN_ROWS + i % BATCH;
}

// A footing without the affine part.
typedef struct axis_slopes {
    _Alignas(16) float w[4];
    float slope[4];
} axis_slopes;
typedef struct slopes {
    axis_slopes axis[3];
    int start;
} slopes;

LANE_INLINE void stand_slopes(firn_mpm_kernel kernel, vec3 t, real start, slopes foot[LANES]) {
    const real at[3] = {t.x, t.y, t.z};
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) {
        real w[4], slope[4];
        weigh(kernel, at[a], w, slope);
        f4 rows[2][LANES];
        rows_from_lanes(w[0], w[1], w[2], w[3], rows[0]);
        rows_from_lanes(slope[0], slope[1], slope[2], slope[3], rows[1]);
        for (int k = 0; k < LANES; k++) {
            f4_store(foot[k].axis[a].w, rows[0][k]);
            f4_store(foot[k].axis[a].slope, rows[1][k]);
        }
    }
    for (int k = 0; k < LANES; k++) foot[k].start = (int)r_lane(start, k);
}

// sum v grad w * cell, by columns; the order of sums as in gather_one.
LANE_INLINE void gather_slope(const float *tile, const slopes *f, int width, f4 *x, f4 *y, f4 *z) {
    const axis_slopes *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row v = row_zero(), gx = v, gy = v;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) {
        const float *at = tile + f->start + j * TILE_ROW;
        f8_row w = row_zero(), slope = w;
#pragma GCC unroll 4
        for (int i = 0; i < width; i++, at += TILE_EDGE * TILE_ROW) {
            f8_row node = row_load(at);
            row_add(&w, ax->w[i], node);
            row_add(&slope, ax->slope[i], node);
        }
        row_add(&v, ay->w[j], w);
        row_add(&gx, ay->w[j], slope);
        row_add(&gy, ay->slope[j], w);
    }
    f8_row wz = row_of(az->w);
    *x = row_dot(wz, gx);
    *y = row_dot(wz, gy);
    *z = row_dot(row_of(az->slope), v);
}

// Adds (column . grad w) * cell to the nodes, in the rows of scatter_one.
LANE_INLINE void scatter_slope(float *tile, const slopes *f, int width, f4 cx, f4 cy, f4 cz) {
    const axis_slopes *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row z = row_of(az->w), zb = row_of(az->slope);
    f8 x8 = f8_twice(cx), y8 = f8_twice(cy), z8 = f8_twice(cz);
    zb.near *= z8;
    zb.far *= z8;
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        f8 xb = ax->slope[i] * x8, yb = ax->w[i] * y8;
        f8_row along = {z.near * xb + ax->w[i] * zb.near, z.far * xb + ax->w[i] * zb.far};
        f8_row flat = {z.near * yb, z.far * yb};
        float *row = tile + f->start + i * TILE_EDGE * TILE_ROW;
#pragma GCC unroll 4
        for (int j = 0; j < width; j++, row += TILE_ROW) {
            f8_store(row, f8_load(row) + ay->w[j] * along.near + ay->slope[j] * flat.near);
            f8_store(row + 8, f8_load(row + 8) + ay->w[j] * along.far + ay->slope[j] * flat.far);
        }
    }
}

// ---- once a step

// U and the stiffness of LANES particles; those beyond n are without stiffness.
LANE_INLINE void freeze(const mpm_particles *p, const uint32_t index[LANES], int n, float scale,
                        float *batch) {
    f4 first[LANES], last[LANES], law[LANES];
    for (int k = 0; k < LANES; k++) {
        const float *strain = p->strain[index[k]];
        const mpm_material *m = &p->materials[p->material[index[k]]];
        first[k] = f4_load(strain);
        last[k] = (f4){strain[4], strain[5], p->jp[index[k]], m->hardening};
        law[k] = (f4){m->mu, m->lambda, k < n ? scale * m->volume : 0.0f, 0};
    }
    real a[4], b[4], c[4];
    lanes_from_rows(first, a);
    lanes_from_rows(last, b);
    lanes_from_rows(law, c);
    eigen3 d = eigen3_of(sym3_of(a[0], a[1], a[2], a[3], b[0], b[1]));
    real hard = snow_hardness(b[2], b[3]) * c[2];
    snow_stiffness k = snow_definite(snow_stiffness_of(snow_roots(d.value), c[0] * hard, c[1] * hard));
    put3(batch, ROW_U, d.u.x);
    put3(batch, ROW_U + 3, d.u.y);
    put3(batch, ROW_U + 6, d.u.z);
    put3(batch, ROW_OWN, k.own);
    put3(batch, ROW_FIRST, k.first);
    put3(batch, ROW_SECOND, k.second);
    put3(batch, ROW_CROSSED, k.crossed);
    put(batch, ROW_VOLUME, k.volume);
}

LANE_INLINE void prepare_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                             mpm_pass pass, firn_mpm_kernel kernel, int width, float scale, float *frozen,
                             float *tile) {
    float dt = -pass.dt / pass.cell;
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        uint32_t all[LANES];
        f4 x[LANES];
        slopes foot[LANES];
        for (int k = 0; k < LANES; k++) {
            all[k] = index[i + (size_t)(k < count ? k : 0)];
            x[k] = f4_load3(p->x[all[k]]);
        }
        float *batch = batch_at(frozen, i);
        freeze(p, all, count, scale, batch);
        real t[3], start = locate(kernel, x, block, 1.0f / pass.cell, t);
        put3(batch, ROW_T, vec3_of(t[0], t[1], t[2]));
        put(batch, ROW_START, start);
        stand_slopes(kernel, vec3_of(t[0], t[1], t[2]), start, foot);
        for (int k = 0; k < count; k++) {
            const float *s = p->tau[all[k]];
            scatter_slope(tile, &foot[k], width, dt * (f4){s[0], s[1], s[2], 0},
                          dt * (f4){s[1], s[3], s[4], 0}, dt * (f4){s[2], s[4], s[5], 0});
        }
    }
}

void ISA_NAME(mpm_implicit_prepare)(const mpm_particles *p, const uint32_t *index, size_t n,
                                    const int block[3], mpm_pass pass, float scale, float *frozen,
                                    float *tile) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        prepare_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, scale, frozen, tile);
    else
        prepare_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, scale, frozen, tile);
}

// ---- every iteration

// Columns of the gradients, one row per particle, become columns of V0 beta dt^2 dP F_E^T.
LANE_INLINE void stress_change(const float *batch, f4 column[3][LANES]) {
    real x[4], y[4], z[4];
    lanes_from_rows(column[0], x);
    lanes_from_rows(column[1], y);
    lanes_from_rows(column[2], z);
    mat3 l = mat3_of(vec3_of(x[0], x[1], x[2]), vec3_of(y[0], y[1], y[2]), vec3_of(z[0], z[1], z[2]));
    mat3 u = mat3_of(get3(batch, ROW_U), get3(batch, ROW_U + 3), get3(batch, ROW_U + 6));
    snow_stiffness k = {get3(batch, ROW_OWN), get(batch, ROW_VOLUME), get3(batch, ROW_FIRST),
                        get3(batch, ROW_SECOND), get3(batch, ROW_CROSSED)};
    mat3 b = snow_stress_change(k, mat3_multiply(mat3_transposed_multiply(u, l), u));
    b = mat3_multiply(u, mat3_multiply_transposed(b, u));
    rows_from_lanes(b.x.x, b.x.y, b.x.z, R(0), column[0]);
    rows_from_lanes(b.y.x, b.y.y, b.y.z, R(0), column[1]);
    rows_from_lanes(b.z.x, b.z.y, b.z.z, R(0), column[2]);
}

LANE_INLINE void apply_all(size_t n, firn_mpm_kernel kernel, int width, const float *frozen, const float *in,
                           float *out) {
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        const float *batch = batch_at((float *)frozen, i);
        slopes foot[LANES];
        f4 column[3][LANES];
        stand_slopes(kernel, get3(batch, ROW_T), get(batch, ROW_START), foot);
        for (int k = 0; k < LANES; k++) // those beyond count stand where the first does, without stiffness
            gather_slope(in, &foot[k], width, &column[0][k], &column[1][k], &column[2][k]);
        stress_change(batch, column);
        for (int k = 0; k < count; k++)
            scatter_slope(out, &foot[k], width, column[0][k], column[1][k], column[2][k]);
    }
}

void ISA_NAME(mpm_implicit_apply)(size_t n, firn_mpm_kernel kernel, const float *frozen, const float *in,
                                  float *out) {
    if (kernel == FIRN_MPM_CUBIC)
        apply_all(n, FIRN_MPM_CUBIC, 4, frozen, in, out);
    else
        apply_all(n, FIRN_MPM_QUADRATIC, 3, frozen, in, out);
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
// Where there is none, vectors are 0, and so is what this is multiplied with.
LANE_INLINE f8 per_mass(f8 mass) {
    f8 none = {0}, one = none + 1.0f;
    i8 there = (i8)(mass > none);
    return one / (f8)(((i8)mass & there) | ((i8)one & ~there));
}

mpm_sums ISA_NAME(mpm_implicit_answer)(const mpm_vectors *v) {
    f8 curvature = {0}, answer2 = {0}, crossed = {0}, none = {0};
    for (int k = 0; k < BLOCK_FLOATS; k += 8) {
        f8 mass = masses(v->node + k), z = f8_load(v->residual + k), q = f8_load(v->direction_answer + k);
        f8 w = f8_load(v->answer + k) + mass * z;
        w = (f8)((i8)w & (i8)(mass > none));
        f8_store(v->answer + k, w);
        f8 weighed = per_mass(mass) * w;
        curvature += z * w;
        answer2 += weighed * w;
        crossed += weighed * q;
    }
    return (mpm_sums){0, f8_sum(curvature), f8_sum(answer2), f8_sum(crossed)};
}

mpm_sums ISA_NAME(mpm_implicit_advance)(const mpm_vectors *v, float length, float turn) {
    f8 residual2 = {0};
    for (int k = 0; k < BLOCK_FLOATS; k += 8) {
        f8 mass = masses(v->node + k), z = f8_load(v->residual + k);
        f8 p = z + turn * f8_load(v->direction + k);
        f8 q = f8_load(v->answer + k) + turn * f8_load(v->direction_answer + k);
        f8_store(v->direction + k, p);
        f8_store(v->direction_answer + k, q);
        f8_store(v->node + k, f8_load(v->node + k) + length * p); // the fourth is 0: the mass stays
        z -= length * per_mass(mass) * q;
        f8_store(v->residual + k, z);
        residual2 += mass * z * z;
    }
    return (mpm_sums){.residual2 = f8_sum(residual2)};
}
