// Meshes of sheets. Each square of points is two triangles, (a, b, e) and (a, e, d):
//
//     d -- e    row + 1
//     |  / |
//     a -- b    row
//
// Each point gives two vertices, one on each face: 2 i and 2 i + 1 of the i-th point that is used.
#include "geom/sheet.h"

#include <math.h>
#include <string.h>

#include "math/dvec.h"

enum { LOWER = 1, UPPER = 2 }; // triangles of a square

typedef struct sheet {
    const sheet_input *in;
    uint8_t *square;   // LOWER, UPPER: which triangles are there
    uint32_t *vertex;  // of each point: its number among those used; UINT32_MAX: not used
    firn_vec3 *normal; // of each point, not of unit length until all triangles are added
    size_t points, used, triangles;
} sheet;

static bool finite_at(const sheet *s, size_t point) {
    const float *p = s->in->at[point];
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static bool holds(const sheet *s, size_t point, int direction) {
    return !s->in->held || (s->in->held[point] & direction);
}

static void find_triangles(sheet *s) {
    size_t columns = s->in->columns, rows = s->in->rows;
    for (size_t r = 0; r + 1 < rows; r++)
        for (size_t c = 0; c + 1 < columns; c++) {
            size_t a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            bool across = finite_at(s, a) && finite_at(s, e);
            bool lower =
                across && finite_at(s, b) && holds(s, a, SHEET_ALONG_ROW) && holds(s, b, SHEET_ALONG_COLUMN);
            bool upper =
                across && finite_at(s, d) && holds(s, d, SHEET_ALONG_ROW) && holds(s, a, SHEET_ALONG_COLUMN);
            s->square[a] = (uint8_t)((lower ? LOWER : 0) | (upper ? UPPER : 0));
        }
}

static bool has(const sheet *s, ptrdiff_t column, ptrdiff_t row, int triangle) {
    ptrdiff_t columns = s->in->columns, rows = s->in->rows;
    return column >= 0 && row >= 0 && column < columns && row < rows &&
           (s->square[row * columns + column] & triangle);
}

static firn_vec3 at(const sheet *s, size_t point) {
    const float *p = s->in->at[point];
    return dvec((double)p[0], (double)p[1], (double)p[2]);
}

// Both faces of a triangle; with `measure` only the normals of its points.
static void add_face(sheet *s, mesh *m, const size_t point[3], bool measure) {
    if (measure) {
        firn_vec3 a = at(s, point[0]);
        firn_vec3 area = dvec_cross(dvec_sub(at(s, point[1]), a), dvec_sub(at(s, point[2]), a));
        for (int k = 0; k < 3; k++) s->normal[point[k]] = dvec_add(s->normal[point[k]], area);
        for (int k = 0; k < 3; k++) s->vertex[point[k]] = 0;
        s->triangles += 2;
        return;
    }
    uint32_t i = 2 * s->vertex[point[0]], j = 2 * s->vertex[point[1]], k = 2 * s->vertex[point[2]];
    memcpy(m->triangle[m->triangles++], (uint32_t[3]){i, j, k}, sizeof *m->triangle);
    memcpy(m->triangle[m->triangles++], (uint32_t[3]){i + 1, k + 1, j + 1}, sizeof *m->triangle);
}

// The rim at a side of a triangle that no other triangle has.
static void add_rim(sheet *s, mesh *m, size_t from, size_t to, bool measure) {
    if (measure) {
        s->triangles += 2;
        return;
    }
    uint32_t i = 2 * s->vertex[from], j = 2 * s->vertex[to];
    memcpy(m->triangle[m->triangles++], (uint32_t[3]){j, i, i + 1}, sizeof *m->triangle);
    memcpy(m->triangle[m->triangles++], (uint32_t[3]){j, i + 1, j + 1}, sizeof *m->triangle);
}

static void add_triangles(sheet *s, mesh *m, bool measure) {
    size_t columns = s->in->columns, rows = s->in->rows;
    for (size_t r = 0; r + 1 < rows; r++)
        for (size_t c = 0; c + 1 < columns; c++) {
            size_t a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            ptrdiff_t x = (ptrdiff_t)c, z = (ptrdiff_t)r;
            bool lower = s->square[a] & LOWER, upper = s->square[a] & UPPER;
            if (lower) {
                add_face(s, m, (size_t[3]){a, b, e}, measure);
                if (!has(s, x, z - 1, UPPER)) add_rim(s, m, a, b, measure);
                if (!has(s, x + 1, z, UPPER)) add_rim(s, m, b, e, measure);
                if (!upper) add_rim(s, m, e, a, measure);
            }
            if (upper) {
                add_face(s, m, (size_t[3]){a, e, d}, measure);
                if (!lower) add_rim(s, m, a, e, measure);
                if (!has(s, x, z + 1, LOWER)) add_rim(s, m, e, d, measure);
                if (!has(s, x - 1, z, LOWER)) add_rim(s, m, d, a, measure);
            }
        }
}

static void put_vertices(const sheet *s, surface *out) {
    uint32_t channels = s->in->value ? s->in->channels : 0;
    for (size_t i = 0; i < s->points; i++) {
        if (s->vertex[i] == UINT32_MAX) continue;
        firn_vec3 n = dvec_normalise(s->normal[i]), p = at(s, i);
        for (int face = 0; face < 2; face++) {
            size_t v = 2 * (size_t)s->vertex[i] + (size_t)face;
            double side = face ? -1 : 1;
            firn_vec3 q = dvec_add_scaled(p, n, 0.5 * side * s->in->thickness);
            memcpy(out->mesh.position[v], (float[3]){(float)q.x, (float)q.y, (float)q.z}, sizeof(float[3]));
            memcpy(out->mesh.normal[v],
                   (float[3]){(float)(side * n.x), (float)(side * n.y), (float)(side * n.z)},
                   sizeof(float[3]));
            if (channels)
                memcpy(out->value + v * channels, s->in->value + i * channels, channels * sizeof *out->value);
        }
    }
}

static firn_status fill(sheet *s, surface *out) {
    uint32_t channels = s->in->value ? s->in->channels : 0;
    find_triangles(s);
    for (size_t i = 0; i < s->points; i++) s->vertex[i] = UINT32_MAX;
    add_triangles(s, NULL, true);
    for (size_t i = 0; i < s->points; i++)
        if (s->vertex[i] != UINT32_MAX) s->vertex[i] = (uint32_t)s->used++;
    TRY(mesh_alloc(2 * s->used, s->triangles, true, &out->mesh));
    out->mesh.triangles = 0; // counted again while they are added
    add_triangles(s, &out->mesh, false);
    if (channels) out->value = mem_alloc((2 * s->used * channels + 1) * sizeof *out->value);
    if (channels && !out->value)
        return fail_memory("building a sheet", 2 * s->used * channels * sizeof(float));
    put_vertices(s, out);
    return FIRN_OK;
}

firn_status sheet_build(const sheet_input *in, surface *out) {
    *out = (surface){0};
    sheet s = {.in = in, .points = (size_t)in->columns * in->rows};
    if (s.points >= UINT32_MAX / 2)
        return fail(FIRN_UNSUPPORTED, "too many points for a sheet: more than 2 147 483 646");
    s.square = mem_zero(s.points + 1, sizeof *s.square);
    s.vertex = mem_alloc((s.points + 1) * sizeof *s.vertex);
    s.normal = mem_zero(s.points + 1, sizeof *s.normal);
    firn_status status = s.square && s.vertex && s.normal
                             ? fill(&s, out)
                             : fail_memory("building a sheet", s.points * sizeof *s.normal);
    mem_free(s.square);
    mem_free(s.vertex);
    mem_free(s.normal);
    if (status != FIRN_OK) isosurface_free(out);
    return status;
}
