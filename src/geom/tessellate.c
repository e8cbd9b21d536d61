// Meshes of spheres, boxes, cylinders and other primitives, for pictures.
#include "geom/tessellate.h"

#include <assert.h>
#include <math.h>

enum { SEGMENTS = 64, ROWS = 32, PROFILE_ROOM = ROWS + 8 };

static const double PLANE_HALF = 500; // m; a plane is drawn as a square of a kilometre

static void put_vertex(mesh *m, size_t at, const double position[3], const double normal[3]) {
    for (int k = 0; k < 3; k++) {
        m->position[at][k] = (float)position[k];
        m->normal[at][k] = (float)normal[k];
    }
}

static void put_triangle(mesh *m, size_t *count, size_t a, size_t b, size_t c) {
    uint32_t *t = m->triangle[(*count)++];
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

static bool same_place(const lathe_point *a, const lathe_point *b) { return a->r == b->r && a->y == b->y; }

// Rings of the profile's inner points, then the bottom and the top pole.
static void lathe_vertices(const lathe_point *profile, size_t points, size_t segments, mesh *m) {
    size_t at = 0;
    for (size_t i = 1; i + 1 < points; i++) {
        for (size_t j = 0; j < segments; j++) {
            double angle = 2 * M_PI * (double)j / (double)segments, c = cos(angle), s = sin(angle);
            put_vertex(m, at++, (double[3]){profile[i].r * c, profile[i].y, -profile[i].r * s},
                       (double[3]){profile[i].nr * c, profile[i].ny, -profile[i].nr * s});
        }
    }
    put_vertex(m, at++, (double[3]){0, profile[0].y, 0}, (double[3]){0, -1, 0});
    put_vertex(m, at, (double[3]){0, profile[points - 1].y, 0}, (double[3]){0, 1, 0});
}

firn_status tessellate_lathe(const lathe_point *profile, size_t points, size_t segments, mesh *out) {
    assert(points >= 3 && profile[0].r == 0 && profile[points - 1].r == 0);
    size_t rings = points - 2, bands = 0;
    for (size_t i = 1; i < rings; i++) bands += !same_place(&profile[i], &profile[i + 1]);
    TRY(mesh_alloc(rings * segments + 2, (2 * bands + 2) * segments, true, out));
    lathe_vertices(profile, points, segments, out);
    size_t bottom = rings * segments, top = bottom + 1, count = 0;
    for (size_t j = 0; j < segments; j++) {
        size_t k = (j + 1) % segments, last = (rings - 1) * segments;
        put_triangle(out, &count, bottom, k, j);
        put_triangle(out, &count, top, last + j, last + k);
        for (size_t i = 0; i + 1 < rings; i++) {
            if (same_place(&profile[i + 1], &profile[i + 2])) continue;
            size_t a = i * segments, b = a + segments;
            put_triangle(out, &count, a + j, a + k, b + k);
            put_triangle(out, &count, a + j, b + k, b + j);
        }
    }
    assert(count == out->triangles);
    return FIRN_OK;
}

// A sphere pulled apart by `half` at its equator.
static firn_status tessellate_capsule(double radius, double half, mesh *out) {
    lathe_point profile[PROFILE_ROOM];
    size_t n = 0;
    for (int i = 0; i <= ROWS; i++) {
        double angle = M_PI * ((double)i / ROWS - 0.5);
        double c = i == 0 || i == ROWS ? 0 : cos(angle), s = sin(angle);
        double shift = 2 * i < ROWS ? -half : half;
        if (2 * i == ROWS && half > 0) profile[n++] = (lathe_point){radius, -half, 1, 0};
        profile[n++] = (lathe_point){radius * c, radius * s + shift, c, s};
    }
    return tessellate_lathe(profile, n, SEGMENTS, out);
}

static firn_status tessellate_cylinder(double radius, double half, mesh *out) {
    const lathe_point profile[] = {{0, -half, 0, -1},    {radius, -half, 0, -1}, {radius, -half, 1, 0},
                                   {radius, half, 1, 0}, {radius, half, 0, 1},   {0, half, 0, 1}};
    return tessellate_lathe(profile, 6, SEGMENTS, out);
}

static firn_status tessellate_ellipsoid(const float radii[3], mesh *out) {
    TRY(tessellate_capsule(1, 0, out));
    for (size_t i = 0; i < out->vertices; i++) {
        double n[3], length = 0;
        for (int k = 0; k < 3; k++) {
            n[k] = out->normal[i][k] / (double)radii[k];
            length += n[k] * n[k];
        }
        for (int k = 0; k < 3; k++) {
            out->position[i][k] *= radii[k];
            out->normal[i][k] = (float)(n[k] / sqrt(length));
        }
    }
    return FIRN_OK;
}

static firn_status tessellate_box(const float half[3], mesh *out) {
    TRY(mesh_alloc(24, 12, true, out));
    size_t at = 0, count = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            size_t first = at;
            for (int corner = 0; corner < 4; corner++) {
                double position[3], normal[3] = {0, 0, 0};
                normal[axis] = side;
                position[axis] = side * (double)half[axis];
                // Counter-clockwise about the outward axis.
                position[u] = (corner == 0 || corner == 3 ? -1 : 1) * side * (double)half[u];
                position[v] = (corner < 2 ? -1 : 1) * (double)half[v];
                put_vertex(out, at++, position, normal);
            }
            put_triangle(out, &count, first, first + 1, first + 2);
            put_triangle(out, &count, first, first + 2, first + 3);
        }
    }
    return FIRN_OK;
}

static firn_status tessellate_plane(mesh *out) {
    TRY(mesh_alloc(4, 2, true, out));
    for (size_t i = 0; i < 4; i++) {
        double x = i == 1 || i == 2 ? PLANE_HALF : -PLANE_HALF, z = i < 2 ? PLANE_HALF : -PLANE_HALF;
        put_vertex(out, i, (double[3]){x, 0, z}, (double[3]){0, 1, 0});
    }
    size_t count = 0;
    put_triangle(out, &count, 0, 1, 2);
    put_triangle(out, &count, 0, 2, 3);
    return FIRN_OK;
}

firn_status tessellate_primitive(const shape_primitive *p, mesh *out) {
    double a = (double)p->half[0], b = (double)p->half[1];
    switch (p->kind) {
    case FIRN_SHAPE_PLANE: return tessellate_plane(out);
    case FIRN_SHAPE_BOX: return tessellate_box(p->half, out);
    case FIRN_SHAPE_SPHERE: return tessellate_capsule(a, 0, out);
    case FIRN_SHAPE_CAPSULE: return tessellate_capsule(a, b, out);
    case FIRN_SHAPE_CYLINDER: return tessellate_cylinder(a, b, out);
    case FIRN_SHAPE_ELLIPSOID: return tessellate_ellipsoid(p->half, out);
    default: assert(!"not a primitive"); return FIRN_BAD_INPUT;
    }
}
