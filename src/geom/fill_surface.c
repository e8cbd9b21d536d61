// Points on the surface of a shape: darts on its mesh, none nearer to another than they may be, until there
// is hardly any room left; and the corners of a mesh.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "geom/fill.h"
#include "math/dvec.h"

enum { DARTS = 30 };                      // for each point that there will be about
static const double LEAST_DISTANCE = 0.8; // spacings: then a point has spacing^2 of the surface (measured)
static const double MOST_POINTS = 2e6;
static const double OFF = 0.3; // of the depth: darts that do not come nearer to it are lost, in thin parts

typedef struct sampler {
    const shape *s;
    const mesh *m;
    double *area; // sum up to each triangle
    double least, depth;
    uint32_t *bucket, *next; // points by their cells; 0: none
    size_t buckets;
    fill_points *out;
    size_t capacity;
} sampler;

static size_t bucket_of(const sampler *w, const int cell[3]) {
    uint64_t h = (uint64_t)(uint32_t)cell[0] * 0x9E3779B97F4A7C15u ^
                 (uint64_t)(uint32_t)cell[1] * 0xC2B2AE3D27D4EB4Fu ^
                 (uint64_t)(uint32_t)cell[2] * 0x165667B19E3779F9u;
    return (size_t)(h >> 20) & (w->buckets - 1);
}

static void cell_of(const sampler *w, firn_vec3 p, int cell[3]) {
    cell[0] = (int)floor(p.x / w->least), cell[1] = (int)floor(p.y / w->least),
    cell[2] = (int)floor(p.z / w->least);
}

static bool has_room(const sampler *w, firn_vec3 p) {
    int at[3];
    cell_of(w, p, at);
    for (int k = 0; k < 27; k++) {
        const int cell[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
        for (uint32_t i = w->bucket[bucket_of(w, cell)]; i; i = w->next[i - 1])
            if (dvec_distance(p, dvec_of_floats(w->out->at[i - 1])) < w->least) return false;
    }
    return true;
}

// Anywhere on the mesh, and from there to the depth below the surface; false: there is no such place.
static bool throw_dart(const sampler *w, uint64_t seed, size_t dart, firn_vec3 *out) {
    random4 r = random_bits(seed, dart, 0, 2);
    double share =
        ((double)random_unit(r, 0) + (double)random_unit(r, 3) * 0x1p-24) * w->area[w->m->triangles - 1];
    size_t low = 0, high = w->m->triangles - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->area[middle] > share)
            high = middle;
        else
            low = middle + 1;
    }
    double root = sqrt((double)random_unit(r, 1)), v = root * (double)random_unit(r, 2);
    const uint32_t *t = w->m->triangle[low];
    firn_vec3 p = dvec_scale(dvec_of_floats(w->m->position[t[0]]), 1 - root);
    p = dvec_add_scaled(p, dvec_of_floats(w->m->position[t[1]]), root - v);
    p = dvec_add_scaled(p, dvec_of_floats(w->m->position[t[2]]), v);
    for (int k = 0; k < 3; k++) {
        firn_vec3 n;
        double d = shape_sdf(w->s, p, &n) + w->depth;
        p = dvec_add_scaled(p, n, -d);
    }
    *out = p;
    return fabs(shape_sdf(w->s, p, NULL) + w->depth) < OFF * w->depth;
}

static firn_status sample(sampler *w, uint64_t seed, double expected) {
    size_t darts = (size_t)(DARTS * expected) + 1000;
    for (size_t i = 0; i < darts; i++) {
        firn_vec3 p;
        if (!throw_dart(w, seed, i, &p) || !has_room(w, p)) continue;
        if (w->out->count == w->capacity) return FIRN_OK; // cannot be: there is not so much room
        int cell[3];
        cell_of(w, p, cell);
        size_t n = w->out->count++, b = bucket_of(w, cell);
        memcpy(w->out->at[n], (float[3]){(float)p.x, (float)p.y, (float)p.z}, sizeof *w->out->at);
        w->next[n] = w->bucket[b];
        w->bucket[b] = (uint32_t)(n + 1);
    }
    return w->out->count ? FIRN_OK : fail(FIRN_BAD_INPUT, "no point fits on the surface with this spacing");
}

