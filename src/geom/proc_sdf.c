// Samples an implicit function and polygonises it.
#include "geom/proc_sdf.h"

#include <math.h>

#include "base/random.h"
#include "geom/marching.h"
#include "geom/proc.h"
#include "par/par.h"

double proc_variation(uint64_t seed, uint32_t k) {
    if (seed < 2) return 0;
    return 2 * (double)random_unit(random_bits(seed, k, 0, 23), 0) - 1;
}

// The transpose of Ry Rx Rz: the way back.
sdf_turn sdf_turn_by(point3 about, double pitch, double roll, double yaw) {
    double cz = cos(pitch), sz = sin(pitch), cx = cos(roll), sx = sin(roll), cy = cos(yaw), sy = sin(yaw);
    double z[3][3] = {{cz, sz, 0}, {-sz, cz, 0}, {0, 0, 1}}, x[3][3] = {{1, 0, 0}, {0, cx, sx}, {0, -sx, cx}};
    double y[3][3] = {{cy, 0, -sy}, {0, 1, 0}, {sy, 0, cy}};
    sdf_turn t = {.about = about};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++) sum += z[i][k] * x[k][l] * y[l][j];
            }
            t.m[i][j] = (float)sum;
        }
    }
    return t;
}

enum { BLOCK = 8 }; // samples along a block's edge

typedef struct sampling {
    proc_field field;
    const void *context;
    float *values;
    uint32_t nx, ny, nz, blocks_x, blocks_y;
    point3 low;
    float cell;
} sampling;

static point3 sample_place(const sampling *s, float i, float j, float k) {
    return (point3){s->low.x + s->cell * i, s->low.y + s->cell * j, s->low.z + s->cell * k};
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// A block whose middle is far from the surface takes one value throughout.
static void sample_block(void *context, size_t block) {
    const sampling *s = context;
    uint32_t i0 = (uint32_t)(block % s->blocks_x) * BLOCK,
             j0 = (uint32_t)(block / s->blocks_x % s->blocks_y) * BLOCK;
    uint32_t k0 = (uint32_t)(block / s->blocks_x / s->blocks_y) * BLOCK;
    const float middle = (BLOCK - 1) * 0.5f;
    float there =
        s->field(s->context, sample_place(s, (float)i0 + middle, (float)j0 + middle, (float)k0 + middle));
    bool far = fabsf(there) > 1.5f * s->cell * (float)BLOCK;
    for (uint32_t k = k0; k < least(k0 + BLOCK, s->nz); k++) {
        for (uint32_t j = j0; j < least(j0 + BLOCK, s->ny); j++) {
            float *row = s->values + ((size_t)k * s->ny + j) * s->nx;
            for (uint32_t i = i0; i < least(i0 + BLOCK, s->nx); i++) {
                row[i] = far ? there : s->field(s->context, sample_place(s, (float)i, (float)j, (float)k));
            }
        }
    }
}

static uint32_t samples_along(float low, float high, float cell) {
    return (uint32_t)ceilf((high - low) / cell) + 1;
}

firn_status proc_polygonise(proc_field field, const void *context, point3 low, point3 high, float cell,
                            mesh *out) {
    sampling s = {.field = field, .context = context, .low = low, .cell = cell};
    s.nx = samples_along(low.x, high.x, cell);
    s.ny = samples_along(low.y, high.y, cell);
    s.nz = samples_along(low.z, high.z, cell);
    size_t bytes = (size_t)s.nx * s.ny * s.nz * sizeof *s.values;
    s.values = mem_alloc(bytes);
    if (!s.values) return fail_memory("sampling a generated shape", bytes);
    s.blocks_x = (s.nx + BLOCK - 1) / BLOCK;
    s.blocks_y = (s.ny + BLOCK - 1) / BLOCK;
    par_tasks((size_t)s.blocks_x * s.blocks_y * ((s.nz + BLOCK - 1) / BLOCK), sample_block, &s);
    marching_grid grid = {
        .values = s.values, .nx = s.nx, .ny = s.ny, .nz = s.nz, .low = {low.x, low.y, low.z}, .cell = cell};
    firn_status status = marching_cubes(&grid, out);
    mem_free(s.values);
    if (status == FIRN_OK) proc_stand(out);
    return status;
}

void proc_stand(mesh *m) {
    float low[3], high[3];
    mesh_bounds(m, low, high);
    float scale = 1 / (high[1] - low[1]), x = (low[0] + high[0]) / 2, z = (low[2] + high[2]) / 2;
    for (size_t i = 0; i < m->vertices; i++) {
        float *p = m->position[i];
        p[0] = (p[0] - x) * scale;
        p[1] = (p[1] - low[1]) * scale;
        p[2] = (p[2] - z) * scale;
    }
}
