// Mass per volume on a plain grid, for programs that look at volumes.
#include <string.h>

#include "geom/surface_tiles.h"
#include "par/par.h"

typedef struct gridding {
    const surface_tiles *tiles;
    surface_grid *grid;
    int32_t first[3]; // tile of the first node
} gridding;

static void copy_tile(void *context, size_t tile) {
    const gridding *g = context;
    float sum[TILE_NODES];
    surface_splat_value(g->tiles, tile, 0, sum);
    size_t at[3];
    for (int k = 0; k < 3; k++) at[k] = (size_t)(g->tiles->at[tile][k] - g->first[k]) * TILE_EDGE;
    for (size_t z = 0; z < TILE_EDGE; z++)
        for (size_t y = 0; y < TILE_EDGE; y++) {
            size_t row = ((at[2] + z) * g->grid->size[1] + at[1] + y) * g->grid->size[0] + at[0];
            memcpy(g->grid->density + row, sum + (z * TILE_EDGE + y) * TILE_EDGE, TILE_EDGE * sizeof *sum);
        }
}

static firn_status fill_grid(gridding *g) {
    const surface_tiles *t = g->tiles;
    int32_t last[3];
    double nodes = 1;
    for (int k = 0; k < 3; k++) {
        g->first[k] = last[k] = t->at[0][k];
        for (size_t i = 1; i < t->count; i++) {
            if (t->at[i][k] < g->first[k]) g->first[k] = t->at[i][k];
            if (t->at[i][k] > last[k]) last[k] = t->at[i][k];
        }
        g->grid->size[k] = (uint32_t)(last[k] - g->first[k] + 1) * TILE_EDGE;
        g->grid->low[k] = (double)g->first[k] * TILE_EDGE * t->cell;
        nodes *= g->grid->size[k];
    }
    if (nodes > 1e9)
        return fail(FIRN_BAD_INPUT, "a grid around all snow would have %u x %u x %u nodes of %g m: too many",
                    g->grid->size[0], g->grid->size[1], g->grid->size[2], t->cell);
    g->grid->density = mem_zero((size_t)nodes, sizeof *g->grid->density);
    if (!g->grid->density) return fail_memory("finding the density", (size_t)nodes * sizeof(float));
    par_tasks(t->count, copy_tile, g);
    return FIRN_OK;
}

firn_status surface_density(const surface_input *in, surface_grid *out) {
    *out = (surface_grid){.cell = in->cell};
    surface_input whole = *in;
    whole.spacing = 1; // then a blob's sum is its value per volume
    surface_tiles t;
    TRY(surface_tiles_build(&whole, &t));
    gridding g = {.tiles = &t, .grid = out};
    firn_status status = t.count ? fill_grid(&g) : FIRN_OK;
    surface_tiles_free(&t);
    if (status != FIRN_OK) surface_grid_free(out);
    return status;
}

void surface_grid_free(surface_grid *grid) {
    mem_free(grid->density);
    *grid = (surface_grid){0};
}
