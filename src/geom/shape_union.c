// Unions: minimum of the SDFs of the parts. Exact outside; where parts overlap, the depth is a lower bound.
#include <math.h>

#include "geom/shape_impl.h"
#include "math/dvec.h"

enum { UNION_MOST_PARTS = 4096, UNION_MOST_PROBES = 1200, BLOCK = 256 };

static firn_status build_part(const firn_part_def *def, double scale, const char *folder, const char *name,
                              int depth, shape_part *part) {
    if (!(def->scale > 0) || !isfinite(def->scale)) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': the scale of a part must be larger than 0, not %g", name,
                    def->scale);
    }
    firn_vec3 at = dvec_scale(def->at, scale);
    if (!dvec_finite(at) || dvec_length(at) > 1e6 || !dvec_finite(def->rotate)) {
        return fail(FIRN_BAD_INPUT,
                    "shape of '%s': a part must lie within 1e6 m and be rotated by finite angles", name);
    }
    double turn[3][3];
    dquat_matrix(dquat_from_angles(def->rotate), turn);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) part->turn[i][j] = (float)turn[i][j];
    }
    part->at[0] = (float)at.x, part->at[1] = (float)at.y, part->at[2] = (float)at.z;
    return shape_build(&def->shape, scale * def->scale, folder, name, depth + 1, &part->shape);
}

static void turn_vector(const shape_part *p, const float v[3], float out[3]) {
    for (int i = 0; i < 3; i++) out[i] = p->turn[i][0] * v[0] + p->turn[i][1] * v[1] + p->turn[i][2] * v[2];
}

static void to_union(const shape_part *p, const float v[3], float out[3]) {
    turn_vector(p, v, out);
    for (int i = 0; i < 3; i++) out[i] += p->at[i];
}

static void part_bounds(const shape_part *p, float low[3], float high[3]) {
    const shape *s = p->shape;
    float l[3] = {(float)s->low.x, (float)s->low.y, (float)s->low.z},
          h[3] = {(float)s->high.x, (float)s->high.y, (float)s->high.z};
    for (int i = 0; i < 3; i++) {
        low[i] = high[i] = p->at[i];
        for (int j = 0; j < 3; j++) {
            float a = p->turn[i][j] * l[j], b = p->turn[i][j] * h[j];
            low[i] += fminf(a, b);
            high[i] += fmaxf(a, b);
        }
    }
}

static bool boxes_touch(const shape_part *a, const shape_part *b) {
    float al[3], ah[3], bl[3], bh[3];
    part_bounds(a, al, ah);
    part_bounds(b, bl, bh);
    for (int k = 0; k < 3; k++) {
        if (ah[k] <= bl[k] || bh[k] <= al[k]) return false;
    }
    return true;
}

static bool parts_are_apart(const shape *s) {
    for (size_t i = 0; i < s->part_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (boxes_touch(&s->parts[i], &s->parts[j])) return false;
        }
    }
    return true;
}

static void measure_bounds(shape *s) {
    s->bounded = true;
    s->thickness = INFINITY;
    s->low = (firn_vec3){INFINITY, INFINITY, INFINITY}, s->high = dvec_negate(s->low);
    for (size_t i = 0; i < s->part_count; i++) {
        const shape_part *p = &s->parts[i];
        s->thickness = fmin(s->thickness, p->shape->thickness);
        if (!p->shape->bounded) {
            s->bounded = false;
            continue;
        }
        float low[3], high[3];
        part_bounds(p, low, high);
        s->low = dvec_min(s->low, dvec((double)low[0], (double)low[1], (double)low[2]));
        s->high = dvec_max(s->high, dvec((double)high[0], (double)high[1], (double)high[2]));
    }
    if (!s->bounded) s->low = s->high = dvec(0, 0, 0);
}

static void sampled_distance(const void *context, size_t n, const float *x, const float *y, const float *z,
                             float *distance) {
    shape_query_union(context, n, x, y, z, distance, NULL, NULL, NULL);
}

// R I R^T
static void turn_inertia(const shape_part *p, const double inertia[3][3], double out[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++)
                    sum += (double)p->turn[i][k] * inertia[k][l] * (double)p->turn[j][l];
            }
            out[i][j] = sum;
        }
    }
}

// Exact if the bounding boxes of the parts are disjoint; sampled otherwise, so that overlaps count once.
static firn_status measure_mass(shape *s) {
    if (!s->bounded) return FIRN_OK;
    if (!parts_are_apart(s)) return mass_by_sampling(sampled_distance, s, s->low, s->high, &s->mass);
    for (size_t i = 0; i < s->part_count; i++) {
        const shape_part *p = &s->parts[i];
        shape_mass m = {.volume = p->shape->mass.volume};
        float c[3] = {(float)p->shape->mass.centre.x, (float)p->shape->mass.centre.y,
                      (float)p->shape->mass.centre.z},
              at[3];
        to_union(p, c, at);
        m.centre = dvec((double)at[0], (double)at[1], (double)at[2]);
        turn_inertia(p, p->shape->mass.inertia, m.inertia);
        mass_add(&s->mass, &m);
    }
    return FIRN_OK;
}

