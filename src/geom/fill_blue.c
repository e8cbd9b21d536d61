// Blue noise by dart throwing in phases (after Wei 2008): cells of one phase are too far apart to disturb
// each other, so they are tried at once, and the result does not depend on who tries first.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/stop.h"
#include "geom/fill_impl.h"
#include "par/par.h"

enum {
    STRIDE = 2, // between cells of a phase: one cell, as long as the least distance, lies between them
    PHASES = STRIDE * STRIDE * STRIDE,
    ROUNDS = 3,
    DARTS = 8, // in each cell and round; afterwards little room is left
    ROOM = 8,  // points in a cell: no more fit with the least distance between them
    NEIGHBOURS = 27 * ROOM,
};

// Both in units of the mean spacing, and measured (see test_fill.c): with this least distance the darts end
// at one point per cell of the mean spacing. Along a surface they would pack denser, since nothing outside
// keeps them off; so they stay a little inside of it, just as much as makes the count right.
static const double LEAST_DISTANCE = 0.846, MARGIN = 0.28;

typedef enum cell_kind { CELL_OUTSIDE, CELL_SURFACE, CELL_INSIDE } cell_kind;

typedef struct cell {
    float at[ROOM][3];
    uint32_t count;
    uint32_t kind;
} cell;

typedef struct darts {
    fill_grid grid; // cells as long as the least distance
    float margin;   // m, off the surface
    cell *cells;
    size_t phase;
    uint32_t round;
    stop_watch watch;
} darts;

static size_t cell_count(const fill_grid *g) { return g->n[0] * g->n[1] * g->n[2]; }

static void cell_place(const fill_grid *g, size_t index, size_t ijk[3]) {
    ijk[0] = index % g->n[0];
    ijk[1] = index / g->n[0] % g->n[1];
    ijk[2] = index / g->n[0] / g->n[1];
}

static float coordinate(const fill_grid *g, int k, size_t i, double u) {
    return (float)(g->origin[k] + g->cell * ((double)i + u));
}

// Whether a cell lies outside, inside or across the surface, by the distance of its middle.
static void sort_cells(void *context, size_t begin, size_t end) {
    darts *d = context;
    if (stop_seen(&d->watch)) return;
    const float half_diagonal = (float)(0.87 * d->grid.cell);
    float p[3][FILL_BLOCK] = {{0}}, distance[FILL_BLOCK];
    for (size_t i = begin; i < end; i++) {
        size_t ijk[3];
        cell_place(&d->grid, i, ijk);
        for (int k = 0; k < 3; k++) p[k][i - begin] = coordinate(&d->grid, k, ijk[k], 0.5);
    }
    shape_query(d->grid.shape, end - begin, p[0], p[1], p[2], distance, NULL, NULL, NULL);
    for (size_t i = begin; i < end; i++) {
        float away = distance[i - begin] + d->margin;
        d->cells[i].count = 0;
        d->cells[i].kind = away > half_diagonal    ? CELL_OUTSIDE
                           : away < -half_diagonal ? CELL_INSIDE
                                                   : CELL_SURFACE;
    }
}

typedef struct neighbourhood {
    float x[NEIGHBOURS], y[NEIGHBOURS], z[NEIGHBOURS];
    size_t count;
} neighbourhood;

static void add_neighbour(neighbourhood *n, const float p[3]) {
    n->x[n->count] = p[0], n->y[n->count] = p[1], n->z[n->count++] = p[2];
}

static void collect_neighbours(const darts *d, const size_t ijk[3], neighbourhood *n) {
    const fill_grid *g = &d->grid;
    size_t low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = ijk[k] ? ijk[k] - 1 : 0;
        high[k] = ijk[k] + 1 < g->n[k] ? ijk[k] + 1 : ijk[k];
    }
    n->count = 0;
    for (size_t c = low[2]; c <= high[2]; c++) {
        for (size_t b = low[1]; b <= high[1]; b++) {
            const cell *row = d->cells + (c * g->n[1] + b) * g->n[0];
            for (size_t a = low[0]; a <= high[0]; a++) {
                for (uint32_t i = 0; i < row[a].count; i++) add_neighbour(n, row[a].at[i]);
            }
        }
    }
}

static bool has_room(const neighbourhood *n, const float p[3], float least_square) {
    int near = 0;
    for (size_t i = 0; i < n->count; i++) {
        float x = n->x[i] - p[0], y = n->y[i] - p[1], z = n->z[i] - p[2];
        near |= x * x + y * y + z * z < least_square;
    }
    return !near;
}

