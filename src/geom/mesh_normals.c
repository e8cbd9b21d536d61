// Smooth normals. The faces around a vertex fall into groups: two that share an edge at the vertex belong to
// one group if they meet at less than the crease angle. Each group becomes a vertex of its own, with the
// normals of its faces weighted by their angle at the vertex (so that the result does not depend on how a
// flat part is cut into triangles).
#include <math.h>
#include <stdlib.h>

#include "geom/mesh.h"

typedef struct spoke {
    uint32_t other;  // vertex at the far end of the edge
    uint32_t corner; // 3 * triangle + which
} spoke;

typedef struct smoothing {
    const mesh *m;
    double cos_crease;
    uint32_t *first;     // vertex: the first at its place
    uint32_t *start;     // vertex: begin of its corners in `corners`; one more at the end
    uint32_t *corners;   // sorted by first vertex
    uint32_t *group;     // corner: another of its group (union-find), later the new vertex
    double (*normal)[3]; // triangle: unit, or 0 if it has no area
    spoke *spokes;
} smoothing;

static void face_normal(const mesh *m, size_t i, double n[3]) {
    const uint32_t *t = m->triangle[i];
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)m->position[t[1]][k] - (double)m->position[t[0]][k];
        b[k] = (double)m->position[t[2]][k] - (double)m->position[t[0]][k];
    }
    for (int k = 0; k < 3; k++) n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] = length > 0.0 && isfinite(length) ? n[k] / length : 0.0;
}

static double corner_angle(const mesh *m, uint32_t corner) {
    const uint32_t *t = m->triangle[corner / 3];
    const float *p = m->position[t[corner % 3]];
    const float *q = m->position[t[(corner % 3 + 1) % 3]], *r = m->position[t[(corner % 3 + 2) % 3]];
    double aa = 0.0, bb = 0.0, ab = 0.0;
    for (int k = 0; k < 3; k++) {
        double a = (double)q[k] - (double)p[k], b = (double)r[k] - (double)p[k];
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    double product = sqrt(aa * bb);
    return product > 0.0 && isfinite(product) ? acos(fmin(1.0, fmax(-1.0, ab / product))) : 0.0;
}

static uint32_t group_root(uint32_t *group, uint32_t corner) {
    while (group[corner] != corner) corner = group[corner] = group[group[corner]];
    return corner;
}

static void group_join(uint32_t *group, uint32_t a, uint32_t b) {
    uint32_t ra = group_root(group, a), rb = group_root(group, b);
    if (ra < rb)
        group[rb] = ra;
    else
        group[ra] = rb;
}

static void sort_corners(smoothing *s) {
    const mesh *m = s->m;
    for (size_t i = 0; i <= m->vertices; i++) s->start[i] = 0;
    for (size_t c = 0; c < 3 * m->triangles; c++) s->start[s->first[m->triangle[c / 3][c % 3]]]++;
    uint32_t sum = 0;
    for (size_t i = 0; i <= m->vertices; i++) {
        uint32_t count = s->start[i];
        s->start[i] = sum;
        sum += count;
    }
    for (size_t c = 0; c < 3 * m->triangles; c++)
        s->corners[s->start[s->first[m->triangle[c / 3][c % 3]]]++] = (uint32_t)c;
    for (size_t i = m->vertices; i > 0; i--) s->start[i] = s->start[i - 1];
    s->start[0] = 0;
}

static int compare_spokes(const void *a, const void *b) {
    const spoke *p = a, *q = b;
    if (p->other != q->other) return p->other < q->other ? -1 : 1;
    return p->corner < q->corner ? -1 : p->corner > q->corner;
}

static bool smooth_over(const smoothing *s, uint32_t a, uint32_t b) {
    const double *n = s->normal[a / 3], *o = s->normal[b / 3];
    double nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], oo = o[0] * o[0] + o[1] * o[1] + o[2] * o[2];
    return nn == 0.0 || oo == 0.0 || n[0] * o[0] + n[1] * o[1] + n[2] * o[2] >= s->cos_crease;
}

