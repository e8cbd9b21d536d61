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
    float slip[3];  // m: what slid beyond friction, half of it, summed over the contacts
    float contacts; // how many
    float liquid;   // of all neighbours: 1 less how solid they are
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

// Water draws water, and snow and water each other: sum over neighbours of (x_j - x_i) / r p(x), with x = 1 +
// (r - r_i - r_j) / unit and p(x) = x (x (1 - x / 2.09)^2 - 8.77 (1 - x / 1.7)^3), where brackets below 0 are
// 0: it pulls from x = 1.08 on, up to 2.09, and pushes nearer. Times `water` for two of water, `border` for
// one of each. The same from both sides.
#define CLING_FAR 2.09f
#define CLING_NEAR 1.7f
#define CLING_PUSH 8.77f
typedef struct cling_field {
    const float (*at)[4]; // x, y, z; radius
    const float *liquid;
    float inverse_unit; // 1/m
    float water, border;
} cling_field;
ISA_DECLARE(void, phase_draw, (const cling_field *f, const fluid_rows *rows, float (*out)[4]));

#endif
