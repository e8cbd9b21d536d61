// The inside of the heat model; only for its own files.
#ifndef PHASE_PHASE_HEAT_STATE_H
#define PHASE_PHASE_HEAT_STATE_H

#include "phase/phase_heat.h"
#include "phase/phase_heat_lanes.h"

// What a particle exchanges with what holds its temperature; W/K, and W from bodies at 0 degrees Celsius.
typedef struct heat_outside {
    double air, bodies, drive;
} heat_outside;

// Of a lattice with all neighbours in the kernel, or only the nearest.
typedef struct heat_kernel {
    double flow;       // a pair's conductance is flow k e s^3
    double full, flat; // sum of s^2; share of it that a flat surface's first layer lacks
    double wall_shift; // edges: walls cover as if so much farther
} heat_kernel;

struct heat {
    heat_def def;
    heat_air_row *air;
    heat_book book;
    double support;      // of the kernel, over the edge of a particle
    double coarse;       // m: larger particles have only the nearest of a lattice in their lists
    heat_kernel sums[2]; // others, and those
    unsigned passes;
    // By particle, and one behind them that stands far away.
    float (*at)[4]; // x, y, z (m); temperature, or what else spreads
    heat_matter *matter;
    float *open;     // m2
    double *rate;    // W
    double *conduct; // W/K, to all around
    heat_outside *outside;
    double *stiff; // by block, see stiffest()
    // Of the implicit solve.
    double *start, *change, *search, *residual;
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

// Sums over neighbours of what stands in at[][3], times the factors: rate[i] = sum of G (u_j - u_i).
void heat_spread(heat_work *w);
// Adds what comes from outside, with the temperature in at[][3], to `rate`.
void heat_add_outside(heat_work *w);
// Temperatures of the present enthalpies to at[][3].
void heat_take_temperatures(heat_work *w);
// Enthalpies by rate, for dt, and what came from outside to the book.
firn_status heat_apply(heat_work *w);

// phase_heat_implicit.c: one implicit Euler step; starts from the rates of the present temperatures. *done
// says whether it found the answer; if not, nothing has changed.
firn_status heat_solve(heat_work *w, bool *done);

#endif
