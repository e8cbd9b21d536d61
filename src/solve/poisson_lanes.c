#include "solve/poisson_lanes.h"

#include <string.h>

#include "lane/lane.h"

// Row by row: for (i = 1 .. n) of row (j, k), items from `at`.
#define ROWS(l, k0, k1)                                                                                      \
    for (int k = (k0); k < (k1); k++)                                                                        \
        for (size_t j = 1, at = poisson_at(&(l)->box, 1, 1, k); j <= (size_t)(l)->box.n[1];                  \
             j++, at += (l)->box.row)

// Sum of the six neighbours. Walls and open cells hold 0, so that on the finest level, where all other faces
// weigh 1, no weight is needed.
static inline float around_fine(const float *x, size_t row, size_t plane, size_t i) {
    return x[i - 1] + x[i + 1] + x[i - row] + x[i + row] + x[i - plane] + x[i + plane];
}

static inline float around(const float *x, const float *wx, const float *wy, const float *wz, size_t row,
                           size_t plane, size_t i) {
    return wx[i] * x[i - 1] + wx[i + 1] * x[i + 1] + wy[i] * x[i - row] + wy[i + row] * x[i + row] +
           wz[i] * x[i - plane] + wz[i + plane] * x[i + plane];
}

// One pass over the rows of a level, `value` being an expression of d (diagonal), s (neighbours), i. Cells
// that are not free get 0.
#define STENCIL(l, x, value)                                                                                 \
    const size_t row = (l)->box.row, plane = (l)->box.plane, n = (size_t)(l)->box.n[0];                      \
    const uint8_t *restrict faces = (l)->faces;                                                              \
    const float *restrict diagonal = (l)->diagonal, *restrict wx = (l)->w[0], *restrict wy = (l)->w[1],      \
                          *restrict wz = (l)->w[2];                                                          \
    ROWS(l, k0, k1) {                                                                                        \
        if (faces) {                                                                                         \
            for (size_t i = at; i < at + n; i++) {                                                           \
                float d = (float)faces[i], s = around_fine(x, row, plane, i), v = value;                     \
                to[i] = d > 0 ? v : 0;                                                                       \
            }                                                                                                \
        } else {                                                                                             \
            for (size_t i = at; i < at + n; i++) {                                                           \
                float d = diagonal[i], s = around(x, wx, wy, wz, row, plane, i), v = value;                  \
                to[i] = d > 0 ? v : 0;                                                                       \
            }                                                                                                \
        }                                                                                                    \
    }

void ISA_NAME(poisson_sweep)(const poisson_level *l, int k0, int k1, float omega, const float *restrict b,
                             const float *restrict x, float *restrict to) {
    STENCIL(l, x, x[i] + omega * (b[i] - d * x[i] + s) / d)
}

void ISA_NAME(poisson_add_sweep)(const poisson_level *l, int k0, int k1, float omega, const float *restrict b,
                                 const float *restrict x, float *restrict to) {
    STENCIL(l, x, to[i] + x[i] + omega * (b[i] - d * x[i] + s) / d)
}

void ISA_NAME(poisson_first_sweep)(const poisson_level *l, int k0, int k1, float omega,
                                   const float *restrict b, float *restrict to) {
    const size_t n = (size_t)l->box.n[0];
    const uint8_t *restrict faces = l->faces;
    const float *restrict diagonal = l->diagonal;
    ROWS(l, k0, k1) {
        for (size_t i = at; faces && i < at + n; i++) {
            float d = (float)faces[i], v = omega * b[i] / d;
            to[i] = d > 0 ? v : 0;
        }
        for (size_t i = at; !faces && i < at + n; i++) {
            float d = diagonal[i], v = omega * b[i] / d;
            to[i] = d > 0 ? v : 0;
        }
    }
}

void ISA_NAME(poisson_rest)(const poisson_level *l, int k0, int k1, const float *restrict b,
                            const float *restrict x, float *restrict to) {
    const uint8_t *restrict share = l->share;
    STENCIL(l, x, (b[i] - d * x[i] + s) * 64.0f / (float)share[i])
}

// The largest of |to| in the rows just written.
static float largest(const poisson_level *l, int k0, int k1, const float *restrict to) {
    real most = R(0);
    const size_t n = (size_t)l->box.n[0];
    ROWS(l, k0, k1) {
        size_t i = at;
        for (; i + LANES <= at + n; i += LANES) most = r_max(most, r_abs(r_load(to + i)));
        if (i < at + n) most = r_max(most, r_abs(r_load_some(to + i, (int)(at + n - i), R(0))));
    }
    return r_max_lanes(most);
}