static void group_around(smoothing *s, size_t vertex) {
    const mesh *m = s->m;
    size_t count = 0;
    for (uint32_t i = s->start[vertex]; i < s->start[vertex + 1]; i++) {
        uint32_t c = s->corners[i];
        const uint32_t *t = m->triangle[c / 3];
        s->group[c] = c;
        s->spokes[count++] = (spoke){s->first[t[(c % 3 + 1) % 3]], c};
        s->spokes[count++] = (spoke){s->first[t[(c % 3 + 2) % 3]], c};
    }
    qsort(s->spokes, count, sizeof *s->spokes, compare_spokes);
    for (size_t i = 1; i < count; i++)
        if (s->spokes[i].other == s->spokes[i - 1].other &&
            smooth_over(s, s->spokes[i].corner, s->spokes[i - 1].corner))
            group_join(s->group, s->spokes[i].corner, s->spokes[i - 1].corner);
}

// After this group[c] is the new vertex of corner c; returns how many there are.
static size_t number_groups(smoothing *s) {
    size_t corners = 3 * s->m->triangles, count = 0;
    for (size_t i = 0; i < s->m->vertices; i++)
        if (s->start[i] < s->start[i + 1]) group_around(s, i);
    for (uint32_t c = 0; c < corners; c++) s->group[c] = group_root(s->group, c);
    // A root is the smallest corner of its group, so it is numbered before the others ask for it.
    for (size_t c = 0; c < corners; c++)
        s->group[c] = s->group[c] == c ? (uint32_t)count++ : s->group[s->group[c]];
    return count;
}

static void fill_normals(const smoothing *s, mesh *out, double (*sum)[3]) {
    const mesh *m = s->m;
    for (size_t c = 0; c < 3 * m->triangles; c++) {
        uint32_t vertex = s->group[c];
        double angle = corner_angle(m, (uint32_t)c);
        for (int k = 0; k < 3; k++) {
            sum[vertex][k] += angle * s->normal[c / 3][k];
            out->position[vertex][k] = m->position[m->triangle[c / 3][c % 3]][k];
        }
        out->triangle[c / 3][c % 3] = vertex;
    }
    for (size_t i = 0; i < out->vertices; i++) {
        double *n = sum[i], length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++)
            out->normal[i][k] = length > 1e-12 ? (float)(n[k] / length) : k == 1 ? 1.0f : 0.0f;
    }
}

static firn_status build_smoothed(smoothing *s, mesh *out) {
    TRY(mesh_weld(s->m, s->first));
    sort_corners(s);
    for (size_t i = 0; i < s->m->triangles; i++) face_normal(s->m, i, s->normal[i]);
    size_t vertices = number_groups(s);
    double(*sum)[3] = mem_zero(vertices, sizeof *sum);
    if (!sum) return fail_memory("smoothing a mesh", vertices * sizeof *sum);
    firn_status status = mesh_alloc(vertices, s->m->triangles, true, out);
    if (status == FIRN_OK) fill_normals(s, out, sum);
    mem_free(sum);
    return status;
}

firn_status mesh_smooth_normals(mesh *m, float crease) {
    size_t corners = 3 * m->triangles;
    if (corners > UINT32_MAX)
        return fail(FIRN_BAD_INPUT, "a mesh of %zu triangles is too large", m->triangles);
    smoothing s = {.m = m, .cos_crease = cos(fmin((double)crease, 3.1415926))};
    s.first = mem_alloc(m->vertices * sizeof *s.first);
    s.start = mem_alloc((m->vertices + 2) * sizeof *s.start);
    s.corners = mem_alloc(corners * sizeof *s.corners);
    s.group = mem_alloc(corners * sizeof *s.group);
    s.normal = mem_alloc(m->triangles * sizeof *s.normal);
    s.spokes = mem_alloc(2 * corners * sizeof *s.spokes);
    mesh smooth = {0};
    firn_status status = s.first && s.start && s.corners && s.group && s.normal && s.spokes
                             ? build_smoothed(&s, &smooth)
                             : fail_memory("smoothing a mesh", corners * 32);
    mem_free(s.first);
    mem_free(s.start);
    mem_free(s.corners);
    mem_free(s.group);
    mem_free(s.normal);
    mem_free(s.spokes);
    if (status != FIRN_OK) return status;
    mesh_free(m);
    *m = smooth;
    return FIRN_OK;
}
