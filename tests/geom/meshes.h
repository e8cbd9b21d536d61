// Closed meshes with known distances, and an allocator that fails, for the tests of geom.
#ifndef TESTS_GEOM_MESHES_H
#define TESTS_GEOM_MESHES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "geom/mesh.h"

#include <cmocka.h> // after ours: it makes a macro of `fail`

#define assert_near(a, b, tolerance)                                                                         \
    do {                                                                                                     \
        double near_a = (double)(a), near_b = (double)(b);                                                   \
        if (!(fabs(near_a - near_b) <= (double)(tolerance)))                                                 \
            fail_msg("%s = %.9g, expected %.9g within %g", #a, near_a, near_b, (double)(tolerance));         \
    } while (0)

// Longitude and latitude sphere: 2 * around * (rings - 1) triangles.
static inline mesh make_sphere(float radius, uint32_t around, uint32_t rings) {
    mesh m;
    assert_int_equal(
        mesh_alloc((size_t)around * (rings - 1) + 2, 2 * (size_t)around * (rings - 1), false, &m), FIRN_OK);
    size_t v = 0, t = 0;
    for (uint32_t r = 1; r < rings; r++)
        for (uint32_t a = 0; a < around; a++, v++) {
            double lat = M_PI * r / rings, lon = 2.0 * M_PI * a / around;
            m.position[v][0] = (float)(radius * sin(lat) * cos(lon));
            m.position[v][1] = (float)(radius * cos(lat));
            m.position[v][2] = (float)(radius * sin(lat) * sin(lon));
        }
    uint32_t top = (uint32_t)v, bottom = top + 1;
    memcpy(m.position[top], (float[3]){0, radius, 0}, sizeof(float[3]));
    memcpy(m.position[bottom], (float[3]){0, -radius, 0}, sizeof(float[3]));
    for (uint32_t a = 0; a < around; a++) {
        uint32_t b = (a + 1) % around, last = (rings - 2) * around;
        memcpy(m.triangle[t++], (uint32_t[3]){top, b, a}, 12);
        memcpy(m.triangle[t++], (uint32_t[3]){bottom, last + a, last + b}, 12);
        for (uint32_t r = 0; r + 2 < rings; r++) {
            uint32_t p = r * around + a, q = r * around + b, s = p + around, u = q + around;
            memcpy(m.triangle[t++], (uint32_t[3]){p, q, u}, 12);
            memcpy(m.triangle[t++], (uint32_t[3]){p, u, s}, 12);
        }
    }
    assert_int_equal(t, m.triangles);
    return m;
}

static inline mesh make_box(float x, float y, float z) { // full extents, centred
    mesh m;
    assert_int_equal(mesh_alloc(8, 12, false, &m), FIRN_OK);
    for (int i = 0; i < 8; i++) {
        m.position[i][0] = i & 1 ? x / 2 : -x / 2;
        m.position[i][1] = i & 2 ? y / 2 : -y / 2;
        m.position[i][2] = i & 4 ? z / 2 : -z / 2;
    }
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; f++) {
        const uint32_t *q = faces[f];
        memcpy(m.triangle[2 * f], (uint32_t[3]){q[0], q[1], q[2]}, 12);
        memcpy(m.triangle[2 * f + 1], (uint32_t[3]){q[0], q[2], q[3]}, 12);
    }
    return m;
}

// Around the y axis.
static inline mesh make_torus(float big, float small, uint32_t around, uint32_t across) {
    mesh m;
    assert_int_equal(mesh_alloc((size_t)around * across, 2 * (size_t)around * across, false, &m), FIRN_OK);
    size_t v = 0, t = 0;
    for (uint32_t a = 0; a < around; a++)
        for (uint32_t c = 0; c < across; c++, v++) {
            double lon = 2.0 * M_PI * a / around, lat = 2.0 * M_PI * c / across, r = big + small * cos(lat);
            m.position[v][0] = (float)(r * cos(lon));
            m.position[v][1] = (float)(small * sin(lat));
            m.position[v][2] = (float)(r * sin(lon));
            uint32_t an = (a + 1) % around, cn = (c + 1) % across;
            uint32_t p = a * across + c, q = an * across + c, s = a * across + cn, u = an * across + cn;
            memcpy(m.triangle[t++], (uint32_t[3]){p, s, u}, 12);
            memcpy(m.triangle[t++], (uint32_t[3]){p, u, q}, 12);
        }
    return m;
}

// Uniform in [-1, 1)
static inline float random_signed(uint64_t seed, uint64_t item, int k) {
    return 2.0f * random_unit(random_bits(seed, item, 0, 0), k) - 1.0f;
}

// Fails the n-th allocation and all later ones, or (once) only that one.
typedef struct failing_memory {
    long left;
    bool failed;
} failing_memory;
static inline void *failing_allocate(void *context, size_t bytes) {
    failing_memory *f = context;
    if (f->left-- == 0) {
        f->failed = true;
        return NULL;
    }
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static inline void failing_release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free(memory);
}

// Runs `work` with the n-th allocation failing for n = 0, 1, ... until it needs no more; checks for leaks.
// `work` frees what it made and returns the status it got.
static inline void sweep_allocations(firn_status (*work)(void *context), void *context) {
    for (long n = 0; n < 10000; n++) {
        failing_memory f = {.left = n};
        firn_allocator table = {failing_allocate, failing_release, &f};
        size_t before = mem_in_use();
        firn_set_allocator(&table);
        firn_status status = work(context);
        firn_set_allocator(NULL);
        assert_int_equal(mem_in_use(), before);
        if (!f.failed) {
            assert_int_equal(status, FIRN_OK);
            return;
        }
        assert_int_equal(status, FIRN_NO_MEMORY);
    }
    fail_msg("needs more than 10000 allocations");
}

// Every edge is shared by exactly two triangles, once in each direction, and the triangles around a vertex
// form one fan.
static inline void assert_two_manifold(const mesh *m) {
    size_t edges = 3 * m->triangles, size = 1;
    while (size < 4 * edges) size *= 2;
    uint64_t *key = calloc(size, sizeof *key);
    uint32_t *after = calloc(size, sizeof *after); // in the triangle of edge (v, a): the third corner
    uint32_t *degree = calloc(m->vertices + 1, sizeof *degree),
             *start = calloc(m->vertices + 1, sizeof *start);
    for (size_t i = 0; i < edges; i++) {
        const uint32_t *t = m->triangle[i / 3];
        uint32_t from = t[i % 3];
        uint32_t to = t[(i % 3 + 1) % 3];
        uint64_t k = ((uint64_t)from << 32 | to) + 1;
        size_t at = (k * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
        for (; key[at]; at = (at + 1) & (size - 1)) assert_true(key[at] != k);
        key[at] = k;
        after[at] = t[(i % 3 + 2) % 3];
        degree[from]++;
        start[from] = to;
    }
    for (uint32_t v = 0; v < m->vertices; v++) {
        uint32_t a = start[v], steps = 0;
        do { // turn around v: from edge (v, a) to edge (v, third corner)
            uint64_t k = ((uint64_t)v << 32 | a) + 1;
            size_t at = (k * 0x9e3779b97f4a7c15u >> 20) & (size - 1);
            while (key[at] && key[at] != k) at = (at + 1) & (size - 1);
            assert_true(key[at] == k);
            a = after[at];
            steps++;
        } while (a != start[v] && steps <= degree[v]);
        assert_int_equal(steps, degree[v]);
        assert_true(degree[v] >= 3);
    }
    free(key);
    free(after);
    free(degree);
    free(start);
}

#endif
