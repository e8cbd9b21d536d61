// Lane C: back-tracing, row by row. Neighbours in a row mostly come from neighbours, by the same number of
// whole cells: their eight corners are then eight plain loads, and nothing has to be gathered.
#ifndef WIND_WIND_TRACE_ROWS_H
#define WIND_WIND_TRACE_ROWS_H

#include "lane/lane.h"
#include "wind/wind_trace.h"

#include <math.h>

#define LONG_WAY 3.0f // cells

// The ways of a row of faces, in cells.
typedef struct trace_row {
    float way[3][WIND_ROW];
    int32_t first_order[WIND_ROW]; // masks: beside obstacles, and on ways too long to be undone by going back
} trace_row;

// Groups of LANES of n items, n >= LANES; the last overlaps the one before it.
#define GROUPS(n)                                                                                            \
    for (size_t i = 0; i < (n); i = i + LANES < (n) && i + 2 * LANES > (n) ? (n)-LANES : i + LANES)

static inline size_t trace_step(const poisson_box *box, int axis) {
    return axis == 0 ? 1 : axis == 1 ? box->row : box->plane;
}

LANE_INLINE real trace_place(size_t i) { return R((float)i) + r_from_int(i_lane_index()); }

typedef struct trace_ways {
    real way[3];
    mask first_order;
} trace_ways;

// From where the faces i, i + 1, ... of the row at item c get their air: the wind's velocity there (its own
// component and the mean of the four nearest of the others), kept inside the domain.
LANE_INLINE trace_ways find_ways(const wind_trace_job *job, int axis, const int32_t at[3], size_t c,
                                 size_t i) {
    const size_t own = trace_step(&job->box, axis);
    const float scale = job->scale, quarter = 0.25f * scale;
    trace_ways out;
    for (int o = 0; o < 3; o++) {
        const float *here = job->v[o] + c + i;
        const size_t step = trace_step(&job->box, o);
        real way;
        if (o == axis)
            way = R(scale) * r_load(here);
        else
            way = R(quarter) *
                  ((r_load(here) + r_load(here - own)) + (r_load(here + step) + r_load(here + step - own)));
        const float low = (o == axis ? 1.0f : 0.5f) - (float)at[o];
        real shift = o == 0 ? trace_place(i) : R(0); // along the row
        out.way[o] = r_clamp(way, R(low) - shift, R(low + (float)job->box.n[o]) - shift);
    }
    real longest = r_max(r_abs(out.way[0]), r_max(r_abs(out.way[1]), r_abs(out.way[2])));
    out.first_order = r_gt(longest, R(LONG_WAY));
    return out;
}

LANE_INLINE void keep_ways(trace_row *row, size_t i, trace_ways ways) {
    for (int o = 0; o < 3; o++) r_store(row->way[o] + i, ways.way[o]);
    i_store(row->first_order + i, ways.first_order);
}

LANE_INLINE trace_ways kept_ways(const trace_row *row, size_t i) {
    trace_ways out;
    for (int o = 0; o < 3; o++) out.way[o] = r_load(row->way[o] + i);
    out.first_order = i_load(row->first_order + i);
    return out;
}

// Is the air there, a part t of the way from face i, an obstacle?
static inline bool blocked(const wind_trace_job *job, const trace_row *row, size_t i, const int32_t at[3],
                           float t) {
    size_t cell = 0;
    for (int o = 0; o < 3; o++) {
        int32_t face = at[o] + (o == 0 ? (int32_t)i : 0), n = job->box.n[o];
        int32_t to = (int32_t)floorf((float)face + t * row->way[o][i] + (o == job->axis ? 0 : 0.5f));
        to = to > n ? n : to < 1 ? 1 : to;
        cell += (size_t)to * trace_step(&job->box, o);
    }
    return job->cells[cell] == POISSON_WALL;
}

