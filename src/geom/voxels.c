// Voxels as bits, and the smoothed mesh of the solid that they stand for.
#include <math.h>
#include <string.h>

#include "geom/fill.h"
#include "geom/marching.h"
#include "par/par.h"

enum { BORDER = 3, MAX_FIELD = 1 << 27 };

void voxels_free(voxels *v) {
    mem_free(v->bits);
    *v = (voxels){0};
}

bool voxels_at(const voxels *v, uint32_t x, uint32_t y, uint32_t z) {
    size_t i = x + (size_t)v->nx * (y + (size_t)v->ny * z);
    return v->bits[i / 8] >> (i % 8) & 1;
}

// ---- surface

// A grid of the cells' middles with an empty border, blurred by (1 2 1)/4 twice along each axis.
typedef struct blurring {
    const voxels *v;
    uint32_t n[3];
    float *from, *to;
    size_t stride;
} blurring;

static void load_plane(void *context, size_t z) {
    blurring *b = context;
    const voxels *v = b->v;
    float *plane = b->from + z * b->n[0] * b->n[1];
    memset(plane, 0, (size_t)b->n[0] * b->n[1] * sizeof *plane);
    if (z < BORDER || z >= v->nz + BORDER) return;
    for (uint32_t y = 0; y < v->ny; y++)
        for (uint32_t x = 0; x < v->nx; x++)
            plane[(size_t)(y + BORDER) * b->n[0] + x + BORDER] =
                voxels_at(v, x, y, (uint32_t)z - BORDER) ? 1.0f : 0.0f;
}

static void blur_range(void *context, size_t begin, size_t end) {
    const blurring *b = context;
    size_t total = (size_t)b->n[0] * b->n[1] * b->n[2];
    for (size_t i = begin; i < end; i++) {
        float before = i >= b->stride ? b->from[i - b->stride] : 0.0f;
        float after = i + b->stride < total ? b->from[i + b->stride] : 0.0f;
        b->to[i] = 0.5f * b->from[i] + 0.25f * (before + after);
    }
}

// Blurring alone would lose what is one cell thin: every solid cell's middle stays inside, every other one
// outside. The field is turned over, since a surface has the smaller values inside.
static void limit_plane(void *context, size_t z) {
    blurring *b = context;
    const voxels *v = b->v;
    for (uint32_t y = 0; y < b->n[1]; y++)
        for (uint32_t x = 0; x < b->n[0]; x++) {
            uint32_t cx = x - BORDER, cy = y - BORDER, cz = (uint32_t)z - BORDER; // wraps to huge outside
            bool solid = cx < v->nx && cy < v->ny && cz < v->nz && voxels_at(v, cx, cy, cz);
            float *value = b->from + (z * b->n[1] + y) * b->n[0] + x;
            *value = solid ? fminf(-0.55f, -*value) : fmaxf(-0.45f, -*value);
        }
}

static void blur(blurring *b) {
    const size_t strides[3] = {1, b->n[0], (size_t)b->n[0] * b->n[1]};
    for (int pass = 0; pass < 6; pass++) {
        b->stride = strides[pass % 3];
        par_for((size_t)b->n[0] * b->n[1] * b->n[2], 1 << 14, blur_range, b);
        float *kept = b->from;
        b->from = b->to;
        b->to = kept;
    }
}

firn_status voxels_to_mesh(const voxels *v, mesh *out) {
    *out = (mesh){0};
    blurring b = {.v = v, .n = {v->nx + 2 * BORDER, v->ny + 2 * BORDER, v->nz + 2 * BORDER}};
    size_t total = (size_t)b.n[0] * b.n[1] * b.n[2];
    if (total > MAX_FIELD)
        return fail(FIRN_BAD_INPUT, "%u x %u x %u voxels are too many for a surface", v->nx, v->ny, v->nz);
    b.from = mem_alloc(total * sizeof *b.from);
    b.to = mem_alloc(total * sizeof *b.to);
    firn_status status = FIRN_OK;
    if (!b.from || !b.to) status = fail_memory("finding the surface of voxels", total * sizeof *b.from);
    if (status == FIRN_OK) {
        par_tasks(b.n[2], load_plane, &b);
        blur(&b);
        par_tasks(b.n[2], limit_plane, &b);
        marching_grid grid = {
            .values = b.from, .nx = b.n[0], .ny = b.n[1], .nz = b.n[2], .cell = v->cell, .level = -0.5f};
        for (int k = 0; k < 3; k++) grid.low[k] = v->low[k] + v->cell * (0.5f - BORDER);
        status = marching_cubes(&grid, out);
    }
    mem_free(b.from);
    mem_free(b.to);
    return status;
}