float ISA_NAME(poisson_defect)(const poisson_level *l, int k0, int k1, const float *restrict b,
                               const float *restrict x, float *restrict to) {
    STENCIL(l, x, b[i] - d * x[i] + s)
    return largest(l, k0, k1, to);
}

double ISA_NAME(poisson_dot)(size_t begin, size_t end, const float *restrict a, const float *restrict b) {
    double sum = 0;
    size_t i = begin;
    while (i < end) { // stretches of floats, joined in double
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

static void apply(const poisson_level *l, int k0, int k1, const float *restrict x, float *restrict to) {
    STENCIL(l, x, d * x[i] - s)
}

double ISA_NAME(poisson_apply)(const poisson_level *l, int k0, int k1, const float *restrict x,
                               float *restrict to) {
    double sum = 0;
    for (int k = k0; k < k1; k++) { // plane by plane: still in the cache for the sum
        apply(l, k, k + 1, x, to);
        size_t begin = poisson_at(&l->box, 0, 1, k), end = poisson_at(&l->box, 0, l->box.n[1] + 1, k);
        sum += ISA_NAME(poisson_dot)(begin, end, x, to);
    }
    return sum;
}

float ISA_NAME(poisson_advance)(size_t begin, size_t end, float a, const float *restrict p,
                                const float *restrict s, float *restrict q, float *restrict r) {
    real most = R(0);
    size_t i = begin;
    for (; i + LANES <= end; i += LANES) {
        r_store(q + i, r_fma(R(a), r_load(p + i), r_load(q + i)));
        real rest = r_load(r + i) - R(a) * r_load(s + i);
        r_store(r + i, rest);
        most = r_max(most, r_abs(rest));
    }
    float out = r_max_lanes(most);
    for (; i < end; i++) {
        q[i] += a * p[i];
        r[i] -= a * s[i];
        float size = r[i] < 0 ? -r[i] : r[i];
        out = size > out ? size : out;
    }
    return out;
}

void ISA_NAME(poisson_turn)(size_t begin, size_t end, float a, const float *restrict z, float *restrict p) {
    if (a == 0) { // the first direction, whatever p was
        memcpy(p + begin, z + begin, (end - begin) * sizeof *p);
        return;
    }
    for (size_t i = begin; i < end; i++) p[i] = z[i] + a * p[i];
}

enum { LONGEST = 4096 }; // cells along x, with the layer around

// The coarse cell I has the fine cells 2 I - 1 and 2 I; along each axis it gets 1, 3, 3, 1 quarters of the
// cells 2 I - 2 .. 2 I + 1: the transpose of poisson_prolong. Half of the sum: the coarse cells are twice as
// large.
void ISA_NAME(poisson_restrict)(const poisson_level *fine, const poisson_level *coarse, int k0, int k1,
                                const float *restrict rest, float *restrict b) {
    static const float weight[4] = {0.25f, 0.75f, 0.75f, 0.25f};
    const size_t n = (size_t)fine->box.n[0] + 2, coarse_n = (size_t)coarse->box.n[0];
    float line[LONGEST + 4];
    ROWS(coarse, k0, k1) {
        for (size_t i = 0; i < n + 2; i++) line[i] = 0;
        for (int c = 0; c < 4; c++) {
            for (int d = 0; d < 4; d++) {
                int y = 2 * (int)j - 2 + c, z = 2 * k - 2 + d;
                if (y < 1 || z < 1 || y > fine->box.n[1] || z > fine->box.n[2]) continue;
                const float w = 0.5f * weight[c] * weight[d], *restrict from =
                                                                  rest + poisson_at(&fine->box, 0, y, z);
                for (size_t i = 1; i < n - 1; i++) line[i] += w * from[i];
            }
        }
        for (size_t i = 1; i <= coarse_n; i++) {
            float sum = 0.25f * (line[2 * i - 2] + line[2 * i + 1]) + 0.75f * (line[2 * i - 1] + line[2 * i]);
            b[at + i - 1] = coarse->diagonal[at + i - 1] > 0 ? sum : 0;
        }
    }
}

// A fine cell lies a quarter of a coarse cell from the middle of its own: 3/4 of its own and 1/4 of the
// neighbour, along each axis; what falls on walls is left out and the rest enlarged (share).
void ISA_NAME(poisson_prolong)(const poisson_level *fine, const poisson_level *coarse, int k0, int k1,
                               const float *restrict from, float *restrict x) {
    const size_t n = (size_t)fine->box.n[0], coarse_n = (size_t)coarse->box.n[0] + 2;
    const uint8_t *restrict share = fine->share;
    float line[LONGEST + 4], pair[2 * LONGEST + 8];
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
        for (size_t i = 0; i < n; i++) x[at + i] += share[at + i] ? pair[i + 1] / (float)share[at + i] : 0;
    }
}
