// The loops over neighbours of grains: contacts with friction, and how velocities even out.
#ifndef PHASE_PHASE_LANES_H
#define PHASE_PHASE_LANES_H

#include "pbd/pbd_fluid_lanes.h"

// Grains as contacts see them.
typedef struct touch_field {
    const float (*at)[4];   // x, y, z (m); radius (m)
    const float (*slid)[4]; // how far they slid since they touch (m); how solid they are, 0 .. 1
    float step;             // share of the depth that is mended
    float hold, rub;        // static and kinetic friction
    float firm, shift; // m, while one of both is not quite solid: depth that pushes; of the rest, that shifts
} touch_field;

typedef struct touch_sums {
    float move[3];  // m
    float shift[3]; // m, without a velocity; only if it shifts
    bool shifts;
    float slip[3]; // m: what slid beyond friction, half of it, summed over the contacts
    float touches; // how many
    float liquid;  // of all neighbours: 1 less how solid they are
} touch_sums;
ISA_DECLARE(void, phase_touch, (const touch_field *f, const fluid_rows *rows, touch_sums *out));

// Velocities even out between neighbours: sum of a_i a_j w(r) (v_j - v), with a in v[3] and w the kernel's
// shape (1 - q)^4 (1 + 4 q), q = r / (wide (radius_i + radius_j)). Of grains that touch, what they have along
// their contact too, times `damp`, half for each. The same from both sides.
typedef struct even_field {
    const float (*at)[4]; // x, y, z; radius, negative: water
    const float (*v)[4];
    float wide, damp;
} even_field;
ISA_DECLARE(void, phase_even, (const even_field *f, const fluid_rows *rows, float (*out)[4]));

#endif
