// A ray against the snow cover: columns of snow, each as wide as a cell and as high as its snow, standing on
// the bodies below them.
#include "world/query.h"

#include <math.h>

#include "math/dvec.h"

typedef struct cover_way {
    const firn_world *world;
    const cover_grid *g;
    const ray_way *r;
} cover_way;

// Snow that lies in one piece in a column, in cells above the domain's bottom.
typedef struct snow_run {
    double bottom, top;
    size_t first; // cell
    bool stands;  // on a body or on the domain's bottom
} snow_run;

static size_t cell_at(const cover_grid *g, int32_t i, int32_t j, int32_t k) {
    return ((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i;
}

// The next run from layer *j on, without knowing exactly where the body below it ends; false: none.
static bool next_run(const cover_grid *g, int32_t i, int32_t k, int32_t *j, snow_run *out) {
    while (*j < g->n[1] && !(g->fill[cell_at(g, i, *j, k)] > 0)) (*j)++;
    if (*j >= g->n[1]) return false;
    *out = (snow_run){*j, *j, cell_at(g, i, *j, k), *j == 0 || g->fill[cell_at(g, i, *j - 1, k)] < 0};
    for (; *j < g->n[1] && g->fill[cell_at(g, i, *j, k)] > 0; (*j)++)
        out->top += (double)g->fill[cell_at(g, i, *j, k)];
    return true;
}

static void settle(const cover_way *w, snow_run *run) {
    if (!run->stands) return;
    cover_floor floor = {.cell = (uint32_t)run->first};
    world_cover_floors_at(w->world, w->g, &floor, 1);
    run->bottom += (double)floor.up;
    run->top += (double)floor.up;
}

// Top of the snow beside a column whose own is at `top`; that again if there is none that belongs to it.
static double top_beside(const cover_way *w, int32_t i, int32_t k, double top) {
    const cover_grid *g = w->g;
    if (i < 0 || k < 0 || i >= g->n[0] || k >= g->n[2]) return top;
    snow_run run;
    for (int32_t j = 0; next_run(g, i, k, &j, &run);) {
        if (fabs(run.top - top) > 2.5) continue;
        settle(w, &run);
        return run.top;
    }
    return top;
}

static firn_vec3 slope_normal(const cover_way *w, int32_t i, int32_t k, double top) {
    double dx = top_beside(w, i + 1, k, top) - top_beside(w, i - 1, k, top);
    double dz = top_beside(w, i, k + 1, top) - top_beside(w, i, k - 1, top);
    return dvec_normalise(dvec(-dx / 2, 1, -dz / 2));
}

// Column (i, k), which the ray crosses from t to end, through a wall of axis `side` (-1: it begins there).
static bool cross_column(const cover_way *w, int32_t i, int32_t k, double t, double end, int side,
                         firn_hit *hit) {
    const cover_grid *g = w->g;
    double y0 = (w->r->from.y + t * w->r->along.y - g->low[1]) / g->cell, by = w->r->along.y / g->cell;
    double y1 = y0 + (end - t) * by, lowest = fmin(y0, y1), highest = fmax(y0, y1), best = INFINITY;
    snow_run run;
    for (int32_t j = 0; next_run(g, i, k, &j, &run);) {
        if (run.top + 0.5 < lowest || run.bottom - 0.5 > highest) continue;
        settle(w, &run);
        double in = t;
        bool within = y0 > run.bottom && y0 < run.top;
        if (within && side < 0) continue; // it begins in this snow
        if (!within) in = by == 0 ? INFINITY : t + ((by < 0 ? run.top : run.bottom) - y0) / by;
        if (!(in >= t && in <= end && in < best)) continue;
        best = in;
        firn_vec3 p = dvec_add_scaled(w->r->from, w->r->along, in);
        *hit = (firn_hit){.what = FIRN_RAY_COVER, .body = SIZE_MAX, .distance = in, .point = p};
        double height = (p.y - g->low[1]) / g->cell;
        hit->depth = g->cell * fmax(0, fmin(height, run.top) - run.bottom);
        int32_t step = side < 0 || ray_coordinate(w->r->along, side) < 0 ? 1 : -1;
        int32_t bi = side == 0 ? i + step : i, bk = side == 2 ? k + step : k;
        bool wall = within && top_beside(w, bi, bk, run.top) == run.top; // nothing beside to slope down to
        if (wall)
            hit->normal = dvec(side == 0 ? step : 0, 0, side == 2 ? step : 0);
        else
            hit->normal = !within && by > 0 ? dvec(0, -1, 0) : slope_normal(w, i, k, run.top);
    }
    return best < INFINITY;
}

// Columns in the order of the ray.
bool ray_cover(const firn_world *world, const cover_grid *g, const ray_way *r, firn_hit *hit) {
    const cover_way w = {world, g, r};
    double low[3], high[3], t, last, next[2], each[2];
    int32_t at[2], step[2];
    int side;
    for (int k = 0; k < 3; k++) low[k] = g->low[k], high[k] = g->low[k] + g->cell * (g->n[k] + (k == 1));
    if (!ray_clip(r, low, high, &t, &last, &side)) return false;
    for (int k = 0; k < 2; k++) {
        double by = ray_coordinate(r->along, 2 * k), from = ray_coordinate(r->from, 2 * k);
        int32_t most = g->n[2 * k] - 1;
        at[k] = (int32_t)floor((from + t * by - low[2 * k]) / g->cell);
        at[k] = at[k] < 0 ? 0 : at[k] > most ? most : at[k];
        step[k] = by > 0 ? 1 : -1;
        each[k] = by != 0 ? g->cell / fabs(by) : INFINITY;
        next[k] = by != 0 ? (low[2 * k] + (at[k] + (by > 0)) * g->cell - from) / by : INFINITY;
    }
    if (side == 1) side = -1;
    for (;;) {
        int k = next[0] < next[1] ? 0 : 1;
        double end = fmin(next[k], last);
        if (cross_column(&w, at[0], at[1], t, fmax(end, t), side, hit)) return true;
        at[k] += step[k];
        if (next[k] >= last || at[k] < 0 || at[k] >= g->n[2 * k]) return false;
        t = next[k];
        next[k] += each[k];
        side = 2 * k;
    }
}
