// The loops over neighbours of a liquid's particles. Kernel: Wendland C2 with support h,
// W = 21/(2 pi h^3) (1 - q)^4 (1 + 4 q), grad W = -210/(pi h^5) (1 - q)^3 r: no division by r, and no pairing
// of particles (Dehnen and Aly 2012).
#ifndef PBD_PBD_FLUID_LANES_H
#define PBD_PBD_FLUID_LANES_H

#include "base/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Neighbours of some particles: those of row k are index[first[k] .. first[k + 1]), filled up to whole
// vectors with a row of `at` that is far from all.
typedef struct fluid_rows {
    const uint32_t *own; // particle of row k
    const uint32_t *first, *index;
    size_t count;
} fluid_rows;

typedef struct fluid_field {
    const float (*at)[4]; // x, y, z (m); inverse mass, or what spreads
    const float *volume;  // m3; NULL: the same for all, not multiplied
    const float *push;    // m3, what a neighbour answers with; NULL like volume
    float inverse_h;
} fluid_field;

// Sums over the neighbours, without the kernel's factors; s = 1 - r/h.
typedef struct fluid_sums {
    float density;     // s^4 (5 - 4 s), times volume
    float gradient[3]; // s^3 (x - x_j), times volume
    float weight;      // s^6 r^2, times volume, push and inverse mass
} fluid_sums;
ISA_DECLARE(void, fluid_measure, (const fluid_field *f, const fluid_rows *rows, fluid_sums *out));

// Sum of (l_i b_j + l_j b_i) s^3 (x - x_j) with l in at[3], b = `push` (NULL: 1), to out[k][0..2].
// `unclump`: l gets that much less for a pair whose kernel is that at 0.2 h, falling with its fourth power.
ISA_DECLARE(void, fluid_push, (const fluid_field *f, const fluid_rows *rows, float unclump, float (*out)[4]));

// Sum of (l_i b_j + l_j b_i) s^3 (x - x_j)^2.
ISA_DECLARE(void, fluid_virial, (const fluid_field *f, const fluid_rows *rows, float *out));

// One row in place: its particle's multiplier changes, and all of its neighbours and itself move by it.
typedef struct fluid_spread {
    float change;  // of the multiplier
    float unclump; // as above
    float slope;   // of the kernel
} fluid_spread;
ISA_DECLARE(void, fluid_scatter,
            (const fluid_field *f, const fluid_rows *row, const fluid_spread *by, uint32_t far,
             float (*q)[4]));

// Candidates near one place, and which of them are nearer than reach: their numbers to `to`, filled up with
// `far` to whole vectors. Returns how many are written; there must be room for n + 16.
typedef struct fluid_candidates {
    const float *x, *y, *z;
    const int *number;
    size_t n; // arrays are readable up to a whole vector of 16 behind it, positions there far away
} fluid_candidates;
ISA_DECLARE(size_t, fluid_list,
            (const fluid_candidates *c, const float at[3], float reach2, int self, int least, int far,
             int *to));

// Velocities: `spread` XSPH, sum of volume (v_j - v) W; `draw` cohesion, sum of volume c(r) (x_j - x) / r.
// Both times 2 m_j / (m_i + m_j) where masses differ.
typedef struct fluid_flow {
    fluid_field f;       // at[3]: inverse mass
    const float (*v)[4]; // m/s; [3] size of the curl, for fluid_swirl
    bool curl, draw, uneven;
} fluid_flow;
typedef struct fluid_changes {
    float spread[3], draw[3];
    float curl[3]; // s^3 (v - v_j) x (x - x_j)
} fluid_changes;
ISA_DECLARE(void, fluid_mix, (const fluid_flow *f, const fluid_rows *rows, fluid_changes *out));
// Sum of volume (curl_j - curl) s^3 (x - x_j): where the curl grows, turned.
ISA_DECLARE(void, fluid_swirl, (const fluid_flow *f, const fluid_rows *rows, float (*out)[4]));

#endif