static double sum_areas(const mesh *m, double *area) {
    double sum = 0;
    for (size_t t = 0; t < m->triangles; t++) {
        firn_vec3 a = dvec_of_floats(m->position[m->triangle[t][0]]);
        firn_vec3 b = dvec_sub(dvec_of_floats(m->position[m->triangle[t][1]]), a);
        firn_vec3 c = dvec_sub(dvec_of_floats(m->position[m->triangle[t][2]]), a);
        area[t] = sum += 0.5 * dvec_length(dvec_cross(b, c));
    }
    return sum;
}

firn_status fill_surface(const shape *s, double spacing, double depth, uint64_t seed, fill_points *out) {
    shape_mass mass;
    const mesh *m = shape_mesh(s);
    *out = (fill_points){.spacing = spacing};
    if (!shape_mass_of(s, &mass) || !m || m->triangles == 0)
        return fail(FIRN_BAD_INPUT, "a shape without bounds has no surface to put points on");
    sampler w = {.s = s, .m = m, .least = LEAST_DISTANCE * spacing, .depth = depth, .out = out};
    w.area = mem_alloc(m->triangles * sizeof *w.area);
    if (!w.area) return fail_memory("filling a surface", m->triangles * sizeof *w.area);
    double expected = sum_areas(m, w.area) / (spacing * spacing);
    firn_status status = FIRN_OK;
    if (expected > MOST_POINTS)
        status = fail(FIRN_BAD_INPUT, "too many points: about %.3g on its surface, at most %.3g", expected,
                      MOST_POINTS);
    w.capacity = (size_t)(2 * expected) + 100;
    for (w.buckets = 64; w.buckets < w.capacity;) w.buckets *= 2;
    if (status == FIRN_OK) {
        out->at = mem_alloc(w.capacity * sizeof *out->at);
        w.next = mem_zero(w.capacity, sizeof *w.next);
        w.bucket = mem_zero(w.buckets, sizeof *w.bucket);
        status = out->at && w.next && w.bucket ? sample(&w, seed, expected)
                                               : fail_memory("filling a surface", w.capacity * 16);
    }
    mem_free(w.area);
    mem_free(w.next);
    mem_free(w.bucket);
    if (status != FIRN_OK)
        fill_free(out);
    else
        out->volume = mass.volume / (double)out->count;
    return status;
}

firn_status fill_vertices(const shape *s, double spacing, fill_points *out) {
    shape_mass mass;
    const mesh *m = shape_mesh(s);
    *out = (fill_points){.spacing = spacing};
    if (shape_kind(s) != FIRN_SHAPE_MESH || !shape_mass_of(s, &mass))
        return fail(FIRN_BAD_INPUT, "only a mesh from a file has vertices of its own; use from: surface");
    uint32_t *first = mem_alloc((m->vertices + 1) * sizeof *first);
    out->at = mem_alloc((m->vertices + 1) * sizeof *out->at);
    firn_status status = first && out->at ? mesh_weld(m, first)
                                          : fail_memory("filling a surface", m->vertices * sizeof *out->at);
    for (size_t i = 0; i < m->vertices && status == FIRN_OK; i++)
        if (first[i] == i) memcpy(out->at[out->count++], m->position[i], sizeof *out->at);
    mem_free(first);
    if (status == FIRN_OK && out->count == 0) status = fail(FIRN_BAD_INPUT, "the mesh has no vertices");
    if (status != FIRN_OK)
        fill_free(out);
    else
        out->volume = mass.volume / (double)out->count;
    return status;
}
