// Lane C: smoothing, residuals, restriction and prolongation.
#include "solve/poisson_lanes.h"

#include <assert.h>
#include <string.h>

#include "lane/lane.h"

// Row by row: for (i = 1 .. n) of row (j, k), items from `at`.
#define ROWS(l, k0, k1)                                                                                      \
    for (int k = (k0); k < (k1); k++)                                                                        \
        for (size_t j = 1, at = poisson_at(&(l)->box, 1, 1, k); j <= (size_t)(l)->box.n[1];                  \
             j++, at += (l)->box.row)
// Only those of a list.
#define LISTED(l, rows, count)                                                                               \
    for (size_t r = 0, at; r < (count) && (at = poisson_row_at(&(l)->box, (rows)[r]), true); r++)

// Sum of the six neighbours, all of weight 1.
LANE_INLINE real neighbour_sum_group(const float *x, size_t row, size_t plane) {
    return ((r_load(x - 1) + r_load(x + 1)) + (r_load(x - row) + r_load(x + row))) +
           (r_load(x - plane) + r_load(x + plane));
}

LANE_INLINE real weighted_sum_group(const float *x, const float *wx, const float *wy, const float *wz,
                                    size_t row, size_t plane) {
    real s = r_load(wx) * r_load(x - 1) + r_load(wx + 1) * r_load(x + 1);
    s = r_fma(r_load(wy + row), r_load(x + row), r_fma(r_load(wy), r_load(x - row), s));
    return r_fma(r_load(wz + plane), r_load(x + plane), r_fma(r_load(wz), r_load(x - plane), s));
}

LANE_INLINE real bytes_times(const uint8_t *open, const float *x) {
    return r_from_int(i_load_bytes(open)) * r_load(x);
}

LANE_INLINE real open_sum_group(const float *x, const uint8_t *ox, const uint8_t *oy, const uint8_t *oz,
                                size_t row, size_t plane) {
    real s = (bytes_times(ox, x - 1) + bytes_times(ox + 1, x + 1)) +
             (bytes_times(oy, x - row) + bytes_times(oy + row, x + row)) +
             (bytes_times(oz, x - plane) + bytes_times(oz + plane, x + plane));
    return s * R(1.0f / POISSON_WHOLE);
}

static inline float open_sum_cell(const float *x, const uint8_t *ox, const uint8_t *oy, const uint8_t *oz,
                                  size_t row, size_t plane, size_t i) {
    float s = (float)ox[i] * x[i - 1] + (float)ox[i + 1] * x[i + 1] + (float)oy[i] * x[i - row] +
              (float)oy[i + row] * x[i + row] + (float)oz[i] * x[i - plane] +
              (float)oz[i + plane] * x[i + plane];
    return s * (1.0f / POISSON_WHOLE);
}

// Whether all bytes of a group have this value.
LANE_INLINE bool all_bytes(const uint8_t *from, uint8_t what) {
#if LANES >= 8
    uint64_t all = 0x0101010101010101u * what, one, two;
    memcpy(&one, from, 8);
    memcpy(&two, from + LANES - 8, 8);
    return one == all && two == all;
#elif LANES == 4
    uint32_t one;
    memcpy(&one, from, 4);
    return one == 0x01010101u * what;
#else
    return *from == what;
#endif
}

LANE_INLINE bool all_plain(const uint8_t *from) {
    bool plain = true;
    for (int k = 0; k < LANES; k += 8) {
        uint64_t all = 0x0101010101010101u * POISSON_PLAIN, some = all;
        memcpy(&some, from + k, LANES < 8 ? LANES : 8);
        plain &= (some & all) == all;
    }
    return plain;
}

// Number of faces, where all are plain.
LANE_INLINE real count_faces(const uint8_t *regular) { return r_from_int(i_load_bytes(regular) & RI(7)); }

static inline float weighted_sum_cell(const float *x, const float *wx, const float *wy, const float *wz,
                                      size_t row, size_t plane, size_t i) {
    return wx[i] * x[i - 1] + wx[i + 1] * x[i + 1] + wy[i] * x[i - row] + wy[i + row] * x[i + row] +
           wz[i] * x[i - plane] + wz[i + plane] * x[i + plane];
}

