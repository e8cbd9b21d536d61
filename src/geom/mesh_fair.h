// Smoothing of meshes without shrinking (Taubin 1995).
#ifndef GEOM_MESH_FAIR_H
#define GEOM_MESH_FAIR_H

#include "geom/mesh.h"

// Smooths bumps of a few edge lengths off a closed mesh with normals, preserving volume and larger features.
// More rounds remove longer bumps: 4 most of a bump of five edges, 10 of one of eight.
firn_status mesh_fair(mesh *m, unsigned rounds);
// Evens out the heights of what looks up, edges and walls excepted: each round spreads a height by about two thirds of
// an edge, rounds together as their root. Even slopes stay, and so does the volume below.
firn_status mesh_level(mesh *m, unsigned rounds);

#endif
