// Powder that fast snow loses at its surface.
#ifndef WORLD_COUPLE_POWDER_H
#define WORLD_COUPLE_POWDER_H

#include "grid/neighbours.h"
#include "snowfield/snowfield.h"
#include "world/couple.h"

// Scratch; begins as zeros.
typedef struct powder_work {
    offer_particle *item;
    float (*at)[3];
    uint32_t *chosen; // particles, in ascending order
    snowfield_cloud *cloud;
    bool *taken;
    uint32_t *out;
    size_t capacity[6];
    neighbour_grid grid;
} powder_work;

// J that a particle of c->a, MPM snow, has; NAN without heat.
double couple_heat_of_snow(const coupling *c, size_t i);
void couple_powder_free(powder_work *w);
// Particles of c->a, MPM snow, at the open upper side of snow that is faster than `least` (m/s) become loose
// bits of c->b, the snow field: the surface wears off at `share` of its speed above that.
firn_status couple_powder(coupling *c, powder_work *w, double share, double least, double now, double dt);

#endif
