// The semi-implicit step: the impulse of the stress and the moduli, from particles to nodes; the stiffness of
// the grid's cells, two at once; vectors over nodes.
#include "mpm/mpm_implicit.h"
#include "mpm/mpm_transfer.h"

#include <math.h>

#include "snow/granular_law.h"
#include "snow/snow_thermal.h"

// ---- particles to nodes

// Like p2g_one, without moments: a node gets w value + (column . grad w) * cell.
LANE_INLINE void scatter(float *patch, const mpm_stencil *f, int width, f4 value, const f4 column[3]) {
    const axis_weights *ax = &f->axis[0], *ay = &f->axis[1], *az = &f->axis[2];
    f8_row z = row_of(az->w), zb = row_of(az->grad);
    f8 z8 = f8_twice(column[2]), yb[4];
    zb.near *= z8;
    zb.far *= z8;
#pragma GCC unroll 4
    for (int j = 0; j < width; j++) yb[j] = f8_twice(ay->grad[j] * column[1]);
#pragma GCC unroll 4
    for (int i = 0; i < width; i++) {
        f8 xb = f8_twice(ax->w[i] * value + ax->grad[i] * column[0]);
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

// snow_barrier of LANES particles: 1 but for those pressed nearly to the density of ice.
LANE_INLINE real barriers(const mpm_particles *p, const uint32_t index[LANES], real jp, real densest) {
    if (!m_any(snow_may_be_full(jp, densest))) return R(1);
    f4 first[LANES], last[LANES];
    for (int k = 0; k < LANES; k++) {
        const float *strain = p->strain[index[k]];
        first[k] = f4_load(strain);
        last[k] = (f4){strain[4], strain[5], 0, 0};
    }
    real a[4], b[4];
    lanes_from_rows(first, a);
    lanes_from_rows(last, b);
    return snow_barrier(snow_share(sym3_of(a[0], a[1], a[2], a[3], b[0], b[1]), jp, densest));
}

// (lambda + 2 mu) V of LANES particles, hardening included.
LANE_INLINE real moduli(const mpm_particles *p, const uint32_t index[LANES]) {
    f4 law[LANES], hardening[LANES];
    for (int k = 0; k < LANES; k++) {
        const mpm_law *m = &p->materials[p->material[index[k]]].law;
        law[k] = (f4){p->jp[index[k]], m->kind, (m->lambda + 2 * m->mu) * m->volume, m->densest};
        if (p->thermal) law[k][2] *= p->strength[index[k]];
        hardening[k] = (f4){m->hardening, m->softening, m->closed, p->thermal ? p->healed[index[k]] : 1.0f};
    }
    real a[4], h[4];
    lanes_from_rows(law, a);
    lanes_from_rows(hardening, h);
    mask granular = r_gt(a[1], R(FIRN_SNOW_LAW_STOMAKHIN));
    real bonded = p->thermal ? snow_bonded(a[0], h[3]) : a[0];
    real hard = snow_hardness(bonded, h[0], h[1], h[2]);
    if (m_any(granular)) hard = r_select(granular, granular_hardness(r_log(a[0]), a[0], h[0], h[2]), hard);
    return hard * a[2] * barriers(p, index, a[0], a[3]);
}

LANE_INLINE void prepare_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                             mpm_pass pass, firn_mpm_kernel kernel, int width, float *patch) {
    float dt = -pass.dt / pass.cell;
    const patch_map map = patch_map_of(kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        uint32_t all[LANES];
        f4 place[LANES];
        mpm_stencil stencil[LANES];
        for (int k = 0; k < LANES; k++) {
            all[k] = index[i + (size_t)(k < count ? k : 0)];
            place[k] = patch_place(&map, d4_load3(p->x[all[k]]));
        }
        stencil_build(kernel, STENCIL_GRAD, place, stencil);
        real modulus = moduli(p, all);
        for (int k = 0; k < count; k++) {
            const float *s = p->tau[all[k]];
            const f4 column[3] = {dt * (f4){s[0], s[1], s[2], 0}, dt * (f4){s[1], s[3], s[4], 0},
                                  dt * (f4){s[2], s[4], s[5], 0}};
            scatter(patch, &stencil[k], width, (f4){0, 0, 0, r_lane(modulus, k)}, column);
        }
    }
}

void ISA_NAME(mpm_implicit_prepare)(const mpm_particles *p, const uint32_t *index, size_t n,
                                    const int block[3], mpm_pass pass, float *patch) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        prepare_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, patch);
    else
        prepare_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, patch);
}

// ---- cells

