// The loops over neighbours of a liquid's particles. Kernel: Wendland C2 with support h,
// W = 21/(2 pi h^3) (1 - q)^4 (1 + 4 q), grad W = -210/(pi h^5) (1 - q)^3 r: no division by r, and no pairing
// instability (Dehnen and Aly 2012).
#ifndef PBD_PBD_FLUID_LANES_H
#define PBD_PBD_FLUID_LANES_H

#include "base/isa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Neighbours of some particles: those of row k are index[first[k] .. first[k + 1]), padded to whole vectors
// with a particle that is far from all others.
typedef struct fluid_rows {
    const uint32_t *own; // particle of row k
    const uint32_t *first, *index;
    size_t count;
} fluid_rows;

// A particle as a loop loads it: 16 bytes, its position (m) and one number more. Views of the same memory,
// which each pass fills anew; the type says what the fourth number is.
typedef struct density_in {
    float x, y, z, inverse_mass; // 1/kg
} density_in;
typedef struct pressure_in {
    float x, y, z, dlambda; // kg m2: change of the multiplier; for fluid_virial the multiplier itself
} pressure_in;
// Velocity (m/s), and for fluid_vorticity the length of the curl (1/s).
typedef struct velocity_in {
    float x, y, z, curl;
} velocity_in;

// Reads density_in: fluid_density, fluid_scatter, fluid_xsph, fluid_vorticity.
typedef struct density_view {
    const density_in *at;
    const float *volume;          // m3; NULL: the same for all, not multiplied
    const float *pressure_volume; // m3, with which a neighbour's pressure acts; NULL like volume
    float inverse_h;
} density_view;

// Reads pressure_in: fluid_delta_x, fluid_virial.
typedef struct pressure_view {
    const pressure_in *at;
    const float *pressure_volume; // m3; NULL: 1
    float inverse_h;
} pressure_view;

// Sums over the neighbours, without the kernel's factors; s = 1 - r/h.
typedef struct fluid_sums {
    float density;     // s^4 (5 - 4 s), times volume
    float grad_C[3];   // s^3 (x - x_j), times volume: the gradient at the particle itself
    float sum_w_grad2; // s^6 r^2, times volume, pressure volume and inverse mass: those at its neighbours
} fluid_sums;
ISA_DECLARE(void, fluid_density, (const density_view *f, const fluid_rows *rows, fluid_sums *out));
// The first of them only.
ISA_DECLARE(void, fluid_density_alone, (const density_view *f, const fluid_rows *rows, float *out));

// Sum of (dlambda_i b_j + dlambda_j b_i) s^3 (x - x_j), b = `pressure_volume` (NULL: 1), to out[k][0..2].
// s_corr: artificial pressure (Macklin and Müller 2013, eq. 13), subtracted from the bracket times
// (W(r) / W(0.2 h))^4.
ISA_DECLARE(void, fluid_delta_x,
            (const pressure_view *f, const fluid_rows *rows, float s_corr, float (*out)[4]));

// Sum of (lambda_i b_j + lambda_j b_i) s^3 times the square of x - x_j along a direction, and of a share
// `all` of its length; by row.
typedef struct fluid_along {
    float x, y, z, all;
} fluid_along;
ISA_DECLARE(void, fluid_virial,
            (const pressure_view *f, const fluid_rows *rows, const fluid_along *along, float *out));

// Pressures (`at`: the fourth number) smoothed along their gradients `grad` (Pa/m, and the fourth number 1,
// or 0 for what has no pressure): the mean, weighted by the kernel, of what neighbours and the gradients
// between say. Without neighbours a pressure stays as it is.
ISA_DECLARE(void, fluid_smooth,
            (const pressure_view *f, const velocity_in *grad, const fluid_rows *rows, float *out));

// One row in place: its particle's multiplier changes, and all of its neighbours and itself move by it.
typedef struct fluid_lambda_step {
    float dlambda;
    float s_corr;    // as above
    float grad_norm; // of the kernel
} fluid_lambda_step;
ISA_DECLARE(void, fluid_scatter,
            (const density_view *f, const fluid_rows *row, const fluid_lambda_step *by, uint32_t padding,
             float (*q)[4]));

// Candidates near one place, in runs of places and numbers beside each other, and which of them are within
// the search radius: their numbers to `to`, padded with `padding` to whole vectors. Returns how many are
// written; there must be room for all candidates and 16 more.
typedef struct fluid_run {
    uint32_t begin, end;
} fluid_run;
typedef struct fluid_candidates {
    const float *x, *y, *z; // readable up to 16 behind the last run
    const int *number;
    const fluid_run *run;
    size_t runs;
} fluid_candidates;
ISA_DECLARE(size_t, fluid_list_neighbours,
            (const fluid_candidates *c, const float at[3], float radius2, int self, int least, int padding,
             int *to));

// Velocities: `xsph`, sum of volume s (v_j - v) W with the share s = viscosity + calm max(0, 1 - |v_j - v|^2
// / calm_speed^2); `cohesion`, sum of volume c(r) (x_j - x) / r. Both times 2 m_j / (m_i + m_j) where masses
// differ.
typedef struct velocity_view {
    density_view f;
    const velocity_in *v;
    bool curl, cohesion, uneven; // which sums are wanted; masses differ
    float viscosity, calm, inverse_calm_speed2;
} velocity_view;
typedef struct fluid_velocity_sums {
    float xsph[3], cohesion[3];
    float curl[3]; // s^3 (v - v_j) x (x - x_j)
} fluid_velocity_sums;
ISA_DECLARE(void, fluid_xsph, (const velocity_view *f, const fluid_rows *rows, fluid_velocity_sums *out));
// Sum of volume (curl_j - curl) s^3 (x - x_j): the gradient of the curl's length, with the opposite sign.
ISA_DECLARE(void, fluid_vorticity, (const velocity_view *f, const fluid_rows *rows, float (*out)[4]));

#endif