// The way from face i ends where an obstacle begins.
static inline void clip_way(const wind_trace_job *job, const int32_t at[3], size_t i, trace_row *row) {
    float x = fabsf(row->way[0][i]), y = fabsf(row->way[1][i]), z = fabsf(row->way[2][i]);
    int parts = job->far ? (int)(2 * fmaxf(x, fmaxf(y, z))) + 1 : 1, good = 0;
    while (good < parts && !blocked(job, row, i, at, (float)(good + 1) / (float)parts)) good++;
    if (good == parts) return;
    float t = (float)good / (float)parts;
    for (int o = 0; o < 3; o++) row->way[o][i] *= t;
    row->first_order[i] = -1;
}

// Faces of the row from which obstacles may be met.
static inline wind_span clip_span(const wind_trace_job *job, size_t n, const int32_t at[3]) {
    wind_span span = {0, (int32_t)n};
    if (!job->near) return span;
    span = job->near[(size_t)at[2] * ((size_t)job->box.n[1] + 2) + (size_t)at[1]];
    span.begin--; // cell 1 is item 0
    span.end = span.end - 1 < (int32_t)n ? span.end - 1 : (int32_t)n;
    return span;
}

static inline void clip_ways(const wind_trace_job *job, wind_span span, const int32_t at[3], size_t c,
                             trace_row *row) {
    size_t own = trace_step(&job->box, job->axis);
    for (size_t i = (size_t)span.begin; i < (size_t)span.end; i++)
        if (job->cells[c + i] + job->cells[c + i - own] != POISSON_WALL) // not inside an obstacle
            clip_way(job, at, i, row);
}

// Ways split into whole cells (as a distance in the array) and fractions.
LANE_INLINE ireal split_ways(const wind_trace_job *job, const int32_t at[3], const real way[3], size_t i,
                             real f[3]) {
    ireal distance = RI(0);
    for (int o = 0; o < 3; o++) {
        real last = R((float)(job->box.n[o] - at[o]));
        if (o == 0) last = last - trace_place(i);
        real down = r_min(r_floor(way[o]), last);
        f[o] = way[o] - down;
        ireal whole = r_to_int(down);
        distance += o == 0 ? whole : RI((int)trace_step(&job->box, o)) * whole;
    }
    return distance;
}

typedef struct trace_sample {
    real value, least, most;
} trace_sample;

LANE_INLINE real trace_mix(real a, real b, real t) { return r_fma(t, b - a, a); }

LANE_INLINE trace_sample trace_corners(const real v[8], const real f[3], bool bounds) {
    real a = trace_mix(trace_mix(v[0], v[1], f[0]), trace_mix(v[2], v[3], f[0]), f[1]);
    real b = trace_mix(trace_mix(v[4], v[5], f[0]), trace_mix(v[6], v[7], f[0]), f[1]);
    trace_sample out = {trace_mix(a, b, f[2]), R(0), R(0)};
    if (bounds) {
        out.least =
            r_min(r_min(r_min(v[0], v[1]), r_min(v[2], v[3])), r_min(r_min(v[4], v[5]), r_min(v[6], v[7])));
        out.most =
            r_max(r_max(r_max(v[0], v[1]), r_max(v[2], v[3])), r_max(r_max(v[4], v[5]), r_max(v[6], v[7])));
    }
    return out;
}

LANE_INLINE trace_sample trace_choose(mask m, trace_sample a, trace_sample b) {
    return (trace_sample){r_select(m, a.value, b.value), r_select(m, a.least, b.least),
                          r_select(m, a.most, b.most)};
}

LANE_INLINE trace_sample trace_plainly(const wind_trace_job *job, const float *from, const real f[3],
                                       bool bounds) {
    const size_t row = job->box.row, plane = job->box.plane;
    real v[8];
    for (int k = 0; k < 8; k++) v[k] = r_load(from + (k & 1) + (k & 2 ? row : 0) + (k & 4 ? plane : 0));
    return trace_corners(v, f, bounds);
}