enum { ROWS = CELL_EDGE * CELL_EDGE };

LANE_INLINE f4 f4_min(f4 a, f4 b) {
    typedef int i4 __attribute__((vector_size(16)));
    i4 less = (i4)(a < b);
    return (f4)(((i4)a & less) | ((i4)b & ~less));
}

// Mass of four cells by the least and the sum of the masses of their nodes: the geometric mean of least and
// mean. The least alone is too soft at edges and corners, whose nodes have few cells, and they shake; much
// more than it makes nodes that snow hardly reaches stiffer than their mass bears, and the solve slow.
LANE_INLINE f4 cell_mass(f4 least, f4 sum, float edge) {
    f4 out;
    for (int i = 0; i < 4; i++) out[i] = fminf(sqrtf(0.125f * least[i] * sum[i]), edge * least[i]);
    return out;
}

// Mass times the mean modulus per mass of the nodes around a cell.
bool ISA_NAME(mpm_implicit_cells)(const float *mass, const float *modulus, float scale, float edge,
                                  float *stiffness) {
    f4 least[ROWS], m[ROWS], k[ROWS], none = {0}, most = none;
    for (int r = 0; r < ROWS; r++) { // pairs along z
        f4 a = f4_load(mass + 8 * r), b = f4_load(mass + 8 * r + 1);
        least[r] = f4_min(a, b);
        m[r] = a + b;
        k[r] = f4_load(modulus + 8 * r) + f4_load(modulus + 8 * r + 1);
    }
    for (int x = 0; x < BLOCK_EDGE; x++)
        for (int y = 0; y < BLOCK_EDGE; y++) {
            int r = x * CELL_EDGE + y, s = r + CELL_EDGE;
            f4 low = f4_min(f4_min(least[r], least[r + 1]), f4_min(least[s], least[s + 1]));
            f4 sum = m[r] + m[r + 1] + m[s] + m[s + 1];
            f4 out = scale * cell_mass(low, sum, edge) * (k[r] + k[r + 1] + k[s] + k[s + 1]) / (sum + 1e-30f);
            f4_store(stiffness + (x * BLOCK_EDGE + y) * BLOCK_EDGE, out);
            most += out;
        }
    return most[0] + most[1] + most[2] + most[3] > 0;
}

// Transposes the gradient of two cells: rows to columns, fourth components meaningless.
LANE_INLINE void transpose(const f8 g[3], f8 t[3]) {
    f8 low = __builtin_shufflevector(g[0], g[1], 0, 8, 1, 9, 4, 12, 5, 13);
    f8 high = __builtin_shufflevector(g[0], g[1], 2, 10, 3, 11, 6, 14, 7, 15);
    t[0] = __builtin_shufflevector(low, g[2], 0, 1, 8, 11, 4, 5, 12, 15);
    t[1] = __builtin_shufflevector(low, g[2], 2, 3, 9, 11, 6, 7, 13, 15);
    t[2] = __builtin_shufflevector(high, g[2], 0, 1, 10, 11, 4, 5, 14, 15);
}

LANE_INLINE f8 trace(const f8 g[3]) {
    return __builtin_shufflevector(g[0], g[0], 0, 0, 0, 0, 4, 4, 4, 4) +
           __builtin_shufflevector(g[1], g[1], 1, 1, 1, 1, 5, 5, 5, 5) +
           __builtin_shufflevector(g[2], g[2], 2, 2, 2, 2, 6, 6, 6, 6);
}

// Columns of the stress of two cells from those of the gradient: k ((1 - 2 shear) tr g + shear (g + g^T)).
LANE_INLINE void cell_stress(const float *k, float shear, f8 g[3]) {
    f8 stiff = {k[0], k[0], k[0], 0, k[1], k[1], k[1], 0}, t[3];
    transpose(g, t);
    f8 volume = (1 - 2 * shear) * stiff * trace(g);
    const f8 unit[3] = {{1, 0, 0, 0, 1, 0, 0, 0}, {0, 1, 0, 0, 0, 1, 0, 0}, {0, 0, 1, 0, 0, 0, 1, 0}};
    stiff *= shear;
#pragma GCC unroll 3
    for (int a = 0; a < 3; a++) g[a] = stiff * (g[a] + t[a]) + volume * unit[a];
}

// Forces on the lower and upper nodes of two cells along z.
typedef struct cell_forces {
    f8 low[ROWS][2], high[ROWS][2];
} cell_forces;

LANE_INLINE void add_forces(cell_forces *c, int row, int pair, f8 flat, f8 z) {
    c->low[row][pair] += flat - z;
    c->high[row][pair] += flat + z;
}

