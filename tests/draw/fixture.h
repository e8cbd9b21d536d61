// Meshes and lists for the tests of the pictures.
#ifndef TESTS_DRAW_FIXTURE_H
#define TESTS_DRAW_FIXTURE_H

#include <math.h>

#include "base/random.h"
#include "draw/renderer.h"

static inline mesh fixture_sphere(float radius, unsigned rings) {
    mesh m = {0};
    unsigned sectors = 2 * rings;
    if (mesh_alloc((rings + 1) * (sectors + 1), 2 * rings * sectors, true, &m) != FIRN_OK) return m;
    size_t v = 0, t = 0;
    for (unsigned i = 0; i <= rings; i++)
        for (unsigned j = 0; j <= sectors; j++, v++) {
            float a = 3.14159265f * (float)i / (float)rings, b = 6.2831853f * (float)j / (float)sectors;
            float n[3] = {sinf(a) * cosf(b), cosf(a), sinf(a) * sinf(b)};
            for (int k = 0; k < 3; k++) {
                m.normal[v][k] = n[k];
                m.position[v][k] = radius * n[k];
            }
            if (i == rings || j == sectors) continue;
            uint32_t at = (uint32_t)v, below = at + sectors + 1;
            const uint32_t quad[2][3] = {{at, at + 1, below}, {at + 1, below + 1, below}};
            for (int q = 0; q < 2; q++, t++)
                for (int k = 0; k < 3; k++) m.triangle[t][k] = quad[q][k];
        }
    return m;
}

// Flat: no normals.
static inline mesh fixture_box(float x, float y, float z) {
    mesh m = {0};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    if (mesh_alloc(8, 12, false, &m) != FIRN_OK) return m;
    for (int i = 0; i < 8; i++) {
        m.position[i][0] = i & 1 ? x / 2 : -x / 2;
        m.position[i][1] = i & 2 ? y / 2 : -y / 2;
        m.position[i][2] = i & 4 ? z / 2 : -z / 2;
    }
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++) m.triangle[t][k] = faces[t][k];
    return m;
}

// Smooth hills over [-size, size]^2.
static inline mesh fixture_hills(float size, float height, unsigned n) {
    mesh m = {0};
    if (mesh_alloc((size_t)n * n, 2 * (size_t)(n - 1) * (n - 1), true, &m) != FIRN_OK) return m;
    size_t t = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            float x = size * (2 * (float)j / (float)(n - 1) - 1),
                  z = size * (2 * (float)i / (float)(n - 1) - 1);
            float a = 0.55f * x + 0.3f * z, b = 0.4f * z - 0.35f * x + 1, far = sqrtf(x * x + z * z) / size;
            float y =
                height * (sinf(a) * cosf(b) * 0.35f + 0.9f * far * far * (1 + 0.5f * sinf(0.8f * a + 2)));
            size_t v = (size_t)i * n + j;
            m.position[v][0] = x;
            m.position[v][1] = y;
            m.position[v][2] = z;
            if (i + 1 == n || j + 1 == n) continue;
            uint32_t at = (uint32_t)v;
            const uint32_t quad[2][3] = {{at, at + n, at + 1}, {at + 1, at + n, at + n + 1}};
            for (int q = 0; q < 2; q++, t++)
                for (int k = 0; k < 3; k++) m.triangle[t][k] = quad[q][k];
        }
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < n; j++) {
            unsigned i0 = i ? i - 1 : i, i1 = i + 1 < n ? i + 1 : i, j0 = j ? j - 1 : j,
                     j1 = j + 1 < n ? j + 1 : j;
            const float *l = m.position[i * n + j0], *r = m.position[i * n + j1], *d = m.position[i0 * n + j],
                        *u = m.position[i1 * n + j];
            float nx = -(r[1] - l[1]) / (r[0] - l[0]), nz = -(u[1] - d[1]) / (u[2] - d[2]),
                  s = 1 / sqrtf(1 + nx * nx + nz * nz);
            m.normal[i * n + j][0] = nx * s;
            m.normal[i * n + j][1] = s;
            m.normal[i * n + j][2] = nz * s;
        }
    return m;
}

// A heap of points in a cone.
static inline size_t fixture_heap(float (*at)[3], float *value, size_t count, float radius, float height,
                                  uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        random4 r = random_bits(seed, i, 0, 0);
        float t = 1 - cbrtf(random_unit(r, 0)), d = sqrtf(random_unit(r, 1)) * (1 - t) * radius,
              a = 6.2831853f * random_unit(r, 2);
        at[i][0] = d * cosf(a);
        at[i][1] = t * height;
        at[i][2] = d * sinf(a);
        if (value) value[i] = t;
    }
    return count;
}

static const float fixture_upright[4] = {1, 0, 0, 0};

#endif