// All parts' meshes side by side: closed as they are.
static firn_status join_meshes(shape *s) {
    size_t vertices = 0, triangles = 0;
    for (size_t i = 0; i < s->part_count; i++) {
        vertices += s->parts[i].shape->mesh.vertices;
        triangles += s->parts[i].shape->mesh.triangles;
    }
    TRY(mesh_alloc(vertices, triangles, true, &s->mesh));
    size_t v = 0, t = 0;
    for (size_t i = 0; i < s->part_count; i++) {
        const shape_part *p = &s->parts[i];
        const mesh *m = &p->shape->mesh;
        for (size_t k = 0; k < m->triangles; k++, t++) {
            for (int c = 0; c < 3; c++) s->mesh.triangle[t][c] = m->triangle[k][c] + (uint32_t)v;
        }
        for (size_t k = 0; k < m->vertices; k++, v++) {
            to_union(p, m->position[k], s->mesh.position[v]);
            turn_vector(p, m->normal[k], s->mesh.normal[v]);
        }
    }
    return FIRN_OK;
}

// The probes of the parts, except those inside another part; evenly thinned if there are too many.
static firn_status join_probes(shape *s) {
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < s->part_count; i++) count += s->parts[i].shape->probe_count;
    if (!count) return FIRN_OK;
    s->probes = mem_alloc(count * sizeof *s->probes);
    if (!s->probes) return fail_memory("making contact points", count * sizeof *s->probes);
    for (size_t i = 0; i < s->part_count; i++) {
        const shape_part *p = &s->parts[i];
        for (size_t k = 0; k < p->shape->probe_count; k++) {
            shape_probe probe = {.radius = p->shape->probes[k].radius};
            to_union(p, p->shape->probes[k].at, probe.at);
            float d;
            shape_query_union(s, 1, &probe.at[0], &probe.at[1], &probe.at[2], &d, NULL, NULL, NULL);
            double own = shape_sdf(p->shape,
                                   dvec((double)p->shape->probes[k].at[0], (double)p->shape->probes[k].at[1],
                                        (double)p->shape->probes[k].at[2]),
                                   NULL);
            if ((double)d < own - 1e-3 * p->shape->thickness) continue;
            s->probes[kept++] = probe;
        }
    }
    s->probe_count = kept < UNION_MOST_PROBES ? kept : UNION_MOST_PROBES;
    for (size_t i = 0; i < s->probe_count; i++) s->probes[i] = s->probes[i * kept / s->probe_count];
    return FIRN_OK;
}

firn_status shape_build_union(const firn_shape_def *def, double scale, const char *folder, const char *name,
                              int depth, shape *s) {
    if (!def->parts.count || !def->parts.items)
        return fail(FIRN_BAD_INPUT, "shape of '%s': a union needs parts", name);
    if (def->parts.count > UNION_MOST_PARTS) {
        return fail(FIRN_BAD_INPUT, "shape of '%s': a union has at most %d parts, this one has %zu", name,
                    UNION_MOST_PARTS, def->parts.count);
    }
    s->parts = mem_zero(def->parts.count, sizeof *s->parts);
    if (!s->parts) return fail_memory("making a union", def->parts.count * sizeof *s->parts);
    s->part_count = def->parts.count;
    for (size_t i = 0; i < s->part_count; i++) {
        TRY(build_part(&def->parts.items[i], scale, folder, name, depth, &s->parts[i]));
    }
    measure_bounds(s);
    TRY(measure_mass(s));
    TRY(join_meshes(s));
    return join_probes(s);
}

typedef struct found_block {
    float d[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
} found_block;

// Takes the values of this part where it is nearer than those before it.
static void take_nearer(const shape_part *p, bool first, const found_block *b, size_t n, float *distance,
                        float *nx, float *ny, float *nz) {
    for (size_t i = 0; i < n; i++) {
        if (!first && !(b->d[i] < distance[i])) continue;
        distance[i] = b->d[i];
        if (!nx) continue;
        float local[3] = {b->nx[i], b->ny[i], b->nz[i]}, turned[3];
        turn_vector(p, local, turned);
        nx[i] = turned[0], ny[i] = turned[1], nz[i] = turned[2];
    }
}

static void query_block(const shape *s, size_t n, const float *x, const float *y, const float *z,
                        float *distance, float *nx, float *ny, float *nz) {
    float px[BLOCK], py[BLOCK], pz[BLOCK];
    found_block b;
    for (size_t k = 0; k < s->part_count; k++) {
        const shape_part *p = &s->parts[k];
        for (size_t i = 0; i < n; i++) {
            float a = x[i] - p->at[0], c = y[i] - p->at[1], e = z[i] - p->at[2];
            px[i] = p->turn[0][0] * a + p->turn[1][0] * c + p->turn[2][0] * e;
            py[i] = p->turn[0][1] * a + p->turn[1][1] * c + p->turn[2][1] * e;
            pz[i] = p->turn[0][2] * a + p->turn[1][2] * c + p->turn[2][2] * e;
        }
        shape_query(p->shape, n, px, py, pz, b.d, nx ? b.nx : NULL, nx ? b.ny : NULL, nx ? b.nz : NULL);
        take_nearer(p, k == 0, &b, n, distance, nx, ny, nz);
    }
}

void shape_query_union(const shape *s, size_t n, const float *x, const float *y, const float *z,
                       float *distance, float *nx, float *ny, float *nz) {
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < BLOCK ? n - i : BLOCK;
        query_block(s, count, x + i, y + i, z + i, distance + i, nx ? nx + i : NULL, nx ? ny + i : NULL,
                    nx ? nz + i : NULL);
    }
}
