// Lane C: divergence, pressure gradient, curl and vorticity confinement of the wind.
#include "wind/wind_lanes.h"

#include <math.h>

#include "lane/lane.h"

static inline size_t step_of(const poisson_box *box, int axis) {
    return axis == 0 ? 1 : axis == 1 ? box->row : box->plane;
}

#define ROWS(box, extra)                                                                                     \
    for (int32_t k = k0; k < k1; k++)                                                                        \
        for (int32_t j = 1; j <= (box)->n[1] + (extra); j++)

void ISA_NAME(wind_divergence)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1,
                               float *const v[3], float *restrict b) {
    const float *restrict u = v[0], *restrict w = v[1], *restrict s = v[2];
    const size_t row = box->row, plane = box->plane;
    ROWS(box, 0) {
        size_t c = poisson_at(box, 1, j, k), end = c + (size_t)box->n[0];
        for (; c + LANES <= end; c += LANES) {
            real d = (r_load(u + c) - r_load(u + c + 1)) + (r_load(w + c) - r_load(w + c + row)) +
                     (r_load(s + c) - r_load(s + c + plane));
            r_store(b + c, r_where(i_eq(i_load_bytes(kind + c), RI(POISSON_FREE)), d));
        }
        for (; c < end; c++) {
            float d = (u[c] - u[c + 1]) + (w[c] - w[c + row]) + (s[c] - s[c + plane]);
            b[c] = kind[c] == POISSON_FREE ? d : 0;
        }
    }
}

// A row of n faces: u -= gradient where air is on both sides, or on one and an opening on the other.
LANE_INLINE void gradient_row(const uint8_t *kind, const float *q, float *restrict u, size_t step, size_t c,
                              size_t n) {
    const size_t end = c + n;
    for (; c + LANES <= end; c += LANES) {
        ireal both = i_load_bytes(kind + c) * i_load_bytes(kind + c - step);
        mask air = i_eq(both, RI(POISSON_FREE)) | i_eq(both, RI(POISSON_OPEN));
        r_store(u + c, r_load(u + c) - r_where(air, r_load(q + c) - r_load(q + c - step)));
    }
    for (; c < end; c++) {
        int both = kind[c] * kind[c - step];
        u[c] -= both == POISSON_FREE || both == POISSON_OPEN ? q[c] - q[c - step] : 0;
    }
}

void ISA_NAME(wind_gradient)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1,
                             const float *restrict q, float *const v[3]) {
    for (int32_t k = k0; k < k1; k++)
        for (int32_t j = 1; j <= box->n[1] + 1; j++)
            for (int axis = 0; axis < 3; axis++) {
                // The last plane and row have no cells, only the faces of the boundary.
                if ((axis != 2 && k > box->n[2]) || (axis != 1 && j > box->n[1])) continue;
                gradient_row(kind, q, v[axis], step_of(box, axis), poisson_at(box, 1, j, k),
                             (size_t)box->n[0] + (axis == 0));
            }
}

// The wind in the middles of the cells from c on; 0 where there is none and in all but the first n.
typedef struct middle {
    real x, y, z, square;
} middle;

LANE_INLINE real load_first(const float *from, size_t n) {
    return n < LANES ? r_load_some(from, (int)n, R(0)) : r_load(from);
}

LANE_INLINE middle middle_of(const poisson_box *box, const uint8_t *kind, float *const v[3], size_t c,
                             size_t n) {
    mask here = RI(0);
    if (n < LANES)
        for (int k = 0; k < (int)n; k++)
            here |= i_eq(i_lane_index(), RI(k)) & RI(kind[c + (size_t)k] == POISSON_FREE ? -1 : 0);
    else
        here = i_eq(i_load_bytes(kind + c), RI(POISSON_FREE));
    middle m;
    m.x = r_where(here, R(0.5f) * (load_first(v[0] + c, n) + load_first(v[0] + c + 1, n)));
    m.y = r_where(here, R(0.5f) * (load_first(v[1] + c, n) + load_first(v[1] + c + box->row, n)));
    m.z = r_where(here, R(0.5f) * (load_first(v[2] + c, n) + load_first(v[2] + c + box->plane, n)));
    m.square = m.x * m.x + m.y * m.y + m.z * m.z;
    return m;
}

