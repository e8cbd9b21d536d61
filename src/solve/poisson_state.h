// The inside of the solver; only for files of this folder.
#ifndef SOLVE_POISSON_STATE_H
#define SOLVE_POISSON_STATE_H

#include "solve/poisson_lanes.h"

enum { POISSON_LEVELS = 16, POISSON_COARSEST = 4 }; // the last level has at most so many cells along an axis

struct poisson {
    poisson_level level[POISSON_LEVELS]; // finest first
    int levels;
    bool closed; // no open cell: q is known but for a constant
    double free_cells;
    float *residual, *direction, *image; // of the conjugate gradients: r, p, A p
};

#endif
