// How the snow field looks to programs and in pictures.
#include "snowfield/snowfield_state.h"
#include "snow/snow_type.h"

static void get_heights(const void *model, firn_snowfield *out) {
    const snowfield_state *s = model;
    *out = (firn_snowfield){
        .x0 = s->grid[GRID_X0],
        .z0 = s->grid[GRID_Z0],
        .cell = s->grid[GRID_CELL],
        .nx = (int32_t)s->grid[GRID_NX],
        .nz = (int32_t)s->grid[GRID_NZ],
        .even = snowfield_is_plain(s),
        .plain_ground = s->grid[GRID_GROUND],
        .plain_depth = s->grid[GRID_DEPTH],
        .plain_density = s->grid[GRID_DENSITY],
        .untouched = snowfield_untouched,
        .source = s,
        .edge = (int32_t)s->grid[GRID_EDGE],
        .tile = s->tiles.index,
        .ground = s->tiles.ground,
        .depth = s->tiles.depth,
        .density = s->tiles.density,
        .temperature = s->heat.on ? s->heat.temperature : NULL,
        .wetness = s->heat.on ? s->heat.wetness : NULL,
        .plain_temperature = s->heat.plain[PLAIN_TEMPERATURE],
        .plain_wetness = s->heat.plain[PLAIN_WETNESS],
        .tiles = s->tiles.count,
        .place = (const int32_t *)s->tiles.at,
        .touched = (const int32_t *)s->tiles.touched,
    };
    out->columns = (out->nx + out->edge - 1) / out->edge;
    out->rows = (out->nz + out->edge - 1) / out->edge;
}

static firn_vec3 color(const void *model) {
    const snowfield_state *s = model;
    const snow_type *type = snow_type_find(s->def.snow ? s->def.snow : "fresh");
    return (firn_vec3){type->color[0], type->color[1], type->color[2]};
}

static double packed_density(const void *model) {
    return (double)((const snowfield_state *)model)->law.density_max;
}

static const firn_heights_drawing heights = {.get = get_heights,
                                             .depth = "field.depth",
                                             .density = "field.density",
                                             .ground = "field.ground",
                                             .temperature = "field.temperature",
                                             .wetness = "field.wetness",
                                             .top_tile = "field.cover",
                                             .top_depth = "field.top_depth",
                                             .top_height = "field.top_height",
                                             .bits = "field.bit_position",
                                             .color = color,
                                             .packed_density = packed_density};
const model_drawing snowfield_drawing = {.heights = &heights};