void ISA_NAME(wind_sums)(const poisson_box *box, const uint8_t *kind, int k0, int k1, float *const v[3],
                         wind_totals *out) {
    real most = R(0);
    mask bad = RI(0);
    ROWS(box, 0) {
        real sum[4] = {R(0), R(0), R(0), R(0)}; // of a row; rows are joined in double
        size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0];
        for (; at < end; at += LANES) {
            middle m = middle_of(box, kind, v, at, end - at);
            sum[0] += m.x, sum[1] += m.y, sum[2] += m.z, sum[3] += m.square;
            most = r_max(most, m.square);
            bad |= ~r_lt(m.square, R(1e30f));
        }
        for (int d = 0; d < 4; d++) out->sum[d] += (double)r_sum_lanes(sum[d]);
    }
    out->most = m_any(bad) ? (double)INFINITY : (double)r_max_lanes(most);
}

void ISA_NAME(wind_curl)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1,
                         float *const v[3], float *const curl[4]) {
    const float *restrict u = v[0], *restrict w = v[1], *restrict s = v[2];
    float *restrict cx = curl[0], *restrict cy = curl[1], *restrict cz = curl[2], *restrict length = curl[3];
    const size_t r = box->row, p = box->plane;
    ROWS(box, 0) {
        size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0];
        for (size_t c = at; c < end; c++) {
            float scale = kind[c] == POISSON_FREE ? 0.25f : 0;
            float sy = s[c + r] + s[c + r + p] - s[c - r] - s[c - r + p];
            float wz = w[c + p] + w[c + p + r] - w[c - p] - w[c - p + r];
            float uz = u[c + p] + u[c + p + 1] - u[c - p] - u[c - p + 1];
            float sx = s[c + 1] + s[c + 1 + p] - s[c - 1] - s[c - 1 + p];
            float wx = w[c + 1] + w[c + 1 + r] - w[c - 1] - w[c - 1 + r];
            float uy = u[c + r] + u[c + r + 1] - u[c - r] - u[c - r + 1];
            float x = scale * (sy - wz), y = scale * (uz - sx), z = scale * (wx - uy);
            cx[c] = x, cy[c] = y, cz[c] = z;
            length[c] = sqrtf(x * x + y * y + z * z);
        }
    }
}

void ISA_NAME(wind_confinement)(const poisson_box *box, int k0, int k1, float *const curl[4]) {
    float *restrict cx = curl[0], *restrict cy = curl[1], *restrict cz = curl[2];
    const float *restrict length = curl[3];
    const size_t r = box->row, p = box->plane;
    ROWS(box, 0) {
        size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0];
        for (size_t c = at; c < end; c++) {
            float x = length[c + 1] - length[c - 1], y = length[c + r] - length[c - r],
                  z = length[c + p] - length[c - p];
            float scale = 1 / (sqrtf(x * x + y * y + z * z) + 1e-12f);
            float a = cx[c], b = cy[c], d = cz[c];
            cx[c] = scale * (y * d - z * b);
            cy[c] = scale * (z * a - x * d);
            cz[c] = scale * (x * b - y * a);
        }
    }
}

void ISA_NAME(wind_push)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1, float scale,
                         float *const force[4], float *const v[3]) {
    for (int axis = 0; axis < 3; axis++) {
        float *restrict u = v[axis];
        const float *restrict f = force[axis];
        const size_t step = step_of(box, axis);
        ROWS(box, 0) {
            size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0];
            for (size_t c = at; c < end; c++) {
                float both = kind[c] == POISSON_FREE && kind[c - step] == POISSON_FREE ? 0.5f * scale : 0;
                u[c] += both * (f[c] + f[c - step]);
            }
        }
    }
}
