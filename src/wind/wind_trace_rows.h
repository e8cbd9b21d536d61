// Lane C: back-tracing, a group of neighbours in a row at a time. They mostly come from neighbours, by the
// same number of whole cells: their eight corners are then eight plain loads, and nothing has to be gathered.
#ifndef WIND_WIND_TRACE_ROWS_H
#define WIND_WIND_TRACE_ROWS_H

#include "lane/lane.h"
#include "wind/wind_trace.h"

#include <math.h>

#define LONG_PATH 3.0f // cells; longer paths cannot be traced back
#define SHORT_PATH 2   // cells; so far from the boundary nothing has to be clamped

// A group: its first face is item c of the arrays and at[] of the grid.
typedef struct trace_group {
    const wind_trace_job *job;
    size_t c;
    int32_t at[3];
} trace_group;

typedef struct trace_ways {
    real path[3];     // cells
    mask first_order; // beside obstacles, and long paths
} trace_ways;

static inline size_t trace_step(const poisson_box *box, int axis) {
    return axis == 0 ? 1 : axis == 1 ? box->row : box->plane;
}

// Displacement of the faces in a step, in cells, to their arrival (sign 1) or departure points (-1): their
// own component of the wind and the mean of the four nearest of the others.
LANE_INLINE void find_wind(const trace_group *g, int axis, float sign, real wind[3]) {
    const wind_trace_job *job = g->job;
    const size_t own = trace_step(&job->box, axis);
    const float scale = sign * job->scale;
    for (int o = 0; o < 3; o++) {
        const float *here = job->v[o] + g->c;
        const size_t step = trace_step(&job->box, o);
        if (o == axis)
            wind[o] = R(scale) * r_load(here);
        else
            wind[o] = R(0.25f * scale) * ((r_load(here) + r_load(here - own)) +
                                          (r_load(here + step) + r_load(here + step - own)));
    }
}

LANE_INLINE real longest_of(const real path[3]) {
    return r_max(r_abs(path[0]), r_max(r_abs(path[1]), r_abs(path[2])));
}

// ---- with boundaries and obstacles

// The same, clamped to the domain.
LANE_INLINE trace_ways find_ways(const trace_group *g, int axis, float sign) {
    trace_ways out;
    real wind[3];
    find_wind(g, axis, sign, wind);
    for (int o = 0; o < 3; o++) {
        real low = R((o == axis ? 1.0f : 0.5f) - (float)g->at[o]);
        if (o == 0) low = low - r_from_int(i_lane_index()); // along the row
        out.path[o] = r_clamp(wind[o], low, low + R((float)g->job->box.n[o]));
    }
    out.first_order = r_gt(longest_of(out.path), R(LONG_PATH));
    return out;
}

// One face of a group.
typedef struct trace_face {
    int32_t at[3];
    float path[3];
} trace_face;

// Is there an obstacle at the fraction t of the path?
static inline bool blocked(const wind_trace_job *job, const trace_face *face, float t) {
    size_t cell = 0;
    for (int o = 0; o < 3; o++) {
        int32_t n = job->box.n[o];
        int32_t to = (int32_t)floorf((float)face->at[o] + t * face->path[o] + (o == job->axis ? 0 : 0.5f));
        to = to > n ? n : to < 1 ? 1 : to;
        cell += (size_t)to * trace_step(&job->box, o);
    }
    return job->cells[cell] == POISSON_WALL;
}

// Fraction of the path up to an obstacle.
static inline float open_part(const wind_trace_job *job, const trace_face *face) {
    float longest = fmaxf(fabsf(face->path[0]), fmaxf(fabsf(face->path[1]), fabsf(face->path[2])));
    int parts = (int)(2 * longest) + 1, good = 0;
    while (good < parts && !blocked(job, face, (float)(good + 1) / (float)parts)) good++;
    return (float)good / (float)parts;
}

// Paths up to this many cells meet no obstacle.
LANE_INLINE real safe_way(const trace_group *g) {
    return r_from_int(i_load_bytes(g->job->obstacle_distance + g->c) - RI(1));
}

// Only paths that may meet one, or that are longer than the distance is known.
LANE_INLINE mask at_risk(const trace_group *g, const trace_ways *ways) {
    real longest = longest_of(ways->path);
    return r_gt(longest, safe_way(g)) | r_gt(longest, R(WIND_OBSTACLE_CELLS - 1));
}

