// The snow cover as a surface that reaches a little into bodies and ground, so that no gap is seen.
#include "draw/collect.h"

#define OVERLAP 0.45f // cells
enum { SMOOTH = 1 };  // rounds: bumps of single flakes

firn_status collect_add_cover(collector *g) {
    cover_grid grid;
    if (!world_has_cover(g->world)) return FIRN_OK;
    TRY(world_cover_grid(g->world, &grid));
    TRY(world_cover_floors(g->world, &grid, &g->cover.floors));
    grid.overlap = OVERLAP;
    grid.smooth = SMOOTH;
    grid.lying = true; // what falls off a roof is as loose as flakes, not a lump in the air
    mesh_free(&g->cover.mesh);
    TRY(cover_surface(&grid, &g->cover.mesh));
    draw_mesh item = {.mesh = &g->cover.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .color = {0.88f, 0.9f, 0.93f},
                      .material = DRAW_COVER};
    return g->cover.mesh.triangles ? collect_world_mesh(g, item) : FIRN_OK;
}

void collect_cover_free(collect_cover *cover) {
    mesh_free(&cover->mesh);
    mem_free(cover->floors.floor);
}