static void throw_at_cell(const darts *d, size_t index, const size_t ijk[3]) {
    const fill_grid *g = &d->grid;
    cell *c = &d->cells[index];
    float p[3][DARTS], distance[DARTS];
    for (uint32_t t = 0; t < DARTS; t++) {
        random4 r = random_bits(g->seed, index, d->round * DARTS + t, 1);
        for (int k = 0; k < 3; k++) p[k][t] = coordinate(g, k, ijk[k], (double)random_unit(r, k));
    }
    if (c->kind == CELL_SURFACE) shape_query(g->shape, DARTS, p[0], p[1], p[2], distance, NULL, NULL, NULL);
    neighbourhood n;
    collect_neighbours(d, ijk, &n);
    const float least_square = (float)(g->cell * g->cell);
    for (uint32_t t = 0; t < DARTS && c->count < ROOM; t++) {
        const float at[3] = {p[0][t], p[1][t], p[2][t]};
        if (c->kind == CELL_SURFACE && !(distance[t] < -d->margin)) continue;
        if (!has_room(&n, at, least_square)) continue;
        memcpy(c->at[c->count++], at, sizeof at);
        add_neighbour(&n, at);
    }
}

// Tasks are rows of the present phase's cells.
static void throw_at_row(void *context, size_t row) {
    darts *d = context;
    if (stop_seen(&d->watch)) return;
    const fill_grid *g = &d->grid;
    size_t first = d->phase % STRIDE, y = d->phase / STRIDE % STRIDE, z = d->phase / STRIDE / STRIDE;
    size_t rows_y = (g->n[1] - y + STRIDE - 1) / STRIDE;
    size_t ijk[3] = {0, y + STRIDE * (row % rows_y), z + STRIDE * (row / rows_y)};
    for (size_t i = first; i < g->n[0]; i += STRIDE) {
        size_t index = (ijk[2] * g->n[1] + ijk[1]) * g->n[0] + i;
        if (d->cells[index].kind == CELL_OUTSIDE) continue;
        ijk[0] = i;
        throw_at_cell(d, index, ijk);
    }
}

static size_t phase_rows(const fill_grid *g, size_t phase) {
    size_t y = phase / STRIDE % STRIDE, z = phase / STRIDE / STRIDE;
    if (y >= g->n[1] || z >= g->n[2]) return 0;
    return ((g->n[1] - y + STRIDE - 1) / STRIDE) * ((g->n[2] - z + STRIDE - 1) / STRIDE);
}

// In the order of the cells.
static firn_status collect(const darts *d, fill_points *out) {
    size_t all = cell_count(&d->grid), count = 0;
    for (size_t i = 0; i < all; i++) count += d->cells[i].count;
    out->count = count;
    if (!count) return FIRN_OK;
    out->at = mem_alloc(count * sizeof *out->at);
    if (!out->at) return fail_memory("filling a shape", count * sizeof *out->at);
    count = 0;
    for (size_t i = 0; i < all; i++) {
        memcpy(out->at[count], d->cells[i].at, d->cells[i].count * sizeof d->cells[i].at[0]);
        count += d->cells[i].count;
    }
    return FIRN_OK;
}

firn_status fill_blue_noise(const shape *s, double mean_spacing, uint64_t seed, fill_points *out) {
    darts d = {.margin = (float)fmin(MARGIN * mean_spacing, shape_thickness(s) / 8)};
    TRY(fill_grid_over(s, LEAST_DISTANCE * mean_spacing, seed, &d.grid));
    size_t all = cell_count(&d.grid);
    if (all > SIZE_MAX / sizeof *d.cells) return fail_memory("filling a shape", SIZE_MAX);
    d.cells = mem_alloc(all * sizeof *d.cells);
    if (!d.cells) return fail_memory("filling a shape", all * sizeof *d.cells);
    par_for(all, FILL_BLOCK, sort_cells, &d);
    firn_status status = stop_status(&d.watch);
    for (d.round = 0; d.round < ROUNDS && status == FIRN_OK; d.round++) {
        for (d.phase = 0; d.phase < PHASES; d.phase++)
            par_tasks(phase_rows(&d.grid, d.phase), throw_at_row, &d);
        status = stop_status(&d.watch);
    }
    if (status == FIRN_OK) status = collect(&d, out);
    mem_free(d.cells);
    return status;
}
