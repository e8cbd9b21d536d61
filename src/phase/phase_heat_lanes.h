// The loop over neighbours that heat flows through.
#ifndef PHASE_PHASE_HEAT_LANES_H
#define PHASE_PHASE_HEAT_LANES_H

#include "pbd/pbd_fluid_lanes.h"

typedef struct heat_field {
    const float (*at)[4]; // x, y, z (m); temperature
    const float *resist;  // 1 / conductivity, mK/W
    const float *volume;  // m3; NULL: the same for all, not multiplied
    float inverse_h;
} heat_field;

// Sums over the neighbours, without the factors; s = 1 - r/h, k = 2 / (resist_i + resist_j).
typedef struct heat_sums {
    float flow;    // k s^3 (T_j - T), times volume
    float conduct; // k s^3, times volume
    float taken;   // s^2, times volume
} heat_sums;
ISA_DECLARE(void, heat_measure, (const heat_field *f, const fluid_rows *rows, heat_sums *out));

#endif