double ISA_NAME(poisson_dot)(size_t begin, size_t end, const float *restrict a, const float *restrict b) {
    double sum = 0;
    size_t i = begin;
    while (i < end) { // partial sums in float, joined in double
        size_t stop = i + 2048 < end ? i + 2048 : end;
        real one = R(0), two = R(0);
        for (; i + 2 * LANES <= stop; i += 2 * LANES) {
            one = r_fma(r_load(a + i), r_load(b + i), one);
            two = r_fma(r_load(a + i + LANES), r_load(b + i + LANES), two);
        }
        for (; i < stop; i += LANES) {
            int n = stop - i < LANES ? (int)(stop - i) : LANES;
            one = r_fma(r_load_some(a + i, n, R(0)), r_load_some(b + i, n, R(0)), one);
        }
        sum += (double)r_sum_lanes(one + two);
    }
    return sum;
}

static double dot_plane(const poisson_level *l, int k, const float *a, const float *b) {
    return ISA_NAME(poisson_dot)(poisson_at(&l->box, 0, 1, k), poisson_at(&l->box, 0, l->box.n[1] + 1, k), a,
                                 b);
}

// One cell or a group of neighbours in a row: the sum of its weights and 1 over it, the weighted sum of the
// neighbours, its own x; `value` is an expression of these and i. Cells that are not free get 0.
#define CELL(d_, s_, value)                                                                                  \
    float d = d_, per = 1 / d, s = s_, own = x[i], v = value;                                                \
    (void)per, (void)own;                                                                                    \
    to[i] = d > 0 ? v : 0

#define GROUP(value)                                                                                         \
    const real own = r_load(x + i);                                                                          \
    (void)own;                                                                                               \
    if (all_bytes(regular + i, POISSON_REGULAR)) {                                                           \
        const real d = R(6), per = R(1.0f / 6), s = neighbour_sum_group(x + i, row, plane);                  \
        (void)d, (void)per;                                                                                  \
        r_store(to + i, value);                                                                              \
    } else {                                                                                                 \
        const bool plain = ox && all_plain(regular + i);                                                     \
        const real d = plain ? count_faces(regular + i) : r_load(diagonal + i), per = R(1) / d;              \
        const real s = plain ? neighbour_sum_group(x + i, row, plane)                                        \
                       : ox  ? open_sum_group(x + i, ox + i, oy + i, oz + i, row, plane)                     \
                             : weighted_sum_group(x + i, wx + i, wy + i, wz + i, row, plane);                 \
        (void)per;                                                                                           \
        r_store(to + i, r_where(r_gt(d, R(0)), value));                                                      \
    }

// One pass over rows of a level. Along x in groups, the last of which overlaps the one before it. `one` is
// the value of a cell, `group` of a group.
#define STENCIL(each_row, l, x, one, group)                                                                  \
    const size_t row = (l)->box.row, plane = (l)->box.plane, n = (size_t)(l)->box.n[0];                      \
    const uint8_t *restrict ox = (l)->open[0], *restrict oy = (l)->open[1], *restrict oz = (l)->open[2],     \
                            *restrict regular = (l)->regular;                                                \
    const float *restrict diagonal = (l)->diagonal, *restrict wx = (l)->w[0], *restrict wy = (l)->w[1],      \
                          *restrict wz = (l)->w[2];                                                          \
    each_row {                                                                                               \
        if (n >= LANES) {                                                                                    \
            for (size_t g = 0; g < n; g += LANES) {                                                          \
                const size_t i = at + (g + LANES > n ? n - LANES : g);                                       \
                GROUP(group)                                                                                 \
            }                                                                                                \
        } else if (ox) {                                                                                     \
            for (size_t i = at; i < at + n; i++) {                                                           \
                CELL(diagonal[i], open_sum_cell(x, ox, oy, oz, row, plane, i), one);                         \
            }                                                                                                \
        } else {                                                                                             \
            for (size_t i = at; i < at + n; i++) {                                                           \
                CELL(diagonal[i], weighted_sum_cell(x, wx, wy, wz, row, plane, i), one);                     \
            }                                                                                                \
        }                                                                                                    \
    }

static void sweep(const poisson_level *l, int k0, int k1, float omega, const float *restrict b,
                  const float *restrict x, float *restrict to) {
    STENCIL(ROWS(l, k0, k1), l, x, own + omega * (b[i] - d * own + s) * per,
            own + omega * (r_load(b + i) - d * own + s) * per)
}

void ISA_NAME(poisson_sweep)(const poisson_level *l, int k0, int k1, float omega, const float *b,
                             const float *x, float *to) {
    sweep(l, k0, k1, omega, b, x, to);
}

