// The velocities of the air in a frame.
#ifndef DRAW_AIR_H
#define DRAW_AIR_H

#include "world/world.h"

// On a grid of points.
typedef struct air_field {
    const float (*v)[3];
    const float (*gauges)[2]; // pressure (Pa), divergence (1/s); NULL: none
    double low[3], step;      // m: the first point, the way to the next
    int n[3];
} air_field;

bool air_find(const firn_world *world, air_field *air);                // false: there is no wind
bool air_at(const air_field *air, const double at[3], double out[3]);  // m/s at a point; false outside
double air_gauge(const air_field *air, const double at[3], int which); // of the nearest point; 0: pressure
double air_vorticity(const air_field *air, const double at[3]);        // 1/s, its magnitude
void air_mean(const air_field *air, double mean[3], double *most);     // m/s: of all points, and the fastest
double air_speed(const double v[3]);

#endif
