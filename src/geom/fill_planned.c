// Fills whose particles have together the volume of the shape.
#include <math.h>
#include <string.h>

#include "geom/fill_impl.h"

// A volume that is right to SAME keeps its bits, a lattice whose count is RIGHT its rows. Of a lattice in a
// shape with curved faces, points up to NEAR spacings outside of the surface may be taken, or as near to it
// left out.
static const double SAME = 1e-3, RIGHT = 5e-3, NEAR = 0.25;

static double volume_of(const shape *s) {
    shape_mass mass;
    return shape_mass_of(s, &mass) ? mass.volume : 0;
}

static void size_of(const shape *s, double low[3], double size[3]) {
    firn_vec3 l = {0, 0, 0}, h = {0, 0, 0};
    shape_bounds(s, &l, &h);
    low[0] = l.x, low[1] = l.y, low[2] = l.z;
    size[0] = h.x - l.x, size[1] = h.y - l.y, size[2] = h.z - l.z;
}

// Layers along one axis, and the edge of a cell: the wanted one if it divides the size to a millionth.
static double layers(double size, double wanted, double *edge) {
    double n = fmax(round(size / wanted), 1);
    *edge = size / n;
    if (fabs(*edge / wanted - 1) < 1e-6) *edge = wanted;
    return n;
}

static void sort_axes(const double size[3], int axis[3]) {
    for (int k = 0; k < 3; k++) axis[k] = k;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (size[axis[k]] > size[axis[k + 1]]) {
                int swap = axis[k];
                axis[k] = axis[k + 1], axis[k + 1] = swap;
            }
}

// The shorter sides first: what their layers are too thick or too thin, the next side makes up for. The rest
// is left to the longest side, where it is least.
static void plan_box(const double size[3], double spacing, fill_sizes sizes, fill_plan *p) {
    int axis[3];
    double n[3], cell = spacing * spacing * spacing, wanted = spacing,
                 exact = size[0] * size[1] * size[2] / cell;
    sort_axes(size, axis);
    for (int k = 0; k < 3; k++) {
        n[k] = layers(size[axis[k]], wanted, &p->edge[axis[k]]);
        if (fabs(p->edge[axis[k]] / spacing - 1) < 1e-6) p->edge[axis[k]] = spacing;
        if (k == 0 && p->edge[axis[0]] != spacing) wanted = sqrt(cell / p->edge[axis[0]]);
        if (k == 1 && p->edge[axis[1]] != wanted) wanted = cell / (p->edge[axis[0]] * p->edge[axis[1]]);
        p->n[axis[k]] = (size_t)fmin(n[k], 1e9);
    }
    double all = n[0] * n[1] * n[2];
    if (sizes == FILL_EQUAL && fabs(all / exact - 1) > RIGHT) {
        p->rows = axis[2];
        p->edge[axis[2]] = size[axis[2]] * n[0] * n[1] / p->count;
        return;
    }
    p->count = all;
}

static void measure_edges(const double size[3], fill_plan *p) {
    p->spacing = INFINITY;
    p->depth = INFINITY;
    for (int k = 0; k < 3; k++) {
        if (size[k] > 1.5 * p->edge[k]) p->spacing = fmin(p->spacing, p->edge[k]);
        p->depth = fmin(p->depth, 0.5 * p->edge[k]);
    }
}

fill_plan fill_plan_of(const shape *s, double spacing, fill_sizes sizes) {
    double volume = volume_of(s), cell = spacing * spacing * spacing, low[3], size[3];
    if (!(volume > 0)) return (fill_plan){.rows = -1};
    fill_plan p = {fmax(round(volume / cell), 1), cell, {spacing, spacing, spacing}, .rows = -1};
    size_of(s, low, size);
    if (shape_kind(s) == FIRN_SHAPE_BOX) {
        plan_box(size, spacing, sizes, &p);
    } else if (shape_kind(s) == FIRN_SHAPE_CYLINDER) {
        layers(size[1], spacing, &p.edge[1]);
        if (p.edge[1] != spacing) p.edge[0] = p.edge[2] = sqrt(cell / p.edge[1]);
    }
    measure_edges(size, &p);
    if (!isfinite(p.spacing)) p.spacing = spacing;
    if (sizes == FILL_ADAPTED && fabs(volume / p.count / cell - 1) > SAME) p.volume = volume / p.count;
    return p;
}

// ---- boxes

static firn_status alloc_points(fill_points *out, double count) {
    out->count = (size_t)count;
    out->at = mem_alloc(out->count * sizeof *out->at);
    return out->at ? FIRN_OK : fail_memory("filling a shape", out->count * sizeof *out->at);
}

// i-th of n whole numbers that are as equal as can be and have this sum.
static size_t equal_part(size_t i, size_t n, size_t sum) { return (i + 1) * sum / n - i * sum / n; }

// Rows along p->rows of equal points each, or one more.
static firn_status fill_box_rows(const shape *s, const fill_plan *p, fill_points *out) {
    double low[3], size[3];
    int a = p->rows, b = (a + 1) % 3, c = (a + 2) % 3;
    size_t rows = p->n[b] * p->n[c], i = 0;
    TRY(alloc_points(out, p->count));
    size_of(s, low, size);
    for (size_t row = 0; row < rows; row++) {
        size_t n = equal_part(row, rows, out->count);
        for (size_t k = 0; k < n; k++, i++) {
            out->at[i][a] = (float)(low[a] + size[a] * ((double)k + 0.5) / (double)n);
            out->at[i][b] = (float)(low[b] + p->edge[b] * ((double)(row % p->n[b]) + 0.5));
            out->at[i][c] = (float)(low[c] + p->edge[c] * ((double)(row / p->n[b]) + 0.5));
        }
    }
    return FIRN_OK;
}

