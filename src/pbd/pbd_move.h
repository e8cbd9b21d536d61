// The passes over particles at the start and at the end of a sub-step (pbd_move_lanes.c).
#ifndef PBD_PBD_MOVE_H
#define PBD_PBD_MOVE_H

#include "base/isa.h"
#include "pbd/pbd_state.h"

// What particles of one solid, or all that flow, have in common in a sub-step.
typedef struct pbd_flight {
    pbd_way way;
    double dt;        // s
    float gain[3];    // m/s, by gravity in dt
    double origin[3]; // m, of the particles' frame
    float weight;     // of a particle: the inverse mass as constraints see it
} pbd_flight;

// Arrays of n particles, three numbers each; v_before and moved are NULL for what flows.
typedef struct pbd_flight_rows {
    double *at;
    float *x, *v, *v_before, *moved;
    float (*q)[4];
} pbd_flight_rows;

// q: where particles go by themselves.
ISA_DECLARE(void, pbd_move_predict, (const pbd_flight *f, const pbd_flight_rows *r, size_t n));
// Velocities and places from what the constraints did. They change by q less its prediction, and not by (q -
// x) / dt: that would round the velocity of what flies freely to what 32 bits resolve of its way in a
// sub-step.
ISA_DECLARE(void, pbd_move_finish, (const pbd_flight *f, const pbd_flight_rows *r, size_t n));
// Before the first sub-step: a box grown to hold places; and x of particles of one frame.
// Returns the largest coordinate.
ISA_DECLARE(void, pbd_move_bounds, (const double *at, size_t n, double low[3], double high[3]));
ISA_DECLARE(float, pbd_move_place, (const double *at, const double origin[3], float *x, size_t n));

#endif
