// The snow cover of a world, for what draws and writes it.
#ifndef WORLD_COVER_H
#define WORLD_COVER_H

#include "geom/cover_surface.h"
#include "world/world.h"

typedef struct cover_floors {
    cover_floor *floor;
    size_t capacity;
} cover_floors;

bool world_has_cover(const firn_world *world);
// A view of the cells, without floors; valid until the next step. FIRN_BAD_INPUT if there is no cover.
firn_status world_cover_grid(const firn_world *world, cover_grid *out);
// Adds the floors; *out keeps their memory.
firn_status world_cover_floors(const firn_world *world, cover_grid *grid, cover_floors *out);
// The floors of n cells that have one: sets `up` and `steep` of floors whose cell is given.
void world_cover_floors_at(const firn_world *world, const cover_grid *grid, cover_floor *floors, size_t n);

#endif
