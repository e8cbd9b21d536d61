// Density on a dense grid, for volume viewers.
#include <string.h>

#include "geom/surface_bricks.h"
#include "par/par.h"

typedef struct gridding {
    const surface_bricks *bricks;
    surface_grid *grid;
    int32_t first[3]; // brick of the first node
} gridding;

static void copy_brick(void *context, size_t brick) {
    const gridding *g = context;
    float sum[BRICK_NODES];
    surface_splat_values(g->bricks, brick, 0, 1, &sum);
    size_t at[3];
    for (int k = 0; k < 3; k++) at[k] = (size_t)(g->bricks->at[brick][k] - g->first[k]) * BRICK_EDGE;
    for (size_t z = 0; z < BRICK_EDGE; z++)
        for (size_t y = 0; y < BRICK_EDGE; y++) {
            size_t row = ((at[2] + z) * g->grid->size[1] + at[1] + y) * g->grid->size[0] + at[0];
            memcpy(g->grid->density + row, sum + (z * BRICK_EDGE + y) * BRICK_EDGE, BRICK_EDGE * sizeof *sum);
        }
}

static firn_status fill_grid(gridding *g) {
    const surface_bricks *t = g->bricks;
    int32_t last[3];
    double nodes = 1;
    for (int k = 0; k < 3; k++) {
        g->first[k] = last[k] = t->at[0][k];
        for (size_t i = 1; i < t->count; i++) {
            if (t->at[i][k] < g->first[k]) g->first[k] = t->at[i][k];
            if (t->at[i][k] > last[k]) last[k] = t->at[i][k];
        }
        g->grid->size[k] = (uint32_t)(last[k] - g->first[k] + 1) * BRICK_EDGE;
        g->grid->low[k] = (double)g->first[k] * BRICK_EDGE * t->cell;
        nodes *= g->grid->size[k];
    }
    if (nodes > 1e9)
        return fail(FIRN_BAD_INPUT, "a grid around all snow would have %u x %u x %u nodes of %g m: too many",
                    g->grid->size[0], g->grid->size[1], g->grid->size[2], t->cell);
    g->grid->density = mem_zero((size_t)nodes, sizeof *g->grid->density);
    if (!g->grid->density) return fail_memory("finding the density", (size_t)nodes * sizeof(float));
    par_tasks(t->count, copy_brick, g);
    return FIRN_OK;
}

firn_status surface_density(const isosurface_input *in, surface_grid *out) {
    *out = (surface_grid){.cell = in->cell};
    isosurface_input whole = *in;
    whole.spacing = 1; // then a blob's sum is its value per volume
    surface_bricks t;
    TRY(surface_bricks_build(&whole, &t));
    gridding g = {.bricks = &t, .grid = out};
    firn_status status = t.count ? fill_grid(&g) : FIRN_OK;
    surface_bricks_free(&t);
    if (status != FIRN_OK) surface_grid_free(out);
    return status;
}

void surface_grid_free(surface_grid *grid) {
    mem_free(grid->density);
    *grid = (surface_grid){0};
}
