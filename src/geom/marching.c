// Vertices are numbered plane by plane along z: first those on edges within the plane (row by row, x before
// y), then those on edges up to the next plane. So any range of planes can be numbered on its own once the
// planes before it have been counted, and the result does not depend on how the planes are shared out.
#include "geom/marching.h"

#include <math.h>

#include "geom/marching_table.h"
#include "par/par.h"

enum { SLABS = 16, SKINS = 5 }; // id arrays of a slab: x and y edges of two planes, z edges in between

typedef struct plane_counts {
    size_t flat, upright,
        triangles; // later: the first vertex in the plane, the first upright one, the first triangle
} plane_counts;

// Of a row of samples along x: all the same, or not.
enum { ROW_OUTSIDE, ROW_INSIDE, ROW_MIXED };

typedef struct marching {
    const marching_grid *grid;
    uint8_t *rows; // ny * nz
    marching_case table[256];
    plane_counts *planes; // nz
    uint32_t *ids;        // SLABS * SKINS * nx * ny
    mesh *out;
} marching;

static size_t sample_index(const marching_grid *g, uint32_t x, uint32_t y, uint32_t z) {
    return ((size_t)z * g->ny + y) * g->nx + x;
}

static bool inside(const marching_grid *g, size_t i) { return g->values[i] < g->level; }

static size_t stride_of(const marching_grid *g, int axis) {
    return axis == 0 ? 1 : axis == 1 ? g->nx : (size_t)g->nx * g->ny;
}

// Bits of the four corners of the plane's cell (x, y), in the order of the table's lower half.
static unsigned quad_inside(const marching_grid *g, size_t i) {
    return (unsigned)inside(g, i) | (unsigned)inside(g, i + 1) << 1 | (unsigned)inside(g, i + g->nx) << 2 |
           (unsigned)inside(g, i + g->nx + 1) << 3;
}

static unsigned cube_case(const marching_grid *g, size_t i) {
    return quad_inside(g, i) | quad_inside(g, i + (size_t)g->nx * g->ny) << 4;
}

static void look_at_rows(void *context, size_t z) {
    marching *m = context;
    const marching_grid *g = m->grid;
    for (uint32_t y = 0; y < g->ny; y++) {
        size_t i = sample_index(g, 0, y, (uint32_t)z);
        uint32_t count = 0;
        for (uint32_t x = 0; x < g->nx; x++) count += inside(g, i + x);
        m->rows[z * g->ny + y] = count == 0 ? ROW_OUTSIDE : count == g->nx ? ROW_INSIDE : ROW_MIXED;
    }
}

// The first sample of a row to look at: none if nothing crosses the edges that begin in it, nor the cubes
// between it and the next rows.
static uint32_t row_begin(const marching *m, uint32_t y, uint32_t z) {
    const marching_grid *g = m->grid;
    const uint8_t *row = m->rows + (size_t)z * g->ny + y;
    bool next_y = y + 1 < g->ny, next_z = z + 1 < g->nz;
    bool idle = row[0] != ROW_MIXED && (!next_y || row[1] == row[0]) && (!next_z || row[g->ny] == row[0]) &&
                (!next_y || !next_z || row[g->ny + 1] == row[0]);
    return idle ? g->nx : 0;
}

static void count_plane(void *context, size_t z) {
    marching *m = context;
    const marching_grid *g = m->grid;
    plane_counts counts = {0};
    bool last_z = z + 1 == g->nz;
    for (uint32_t y = 0; y < g->ny; y++)
        for (uint32_t x = row_begin(m, y, (uint32_t)z); x < g->nx; x++) {
            size_t i = sample_index(g, x, y, (uint32_t)z);
            bool here = inside(g, i), last_x = x + 1 == g->nx, last_y = y + 1 == g->ny;
            if (!last_x) counts.flat += here != inside(g, i + 1);
            if (!last_y) counts.flat += here != inside(g, i + g->nx);
            if (last_z) continue;
            counts.upright += here != inside(g, i + stride_of(g, 2));
            if (!last_x && !last_y) counts.triangles += m->table[cube_case(g, i)].triangles;
        }
    m->planes[z] = counts;
}

