// Drag of the air, for couplings of the wind with what is in it.
#ifndef WORLD_COUPLE_WIND_H
#define WORLD_COUPLE_WIND_H

#include "grid/neighbours.h"
#include "world/couple.h"

// Coefficient of drag of a smooth sphere, Re of its diameter: (24 / Re) (1 + 0.15 Re^0.687), at least 0.44
// (Schiller and Naumann 1933).
double air_sphere_drag(double reynolds);
double air_reynolds(double density, double speed, double length);
// Of a square plate across the wind (Hoerner 1965), and of friction along both of its sides.
#define AIR_PLATE_DRAG 1.17
#define AIR_PLATE_FRICTION 0.01

// The wind as it would be without a thing of this radius around `middle`: the mean of both sides of it.
firn_vec3 air_beside(const coupling *c, firn_vec3 middle, double radius);

// Scratch of a coupling with particles: not state.
typedef struct air_work {
    offer_particle *item;
    float (*at)[3], (*change)[3], (*by)[3];
    offer_medium_sample *air;
    offer_resistance *resistance, *listed; // of each; of those that meet the air
    uint32_t *number;                      // which those are
    uint8_t *caught;                       // by its area, as part of a facet
    offer_facet *facet;
    size_t listed_count, facet_count;
    bool *mixed; // by entry of the grid
    size_t capacity[10], facet_capacity;
    neighbour_grid grid;
    double waits;    // s, since the drag last acted; 0 at the end of a step of the world
    double interval; // s, after which it acts; 0: not yet chosen
} air_work;

firn_status air_create(coupling *c);
void air_end(coupling *c);
// After a step of the particles: drags them along every AIR_INTERVAL, or less often those that the air hardly
// slows down; and after one of the wind for the rest of the time.
firn_status air_after_particles(coupling *c, double now, double dt);
firn_status air_exchange(coupling *c, double now, double dt);

// couple_wind_pbd.c: the list of a model with facets, after its particles were read. Their particles are
// marked as caught.
firn_status air_find_facets(coupling *c, air_work *w);
firn_status air_drag_facets(coupling *c, air_work *w, double dt);

#endif