double ISA_NAME(poisson_sweep_dot)(const poisson_level *l, int k0, int k1, float omega, const float *b,
                                   const float *x, float *to) {
    double sum = 0;
    for (int k = k0; k < k1; k++) { // plane by plane: still in the cache for the sum
        sweep(l, k, k + 1, omega, b, x, to);
        sum += dot_plane(l, k, b, to);
    }
    return sum;
}

// After the first sweep cell c is w0 b / d, after the second (w0 + w1 - w0 w1) b / d + w0 w1 / d times the
// weighted sum of b / d over its neighbours: one pass over b without an intermediate array.
LANE_INLINE float jacobi_cell(const poisson_level *l, const float *b, int axis, size_t face, size_t c) {
    const float d = l->diagonal[c];
    return d > 0 ? (float)l->open[axis][face] * (1.0f / POISSON_WHOLE) * b[c] / d : 0;
}

LANE_INLINE float two_sweeps_cell(const poisson_level *l, const float omega[2], const float *b, size_t i) {
    const size_t step[3] = {1, l->box.row, l->box.plane};
    const float d = l->diagonal[i];
    float s = 0;
    for (int axis = 0; axis < 3; axis++)
        s += jacobi_cell(l, b, axis, i, i - step[axis]) +
             jacobi_cell(l, b, axis, i + step[axis], i + step[axis]);
    return d > 0 ? ((omega[0] + omega[1] - omega[0] * omega[1]) * b[i] + omega[0] * omega[1] * s) / d : 0;
}

LANE_INLINE real jacobi_group(const uint8_t *open, const float *diagonal, const float *b) {
    real d = r_load(diagonal);
    return r_where(r_gt(d, R(0)), bytes_times(open, b) / d);
}

// Where all are plain; b is 0 where there is no air.
LANE_INLINE real jacobi_plain(const uint8_t *regular, const float *b) {
    return r_load(b) / r_max(count_faces(regular), R(1));
}

LANE_INLINE real jacobi_plain_sum(const uint8_t *f, const float *c, size_t row, size_t plane) {
    return (jacobi_plain(f - 1, c - 1) + jacobi_plain(f + 1, c + 1)) +
           (jacobi_plain(f - row, c - row) + jacobi_plain(f + row, c + row)) +
           (jacobi_plain(f - plane, c - plane) + jacobi_plain(f + plane, c + plane));
}

LANE_INLINE bool all_plain_around(const uint8_t *f, size_t row, size_t plane) {
    return all_plain(f) && all_plain(f - 1) && all_plain(f + 1) && all_plain(f - row) && all_plain(f + row) &&
           all_plain(f - plane) && all_plain(f + plane);
}

LANE_INLINE real two_sweeps_group(const poisson_level *l, const float omega[2], const float *b, size_t i) {
    const size_t row = l->box.row, plane = l->box.plane;
    const float own = omega[0] + omega[1] - omega[0] * omega[1], beside = omega[0] * omega[1];
    const float *c = b + i;
    if (all_bytes(l->regular + i, POISSON_REGULAR))
        return R(own / 6) * r_load(c) + R(beside / 36) * neighbour_sum_group(c, row, plane);
    const uint8_t *f = l->regular + i;
    real s, d;
    if (all_plain_around(f, row, plane)) {
        d = count_faces(f);
        s = jacobi_plain_sum(f, c, row, plane);
    } else {
        const uint8_t *ox = l->open[0] + i, *oy = l->open[1] + i, *oz = l->open[2] + i;
        const float *at = l->diagonal + i;
        d = r_load(at);
        s = jacobi_group(ox, at - 1, c - 1) + jacobi_group(ox + 1, at + 1, c + 1);
        s += jacobi_group(oy, at - row, c - row) + jacobi_group(oy + row, at + row, c + row);
        s += jacobi_group(oz, at - plane, c - plane) + jacobi_group(oz + plane, at + plane, c + plane);
        s *= R(1.0f / POISSON_WHOLE);
    }
    return r_where(r_gt(d, R(0)), (R(own) * r_load(c) + R(beside) * s) / d);
}

void ISA_NAME(poisson_two_sweeps)(const poisson_level *l, int k0, int k1, const float omega[2],
                                  const float *restrict b, float *restrict to) {
    const size_t n = (size_t)l->box.n[0];
    ROWS(l, k0, k1) {
        if (n < LANES) {
            for (size_t i = at; i < at + n; i++) to[i] = two_sweeps_cell(l, omega, b, i);
            continue;
        }
        for (size_t g = 0; g < n; g += LANES) {
            const size_t i = at + (g + LANES > n ? n - LANES : g);
            r_store(to + i, two_sweeps_group(l, omega, b, i));
        }
    }
}

