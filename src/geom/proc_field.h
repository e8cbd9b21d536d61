// Soft shapes as the zero level of a blend of simple parts, turned into a mesh.
#ifndef GEOM_PROC_FIELD_H
#define GEOM_PROC_FIELD_H

#include "geom/mesh.h"

typedef struct point3 {
    float x, y, z;
} point3;

// About the distance to a surface; its slope stays below 1.5.
typedef float (*proc_field)(point3 p);

// Blends of two distances: within `reach` of both surfaces the joint is rounded.
float field_join(float a, float b, float reach);
float field_cut(float a, float b, float reach); // a without b

float field_ball(point3 p, point3 centre, float radius);
// A bar with round ends from a (radius ra) to b (radius rb).
float field_bar(point3 p, point3 a, point3 b, float ra, float rb);
float field_ring(point3 p, point3 centre, float radius, float thickness); // about the y direction
float field_disc(point3 p, point3 centre, float radius, float half, float round);

// Ellipsoid turned about z by `pitch` (its x axis rises), then about x by `roll`, then about y by `yaw`.
typedef struct field_egg {
    point3 centre, radii;
    float pitch, roll, yaw; // rad
} field_egg;
float field_egg_at(point3 p, const field_egg *egg);

// Mesh of the field inside [low, high], scaled to height 1, standing on y = 0, its middle above the origin. The field is
// outside on the border of that box.
firn_status proc_polygonise(proc_field field, point3 low, point3 high, float cell, mesh *out);
// Scales and moves a mesh so.
void proc_stand(mesh *m);

#endif
