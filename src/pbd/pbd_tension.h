// Surface tension of liquids, N/m: the energy of a smooth surface on a sparse grid (pbd_tension.c).
#ifndef PBD_PBD_TENSION_H
#define PBD_PBD_TENSION_H

#include "pbd/pbd_fluid.h"

typedef struct fluid_tension fluid_tension;

// Moves q by what the tension does in a sub-step.
firn_status fluid_pull(pbd *s, pbd_fluid *f, const pbd_pass *pass);
void fluid_tension_free(fluid_tension *t);
// Shortest time that it needs (s); INFINITY: no tension.
double fluid_tension_time(const pbd_fluid *f);
// An acceleration that it makes of a spacing's curvature (m/s2).
double fluid_tension_acceleration(const pbd_fluid *f);

#endif
