// The mesh of a block of ground: its surface, four walls and a bottom.
#include <assert.h>
#include <math.h>

#include "geom/tessellate.h"

typedef struct builder {
    const ground_map *g;
    mesh *m;
    size_t nx, nz; // vertices of the surface along x and z
    size_t vertices, triangles;
} builder;

static void put_triangle(builder *b, size_t i, size_t j, size_t k) {
    uint32_t *t = b->m->triangle[b->triangles++];
    t[0] = (uint32_t)i, t[1] = (uint32_t)j, t[2] = (uint32_t)k;
}

static size_t put_vertex(builder *b, const float position[3], float nx, float ny, float nz) {
    float *p = b->m->position[b->vertices], *n = b->m->normal[b->vertices];
    p[0] = position[0], p[1] = position[1], p[2] = position[2];
    n[0] = nx, n[1] = ny, n[2] = nz;
    return b->vertices++;
}

// Sample of the map that vertex i of n stands for; the last is the last.
static int sample_of(size_t i, size_t n, int samples) {
    return (int)(((uint64_t)i * (uint64_t)(samples - 1) + (n - 1) / 2) / (n - 1));
}

static float height(const ground_map *g, int i, int j) {
    i = i < 0 ? 0 : i >= g->nx ? g->nx - 1 : i;
    j = j < 0 ? 0 : j >= g->nz ? g->nz - 1 : j;
    return g->heights[(size_t)j * (size_t)g->nx + (size_t)i];
}

static void surface_vertex(builder *b, size_t column, size_t row) {
    const ground_map *g = b->g;
    int i = sample_of(column, b->nx, g->nx), j = sample_of(row, b->nz, g->nz);
    int wide = i > 0 && i + 1 < g->nx ? 2 : 1, deep = j > 0 && j + 1 < g->nz ? 2 : 1;
    float slope_x = (height(g, i + 1, j) - height(g, i - 1, j)) * g->cells_x / (float)wide;
    float slope_z = (height(g, i, j + 1) - height(g, i, j - 1)) * g->cells_z / (float)deep;
    float inverse = 1 / sqrtf(1 + slope_x * slope_x + slope_z * slope_z);
    float x = i == g->nx - 1 ? g->half_x : (float)i / g->cells_x - g->half_x;
    float z = j == g->nz - 1 ? g->half_z : (float)j / g->cells_z - g->half_z;
    put_vertex(b, (float[3]){x, height(g, i, j), z}, -slope_x * inverse, inverse, -slope_z * inverse);
}

static void surface(builder *b) {
    for (size_t j = 0; j < b->nz; j++) {
        for (size_t i = 0; i < b->nx; i++) surface_vertex(b, i, j);
    }
    for (size_t j = 0; j + 1 < b->nz; j++) {
        for (size_t i = 0; i + 1 < b->nx; i++) {
            size_t a = j * b->nx + i, c = a + b->nx;
            put_triangle(b, a, c, c + 1);
            put_triangle(b, a, c + 1, a + 1);
        }
    }
}

// A wall below `count` vertices of the surface, which start at `first` and are `stride` apart; they run so
// that the wall faces right of the way. Then its share of the bottom.
static void wall(builder *b, size_t first, long stride, size_t count, float nx, float nz) {
    size_t centre = put_vertex(b, (float[3]){0, b->g->bottom, 0}, 0, -1, 0);
    size_t start = b->vertices;
    for (size_t i = 0; i < count; i++) {
        const float *top = b->m->position[(size_t)((long)first + (long)i * stride)];
        float foot[3] = {top[0], b->g->bottom, top[2]};
        put_vertex(b, top, nx, 0, nz);
        put_vertex(b, foot, nx, 0, nz);
        put_vertex(b, foot, 0, -1, 0);
    }
    for (size_t i = 0; i + 1 < count; i++) {
        size_t a = start + 3 * i, c = a + 3;
        put_triangle(b, a, a + 1, c + 1);
        put_triangle(b, a, c + 1, c);
        put_triangle(b, centre, c + 2, a + 2);
    }
}

firn_status tessellate_ground(const ground_map *g, size_t most_steps, mesh *out) {
    size_t nx = (size_t)g->nx, nz = (size_t)g->nz;
    builder b = {.g = g, .m = out};
    b.nx = nx - 1 > most_steps ? most_steps + 1 : nx;
    b.nz = nz - 1 > most_steps ? most_steps + 1 : nz;
    size_t around = 2 * (b.nx + b.nz), edges = 2 * (b.nx - 1 + b.nz - 1);
    TRY(mesh_alloc(b.nx * b.nz + 4 + 3 * around, 2 * (b.nx - 1) * (b.nz - 1) + 3 * edges, true, out));
    surface(&b);
    long row = (long)b.nx;
    size_t last = b.nx * b.nz - 1;
    wall(&b, b.nx * (b.nz - 1), 1, b.nx, 0, 1);
    wall(&b, b.nx - 1, -1, b.nx, 0, -1);
    wall(&b, last, -row, b.nz, 1, 0);
    wall(&b, 0, row, b.nz, -1, 0);
    assert(b.vertices == out->vertices && b.triangles == out->triangles);
    return FIRN_OK;
}
