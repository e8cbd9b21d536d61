// The snow cover as a surface: marching cubes over heights within cells, so that thin snow shows, too.
#include <math.h>

#include "draw/gather.h"
#include "geom/marching.h"
#include "par/par.h"

typedef struct cover_field {
    const float *fill; // n[0] n[1] n[2] cells, rows along x; below 0: a body
    int n[3];
    double low[3], cell;
    float *value; // with a layer around
} cover_field;

static bool find_cover(const gather *g, cover_field *c) {
    firn_field fill = firn_world_field(g->world, "wind.cover"), box = firn_world_field(g->world, "wind.box");
    if (!fill.data || !box.data || box.count < 7) return false;
    const double *d = box.data;
    c->fill = fill.data;
    c->cell = d[3];
    for (int k = 0; k < 3; k++) c->low[k] = d[k], c->n[k] = (int)d[4 + k];
    return fill.count == (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2] && c->cell > 0;
}

static float fill_at(const cover_field *c, int i, int j, int k) {
    if (i < 0 || j < 0 || k < 0 || i >= c->n[0] || j >= c->n[1] || k >= c->n[2]) return -1;
    return c->fill[((size_t)k * (size_t)c->n[1] + (size_t)j) * (size_t)c->n[0] + (size_t)i];
}

// Height of the cell's middle above the snow, in cells, as far as the column tells; bare places are far
// above.
static float height_above(const cover_field *c, int i, int j, int k) {
    float here = fill_at(c, i, j, k), below = fill_at(c, i, j - 1, k), above = fill_at(c, i, j + 1, k);
    if (here > 0 && below == 0) return 1; // it is falling
    if (here > 0) return above > 0 ? -0.5f - fminf(above, 1) : 0.5f - fminf(here, 1);
    if (here == 0 && below > 0 && fill_at(c, i, j - 2, k) != 0) return 1.5f - fminf(below, 1);
    if (here < 0 && above > 0) return -0.5f - fminf(above, 1);
    return 1;
}

static void find_values(void *context, size_t begin, size_t end) {
    const cover_field *c = context;
    size_t row = (size_t)c->n[0] + 2, plane = row * ((size_t)c->n[1] + 2);
    for (size_t k = begin; k < end; k++)
        for (size_t j = 0; j < (size_t)c->n[1] + 2; j++)
            for (size_t i = 0; i < row; i++)
                c->value[k * plane + j * row + i] = height_above(c, (int)i - 1, (int)j - 1, (int)k - 1);
}

firn_status gather_add_cover(gather *g) {
    cover_field c;
    if (!find_cover(g, &c)) return FIRN_OK;
    size_t count = ((size_t)c.n[0] + 2) * ((size_t)c.n[1] + 2) * ((size_t)c.n[2] + 2);
    if (!array_reserve(&g->cover.value, &g->cover.capacity, count, sizeof *g->cover.value))
        return fail_memory("drawing the snow cover", count * sizeof *g->cover.value);
    c.value = g->cover.value;
    par_for((size_t)c.n[2] + 2, 4, find_values, &c);
    marching_grid grid = {.values = c.value,
                          .nx = (uint32_t)c.n[0] + 2,
                          .ny = (uint32_t)c.n[1] + 2,
                          .nz = (uint32_t)c.n[2] + 2,
                          .cell = (float)c.cell,
                          .level = 0};
    for (int k = 0; k < 3; k++) grid.low[k] = (float)(c.low[k] - 0.5 * c.cell);
    mesh_free(&g->cover.mesh);
    TRY(marching_cubes(&grid, &g->cover.mesh));
    draw_mesh item = {.mesh = &g->cover.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .color = {0.88f, 0.9f, 0.93f},
                      .material = DRAW_SOFT};
    return g->cover.mesh.triangles ? draw_list_mesh(&g->list, item) : FIRN_OK;
}

void gather_cover_free(gather_cover *cover) {
    mesh_free(&cover->mesh);
    mem_free(cover->value);
}
