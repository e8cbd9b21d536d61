// Voxels and .binvox files for tests.
#ifndef TESTS_VOXEL_FILES_H
#define TESTS_VOXEL_FILES_H

#include <stdio.h>

#include "geom/fill.h"

static inline size_t voxels_count(const voxels *v) {
    size_t count = 0;
    for (size_t i = 0; i < ((size_t)v->nx * v->ny * v->nz + 7) / 8; i++)
        count += (size_t)__builtin_popcount(v->bits[i]);
    return count;
}

// A ball around the origin, solid where a cell's centre is inside.
static inline voxels voxels_ball(float radius, uint32_t side) {
    voxels v = {.nx = side, .ny = side, .nz = side, .cell = 2 * radius / (float)side};
    for (int k = 0; k < 3; k++) v.low[k] = -radius;
    v.bits = mem_zero(((size_t)side * side * side + 7) / 8, 1);
    for (size_t i = 0; v.bits && i < (size_t)side * side * side; i++) {
        const size_t at[3] = {i % side, i / side % side, i / side / side};
        float r2 = 0;
        for (int k = 0; k < 3; k++) {
            float x = v.low[k] + v.cell * ((float)at[k] + 0.5f);
            r2 += x * x;
        }
        if (r2 < radius * radius) v.bits[i / 8] |= (uint8_t)(1u << i % 8);
    }
    return v;
}

static inline void binvox_put(const voxels *v, const char *path) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    uint32_t largest = v->nx > v->ny ? v->nx : v->ny;
    if (v->nz > largest) largest = v->nz;
    fprintf(file, "#binvox 1\ndim %u %u %u\ntranslate %.17g %.17g %.17g\nscale %.17g\ndata\n", v->nx, v->nz,
            v->ny, (double)v->low[0], (double)v->low[1], (double)v->low[2], (double)v->cell * largest);
    int value = 0, run = 0;
    for (uint32_t x = 0; x < v->nx; x++)
        for (uint32_t z = 0; z < v->nz; z++)
            for (uint32_t y = 0; y < v->ny; y++) {
                int here = voxels_at(v, x, y, z);
                if (run && (here != value || run == 255)) fprintf(file, "%c%c", value, run), run = 0;
                value = here;
                run++;
            }
    fprintf(file, "%c%c", value, run);
    assert_int_equal(fclose(file), 0);
}

#endif
