// The loop over neighbours of heat conduction.
#ifndef PHASE_PHASE_HEAT_LANES_H
#define PHASE_PHASE_HEAT_LANES_H

#include "pbd/pbd_fluid_lanes.h"

typedef struct heat_matter {
    float resistivity; // 1 / conductivity, mK/W
    float edge;        // m, of the particle's share of space; 0: nobody
    float unused[2];
} heat_matter;

// A row of four, as density_in is.
typedef struct conduct_in {
    float x, y, z, u; // m; what is conducted: temperature, CG direction or Newton change (K)
} conduct_in;

typedef struct conduct_view {
    const conduct_in *at;
    const heat_matter *matter;
    float support; // of the kernel, over the edge of particles
    // Lists may end before the kernel does: pairs of larger e have only the nearest of a lattice in them, and
    // count so much more.
    float coarse; // m
    float coarse_flow, coarse_covered;
} conduct_view;

// Sums over the neighbours, without the factors; s = 1 - r/h, h = support e, e = (edge_i + edge_j) / 2, k =
// 2 / (resist_i + resist_j).
typedef struct heat_sums {
    float flow;        // k e s^3 (u_j - u)
    float conductance; // k e s^3
    float covered;     // s^2 (edge_j / e)^3
} heat_sums;
ISA_DECLARE(void, heat_conduct_rows, (const conduct_view *f, const fluid_rows *rows, heat_sums *out));

#endif
