// Contact points of a mesh: its outermost vertices, then points spread evenly over its surface.
#include <math.h>

#include "base/random.h"
#include "geom/shape_impl.h"

enum { CANDIDATES = 6000, DIRECTIONS = 26 };

typedef struct candidates {
    float (*at)[3];
    float *gap; // squared distance to the nearest chosen one
    size_t count;
} candidates;

static double triangle_area(const mesh *m, size_t t) {
    const float *a = m->position[m->triangle[t][0]], *b = m->position[m->triangle[t][1]],
                *c = m->position[m->triangle[t][2]];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = (double)b[k] - (double)a[k], v[k] = (double)c[k] - (double)a[k];
    double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return sqrt(x * x + y * y + z * z) / 2;
}

// Evenly over the area, by walking through the triangles with a fixed stride; within a triangle at random.
static void spread(const mesh *m, candidates *c) {
    double whole = 0, walked = 0;
    for (size_t t = 0; t < m->triangles; t++) whole += triangle_area(m, t);
    for (size_t t = 0; t < m->triangles; t++) {
        walked += triangle_area(m, t);
        while (c->count < CANDIDATES && ((double)c->count + 0.5) / CANDIDATES * whole <= walked) {
            random4 r = random_bits(5, c->count, 0, 0);
            float u = random_unit(r, 0), v = random_unit(r, 1);
            if (u + v > 1) u = 1 - u, v = 1 - v;
            const float *p = m->position[m->triangle[t][0]], *q = m->position[m->triangle[t][1]],
                        *s = m->position[m->triangle[t][2]];
            for (int k = 0; k < 3; k++) c->at[c->count][k] = p[k] + u * (q[k] - p[k]) + v * (s[k] - p[k]);
            c->count++;
        }
    }
}

// Of n vertices at most CANDIDATES, evenly picked.
static void add_vertices(const mesh *m, candidates *c) {
    size_t picked = m->vertices < CANDIDATES ? m->vertices : CANDIDATES;
    for (size_t i = 0; i < picked; i++) {
        const float *p = m->position[i * m->vertices / picked];
        for (int k = 0; k < 3; k++) c->at[c->count][k] = p[k];
        c->count++;
    }
}

static void choose(candidates *c, const float at[3], shape_probe *out, size_t *count) {
    out[(*count)++] = (shape_probe){{at[0], at[1], at[2]}, 0};
    for (size_t i = 0; i < c->count; i++) {
        float x = c->at[i][0] - at[0], y = c->at[i][1] - at[1], z = c->at[i][2] - at[2];
        c->gap[i] = fminf(c->gap[i], x * x + y * y + z * z);
    }
}

// The farthest vertex in each direction from the middle of a cube to its faces, edges and corners.
static void choose_outermost(const mesh *m, candidates *c, shape_probe *out, size_t *count) {
    for (int d = 0; d < 27; d++) {
        int a = d % 3 - 1, b = d / 3 % 3 - 1, e = d / 9 - 1;
        if (!a && !b && !e) continue;
        size_t best = 0;
        float farthest = -INFINITY;
        for (size_t i = 0; i < m->vertices; i++) {
            float r =
                (float)a * m->position[i][0] + (float)b * m->position[i][1] + (float)e * m->position[i][2];
            if (r > farthest) farthest = r, best = i;
        }
        choose(c, m->position[best], out, count);
    }
}

static void choose_farthest(candidates *c, shape_probe *out, size_t *count) {
    while (*count < SHAPE_PROBES) {
        size_t best = 0;
        for (size_t i = 1; i < c->count; i++) {
            if (c->gap[i] > c->gap[best]) best = i;
        }
        if (!(c->gap[best] > 0)) return;
        choose(c, c->at[best], out, count);
    }
}

firn_status shape_probes_mesh(const mesh *m, shape_probe **out, size_t *count) {
    candidates c = {.count = 0};
    *count = 0;
    c.at = mem_alloc(2 * CANDIDATES * sizeof *c.at);
    c.gap = mem_alloc(2 * CANDIDATES * sizeof *c.gap);
    *out = mem_alloc((SHAPE_PROBES + DIRECTIONS) * sizeof **out);
    if (c.at && c.gap && *out) {
        spread(m, &c);
        add_vertices(m, &c);
        for (size_t i = 0; i < c.count; i++) c.gap[i] = INFINITY;
        choose_outermost(m, &c, *out, count);
        choose_farthest(&c, *out, count);
    }
    bool whole = c.at && c.gap && *out;
    mem_free(c.at);
    mem_free(c.gap);
    return whole ? FIRN_OK : fail_memory("choosing contact points", 2 * CANDIDATES * sizeof *c.at);
}