LANE_INLINE void clip_ways(const trace_group *g, trace_ways *ways) {
    const wind_trace_job *job = g->job;
    const size_t own = trace_step(&job->box, job->axis);
    float path[3][LANES];
    int32_t low[LANES], risk[LANES];
    i_store(risk, at_risk(g, ways));
    for (int o = 0; o < 3; o++) r_store(path[o], ways->path[o]);
    i_store(low, ways->first_order);
    for (int k = 0; k < LANES; k++) {
        size_t c = g->c + (size_t)k;
        // Faces inside obstacles are not used.
        if (!risk[k] || job->cells[c] + job->cells[c - own] == POISSON_WALL) continue;
        trace_face face = {{g->at[0] + k, g->at[1], g->at[2]}, {path[0][k], path[1][k], path[2][k]}};
        float part = open_part(job, &face);
        if (part == 1) continue;
        for (int o = 0; o < 3; o++) path[o][k] *= part;
        low[k] = -1;
    }
    for (int o = 0; o < 3; o++) ways->path[o] = r_load(path[o]);
    ways->first_order = i_load(low);
}

// ---- values at the end of a path

// Whole cells of paths from a group, clamped to those whose corners are in the array.
LANE_INLINE void whole_cells(const trace_group *g, const real path[3], bool inside, real down[3]) {
    for (int o = 0; o < 3; o++) {
        down[o] = r_floor(path[o]);
        if (inside) continue;
        real last = R((float)(g->job->box.n[o] - g->at[o]));
        if (o == 0) last = last - r_from_int(i_lane_index());
        down[o] = r_min(down[o], last);
    }
}

// Between the eight corners of a cell, or the least and most of them.
typedef struct trace_sample {
    real value, least, most;
} trace_sample;
typedef enum trace_want { WANT_VALUE, WANT_BOUNDS } trace_want;

LANE_INLINE real trace_mix(real a, real b, real t) { return r_fma(t, b - a, a); }

LANE_INLINE trace_sample trace_corners(const real v[8], const real f[3], trace_want want) {
    trace_sample out = {R(0), R(0), R(0)};
    if (want == WANT_VALUE) {
        real a = trace_mix(trace_mix(v[0], v[1], f[0]), trace_mix(v[2], v[3], f[0]), f[1]);
        real b = trace_mix(trace_mix(v[4], v[5], f[0]), trace_mix(v[6], v[7], f[0]), f[1]);
        out.value = trace_mix(a, b, f[2]);
    } else {
        out.least =
            r_min(r_min(r_min(v[0], v[1]), r_min(v[2], v[3])), r_min(r_min(v[4], v[5]), r_min(v[6], v[7])));
        out.most =
            r_max(r_max(r_max(v[0], v[1]), r_max(v[2], v[3])), r_max(r_max(v[4], v[5]), r_max(v[6], v[7])));
    }
    return out;
}

LANE_INLINE real trace_loaded(const poisson_box *box, const float *from, const real f[3]) {
    real v[8];
    for (int k = 0; k < 4; k++) {
        const float *side = from + (k & 1 ? box->row : 0) + (k & 2 ? box->plane : 0);
        v[2 * k] = r_load(side);
        v[2 * k + 1] = r_load(side + 1);
    }
    return trace_corners(v, f, WANT_VALUE).value;
}

LANE_INLINE trace_sample trace_gathered(const poisson_box *box, const float *from, ireal distance,
                                        const real f[3], trace_want want) {
    real v[8];
    for (int k = 0; k < 8; k++)
        v[k] = r_gather(from + (k & 1) + (k & 2 ? box->row : 0) + (k & 4 ? box->plane : 0),
                        distance + i_lane_index());
    return trace_corners(v, f, want);
}

// The other lanes, whose distance is not that of the first one: all of one distance at once.
LANE_INLINE real trace_others(const poisson_box *box, const float *from, ireal distance, const real f[3],
                              real out) {
    mask rest = i_ne(distance, RI(i_lane(distance, 0)));
    while (m_any(rest)) {
        int next = i_lane(distance, m_lowest(rest));
        mask same = i_eq(distance, RI(next));
        out = r_select(same, trace_loaded(box, from + next, f), out);
        rest &= ~same;
    }
    return out;
}

// ---- with care: beside obstacles, and long paths

