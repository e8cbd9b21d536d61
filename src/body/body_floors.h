// Floors of the snow cover: where bodies end below the cells that stand on them.
#ifndef BODY_BODY_FLOORS_H
#define BODY_BODY_FLOORS_H

#include "body/body.h"
#include "geom/cover_surface.h"

enum { BODY_FLOORS = 512 }; // that are found at once

// Fills in all of n floors but their cell. Of the grid only corner, cell and size are asked for; what a
// floor's cell stands on may be any body, in whose surface `up` then is, or the cells below it.
void body_floors(const body_set *bodies, const cover_grid *grid, cover_floor *floors, size_t n);

#endif
