// The inside of the heat model; only for its own files.
#ifndef PHASE_PHASE_HEAT_STATE_H
#define PHASE_PHASE_HEAT_STATE_H

#include "phase/phase_heat.h"
#include "phase/phase_heat_lanes.h"

// Boundary conductances of a particle, to air and bodies; W/K, and W from bodies at 0 degrees Celsius.
typedef struct heat_boundary {
    double air, bodies, drive;
} heat_boundary;

// Of a lattice, with the neighbours that are in the lists.
typedef struct heat_kernel {
    double second;               // edges^2: sum of s^3 r^2
    double side, tilt;           // edges^2 and edges: sum of s^3 z^2 and of s^3 z on one side of a particle
    double full, flat;           // sum of t^2; share of it that a flat surface's first layer lacks
    double near_full, near_flat; // the same of s^2
    double wall_shift;           // edges: walls cover as if so much farther
} heat_kernel;

// Lists may end before the kernels of large particles do: by number of the shells of a lattice that they
// hold.
enum { HEAT_KERNELS = 5 };

struct heat {
    heat_def def;
    heat_air_row *air;
    heat_totals totals;
    double support; // of the kernel, over the edge of a particle
    double radius;  // m, at which lists end
    heat_kernel sums[HEAT_KERNELS];
    // By particle, and one behind them that stands far away.
    conduct_in *at;
    heat_matter *matter;
    float *open_area;    // m2
    double *rate;        // W
    double *conductance; // W/K, to all around
    heat_boundary *boundary;
    double *stiffness; // by block, see stiffest()
    // Of the implicit solve.
    double *start, *delta_T, *direction, *residual;
    size_t capacity[11];
};

enum { HEAT_PARTICLES = 2048 }; // of a task that goes over particles

typedef struct heat_work {
    heat *h;
    const heat_parts *p;
    double air; // degrees Celsius
    double dt;  // s of heat
} heat_work;

// Lightest of both: no temperature can rise faster with enthalpy than that allows.
static inline double heat_least_capacity(const heat_law *law) {
    return fmin(law->snow_capacity, law->water_capacity);
}

// rate[i] = sum of G (u_j - u_i) over neighbours, u from at.
void heat_conduct(heat_work *w);
// Adds the boundary fluxes, with the temperatures in u, to `rate`.
void heat_add_boundary(heat_work *w);
// Temperatures of the present enthalpies to u.
void heat_set_temperatures(heat_work *w);
// Adds rate dt to the enthalpies, and the boundary fluxes to the totals.
firn_status heat_apply(heat_work *w);

// phase_heat_implicit.c: one implicit Euler step; starts from the rates of the present temperatures. *done
// says whether it converged; if not, nothing has changed.
firn_status heat_solve(heat_work *w, bool *done);

#endif
