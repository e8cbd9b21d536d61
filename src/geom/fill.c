// Fills a shape with points: a lattice, or one random point per cell.
#include "geom/fill.h"

#include <math.h>

#include "base/random.h"
#include "base/stop.h"
#include "geom/fill_impl.h"
#include "par/par.h"

static const double POINTS_MOST = 2e8, CELLS_MOST = 4e9;

static double mean_spacing(double spacing, unsigned per_cell) { return spacing / cbrt((double)per_cell); }

double fill_estimate(const shape *s, double spacing, unsigned per_cell) {
    shape_mass mass;
    if (!shape_mass_of(s, &mass)) return 0;
    double edge = mean_spacing(spacing, per_cell);
    return mass.volume / (edge * edge * edge);
}

firn_status fill_check_grid(const double size[3], double cell, const double n[3]) {
    if (n[0] * n[1] * n[2] <= CELLS_MOST) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "a fill with points %g m apart needs too fine a grid for a shape of %.3g x %.3g x %.3g m; "
                "choose a larger spacing",
                cell, size[0], size[1], size[2]);
}

firn_status fill_grid_over(const shape *s, double cell, uint64_t seed, fill_grid *out) {
    firn_vec3 low, high;
    shape_bounds(s, &low, &high);
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    *out = (fill_grid){.shape = s, .cell = cell, .seed = seed};
    double n[3], size[3];
    for (int k = 0; k < 3; k++) {
        size[k] = h[k] - l[k];
        n[k] = fmax(ceil(size[k] / cell - 1e-6), 1);
        out->origin[k] = (l[k] + h[k] - n[k] * cell) / 2;
        out->edge[k] = cell;
    }
    TRY(fill_check_grid(size, cell, n));
    for (int k = 0; k < 3; k++) out->n[k] = (size_t)n[k];
    return FIRN_OK;
}

typedef struct fill_way {
    double spacing; // m, mean
    firn_fill_pattern pattern;
    bool fitted;
} fill_way;

static void fit_to_box(fill_grid *g) {
    firn_vec3 low, high;
    shape_bounds(g->shape, &low, &high);
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; k++) {
        double edge = (h[k] - l[k]) / (double)g->n[k];
        if (!(edge < g->cell * (1 - 1e-6))) continue; // the spacing divides it: keep its very bits
        g->edge[k] = edge;
        g->origin[k] = l[k];
    }
}

// Rows of cells along x; two passes: count the points, then write them.
typedef struct lattice {
    fill_grid grid;
    bool jittered;
    float limit;     // m, of the signed distance
    uint32_t *start; // per row: count, then where its points go
    float (*at)[3];  // NULL while counting
    float *distance; // of the points; NULL: not wanted
    stop_watch watch;
} lattice;

static size_t put_points(const lattice *l, size_t row, size_t first, size_t n, size_t to) {
    const fill_grid *g = &l->grid;
    float x[FILL_BLOCK] = {0}, y[FILL_BLOCK] = {0}, z[FILL_BLOCK] = {0}, d[FILL_BLOCK];
    for (size_t i = 0; i < n; i++) {
        size_t cell = row * g->n[0] + first + i;
        double u[3] = {0.5, 0.5, 0.5};
        if (l->jittered) {
            random4 r = random_bits(g->seed, cell, 0, 0);
            for (int k = 0; k < 3; k++) u[k] = (double)random_unit(r, k);
        }
        x[i] = (float)(g->origin[0] + g->edge[0] * ((double)(first + i) + u[0]));
        y[i] = (float)(g->origin[1] + g->edge[1] * ((double)(row % g->n[1]) + u[1]));
        z[i] = (float)(g->origin[2] + g->edge[2] * ((double)(row / g->n[1]) + u[2]));
    }
    shape_query(g->shape, n, x, y, z, d, NULL, NULL, NULL);
    size_t inside = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(d[i] < l->limit)) continue;
        if (l->at) {
            float *p = l->at[to + inside];
            p[0] = x[i], p[1] = y[i], p[2] = z[i];
            if (l->distance) l->distance[to + inside] = d[i];
        }
        inside++;
    }
    return inside;
}

static void fill_rows(void *context, size_t begin, size_t end) {
    lattice *l = context;
    if (stop_seen(&l->watch)) return;
    for (size_t row = begin; row < end; row++) {
        size_t count = 0, nx = l->grid.n[0], to = l->at ? l->start[row] : 0;
        for (size_t i = 0; i < nx; i += FILL_BLOCK) {
            count += put_points(l, row, i, nx - i < FILL_BLOCK ? nx - i : FILL_BLOCK, to + count);
        }
        if (!l->at) l->start[row] = (uint32_t)count;
    }
}

