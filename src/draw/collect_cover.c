// The snow cover as a surface that reaches a little into bodies and ground, so that no gap is seen. Thin snow
// lets what it lies on through: its edges fade out with its depth.
#include "draw/collect.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

#define OVERLAP 0.45f // cells
#define HOLE 0.12f    // cells, depth around from which a column without snow is not seen
#define NONE UINT32_MAX
enum { SMOOTH = 4, LEVEL = 8, BLOCK = 4096, UP = 2, DOWN = 3, DEEP = 8 }; // rounds; cells

typedef struct paint_job {
    const cover_grid *grid;
    const uint32_t *floor_of; // of each cell
    const float (*body)[3];   // colours of bodies
    const mesh *mesh;
    float (*color)[3];
    float white[3];
} paint_job;

// The floor in a column that is next to a height (in cells), and the depth of the snow on it (cells).
static uint32_t floor_near(const paint_job *job, int32_t i, int32_t k, float height, float *depth) {
    const cover_grid *g = job->grid;
    int32_t top = (int32_t)floorf(height) + UP;
    *depth = 0;
    for (int32_t j = top < g->n[1] ? top : g->n[1] - 1; j >= 0 && j > top - UP - DOWN - DEEP; j--) {
        size_t at = ((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i;
        if (g->fill[at] < 0) continue;
        if (job->floor_of[at] != NONE) {
            for (size_t up = at; j < g->n[1] && g->fill[up] > 0; j++, up += (size_t)g->n[0])
                *depth += g->fill[up];
            return job->floor_of[at];
        }
    }
    return NONE;
}

static int32_t inside(int32_t at, int32_t n) { return at < 0 ? 0 : at < n ? at : n - 1; }

// Depths and colours below, mixed between the middles of columns. Single flakes make single columns uneven:
// the mean over the columns around counts, but where a column is bare snow fades out towards it.
static void paint_vertex(const paint_job *job, const float p[3], float out[3]) {
    const cover_grid *g = job->grid;
    float u[3], own[2] = {0}, wide[2] = {0}, below[3] = {0}; // depth and weight
    for (int d = 0; d < 3; d++) u[d] = (float)(((double)p[d] - g->low[d]) / g->cell) - (d == 1 ? 0 : 0.5f);
    int32_t i = (int32_t)floorf(u[0]) - 1, k = (int32_t)floorf(u[2]) - 1;
    for (int n = 0; n < 16; n++) {
        int32_t x = i + n % 4, z = k + n / 4;
        float dx = fabsf(u[0] - (float)x), dz = fabsf(u[2] - (float)z), depth;
        uint32_t f = floor_near(job, inside(x, g->n[0]), inside(z, g->n[2]), u[1], &depth);
        if (f == NONE || g->floor[f].body == 0) continue;
        float near = fmaxf(1 - dx, 0) * fmaxf(1 - dz, 0), far = fmaxf(2 - dx, 0) * fmaxf(2 - dz, 0);
        own[0] += near * depth, own[1] += near;
        wide[0] += far * depth, wide[1] += far;
        for (int c = 0; c < 3; c++) below[c] += far * job->body[g->floor[f].body - 1][c];
    }
    float depth = own[1] > 0 ? fminf(3 * own[0] / own[1], wide[0] / wide[1]) : 0;
    if (wide[1] > 0) depth = fmaxf(depth, wide[0] / wide[1] - HOLE); // heaps are levelled into it
    float hidden = wide[1] > 0 ? 1 - expf(-depth * (float)g->cell / COVER_HIDES) : 1;
    for (int c = 0; c < 3; c++) {
        float ground = wide[1] > 0 ? below[c] / wide[1] : job->white[c];
        out[c] = ground + hidden * (job->white[c] - ground);
    }
}

static void paint_some(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++) paint_vertex(job, job->mesh->position[i], job->color[i]);
}

static firn_status find_colors(collector *g, const cover_grid *grid) {
    collect_cover *c = &g->cover;
    size_t cells = (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2],
           bodies = body_count(world_bodies(g->world));
    if (!array_reserve(&c->floor_of, &c->cell_capacity, cells, sizeof *c->floor_of) ||
        !array_reserve(&c->colors, &c->color_capacity, c->mesh.vertices, sizeof *c->colors) ||
        !array_reserve(&c->bodies, &c->body_capacity, bodies + 1, sizeof *c->bodies))
        return fail_memory("colouring the snow cover", cells * sizeof *c->floor_of);
    memset(c->floor_of, 0xff, cells * sizeof *c->floor_of);
    for (size_t i = 0; i < grid->floors; i++) c->floor_of[grid->floor[i].cell] = (uint32_t)i;
    for (size_t b = 0; b < bodies; b++) collect_body_color(g, b, c->bodies[b]);
    paint_job job = {grid, c->floor_of, (const float(*)[3])c->bodies, &c->mesh, c->colors, COVER_WHITE};
    par_for(c->mesh.vertices, BLOCK, paint_some, &job);
    return FIRN_OK;
}

// ---- Beside a snow field: the cover has none of its columns, but its surface does not end before it.

// Whether all of a column lies over the field.
static bool is_over(const firn_snowfield *f, const cover_grid *g, int32_t i, int32_t k) {
    const int32_t at[2] = {i, k}, n[2] = {f->nx, f->nz};
    const double first[2] = {f->x0, f->z0}, low[2] = {g->low[0], g->low[2]}, slack = 1e-3 * g->cell;
    for (int a = 0; a < 2; a++) {
        double from = low[a] + at[a] * g->cell - first[a];
        if (from < -slack || from + g->cell > n[a] * f->cell + slack) return false;
    }
    return true;
}

static const float *column_of(const cover_grid *g, const float *fill, int32_t i, int32_t k) {
    return fill + (size_t)k * (size_t)g->n[1] * (size_t)g->n[0] + (size_t)i;
}

// Cells of snow that stand on the lowest floor of a column.
static float lowest_snow(const cover_grid *g, const float *column) {
    float depth = 0;
    int32_t j = 0;
    for (; j < g->n[1] && *column < 0; j++) column += g->n[0];
    for (; j < g->n[1] && *column > 0; j++, column += g->n[0]) depth += *column;
    return depth;
}

// Columns at the edge get nearly as much as those of the cover beside them have, below the field's surface.
static void reach_under(const firn_snowfield *f, const cover_grid *g, float *fill) {
    const float LESS = 0.9f;
    for (int32_t k = 0; k < g->n[2]; k++)
        for (int32_t i = 0; i < g->n[0]; i++) {
            float sum = 0, count = 0;
            if (!is_over(f, g, i, k)) continue;
            for (int n = 0; n < 9; n++) {
                int32_t x = i + n % 3 - 1, z = k + n / 3 - 1;
                if (x < 0 || z < 0 || x >= g->n[0] || z >= g->n[2] || is_over(f, g, x, z)) continue;
                sum += lowest_snow(g, column_of(g, g->fill, x, z)), count++;
            }
            float depth = count > 0 ? LESS * sum / count : 0, *column = (float *)column_of(g, fill, i, k);
            for (int32_t j = 0; j < g->n[1] && depth > 0; j++, column += g->n[0]) {
                if (*column < 0) continue;
                *column = fminf(depth, 1);
                depth -= *column;
            }
        }
}

static firn_status lap_under_field(collector *g, cover_grid *grid) {
    collect_cover *c = &g->cover;
    size_t cells = (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2];
    firn_snowfield f;
    if (!g->heights) return FIRN_OK;
    g->heights->get(g->heights_model, &f);
    if (!array_reserve(&c->fill, &c->fill_capacity, cells, sizeof *c->fill))
        return fail_memory("drawing the snow cover", cells * sizeof *c->fill);
    memcpy(c->fill, grid->fill, cells * sizeof *c->fill);
    reach_under(&f, grid, c->fill);
    grid->fill = c->fill;
    return FIRN_OK;
}

firn_status collect_add_cover(collector *g) {
    cover_grid grid;
    if (!world_has_cover(g->world)) return FIRN_OK;
    TRY(world_cover_grid(g->world, &grid));
    TRY(world_cover_floors(g->world, &grid, &g->cover.floors));
    TRY(lap_under_field(g, &grid));
    grid.overlap = OVERLAP;
    grid.smooth = SMOOTH; // heaps of single flakes, a few cells wide, are no drifts
    grid.level = LEVEL;
    grid.lying = true; // what falls off a roof is as loose as flakes, not a lump in the air
    mesh_free(&g->cover.mesh);
    TRY(cover_surface(&grid, &g->cover.mesh));
    if (g->cover.mesh.triangles == 0) return FIRN_OK;
    TRY(find_colors(g, &grid));
    draw_mesh item = {.mesh = &g->cover.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .color = COVER_WHITE,
                      .colors = (const float(*)[3])g->cover.colors,
                      .material = DRAW_COVER};
    TRY(collect_world_mesh(g, item));
    return g->scene->picture.endless ? collect_cover_beyond(g, &grid) : FIRN_OK;
}

void collect_cover_free(collect_cover *cover) {
    mesh_free(&cover->mesh);
    mesh_free(&cover->beyond);
    mem_free(cover->floors.floor);
    mem_free(cover->fill);
    mem_free(cover->floor_of);
    mem_free(cover->colors);
    mem_free(cover->bodies);
    mem_free(cover->beyond_colors);
}