static void number_planes(marching *m, size_t *vertices, size_t *triangles) {
    *vertices = *triangles = 0;
    for (uint32_t z = 0; z < m->grid->nz; z++) {
        plane_counts counts = m->planes[z];
        m->planes[z] = (plane_counts){*vertices, *vertices + counts.flat, *triangles};
        *vertices += counts.flat + counts.upright;
        *triangles += counts.triangles;
    }
}

// Ids of the vertices on the edges within plane z.
static void number_flat(const marching *m, uint32_t z, uint32_t *along_x, uint32_t *along_y) {
    const marching_grid *g = m->grid;
    uint32_t id = (uint32_t)m->planes[z].flat;
    size_t base = sample_index(g, 0, 0, z);
    for (uint32_t y = 0; y < g->ny; y++)
        for (uint32_t x = row_begin(m, y, z); x < g->nx; x++) {
            size_t at = (size_t)y * g->nx + x, i = base + at;
            bool here = inside(g, i);
            if (x + 1 < g->nx && here != inside(g, i + 1)) along_x[at] = id++;
            if (y + 1 < g->ny && here != inside(g, i + g->nx)) along_y[at] = id++;
        }
}

static void number_upright(const marching *m, uint32_t z, uint32_t *along_z) {
    const marching_grid *g = m->grid;
    uint32_t id = (uint32_t)m->planes[z].upright;
    size_t base = sample_index(g, 0, 0, z), plane = stride_of(g, 2);
    for (uint32_t y = 0; y < g->ny; y++)
        for (uint32_t x = row_begin(m, y, z); x < g->nx; x++) {
            size_t at = (size_t)y * g->nx + x;
            if (inside(g, base + at) != inside(g, base + at + plane)) along_z[at] = id++;
        }
}

// Central differences, one-sided at the border.
static void gradient(const marching_grid *g, const uint32_t at[3], float out[3]) {
    const uint32_t size[3] = {g->nx, g->ny, g->nz};
    size_t i = sample_index(g, at[0], at[1], at[2]);
    for (int k = 0; k < 3; k++) {
        size_t stride = stride_of(g, k);
        bool has_low = at[k] > 0, has_high = at[k] + 1 < size[k];
        float difference = g->values[has_high ? i + stride : i] - g->values[has_low ? i - stride : i];
        out[k] = has_low && has_high ? 0.5f * difference : difference;
    }
}

static void place_vertex(const marching *m, uint32_t id, const uint32_t at[3], int axis) {
    const marching_grid *g = m->grid;
    if (g->place) {
        g->place(g->context, at, axis, m->out->position[id], m->out->normal[id]);
        return;
    }
    uint32_t next[3] = {at[0], at[1], at[2]};
    next[axis]++;
    size_t i = sample_index(g, at[0], at[1], at[2]);
    float a = g->values[i], b = g->values[i + stride_of(g, axis)];
    // Never quite on a sample, where the vertices of several edges would meet; NaN ends up there too.
    float t = fminf(0.999f, fmaxf(0.001f, (g->level - a) / (b - a)));
    float ga[3], gb[3], n[3], length = 0.0f;
    gradient(g, at, ga);
    gradient(g, next, gb);
    for (int k = 0; k < 3; k++) {
        m->out->position[id][k] = g->low[k] + g->cell * ((float)at[k] + (k == axis ? t : 0.0f));
        n[k] = ga[k] + t * (gb[k] - ga[k]);
        length += n[k] * n[k];
    }
    length = sqrtf(length);
    bool usable = length > 0.0f && isfinite(length);
    float outward = a < g->level ? 1.0f : -1.0f;
    for (int k = 0; k < 3; k++) m->out->normal[id][k] = usable ? n[k] / length : k == axis ? outward : 0.0f;
}

static void place_vertices(const marching *m, uint32_t z, uint32_t *const skin[3]) {
    const marching_grid *g = m->grid;
    for (uint32_t y = 0; y < g->ny; y++)
        for (uint32_t x = row_begin(m, y, z); x < g->nx; x++) {
            size_t at = (size_t)y * g->nx + x, i = sample_index(g, x, y, z);
            const uint32_t cell[3] = {x, y, z}, size[3] = {g->nx, g->ny, g->nz};
            for (int axis = 0; axis < 3; axis++)
                if (cell[axis] + 1 < size[axis] && inside(g, i) != inside(g, i + stride_of(g, axis)))
                    place_vertex(m, skin[axis][at], cell, axis);
        }
}

