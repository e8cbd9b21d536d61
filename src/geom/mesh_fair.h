#ifndef GEOM_MESH_FAIR_H
#define GEOM_MESH_FAIR_H

#include "geom/mesh.h"

// Takes bumps of a few edges' length off a closed mesh with normals; volume and larger shapes stay. More
// rounds reach farther: 4 take most of a bump of five edges, 10 of one of eight.
firn_status mesh_fair(mesh *m, unsigned rounds);

#endif
