// Vertical lines through primitives in closed form, and through the triangles of meshes.
#include "geom/shape_columns.h"

#include <math.h>

#include "geom/shape_impl.h"
#include "math/dvec.h"

// The part of a line, by its height, that is inside something convex; empty if low > high.
typedef struct span {
    double low, high;
} span;

static const span nothing = {INFINITY, -INFINITY};

static span both(span a, span b) { return (span){fmax(a.low, b.low), fmin(a.high, b.high)}; }
static span either(span a, span b) {
    if (!(a.low <= a.high)) return b;
    if (!(b.low <= b.high)) return a;
    return (span){fmin(a.low, b.low), fmax(a.high, b.high)};
}

// a t^2 + 2 b t + c <= 0
static span below_zero(double a, double b, double c) {
    if (a < 1e-18) return c <= 0 ? (span){-INFINITY, INFINITY} : nothing;
    double d = b * b - a * c;
    if (d < 0) return nothing;
    double root = sqrt(d);
    return (span){(-b - root) / a, (-b + root) / a};
}

// |o + t d| <= half
static span slab(double o, double d, double half) {
    if (fabs(d) < 1e-12) return fabs(o) <= half ? (span){-INFINITY, INFINITY} : nothing;
    double a = (-half - o) / d, b = (half - o) / d;
    return (span){fmin(a, b), fmax(a, b)};
}

static span ball(firn_vec3 o, firn_vec3 d, double radius) {
    return below_zero(dvec_dot(d, d), dvec_dot(o, d), dvec_dot(o, o) - radius * radius);
}

static span pipe(firn_vec3 o, firn_vec3 d, double radius, double half) {
    span round =
        below_zero(d.x * d.x + d.z * d.z, o.x * d.x + o.z * d.z, o.x * o.x + o.z * o.z - radius * radius);
    return both(round, slab(o.y, d.y, half));
}

static span ellipsoid(firn_vec3 o, firn_vec3 d, const double r[3]) {
    return ball(dvec(o.x / r[0], o.y / r[1], o.z / r[2]), dvec(d.x / r[0], d.y / r[1], d.z / r[2]), 1);
}

static span half_space(firn_vec3 o, firn_vec3 d) {
    if (fabs(d.y) < 1e-12) return o.y <= 0 ? (span){-INFINITY, INFINITY} : nothing;
    double t = -o.y / d.y;
    return d.y > 0 ? (span){-INFINITY, t} : (span){t, INFINITY};
}

static span primitive_span(const shape_primitive *p, firn_vec3 o, firn_vec3 d) {
    const double h[3] = {(double)p->half[0], (double)p->half[1], (double)p->half[2]};
    switch (p->kind) {
    case FIRN_SHAPE_PLANE: return half_space(o, d);
    case FIRN_SHAPE_BOX: return both(both(slab(o.x, d.x, h[0]), slab(o.y, d.y, h[1])), slab(o.z, d.z, h[2]));
    case FIRN_SHAPE_SPHERE: return ball(o, d, h[0]);
    case FIRN_SHAPE_ELLIPSOID: return ellipsoid(o, d, h);
    case FIRN_SHAPE_CYLINDER: return pipe(o, d, h[0], h[1]);
    default: { // capsule: convex, so that the union of its three parts has no gap
        span caps =
            either(ball(dvec(o.x, o.y - h[1], o.z), d, h[0]), ball(dvec(o.x, o.y + h[1], o.z), d, h[0]));
        return either(pipe(o, d, h[0], h[1]), caps);
    }
    }
}

// The grid seen from the shape: line (x, z) starts at o + x ex + z ez (at height `base`) and goes along d.
typedef struct seen_grid {
    firn_vec3 o, ex, ez, d;
} seen_grid;

static seen_grid see(firn_vec3 at, firn_quat turn, const column_grid *g) {
    firn_vec3 first = dvec(g->x0 - at.x, g->base - at.y, g->z0 - at.z);
    return (seen_grid){dquat_rotate_back(turn, first), dquat_rotate_back(turn, dvec(g->step, 0, 0)),
                       dquat_rotate_back(turn, dvec(0, 0, g->step)), dquat_rotate_back(turn, dvec(0, 1, 0))};
}

static void keep(span s, size_t i, float *low, float *high) {
    if (!(s.low <= s.high)) return;
    low[i] = fminf(low[i], (float)s.low);
    high[i] = fmaxf(high[i], (float)s.high);
}

