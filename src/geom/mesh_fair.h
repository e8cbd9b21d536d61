// Smoothing of meshes without shrinking (Taubin 1995).
#ifndef GEOM_MESH_FAIR_H
#define GEOM_MESH_FAIR_H

#include "geom/mesh.h"

// Smooths bumps of a few edge lengths off a closed mesh with normals, preserving volume and larger features.
// More rounds remove longer bumps: 4 most of a bump of five edges, 10 of one of eight.
firn_status mesh_fair(mesh *m, unsigned rounds);

#endif
