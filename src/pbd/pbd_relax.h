// Moving particles apart before the first step.
#ifndef PBD_PBD_RELAX_H
#define PBD_PBD_RELAX_H

#include "pbd/pbd_state.h"

typedef struct pbd_relax_way {
    void *owner;
    // One round: finds neighbours and walls of q, moves q; *worst: how much too dense any liquid is, as a
    // share. Particles keep their numbers.
    firn_status (*move_apart)(void *owner, const pbd_pass *pass, double *worst);
    double spacing;       // m
    const float *density; // of each particle, of its rest density, as move_apart found it
    int least_rounds;
} pbd_relax_way;

firn_status pbd_relax(pbd *s, const pbd_relax_way *way);

#endif