void ISA_NAME(poisson_add_two_sweeps)(const poisson_level *l, const uint32_t *rows, size_t count,
                                      const float omega[2], const float *restrict b, float *restrict to) {
    const size_t n = (size_t)l->box.n[0];
    LISTED(l, rows, count) {
        size_t i = at;
        for (; i + LANES <= at + n; i += LANES)
            r_store(to + i, r_load(to + i) + two_sweeps_group(l, omega, b, i));
        for (; i < at + n; i++) to[i] += two_sweeps_cell(l, omega, b, i);
    }
}

void ISA_NAME(poisson_first_sweep)(const poisson_level *l, int k0, int k1, float omega,
                                   const float *restrict b, float *restrict to) {
    const size_t n = (size_t)l->box.n[0];
    const float *restrict diagonal = l->diagonal;
    ROWS(l, k0, k1)
    for (size_t i = at; i < at + n; i++) {
        float d = diagonal[i], v = omega * b[i] / d;
        to[i] = d > 0 ? v : 0;
    }
}

LANE_INLINE real share_group(const uint8_t *share, real residual) {
    if (all_bytes(share, 64)) return residual;
    return residual * R(64) / r_from_int(i_load_bytes(share));
}

void ISA_NAME(poisson_scaled_residual)(const poisson_level *l, int k0, int k1, const float *restrict b,
                                       const float *restrict x, float *restrict to) {
    const uint8_t *restrict share = l->share;
    STENCIL(ROWS(l, k0, k1), l, x, (b[i] - d * own + s) * 64.0f / (float)share[i],
            share_group(share + i, r_load(b + i) - d * own + s))
}

LANE_INLINE float largest_abs(const float *from, size_t n) {
    real largest = R(0);
    for (size_t i = 0; i < n; i += LANES)
        largest = r_max(largest,
                        r_abs(n - i < LANES ? r_load_some(from + i, (int)(n - i), R(0)) : r_load(from + i)));
    return r_max_lanes(largest);
}

void ISA_NAME(poisson_row_residual)(const poisson_level *l, const uint32_t *rows, size_t count,
                                    const float *restrict b, const float *restrict x, float *restrict to,
                                    float *restrict largest) {
    STENCIL(LISTED(l, rows, count), l, x, b[i] - d * own + s, r_load(b + i) - d * own + s)
    LISTED(l, rows, count) largest[rows[r]] = largest_abs(to + at, n);
}

static void apply(const poisson_level *l, int k0, int k1, const float *restrict x, float *restrict to) {
    STENCIL(ROWS(l, k0, k1), l, x, d * own - s, d * own - s)
}

double ISA_NAME(poisson_apply)(const poisson_level *l, int k0, int k1, const float *restrict x,
                               float *restrict to) {
    double sum = 0;
    for (int k = k0; k < k1; k++) { // plane by plane: still in the cache for the sum
        apply(l, k, k + 1, x, to);
        sum += dot_plane(l, k, x, to);
    }
    return sum;
}

void ISA_NAME(poisson_advance)(const poisson_level *l, const uint32_t *rows, size_t count, float a,
                               const float *restrict p, const float *restrict s, float *restrict q,
                               float *restrict to, float *restrict largest) {
    const size_t n = (size_t)l->box.n[0];
    LISTED(l, rows, count) {
        for (size_t i = at; i < at + n; i++) {
            q[i] += a * p[i];
            to[i] -= a * s[i];
        }
        largest[rows[r]] = largest_abs(to + at, n);
    }
}

void ISA_NAME(poisson_update_direction)(size_t begin, size_t end, float a, const float *restrict z,
                                        float *restrict p) {
    for (size_t i = begin; i < end; i++) p[i] = z[i] + a * p[i];
}

enum { LONGEST = 4096 }; // cells along x, with the layer around