// Bilinear, as shape_sdf.h has it.
static span ground_span(const ground_map *m, firn_vec3 o) {
    double half_x = (double)m->half_x, half_z = (double)m->half_z;
    if (fabs(o.x) > half_x || fabs(o.z) > half_z) return nothing;
    double u = (o.x + half_x) * (double)m->cells_x, v = (o.z + half_z) * (double)m->cells_z;
    int i = (int)fmin(u, m->nx - 2), j = (int)fmin(v, m->nz - 2);
    const float *a = m->heights + (size_t)j * (size_t)m->nx + (size_t)i;
    double s = u - i, t = v - j;
    double top = (1 - t) * ((1 - s) * (double)a[0] + s * (double)a[1]) +
                 t * ((1 - s) * (double)a[m->nx] + s * (double)a[m->nx + 1]);
    return (span){(double)m->bottom - o.y, top - o.y};
}

static void by_lines(const shape *s, const seen_grid *seen, const column_grid *g, float *low, float *high) {
    for (int32_t z = 0; z < g->nz; z++) {
        firn_vec3 row = dvec_add_scaled(seen->o, seen->ez, z);
        for (int32_t x = 0; x < g->nx; x++) {
            firn_vec3 o = dvec_add_scaled(row, seen->ex, x);
            span found =
                s->ground_heights ? ground_span(&s->ground, o) : primitive_span(&s->primitive, o, seen->d);
            keep(found, (size_t)z * (size_t)g->nx + (size_t)x, low, high);
        }
    }
}

// A corner in units of the grid, its height over the base.
static firn_vec3 corner(const float p[3], firn_vec3 at, firn_quat turn, const column_grid *g) {
    firn_vec3 w = dvec_add(at, dquat_rotate(turn, dvec((double)p[0], (double)p[1], (double)p[2])));
    return dvec((w.x - g->x0) / g->step, w.y - g->base, (w.z - g->z0) / g->step);
}

static double side(firn_vec3 a, firn_vec3 b, double x, double z) {
    return (b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x);
}

// Lines on an edge belong to both triangles: the lower of equal heights is the same height.
static void by_triangle(const firn_vec3 c[3], const column_grid *g, float *low, float *high) {
    double area = side(c[0], c[1], c[2].x, c[2].z);
    if (fabs(area) < 1e-12) return; // upright: its edges belong to others
    firn_vec3 least = dvec_min(c[0], dvec_min(c[1], c[2])), most = dvec_max(c[0], dvec_max(c[1], c[2]));
    int32_t z1 = (int32_t)fmin(floor(most.z), g->nz - 1), x1 = (int32_t)fmin(floor(most.x), g->nx - 1);
    for (int32_t z = (int32_t)fmax(ceil(least.z), 0); z <= z1; z++) {
        for (int32_t x = (int32_t)fmax(ceil(least.x), 0); x <= x1; x++) {
            double a = side(c[1], c[2], x, z) / area, b = side(c[2], c[0], x, z) / area, e = 1 - a - b;
            if (a < -1e-9 || b < -1e-9 || e < -1e-9) continue;
            double y = a * c[0].y + b * c[1].y + e * c[2].y;
            keep((span){y, y}, (size_t)z * (size_t)g->nx + (size_t)x, low, high);
        }
    }
}

static void by_mesh(const mesh *m, firn_vec3 at, firn_quat turn, const column_grid *g, float *low,
                    float *high) {
    for (size_t t = 0; t < m->triangles; t++) {
        firn_vec3 c[3];
        for (int k = 0; k < 3; k++) c[k] = corner(m->position[m->triangle[t][k]], at, turn, g);
        by_triangle(c, g, low, high);
    }
}

static void add_columns(const shape *s, firn_vec3 at, firn_quat turn, const column_grid *g, float *low,
                        float *high) {
    if (s->parts) {
        for (size_t i = 0; i < s->part_count; i++) {
            const shape_part *p = &s->parts[i];
            double m[3][3];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) m[r][c] = (double)p->turn[r][c];
            firn_vec3 place = dvec((double)p->at[0], (double)p->at[1], (double)p->at[2]);
            add_columns(p->shape, dvec_add(at, dquat_rotate(turn, place)),
                        dquat_multiply(turn, dquat_from_matrix(m)), g, low, high);
        }
        return;
    }
    seen_grid seen = see(at, turn, g);
    bool upright = seen.d.y > 1 - 1e-12;
    if (s->solid || (s->ground_heights && !upright))
        by_mesh(shape_mesh(s), at, turn, g, low, high);
    else
        by_lines(s, &seen, g, low, high);
}

void shape_columns(const shape *s, firn_vec3 at, firn_quat turn, const column_grid *g, float *low,
                   float *high) {
    for (size_t i = 0; i < (size_t)g->nx * (size_t)g->nz; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    add_columns(s, at, turn, g, low, high);
}
