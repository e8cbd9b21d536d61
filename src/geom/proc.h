// Shapes made by our own code: closed meshes of height 1 that stand on y = 0, their middle above the origin,
// facing +x.
#ifndef GEOM_PROC_H
#define GEOM_PROC_H

#include "geom/mesh.h"

firn_status proc_hare(mesh *out);
firn_status proc_snowman(mesh *out);
firn_status proc_house(mesh *out);     // the ridge of its roof runs along x, the door is in the gable to +x
firn_status proc_lamp_post(mesh *out); // the arm reaches towards +x

// Heights of smooth hills, nx x nz (x fastest), `cell` in units of the longest wave; least 0, most 1.
void proc_hills(uint32_t nx, uint32_t nz, double cell, uint64_t seed, float *heights);

#endif