static firn_status put_rows(lattice *l, size_t rows, fill_points *out, float **distance) {
    uint32_t total;
    par_for(rows, 8, fill_rows, l);
    TRY(stop_status(&l->watch));
    TRY(par_scan(l->start, l->start, rows, &total));
    out->count = total;
    if (!total) return FIRN_OK;
    out->at = mem_alloc(total * sizeof *out->at);
    if (distance) l->distance = *distance = mem_alloc(total * sizeof **distance);
    if (!out->at || (distance && !*distance)) return fail_memory("filling a shape", total * sizeof *out->at);
    l->at = out->at;
    par_for(rows, 8, fill_rows, l);
    return stop_status(&l->watch);
}

firn_status fill_cells(const fill_grid *grid, bool jittered, float limit, fill_points *out,
                       float **distance) {
    lattice l = {.grid = *grid, .jittered = jittered, .limit = limit};
    size_t rows = grid->n[1] * grid->n[2];
    l.start = mem_zero(rows, sizeof *l.start);
    if (!l.start) return fail_memory("filling a shape", rows * sizeof *l.start);
    firn_status status = put_rows(&l, rows, out, distance);
    mem_free(l.start);
    return status;
}

static firn_status fill_lattice(const shape *s, const fill_way *way, uint64_t seed, fill_points *out) {
    fill_grid grid;
    TRY(fill_grid_over(s, way->spacing, seed, &grid));
    if (way->fitted) fit_to_box(&grid);
    out->spacing = fmin(fmin(grid.edge[0], grid.edge[1]), grid.edge[2]);
    return fill_cells(&grid, way->pattern == FIRN_FILL_JITTERED, 0, out, NULL);
}

firn_status fill_check(const shape *s, double spacing, unsigned per_cell, firn_fill_pattern pattern,
                       shape_mass *mass) {
    if (!(spacing > 0) || !isfinite(spacing)) {
        return fail(FIRN_BAD_INPUT, "the spacing of a fill must be larger than 0, not %g m", spacing);
    }
    if (!per_cell) return fail(FIRN_BAD_INPUT, "a fill needs at least one point per cell");
    if (pattern < FIRN_FILL_REGULAR || pattern > FIRN_FILL_BLUE_NOISE) {
        return fail(FIRN_BAD_INPUT, "unknown fill pattern %d", (int)pattern);
    }
    if (!shape_mass_of(s, mass)) return fail(FIRN_BAD_INPUT, "an unbounded shape cannot be filled");
    double count = fill_estimate(s, spacing, per_cell);
    if (!(count <= POINTS_MOST)) {
        return fail(FIRN_BAD_INPUT,
                    "a fill of %.3g points is too large (at most %.3g); choose a larger spacing", count,
                    POINTS_MOST);
    }
    return FIRN_OK;
}

static firn_status fill_with(const shape *s, const fill_way *way, uint64_t seed, fill_points *out) {
    out->spacing = way->spacing;
    TRY(way->pattern == FIRN_FILL_BLUE_NOISE ? fill_blue_noise(s, way->spacing, seed, out)
                                             : fill_lattice(s, way, seed, out));
    return out->count ? FIRN_OK
                      : fail(FIRN_BAD_INPUT,
                             "no point fits inside the shape at a spacing of %g m; choose a smaller one",
                             way->spacing);
}

static firn_status fill_any(const shape *s, const fill_way *way, uint64_t seed, double volume,
                            fill_points *out) {
    firn_status status = fill_with(s, way, seed, out);
    if (status != FIRN_OK) {
        fill_free(out);
        return status;
    }
    out->volume = volume / (double)out->count;
    return FIRN_OK;
}

firn_status fill_shape(const shape *s, double spacing, unsigned per_cell, firn_fill_pattern pattern,
                       uint64_t seed, fill_points *out) {
    shape_mass mass;
    *out = (fill_points){0};
    TRY(fill_check(s, spacing, per_cell, pattern, &mass));
    fill_way way = {mean_spacing(spacing, per_cell), pattern, false};
    return fill_any(s, &way, seed, mass.volume, out);
}

firn_status fill_shape_fitted(const shape *s, double spacing, firn_fill_pattern pattern, uint64_t seed,
                              fill_points *out) {
    shape_mass mass;
    *out = (fill_points){0};
    TRY(fill_check(s, spacing, 1, pattern, &mass));
    fill_way way = {spacing, pattern, true};
    return fill_any(s, &way, seed, mass.volume, out);
}

void fill_free(fill_points *points) {
    mem_free(points->at);
    *points = (fill_points){0};
}
