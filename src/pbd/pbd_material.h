// What elastic solids are made of.
#ifndef PBD_PBD_MATERIAL_H
#define PBD_PBD_MATERIAL_H

#include "pbd/pbd_state.h"

typedef struct pbd_material {
    double density; // kg/m3
    double young;   // Pa
    double poisson;
    double thickness; // m, of cloth and ropes; in the table 0: the spacing
    double shear;     // Pa, of cloth; in the table NAN, as bending: that of a full section
    double bending;   // cloth: N m; rope: N m2
} pbd_material;

// Held together as a continuum.
bool pbd_is_elastic(const firn_pbd_solid_def *def);
// All numbers of a solid: what its def says, else its material. dimensions: 1 a rope, 2 cloth, 3.
pbd_material pbd_material_of(const firn_pbd_solid_def *def, int dimensions);
// Axes of its `lattice` with more than one layer; of a shape 3.
int pbd_lattice_dimensions(const firn_pbd_solid_def *def);
// Sub-steps of a step of that length in which an elastic solid has the stiffness of its material, to about 5
// %, with the iterations of the def; 0 for other solids.
int pbd_substeps_needed(const firn_pbd_def *def, const firn_pbd_solid_def *solid, double step);
// The sub-steps of a step of that length: those of the def, or as many as its solids need.
enum { PBD_MOST_AUTO_SUBSTEPS = 100 };
int pbd_substeps(const firn_pbd_def *def, double step);
// Volume of a particle of a lattice (m3) with that distance between neighbours.
double pbd_particle_volume(const firn_pbd_solid_def *def, double step);

#endif
