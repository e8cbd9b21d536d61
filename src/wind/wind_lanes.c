#include "wind/wind_lanes.h"

#include <math.h>

static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float clamp(float a, float low, float high) { return smaller(larger(a, low), high); }

static inline size_t step_of(const poisson_box *box, int axis) {
    return axis == 0 ? 1 : axis == 1 ? box->row : box->plane;
}

#define LONG_WAY 3.0f // cells

// The ways of a row of faces, in cells, and what follows from them.
typedef struct trace_row {
    float way[3][WIND_ROW]; // then: the fraction within the cell
    int32_t offset[WIND_ROW];
    uint8_t first_order[WIND_ROW]; // beside obstacles, and on ways too long to be undone by going back
} trace_row;

// From where each face of the row gets its air: the wind's velocity there (its own component and the mean of
// the four nearest of the others), kept inside the domain.
static void find_ways(const wind_trace_job *job, size_t n, const int32_t at[3], size_t c, trace_row *row) {
    size_t own = step_of(&job->box, job->axis);
    for (int o = 0; o < 3; o++) {
        const float *restrict v = job->v[o] + c, scale = job->scale, quarter = 0.25f * scale;
        float *restrict way = row->way[o];
        size_t step = step_of(&job->box, o);
        if (o == job->axis)
            for (size_t i = 0; i < n; i++) way[i] = scale * v[i];
        else
            for (size_t i = 0; i < n; i++)
                way[i] = quarter * (v[i] + v[i - own] + v[i + step] + v[i + step - own]);
        float low = (o == job->axis ? 1.0f : 0.5f) - (float)at[o];
        float high = (float)job->box.n[o] + (o == job->axis ? 1.0f : 0.5f) - (float)at[o];
        float moves = o == 0 ? 1 : 0; // along the row
        for (size_t i = 0; i < n; i++) {
            float shift = moves * (float)(int32_t)i;
            way[i] = clamp(way[i], low - shift, high - shift);
        }
    }
}

// Is the air there, a part t of the way from face i, an obstacle?
static inline bool blocked(const wind_trace_job *job, const trace_row *row, size_t i, const int32_t at[3],
                           float t) {
    size_t cell = 0;
    for (int o = 0; o < 3; o++) {
        int32_t face = at[o] + (o == 0 ? (int32_t)i : 0), n = job->box.n[o];
        int32_t to = (int32_t)floorf((float)face + t * row->way[o][i] + (o == job->axis ? 0 : 0.5f));
        to = to > n ? n : to < 1 ? 1 : to;
        cell += (size_t)to * step_of(&job->box, o);
    }
    return job->kind[cell] == POISSON_WALL;
}

// The way from face i ends where an obstacle begins.
static inline void clip_way(const wind_trace_job *job, const int32_t at[3], size_t i, trace_row *row) {
    float x = fabsf(row->way[0][i]), y = fabsf(row->way[1][i]), z = fabsf(row->way[2][i]);
    int parts = job->far ? (int)(2 * larger(x, larger(y, z))) + 1 : 1, good = 0;
    while (good < parts && !blocked(job, row, i, at, (float)(good + 1) / (float)parts)) good++;
    if (good == parts) return;
    float t = (float)good / (float)parts;
    for (int o = 0; o < 3; o++) row->way[o][i] *= t;
    row->first_order[i] = 1;
}

static void clip_ways(const wind_trace_job *job, size_t n, const int32_t at[3], size_t c, trace_row *row) {
    size_t own = step_of(&job->box, job->axis), begin = 0, end = n;
    for (size_t i = 0; i < n; i++) {
        float x = fabsf(row->way[0][i]), y = fabsf(row->way[1][i]), z = fabsf(row->way[2][i]);
        row->first_order[i] = larger(x, larger(y, z)) > LONG_WAY;
    }
    if (job->near) {
        wind_span span = job->near[(size_t)at[2] * ((size_t)job->box.n[1] + 2) + (size_t)at[1]];
        begin = (size_t)span.begin - 1; // cell 1 is item 0
        end = (size_t)span.end - 1 < n ? (size_t)span.end - 1 : n;
    }
    for (size_t i = begin; i < end; i++)
        if (job->kind[c + i] + job->kind[c + i - own] != POISSON_WALL) // not inside an obstacle
            clip_way(job, at, i, row);
}

// Splits the ways into whole cells and fractions.
static void find_corners(const wind_trace_job *job, size_t n, const int32_t at[3], trace_row *row) {
    for (size_t i = 0; i < n; i++) row->offset[i] = (int32_t)i;
    for (int o = 0; o < 3; o++) {
        float *restrict way = row->way[o];
        int32_t step = (int32_t)step_of(&job->box, o), moves = o == 0 ? 1 : 0, last = job->box.n[o] - at[o];
        for (size_t i = 0; i < n; i++) {
            float down = smaller(floorf(way[i]), (float)(last - moves * (int32_t)i));
            way[i] -= down;
            row->offset[i] += step * (int32_t)down;
        }
    }
}

static inline float mix(float a, float b, float t) { return a + t * (b - a); }

#define FROM(step) from[offset[i] + (step)]

static void sample_row(const wind_trace_job *job, size_t n, size_t c, const trace_row *r) {
    const float *restrict from = job->from + c, *restrict x = r->way[0], *restrict y = r->way[1],
                          *restrict z = r->way[2];
    const int32_t *restrict offset = r->offset;
    const int32_t row = (int32_t)job->box.row, plane = (int32_t)job->box.plane;
    float *restrict to = job->to + c;
    for (size_t i = 0; i < n; i++) {
        float a = mix(mix(FROM(0), FROM(1), x[i]), mix(FROM(row), FROM(row + 1), x[i]), y[i]);
        float b = mix(mix(FROM(plane), FROM(plane + 1), x[i]),
                      mix(FROM(plane + row), FROM(plane + row + 1), x[i]), y[i]);
        to[i] = mix(a, b, z[i]);
    }
}