static void place_triangles(const marching *m, uint32_t z, uint32_t *const low[3], uint32_t *const high[2]) {
    const marching_grid *g = m->grid;
    size_t triangle = m->planes[z].triangles;
    for (uint32_t y = 0; y + 1 < g->ny; y++)
        for (uint32_t x = row_begin(m, y, z); x + 1 < g->nx; x++) {
            const marching_case *c = &m->table[cube_case(g, sample_index(g, x, y, z))];
            for (int t = 0; t < c->triangles; t++, triangle++)
                for (int k = 0; k < 3; k++) {
                    int edge = c->edge[t][k], axis = edge / 4;
                    unsigned corner = marching_edge_corner(edge);
                    size_t at = (size_t)(y + (corner >> 1 & 1)) * g->nx + x + (corner & 1);
                    m->out->triangle[triangle][k] = corner >> 2 ? high[axis][at] : low[axis][at];
                }
        }
}

static void slab_range(uint32_t nz, size_t slab, uint32_t *begin, uint32_t *end) {
    *begin = (uint32_t)((uint64_t)nz * slab / SLABS);
    *end = (uint32_t)((uint64_t)nz * (slab + 1) / SLABS);
}

static void march_slab(void *context, size_t slab) {
    marching *m = context;
    const marching_grid *g = m->grid;
    size_t plane = stride_of(g, 2);
    uint32_t *ids = m->ids + slab * SKINS * plane, begin, end;
    uint32_t *low[3] = {ids, ids + plane, ids + 4 * plane},
             *high[3] = {ids + 2 * plane, ids + 3 * plane, NULL};
    slab_range(g->nz, slab, &begin, &end);
    if (begin < end) number_flat(m, begin, low[0], low[1]);
    for (uint32_t z = begin; z < end; z++) {
        bool last = z + 1 == g->nz;
        if (!last) number_upright(m, z, low[2]);
        if (!last) number_flat(m, z + 1, high[0], high[1]);
        place_vertices(m, z, low);
        if (!last) place_triangles(m, z, low, high);
        for (int k = 0; k < 2; k++) {
            uint32_t *kept = low[k];
            low[k] = high[k];
            high[k] = kept;
        }
    }
}

static firn_status march(marching *m) {
    size_t vertices, triangles;
    par_tasks(m->grid->nz, look_at_rows, m);
    par_tasks(m->grid->nz, count_plane, m);
    number_planes(m, &vertices, &triangles);
    TRY(mesh_alloc(vertices, triangles, true, m->out));
    if (vertices) par_tasks(SLABS, march_slab, m);
    return FIRN_OK;
}

firn_status marching_cubes(const marching_grid *grid, mesh *out) {
    *out = (mesh){0};
    size_t plane = (size_t)grid->nx * grid->ny;
    if (plane > UINT32_MAX || plane * grid->nz > ((size_t)1 << 40))
        return fail(FIRN_BAD_INPUT, "a grid of %u x %u x %u samples is too large for a surface", grid->nx,
                    grid->ny, grid->nz);
    if (plane == 0 || grid->nz == 0) return mesh_alloc(0, 0, true, out);
    marching *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory("finding a surface", sizeof *m);
    m->grid = grid;
    m->out = out;
    m->planes = mem_zero(grid->nz, sizeof *m->planes);
    m->rows = mem_alloc((size_t)grid->ny * grid->nz);
    m->ids = mem_alloc(SLABS * SKINS * plane * sizeof *m->ids);
    firn_status status = FIRN_OK;
    if (!m->planes || !m->rows || !m->ids)
        status = fail_memory("finding a surface", SLABS * SKINS * plane * sizeof *m->ids);
    marching_table_build(m->table);
    if (status == FIRN_OK) status = march(m);
    mem_free(m->planes);
    mem_free(m->rows);
    mem_free(m->ids);
    mem_free(m);
    return status;
}
