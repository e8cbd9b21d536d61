// The loop over neighbours that heat flows through.
#ifndef PHASE_PHASE_HEAT_LANES_H
#define PHASE_PHASE_HEAT_LANES_H

#include "pbd/pbd_fluid_lanes.h"

typedef struct heat_matter {
    float resist; // 1 / conductivity, mK/W
    float edge;   // m, of the particle's share of space; 0: nobody
    float unused[2];
} heat_matter;

typedef struct heat_field {
    const float (*at)[4]; // x, y, z (m); temperature
    const heat_matter *matter;
    float support; // of the kernel, over the edge of particles
    // Lists may end before the kernel does: pairs of larger e have only the nearest of a lattice in them, and
    // count so much more.
    float coarse; // m
    float coarse_flow, coarse_taken;
} heat_field;

// Sums over the neighbours, without the factors; s = 1 - r/h, h = support e, e = (edge_i + edge_j) / 2, k =
// 2 / (resist_i + resist_j).
typedef struct heat_sums {
    float flow;    // k e s^3 (T_j - T)
    float conduct; // k e s^3
    float taken;   // s^2 (edge_j / e)^3
} heat_sums;
ISA_DECLARE(void, heat_measure, (const heat_field *f, const fluid_rows *rows, heat_sums *out));

#endif