static fill_grid grid_of(const shape *s, const fill_plan *p, const size_t n[3]) {
    fill_grid g = {.shape = s, .cell = p->spacing};
    firn_vec3 l, h;
    shape_bounds(s, &l, &h);
    const double both[3] = {l.x + h.x, l.y + h.y, l.z + h.z};
    for (int k = 0; k < 3; k++) {
        g.edge[k] = p->edge[k];
        g.n[k] = n[k];
        g.origin[k] = (both[k] - (double)n[k] * p->edge[k]) / 2;
    }
    return g;
}

// ---- other shapes

// Keeps so many points, evenly spread over all of them.
static void thin_out(fill_points *out, size_t wanted) {
    size_t kept = 0, all = out->count;
    for (size_t i = 0; i < all; i++)
        if (equal_part(i, all, wanted)) memmove(out->at[kept++], out->at[i], sizeof *out->at);
    out->count = kept;
}

enum { BINS = 64 };

// Bin of a signed distance from -near to near; -1: deeper.
static int bin_of(float distance, double near) {
    double bin = floor(((double)distance + near) / (2 * near) * BINS);
    return bin < 0 ? -1 : (int)fmin(bin, BINS - 1);
}

// Keeps the deepest points. Those of about the same depth, as below a flat face, are thinned out evenly.
static bool keep_deepest(fill_points *out, const float *distance, double near, size_t wanted) {
    size_t count[BINS] = {0}, deeper = 0, seen = 0, kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        int bin = bin_of(distance[i], near);
        if (bin < 0)
            deeper++;
        else
            count[bin]++;
    }
    if (deeper > wanted || out->count < wanted) return false;
    int last = 0;
    while (last < BINS - 1 && deeper + count[last] <= wanted) deeper += count[last++];
    for (size_t i = 0; i < out->count; i++) {
        int bin = bin_of(distance[i], near);
        if (bin > last || (bin == last && !equal_part(seen++, count[last], wanted - deeper))) continue;
        memmove(out->at[kept++], out->at[i], sizeof *out->at);
    }
    out->count = kept;
    return true;
}

// A lattice whose layers lie at the centre of the shape's box or half an edge beside it.
static firn_status fill_deepest(const shape *s, const fill_plan *p, fill_points *out, bool *done) {
    double low[3], size[3], near = NEAR * p->spacing;
    size_of(s, low, size);
    *done = false;
    for (int more = 0; more < 2 && !*done; more++) {
        double n[3];
        for (int k = 0; k < 3; k++) n[k] = fmax(round(size[k] / p->edge[k]), 1) + 2 + more;
        TRY(fill_check_grid(size, p->spacing, n));
        fill_grid g = grid_of(s, p, (size_t[3]){(size_t)n[0], (size_t)n[1], (size_t)n[2]});
        float *distance = NULL;
        firn_status status = fill_cells(&g, false, (float)near, out, &distance);
        if (status == FIRN_OK && out->count) *done = keep_deepest(out, distance, near, (size_t)p->count);
        mem_free(distance);
        TRY(status);
        if (!*done) fill_free(out);
    }
    return FIRN_OK;
}

// As dense as needed, then thinned out.
static firn_status fill_denser(const shape *s, const fill_plan *p, double spacing, firn_fill_pattern pattern,
                               uint64_t seed, fill_points *out) {
    enum { TRIES = 12 };
    double closer = 1;
    for (int i = 0; i < TRIES; i++) {
        firn_status status = fill_shape(s, closer * spacing, 1, pattern, seed, out);
        if (status != FIRN_OK && status != FIRN_BAD_INPUT) return status;
        double found = (double)out->count;
        if (found >= p->count) {
            thin_out(out, (size_t)p->count);
            return FIRN_OK;
        }
        fill_free(out);
        closer *= fmax(0.995 * cbrt(found / p->count), 0.7);
    }
    return fail(FIRN_BAD_INPUT, "no point fits inside the shape at a spacing of %g m; choose a smaller one",
                spacing);
}

firn_status fill_planned(const shape *s, double spacing, fill_sizes sizes, firn_fill_pattern pattern,
                         uint64_t seed, fill_points *out) {
    shape_mass mass;
    bool done = false;
    *out = (fill_points){0};
    TRY(fill_check(s, spacing, 1, pattern, &mass));
    const fill_plan p = fill_plan_of(s, spacing, sizes);
    firn_status status = FIRN_OK;
    if (pattern == FIRN_FILL_REGULAR && p.rows >= 0) {
        status = fill_box_rows(s, &p, out);
        done = true;
    } else if (pattern == FIRN_FILL_REGULAR && p.n[0] > 0) {
        fill_grid g = grid_of(s, &p, p.n);
        status = fill_cells(&g, false, INFINITY, out, NULL);
        done = true;
    } else if (pattern == FIRN_FILL_REGULAR) {
        status = fill_deepest(s, &p, out, &done);
    }
    if (status == FIRN_OK && !done) status = fill_denser(s, &p, spacing, pattern, seed, out);
    if (status != FIRN_OK) {
        fill_free(out);
        return status;
    }
    out->volume = p.volume;
    out->spacing = p.spacing;
    return FIRN_OK;
}
