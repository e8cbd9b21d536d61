// The velocities of the air in a frame.
#ifndef DRAW_AIR_H
#define DRAW_AIR_H

#include "world/world.h"

enum { AIR_GRIDS = 16, AIR_GAUGES = 3 }; // grids: at most

// On a grid of points.
typedef struct air_field {
    const float (*v)[3];
    const float (*gauges)[AIR_GAUGES]; // pressure (Pa), divergence (1/s), warmth (K); NULL: none
    double low[3], step;               // m: the first point, the way to the next
    int n[3];
    const struct air_field *around; // the next coarser grid, where this one ends; NULL: none
} air_field;

// The finest grid first; false: there is no wind.
bool air_find(const firn_world *world, air_field grids[AIR_GRIDS]);
const air_field *air_whole(const air_field *air);                     // the grid that fills the domain
bool air_at(const air_field *air, const double at[3], double out[3]); // m/s at a point; false outside
bool air_covers(const air_field *air, const double at[3]); // is the point between those of the grid?
double air_gauge(const air_field *air, const double at[3], int which); // by number, between points in the air
double air_vorticity(const air_field *air, const double at[3]);        // 1/s, its magnitude
// m/s: of all points of the finest grid, and the fastest of all grids.
void air_mean(const air_field *air, double mean[3], double *most);
double air_speed(const double v[3]);

#endif
