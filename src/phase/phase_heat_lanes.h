// The loop over neighbours of heat conduction.
#ifndef PHASE_PHASE_HEAT_LANES_H
#define PHASE_PHASE_HEAT_LANES_H

#include "pbd/pbd_fluid_lanes.h"

typedef struct heat_matter {
    float warm_side; // 1 / conductivity, mK/W, of what it is made of towards what is not frozen
    float edge;      // m, of the particle's share of space; 0: nobody
    float scale;     // m, of its conductances: by heat_moment_rows
    float cold_side; // mK/W, towards what is frozen; below 0: it is frozen itself
} heat_matter;

// A row of four, as density_in is.
typedef struct conduct_in {
    float x, y, z,
        u; // m; what is conducted: temperature, CG direction or Newton change (K); first the edge (m)
} conduct_in;

// Kernel of conduction: s^3, s = 1 - r / (CONDUCT_SUPPORT e), e = (edge_i + edge_j) / 2: up to the second
// shell of a lattice, so that surfaces lack little of what conducts along them.
#define CONDUCT_SUPPORT 1.6f

typedef struct conduct_view {
    const conduct_in *at;
    const heat_matter *matter;
    float support; // of the kernel of open surfaces, over the edge of particles
} conduct_view;

// How the neighbours of a particle are placed; u is the edge.
typedef struct heat_moments {
    float covered;   // sum of t^2 (edge_j / e)^3, t = 1 - r / (support e)
    float near;      // the same of s
    float sum;       // of s^3
    float second;    // m2, of s^3 r^2
    float dipole[3]; // m, of s^3 x
} heat_moments;
ISA_DECLARE(void, heat_moment_rows, (const conduct_view *f, const fluid_rows *rows, heat_moments *out));

// Sums over the neighbours of G = s^3 (scale_i + scale_j) / (resistivity_i + resistivity_j), each by the side
// on which the other is: heat reaches the front inside a melting particle through its water, and leaves that
// inside a freezing one through its ice.
typedef struct heat_sums {
    float flow;        // W, G (u_j - u)
    float conductance; // W/K, G
} heat_sums;
ISA_DECLARE(void, heat_conduct_rows, (const conduct_view *f, const fluid_rows *rows, heat_sums *out));

#endif