LANE_INLINE trace_sample careful_ends(const trace_group *g, const float *field, const real path[3],
                                      trace_want want) {
    const poisson_box *box = &g->job->box;
    real down[3], f[3];
    whole_cells(g, path, false, down);
    for (int o = 0; o < 3; o++) f[o] = path[o] - down[o];
    ireal distance =
        r_to_int(down[0]) + RI((int)box->row) * r_to_int(down[1]) + RI((int)box->plane) * r_to_int(down[2]);
    return trace_gathered(box, field + g->c, distance, f, want);
}

__attribute__((noinline)) static void trace_with_care(const trace_group *g, wind_trace_kind kind) {
    const wind_trace_job *job = g->job;
    const int axis = job->axis;
    real value;
    trace_ways back = find_ways(g, axis, -1), forth = find_ways(g, axis, 1);
    clip_ways(g, &back);
    if (kind == WIND_TRACE) {
        value = careful_ends(g, job->from, back.path, WANT_VALUE).value;
    } else {
        clip_ways(g, &forth);
        trace_sample bounds = careful_ends(g, job->v[axis], back.path, WANT_BOUNDS);
        real own = r_load(job->v[axis] + g->c), there = r_load(job->from + g->c);
        real again = careful_ends(g, job->from, forth.path, WANT_VALUE).value;
        real more = R(0.5f) * (own - again), held = r_clamp(there + more, bounds.least, bounds.most);
        value = r_select(r_gt(r_abs(more), R(job->negligible)), held, there + more);
        value = r_select(back.first_order, there, value);
    }
    r_store(job->to + g->c, value);
}

// ---- freely: a stretch of a row, first the ends of all paths, then the values there. In one pass a group
// would wait for its paths before it could load, and too few groups fit into the processor's window to hide
// that.

enum { STRETCH = 128, STRETCH_GROUPS = STRETCH / LANES };

// Ends of paths: fractions within a cell, and the distance of its first corner in the array.
typedef struct trace_places {
    float f[3][STRETCH];
    int32_t distance[STRETCH];
    uint8_t alike[STRETCH_GROUPS]; // all lanes of the group have the same distance
} trace_places;

typedef struct trace_stretch {
    trace_places ends;
    uint8_t careful[STRETCH_GROUPS];
} trace_stretch;

// May not all be loaded with the distance of any lane? Only beside the array's ends.
LANE_INLINE bool beyond_array(const trace_group *g, ireal distance) {
    const poisson_box *box = &g->job->box;
    const size_t most = box->size - box->plane - box->row - 1 - LANES;
    bool beyond = false;
    for (int k = 0; k < LANES; k++) beyond |= g->c + (size_t)(ptrdiff_t)i_lane(distance, k) > most;
    return beyond;
}

// Where the row is: so far inside that short paths meet no boundary; near an end of the array.
typedef enum trace_zone { ZONE_INSIDE, ZONE_BORDER, ZONE_ENDS } trace_zone;

// false: with care.
LANE_INLINE bool place_ends(const trace_group *g, const real path[3], trace_zone zone, int at,
                            trace_places *to) {
    const poisson_box *box = &g->job->box;
    real down[3];
    whole_cells(g, path, zone == ZONE_INSIDE, down);
    for (int o = 0; o < 3; o++) r_store(to->f[o] + at, path[o] - down[o]);
    // Short paths: small enough for floats.
    ireal distance =
        r_to_int(r_fma(R((float)(int)box->plane), down[2], r_fma(R((float)(int)box->row), down[1], down[0])));
    i_store(to->distance + at, distance);
    to->alike[at / LANES] = m_all(i_eq(distance, RI(i_lane(distance, 0))));
    return zone != ZONE_ENDS || !beyond_array(g, distance);
}

LANE_INLINE bool place_group(const trace_group *g, trace_stretch *s, wind_trace_kind kind, int axis,
                             trace_zone zone, int at) {
    const float sign = kind == WIND_TRACE ? -1 : 1;
    trace_ways ways;
    find_wind(g, axis, sign, ways.path);
    if (m_any(r_gt(longest_of(ways.path), r_min(safe_way(g), R(SHORT_PATH))))) return false;
    if (zone != ZONE_INSIDE) ways = find_ways(g, axis, sign);
    return place_ends(g, ways.path, zone, at, &s->ends);
}

LANE_INLINE real placed(const trace_group *g, const trace_places *places, int at) {
    const poisson_box *box = &g->job->box;
    const float *from = g->job->from + g->c;
    real f[3];
    for (int o = 0; o < 3; o++) f[o] = r_load(places->f[o] + at);
    real out = trace_loaded(box, from + places->distance[at], f);
    if (!places->alike[at / LANES]) out = trace_others(box, from, i_load(places->distance + at), f, out);
    return out;
}