// Sum of the fine rows around coarse row (j, k), weighted along y and z, halved. Rows outside the box are
// skipped.
LANE_INLINE void add_rows(const poisson_level *fine, int j, int k, const float *restrict residual,
                          float *restrict line) {
    static const float weight[4] = {0.25f, 0.75f, 0.75f, 0.25f};
    const size_t n = (size_t)fine->box.n[0];
    const float *from[16];
    float w[16];
    int rows = 0;
    for (int c = 0; c < 4; c++)
        for (int d = 0; d < 4; d++) {
            int y = 2 * j - 2 + c, z = 2 * k - 2 + d;
            if (y < 1 || z < 1 || y > fine->box.n[1] || z > fine->box.n[2]) continue;
            w[rows] = 0.5f * weight[c] * weight[d];
            from[rows++] = residual + poisson_at(&fine->box, 0, y, z);
        }
    for (size_t i = 1; i <= n; i += LANES) {
        if (n < LANES) {
            for (size_t c = 1; c <= n; c++) {
                line[c] = 0;
                for (int m = 0; m < rows; m++) line[c] += w[m] * from[m][c];
            }
            return;
        }
        size_t at = i + LANES - 1 > n ? n - LANES + 1 : i;
        real sum = R(0);
        for (int m = 0; m < rows; m++) sum = r_fma(R(w[m]), r_load(from[m] + at), sum);
        r_store(line + at, sum);
    }
}

// The coarse cell I has the fine cells 2 I - 1 and 2 I; along each axis it gets 1, 3, 3, 1 quarters of the
// cells 2 I - 2 .. 2 I + 1: the transpose of poisson_prolong. Half of the sum: the coarse cells are twice as
// large.
void ISA_NAME(poisson_restrict)(const poisson_level *fine, const poisson_level *coarse, int k0, int k1,
                                const float *restrict residual, float *restrict b) {
    const size_t n = (size_t)fine->box.n[0], coarse_n = (size_t)coarse->box.n[0];
    float line[LONGEST + 4];
    line[0] = line[n + 1] = line[n + 2] = 0;
    ROWS(coarse, k0, k1) {
        add_rows(fine, (int)j, k, residual, line);
        for (size_t i = 1; i <= coarse_n; i++) {
            float sum = 0.25f * (line[2 * i - 2] + line[2 * i + 1]) + 0.75f * (line[2 * i - 1] + line[2 * i]);
            b[at + i - 1] = coarse->diagonal[at + i - 1] > 0 ? sum : 0;
        }
    }
}

// A fine cell lies a quarter of a coarse cell from the middle of its own: 3/4 of its own and 1/4 of the
// neighbour, along each axis; weights on walls are dropped and the others renormalised (share).
void ISA_NAME(poisson_prolong)(const poisson_level *fine, const poisson_level *coarse, int k0, int k1,
                               const float *restrict from, float *restrict x) {
    const size_t n = (size_t)fine->box.n[0], coarse_n = (size_t)coarse->box.n[0] + 2;
    const uint8_t *restrict share = fine->share;
    float line[LONGEST + 4], pair[2 * LONGEST + 8];
    assert(coarse_n > 2 && n <= 2 * (coarse_n - 2)); // `pair` has a value for each of the row
    ROWS(fine, k0, k1) {
        int y = ((int)j + 1) / 2, z = (k + 1) / 2; // own row, and the nearer neighbour
        int other_y = (int)j & 1 ? y - 1 : y + 1, other_z = k & 1 ? z - 1 : z + 1;
        const float *restrict a = from + poisson_at(&coarse->box, 0, y, z);
        const float *restrict b = from + poisson_at(&coarse->box, 0, other_y, z);
        const float *restrict c = from + poisson_at(&coarse->box, 0, y, other_z);
        const float *restrict d = from + poisson_at(&coarse->box, 0, other_y, other_z);
        for (size_t i = 0; i < coarse_n; i++) line[i] = 36 * a[i] + 12 * b[i] + 12 * c[i] + 4 * d[i]; // of 64
        for (size_t i = 1; i < coarse_n - 1; i++) {
            pair[2 * i - 1] = 0.75f * line[i] + 0.25f * line[i - 1];
            pair[2 * i] = 0.75f * line[i] + 0.25f * line[i + 1];
        }
        size_t i = 0;
        for (; i + LANES <= n; i += LANES) {
            real more = r_load(pair + i + 1);
            if (all_bytes(share + at + i, 64)) {
                more = more * R(1.0f / 64);
            } else {
                real part = r_from_int(i_load_bytes(share + at + i));
                more = r_where(r_gt(part, R(0)), more / part);
            }
            r_store(x + at + i, r_load(x + at + i) + more);
        }
        for (; i < n; i++) x[at + i] += share[at + i] ? pair[i + 1] / (float)share[at + i] : 0;
    }
}