// The same, and between which values each result lies.
static void sample_bounds(const wind_trace_job *job, size_t n, size_t c, const trace_row *r) {
    const float *restrict from = job->from + c, *restrict x = r->way[0], *restrict y = r->way[1],
                          *restrict z = r->way[2];
    const int32_t *restrict offset = r->offset;
    const int32_t row = (int32_t)job->box.row, plane = (int32_t)job->box.plane;
    float *restrict to = job->to + c, *restrict least = job->least + c, *restrict most = job->most + c;
    for (size_t i = 0; i < n; i++) {
        float a = FROM(0), b = FROM(1), c0 = FROM(row), d = FROM(row + 1);
        float e = FROM(plane), f = FROM(plane + 1), g = FROM(plane + row), h = FROM(plane + row + 1);
        float value = mix(mix(mix(a, b, x[i]), mix(c0, d, x[i]), y[i]),
                          mix(mix(e, f, x[i]), mix(g, h, x[i]), y[i]), z[i]);
        float low = smaller(smaller(smaller(a, b), smaller(c0, d)), smaller(smaller(e, f), smaller(g, h)));
        float high = larger(larger(larger(a, b), larger(c0, d)), larger(larger(e, f), larger(g, h)));
        to[i] = value;
        least[i] = r->first_order[i] ? value : low;
        most[i] = r->first_order[i] ? value : high;
    }
}

void ISA_NAME(wind_trace)(const wind_trace_job *job, int k0, int k1) {
    trace_row row;
    const int32_t *n = job->box.n;
    size_t length = (size_t)(n[0] + (job->axis == 0));
    for (int32_t k = k0; k < k1; k++)
        for (int32_t j = 1; j <= n[1] + (job->axis == 1); j++) {
            const int32_t at[3] = {1, j, k};
            size_t c = poisson_at(&job->box, 1, j, k);
            find_ways(job, length, at, c, &row);
            clip_ways(job, length, at, c, &row);
            find_corners(job, length, at, &row);
            if (job->least)
                sample_bounds(job, length, c, &row);
            else
                sample_row(job, length, c, &row);
        }
}

void ISA_NAME(wind_correct)(size_t begin, size_t end, const float *restrict v, const float *restrict hat,
                            const float *restrict least, const float *restrict most, float *restrict to) {
    for (size_t i = begin; i < end; i++) to[i] = clamp(hat[i] + 0.5f * (v[i] - to[i]), least[i], most[i]);
}

#define ROWS(box, extra)                                                                                     \
    for (int32_t k = k0; k < k1; k++)                                                                        \
        for (int32_t j = 1; j <= (box)->n[1] + (extra); j++)

void ISA_NAME(wind_divergence)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1,
                               float *const v[3], float *restrict b) {
    const float *restrict u = v[0], *restrict w = v[1], *restrict s = v[2];
    const size_t row = box->row, plane = box->plane;
    ROWS(box, 0) {
        size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0];
        for (size_t c = at; c < end; c++) {
            float d = (u[c + 1] - u[c]) + (w[c + row] - w[c]) + (s[c + plane] - s[c]);
            b[c] = kind[c] == POISSON_FREE ? -d : 0;
        }
    }
}

void ISA_NAME(wind_gradient)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1,
                             const float *restrict q, float *const v[3]) {
    for (int axis = 0; axis < 3; axis++) {
        float *restrict u = v[axis];
        const size_t step = step_of(box, axis);
        // The last plane has no cells, only the faces of the border.
        if (axis != 2 && k0 > box->n[2]) continue;
        int stop = axis == 2 ? k1 : k1 > box->n[2] + 1 ? box->n[2] + 1 : k1;
        for (int32_t k = k0; k < stop; k++)
            for (int32_t j = 1; j <= box->n[1] + (axis == 1); j++) {
                size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0] + (axis == 0);
                for (size_t c = at; c < end; c++) {
                    int both = kind[c] * kind[c - step];
                    float g = q[c] - q[c - step];
                    u[c] -= both == POISSON_FREE || both == POISSON_OPEN ? g : 0;
                }
            }
    }
}

float ISA_NAME(wind_fastest)(const poisson_box *box, const uint8_t *restrict kind, int k0, int k1,
                             float *const v[3]) {
    enum { WIDE = 16 };
    const float *restrict u = v[0], *restrict w = v[1], *restrict s = v[2];
    const size_t row = box->row, plane = box->plane;
    float most[WIDE] = {0}, out = 0;
    int32_t bad[WIDE] = {0}, any = 0;
    ROWS(box, 0) {
        size_t at = poisson_at(box, 1, j, k), end = at + (size_t)box->n[0];
        for (; at < end; at += WIDE) {
            size_t count = end - at < WIDE ? end - at : WIDE;
            for (size_t m = 0; m < count; m++) {
                size_t c = at + m;
                float x = u[c] + u[c + 1], y = w[c] + w[c + row], z = s[c] + s[c + plane];
                float square = kind[c] == POISSON_FREE ? 0.25f * (x * x + y * y + z * z) : 0;
                most[m] = larger(most[m], square);
                bad[m] += !(square < 1e30f);
            }
        }
    }
    for (int m = 0; m < WIDE; m++) out = larger(out, most[m]), any += bad[m];
    return any ? INFINITY : out;
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
