// A ray against the snow field: the surface between the middles of cells is bilinear; steps of half a cell
// find where the ray goes below it, bisection finds the place. Tiles where nothing happened are passed at
// once.
#include "world/query.h"

#include <math.h>

#include "geom/snowfield.h"
#include "math/dvec.h"

typedef struct field_way {
    const firn_snowfield *f;
    const ray_way *r;
    double first, last; // where it is above or below the field
    double step;        // m along the ray: half a cell
    bool inside;        // it began below the surface and has not come out yet
} field_way;

static double above(const field_way *w, double t) {
    firn_vec3 p = dvec_add_scaled(w->r->from, w->r->along, t);
    double surface, depth;
    snowfield_sample(w->f, p.x, p.z, &surface, &depth);
    return p.y - surface;
}

static firn_vec3 normal_at(const firn_snowfield *f, double x, double z) {
    double half = f->cell / 2, h[4], depth;
    snowfield_sample(f, x - half, z, &h[0], &depth);
    snowfield_sample(f, x + half, z, &h[1], &depth);
    snowfield_sample(f, x, z - half, &h[2], &depth);
    snowfield_sample(f, x, z + half, &h[3], &depth);
    return dvec_normalise(dvec((h[0] - h[1]) / f->cell, 1, (h[2] - h[3]) / f->cell));
}

static bool note(const field_way *w, double t, const firn_vec3 *normal, firn_hit *hit) {
    firn_vec3 p = dvec_add_scaled(w->r->from, w->r->along, t);
    double surface, depth;
    snowfield_sample(w->f, p.x, p.z, &surface, &depth);
    *hit = (firn_hit){.what = FIRN_RAY_SNOWFIELD, .body = SIZE_MAX, .distance = t, .point = p};
    hit->normal = normal ? *normal : normal_at(w->f, p.x, p.z);
    hit->depth = fmax(0, fmin(depth, p.y - (surface - depth)));
    return true;
}

static bool bisect(const field_way *w, double out, double in, firn_hit *hit) {
    for (int i = 0; i < 50 && in - out > 1e-9 * (1 + in); i++) {
        double middle = (out + in) / 2;
        if (above(w, middle) > 0)
            out = middle;
        else
            in = middle;
    }
    return note(w, (out + in) / 2, NULL, hit);
}

// From a to b, where the surface is uneven.
static bool march(field_way *w, double a, double b, firn_hit *hit) {
    double before = a;
    size_t steps = (size_t)ceil((b - a) / w->step);
    for (size_t k = 1; k <= steps; k++) {
        double t = k == steps ? b : a + (double)k * w->step;
        bool below = above(w, t) < 0;
        if (w->inside)
            w->inside = below;
        else if (below)
            return bisect(w, before, t, hit);
        before = t;
    }
    return false;
}

// Nothing happened in this tile and in those around it.
static bool is_plain(const firn_snowfield *f, int32_t column, int32_t row) {
    for (int32_t z = row - 1; z <= row + 1; z++)
        for (int32_t x = column - 1; x <= column + 1; x++) {
            if (x < 0 || z < 0 || x >= f->columns || z >= f->rows) continue;
            if (f->tile[(size_t)z * (size_t)f->columns + (size_t)x] >= 0) return false;
        }
    return f->even;
}

// Where the ray leaves a tile.
static double tile_end(const field_way *w, int32_t column, int32_t row, double t) {
    const firn_snowfield *f = w->f;
    double edge = f->edge * f->cell, end = w->last;
    const double low[2] = {f->x0 + column * edge, f->z0 + row * edge};
    for (int k = 0; k < 2; k++) {
        double by = ray_coordinate(w->r->along, 2 * k), at = ray_coordinate(w->r->from, 2 * k);
        if (by != 0) end = fmin(end, ((by > 0 ? low[k] + edge : low[k]) - at) / by);
    }
    return fmax(end, t + 1e-3 * w->step); // at least a little on, into the next
}

static bool cross_tiles(field_way *w, firn_hit *hit) {
    const firn_snowfield *f = w->f;
    double plain = f->plain_ground + f->plain_depth, edge = f->edge * f->cell;
    for (double t = w->first; t < w->last;) {
        firn_vec3 p = dvec_add_scaled(w->r->from, w->r->along, t + 1e-3 * w->step);
        int32_t column = (int32_t)floor((p.x - f->x0) / edge), row = (int32_t)floor((p.z - f->z0) / edge);
        double end = fmin(tile_end(w, column, row, t), w->last);
        double y0 = w->r->from.y + t * w->r->along.y, y1 = w->r->from.y + end * w->r->along.y;
        if (!is_plain(f, column, row)) {
            if (march(w, t, end, hit)) return true;
        } else if (w->inside) {
            w->inside = y1 < plain;
        } else if (y0 >= plain && y1 < plain) {
            return note(w, (plain - w->r->from.y) / w->r->along.y, NULL, hit);
        }
        t = end;
    }
    return false;
}

// Through a side of the field, into the snow.
static bool enters_by_side(const field_way *w, int side, firn_hit *hit) {
    firn_vec3 p = dvec_add_scaled(w->r->from, w->r->along, w->first);
    double surface, depth, sign = ray_coordinate(w->r->along, side) > 0 ? -1 : 1;
    snowfield_sample(w->f, p.x, p.z, &surface, &depth);
    if (!(p.y < surface && p.y > surface - depth)) return false;
    const firn_vec3 normal = {side == 0 ? sign : 0, 0, side == 2 ? sign : 0};
    return note(w, w->first, &normal, hit);
}

bool ray_snowfield(const firn_snowfield *f, const ray_way *r, firn_hit *hit) {
    field_way w = {.f = f, .r = r};
    const double low[3] = {f->x0, -INFINITY, f->z0};
    const double high[3] = {f->x0 + f->nx * f->cell, INFINITY, f->z0 + f->nz * f->cell};
    int side;
    if (!ray_clip(r, low, high, &w.first, &w.last, &side)) return false;
    if (side >= 0 && enters_by_side(&w, side, hit)) return true;
    double level = sqrt(r->along.x * r->along.x + r->along.z * r->along.z);
    w.inside = above(&w, w.first) < 0;
    if (level < 1e-9) { // straight down
        double fall = above(&w, 0);
        return r->along.y < 0 && fall >= 0 && fall < w.last && note(&w, fall, NULL, hit);
    }
    w.step = f->cell / 2 / level;
    return cross_tiles(&w, hit);
}
