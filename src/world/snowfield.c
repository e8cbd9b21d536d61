// A look at the named arrays of the snow field.
#include <firn/snowfield.h>

#include "base/status.h"

// As field.grid says them.
enum {
    GRID_X0,
    GRID_Z0,
    GRID_CELL,
    GRID_NX,
    GRID_NZ,
    GRID_EDGE,
    GRID_DEPTH,
    GRID_DENSITY,
    GRID_GROUND,
    GRID_SIZE
};

firn_status firn_world_snowfield(const firn_world *world, firn_snowfield *out) {
    *out = (firn_snowfield){0};
    firn_field grid = firn_world_field(world, "field.grid");
    if (!grid.data || grid.count < GRID_SIZE) return fail(FIRN_BAD_INPUT, "this world has no snow field");
    const double *g = grid.data;
    firn_field place = firn_world_field(world, "field.tile");
    *out = (firn_snowfield){
        .x0 = g[GRID_X0],
        .z0 = g[GRID_Z0],
        .cell = g[GRID_CELL],
        .nx = (int32_t)g[GRID_NX],
        .nz = (int32_t)g[GRID_NZ],
        .plain_ground = g[GRID_GROUND],
        .plain_depth = g[GRID_DEPTH],
        .plain_density = g[GRID_DENSITY],
        .edge = (int32_t)g[GRID_EDGE],
        .tile = firn_world_field(world, "field.index").data,
        .ground = firn_world_field(world, "field.ground").data,
        .depth = firn_world_field(world, "field.depth").data,
        .density = firn_world_field(world, "field.density").data,
        .tiles = place.count,
        .place = place.data,
        .touched = firn_world_field(world, "field.touched").data,
    };
    out->columns = (out->nx + out->edge - 1) / out->edge;
    out->rows = (out->nz + out->edge - 1) / out->edge;
    return FIRN_OK;
}