LANE_INLINE trace_sample trace_gathered(const wind_trace_job *job, const float *from, ireal distance,
                                        const real f[3], bool bounds) {
    const size_t row = job->box.row, plane = job->box.plane;
    real v[8];
    for (int k = 0; k < 8; k++)
        v[k] = r_gather(from + (k & 1) + (k & 2 ? row : 0) + (k & 4 ? plane : 0), distance + i_lane_index());
    return trace_corners(v, f, bounds);
}

// The field around each face of a group that starts at item c. All lanes of one distance are done at once.
LANE_INLINE trace_sample trace_group(const wind_trace_job *job, size_t c, ireal distance, const real f[3],
                                     bool bounds) {
    const size_t most = job->box.size - job->box.plane - job->box.row - 1 - LANES;
    const float *from = job->from + c;
    int first = i_lane(distance, 0);
    mask rest = i_ne(distance, RI(first));
    if (c + (size_t)(ptrdiff_t)first > most) // the array ends within the group, before it or behind it
        return trace_gathered(job, from, distance, f, bounds);
    trace_sample out = trace_plainly(job, from + first, f, bounds);
    while (m_any(rest)) {
        first = i_lane(distance, m_lowest(rest));
        if (c + (size_t)(ptrdiff_t)first > most) return trace_gathered(job, from, distance, f, bounds);
        mask same = i_eq(distance, RI(first));
        out = trace_choose(same, trace_plainly(job, from + first, f, bounds), out);
        rest &= ~same;
    }
    return out;
}

LANE_INLINE void trace_ends(const wind_trace_job *job, wind_trace_kind kind, int axis, const int32_t at[3],
                            size_t c, size_t i, trace_ways ways) {
    real f[3];
    ireal distance = split_ways(job, at, ways.way, i, f);
    trace_sample s = trace_group(job, c + i, distance, f, kind == WIND_BOUNDS);
    if (kind == WIND_BOUNDS) {
        r_store(job->least + c + i, r_select(ways.first_order, s.value, s.least));
        r_store(job->most + c + i, r_select(ways.first_order, s.value, s.most));
    }
    if (kind == WIND_CORRECT) {
        real own = r_load(job->v[axis] + c + i), there = r_load(job->from + c + i);
        s.value =
            r_clamp(there + R(0.5f) * (own - s.value), r_load(job->least + c + i), r_load(job->most + c + i));
    }
    r_store(job->to + c + i, s.value);
}

LANE_INLINE void trace_rows_of(const wind_trace_job *job, wind_trace_kind kind, int axis, int k0, int k1) {
    trace_row row;
    const size_t n = (size_t)(job->box.n[0] + (axis == 0));
    for (int32_t k = k0; k < k1; k++)
        for (int32_t j = 1; j <= job->box.n[1] + (axis == 1); j++) {
            const int32_t at[3] = {1, j, k};
            const size_t c = poisson_at(&job->box, 1, j, k);
            const wind_span span = clip_span(job, n, at);
            if (span.begin >= span.end) {
                GROUPS(n) trace_ends(job, kind, axis, at, c, i, find_ways(job, axis, at, c, i));
                continue;
            }
            GROUPS(n) keep_ways(&row, i, find_ways(job, axis, at, c, i));
            clip_ways(job, span, at, c, &row);
            GROUPS(n) trace_ends(job, kind, axis, at, c, i, kept_ways(&row, i));
        }
}

// A copy of the rows' loops for each axis.
LANE_INLINE void trace_rows_along(const wind_trace_job *job, wind_trace_kind kind, int k0, int k1) {
    if (job->axis == 0)
        trace_rows_of(job, kind, 0, k0, k1);
    else if (job->axis == 1)
        trace_rows_of(job, kind, 1, k0, k1);
    else
        trace_rows_of(job, kind, 2, k0, k1);
}

static inline void trace_rows(const wind_trace_job *job, int k0, int k1) {
    if (job->kind == WIND_TRACE)
        trace_rows_along(job, WIND_TRACE, k0, k1);
    else if (job->kind == WIND_BOUNDS)
        trace_rows_along(job, WIND_BOUNDS, k0, k1);
    else
        trace_rows_along(job, WIND_CORRECT, k0, k1);
}

#endif