// Those whose corrections are not negligible, one in thirty groups: between the least and most of where they
// came from.
__attribute__((noinline)) static void hold_strong(const trace_group *g, const int32_t *strong) {
    const wind_trace_job *job = g->job;
    real value = r_load(job->to + g->c);
    trace_ways back = find_ways(g, job->axis, -1);
    trace_sample bounds = careful_ends(g, job->v[job->axis], back.path, WANT_BOUNDS);
    r_store(job->to + g->c, r_select(i_load(strong), r_clamp(value, bounds.least, bounds.most), value));
}

LANE_INLINE void trace_group_freely(const trace_group *g, const wind_trace_job *shared,
                                    const trace_stretch *s, wind_trace_kind kind, int axis, int at) {
    const wind_trace_job *job = g->job;
    real there = placed(g, &s->ends, at);
    if (kind == WIND_TRACE) {
        r_store(job->to + g->c, there);
        return;
    }
    real more = R(0.5f) * (r_load(job->v[axis] + g->c) - there);
    r_store(job->to + g->c, r_load(job->from + g->c) + more);
    mask strong = r_gt(r_abs(more), R(job->negligible));
    if (m_any(strong)) {
        int32_t which[LANES];
        i_store(which, strong);
        hold_strong(&(trace_group){shared, g->c, {g->at[0], g->at[1], g->at[2]}}, which);
    }
}

// ---- rows

// Is the place along an axis, `more` faces long, so far inside that short paths meet no boundary?
static inline bool well_inside(int32_t at, int32_t more, int32_t n) {
    return at > SHORT_PATH && at + more <= n - SHORT_PATH;
}

LANE_INLINE trace_zone zone_of(const poisson_box *box, int32_t j, int32_t k) {
    if (!well_inside(k, 1, box->n[2])) return ZONE_ENDS;
    return well_inside(j, 1, box->n[1]) ? ZONE_INSIDE : ZONE_BORDER;
}

// The stretch from face i of the row on.
LANE_INLINE void trace_stretch_of(const wind_trace_job *job, const wind_trace_job *shared,
                                  wind_trace_kind kind, int axis, const int32_t from[3]) {
    const int32_t n = job->box.n[0] + (axis == 0), i = from[0], rest = n - i + 1;
    const int32_t count = rest < STRETCH ? rest : STRETCH;
    const trace_zone zone = zone_of(&job->box, from[1], from[2]);
    const trace_zone ends = zone == ZONE_ENDS ? ZONE_ENDS : ZONE_BORDER;
    const size_t row = poisson_at(&job->box, 0, from[1], from[2]);
    trace_stretch s;
    // The last group of a row overlaps the one before it.
#define TRACE_GROUP(at)                                                                                      \
    const int32_t first = i + (at) + LANES - 1 > n ? n - LANES + 1 : i + (at);                               \
    const trace_group g = { job, row + (size_t)first, {first, from[1], from[2]} }
    for (int at = 0; at < count; at += LANES) {
        TRACE_GROUP(at);
        bool free = zone == ZONE_INSIDE && well_inside(first, LANES, job->box.n[0])
                        ? place_group(&g, &s, kind, axis, ZONE_INSIDE, at)
                        : place_group(&g, &s, kind, axis, ends, at);
        s.careful[at / LANES] = !free;
    }
    for (int at = 0; at < count; at += LANES) {
        TRACE_GROUP(at);
        if (s.careful[at / LANES])
            trace_with_care(&(trace_group){shared, g.c, {g.at[0], g.at[1], g.at[2]}}, kind);
        else
            trace_group_freely(&g, shared, &s, kind, axis, at);
    }
#undef TRACE_GROUP
}

// A copy of the rows' loop for each axis and kind. The job is copied so that compilers know that what is
// stored does not change it.
LANE_INLINE void trace_rows_of(const wind_trace_job *shared, wind_trace_kind kind, int axis, int k0, int k1) {
    const wind_trace_job job = *shared;
    for (int32_t k = k0; k < k1; k++)
        for (int32_t j = 1; j <= job.box.n[1] + (axis == 1); j++)
            for (int32_t i = 1; i <= job.box.n[0] + (axis == 0); i += STRETCH)
                trace_stretch_of(&job, shared, kind, axis, (const int32_t[3]){i, j, k});
}

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
    else
        trace_rows_along(job, WIND_CORRECT, k0, k1);
}

#endif