// The velocity gradient in the middle of trilinear cells (one point: four differences along each axis), the
// stress, and its forces on the eight nodes.
void ISA_NAME(mpm_implicit_apply)(const float *stiffness, float shear, const float *in, float *out) {
    cell_forces c = {0};
    for (int x = 0; x < BLOCK_EDGE; x++)
        for (int y = 0; y < BLOCK_EDGE; y++) {
            int r = x * CELL_EDGE + y, s = r + CELL_EDGE;
            const float *at = in + r * CELL_ROW, *k = stiffness + (x * BLOCK_EDGE + y) * BLOCK_EDGE;
#pragma GCC unroll 2
            for (int i = 0; i < 2; i++) {
                f8 sum[2], dx[2], dy[2];
#pragma GCC unroll 2
                for (int up = 0; up < 2; up++) {
                    const float *row = at + 8 * i + 4 * up;
                    f8 v00 = f8_load(row), v01 = f8_load(row + CELL_ROW),
                       v10 = f8_load(row + CELL_EDGE * CELL_ROW),
                       v11 = f8_load(row + (CELL_EDGE + 1) * CELL_ROW);
                    f8 a = v00 + v11, b = v11 - v00, d = v01 + v10, e = v10 - v01;
                    sum[up] = a + d;
                    dx[up] = b + e;
                    dy[up] = b - e;
                }
                f8 g[3] = {dx[0] + dx[1], dy[0] + dy[1], sum[1] - sum[0]};
                cell_stress(k + 2 * i, shear, g);
                f8 both = g[0] + g[1], across = g[0] - g[1];
                add_forces(&c, r, i, -both, g[2]);
                add_forces(&c, r + 1, i, -across, g[2]);
                add_forces(&c, s, i, across, g[2]);
                add_forces(&c, s + 1, i, both, g[2]);
            }
        }
    const f8 none = {0};
    for (int r = 0; r < ROWS; r++) {
        f8 a = c.high[r][0], b = c.high[r][1];
        f8_store(out + r * CELL_ROW,
                 c.low[r][0] + __builtin_shufflevector(none, a, 0, 1, 2, 3, 8, 9, 10, 11));
        f8_store(out + r * CELL_ROW + 8,
                 c.low[r][1] + __builtin_shufflevector(a, b, 4, 5, 6, 7, 8, 9, 10, 11));
        f8_store(out + r * CELL_ROW + 16, __builtin_shufflevector(b, none, 4, 5, 6, 7, 8, 9, 10, 11));
    }
}

// Adds the row (x, y) of a block's forces to four nodes, and the last of the block below it along z to the
// first.
LANE_INLINE void add_row(const float *const force[2], int x, int y, f8_row *sum) {
    size_t row = (size_t)(x * CELL_EDGE + y) * CELL_ROW;
    f4 none = {0}, last = f4_load(force[1] + row + 4 * BLOCK_EDGE);
    sum->near += f8_load(force[0] + row) + __builtin_shufflevector(last, none, 0, 1, 2, 3, 4, 5, 6, 7);
    sum->far += f8_load(force[0] + row + 8);
}

void ISA_NAME(mpm_implicit_sum)(const float *const force[8], float *node) {
    for (int x = 0; x < BLOCK_EDGE; x++)
        for (int y = 0; y < BLOCK_EDGE; y++, node += 4 * BLOCK_EDGE) {
            f8_row sum = row_zero();
            add_row(force, x, y, &sum);
            if (y == 0) add_row(force + 2, x, BLOCK_EDGE, &sum);
            if (x == 0) add_row(force + 4, BLOCK_EDGE, y, &sum);
            if (x == 0 && y == 0) add_row(force + 6, BLOCK_EDGE, BLOCK_EDGE, &sum);
            f8_store(node, sum.near);
            f8_store(node + 8, sum.far);
        }
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

mpm_sums ISA_NAME(mpm_implicit_start)(const mpm_vectors *v) {
    f8 residual2 = {0}, none = {0};
    for (int k = 0; k < BLOCK_FLOATS; k += 8) {
        f8 mass = masses(v->node + k), r = f8_load(v->Ar + k) - f8_load(v->Ap + k);
        r = (f8)((i8)r & (i8)(mass > none));
        f8 z = per_mass(mass) * r;
        f8_store(v->residual + k, z);
        f8_store(v->direction + k, none);
        f8_store(v->Ap + k, none);
        residual2 += z * r;
    }
    return (mpm_sums){.residual2 = f8_sum(residual2)};
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
