// The loops over neighbours of grains and drops: contacts with friction, XSPH, cohesion and adhesion.
#ifndef PHASE_PHASE_LANES_H
#define PHASE_PHASE_LANES_H

#include "pbd/pbd_fluid_lanes.h"

// Views of rows of four, as density_in is; each pass fills those that it reads.
typedef struct contact_in {
    float x, y, z, radius; // m
} contact_in;
typedef struct tangential_in {
    float x, y, z, solid; // m, displacement since the grain has been in contact; how solid it is, 0 .. 1
} tangential_in;
typedef struct xsph_in {
    float x, y, z, signed_radius; // m; negative: water
} xsph_in;
typedef struct xsph_velocity_in {
    float x, y, z, share; // m/s; root of the viscosity
} xsph_velocity_in;

typedef struct motion_in {
    float x, y, z, unused; // m, in this step so far
} motion_in;

typedef struct contact_view {
    const contact_in *at;
    const tangential_in *tangential;
    const motion_in *motion;
    float stiffness; // share of the depth that is corrected
    float mu_static, mu_kinetic;
    float max_depth,
        max_shift;     // m, while one of both is not fully solid: depth that pushes; rest, that shifts
    float max_parting; // m, in a step: what would push a pair apart faster shifts it, as snow does not bounce
} contact_view;

typedef struct contact_sums {
    float move[3];  // m
    float shift[3]; // m, without a velocity; only if it shifts
    bool shifts;
    float slip[3];  // m: sliding beyond friction, half of it, summed over the contacts
    float contacts; // how many
} contact_sums;
ISA_DECLARE(void, phase_contact_rows, (const contact_view *f, const fluid_rows *rows, contact_sums *out));

// Links that correct a share of their error: of particle own[k] those to other[own[k] most ..], count[k] of
// them, shorten or lengthen to `rest`. Wet grains hold less: half of stiffness times `dry` of both for each
// end.
typedef struct pull_view {
    const contact_in *at;
    const motion_in *motion;
    const uint32_t *other; // by particle, `most` each; readable 16 behind the last
    const float *rest;     // m, the same
    const float *dry;      // by particle
    size_t most;
    float stiffness, max_parting; // m, in a step: what would be faster shifts
} pull_view;
typedef struct pull_sums {
    float move[3], shift[3]; // m; shift: without a velocity
} pull_sums;
ISA_DECLARE(void, phase_pull_rows,
            (const pull_view *f, const uint32_t *own, const uint32_t *count, size_t rows, pull_sums *out));

// XSPH: sum of a_i a_j w(r) (v_j - v), with a the share and w the kernel's shape (1 - q)^4 (1 + 4 q), q = r /
// (support (radius_i + radius_j)). Of grains in contact also the relative velocity along it, times `damping`,
// half for each. Antisymmetric: momentum is conserved.
typedef struct xsph_view {
    const xsph_in *at;
    const xsph_velocity_in *v;
    float support, damping;
    float calm, inverse_calm_speed2; // of two of water, see velocity_view
} xsph_view;
ISA_DECLARE(void, phase_xsph_rows, (const xsph_view *f, const fluid_rows *rows, float (*out)[4]));

// Cohesion of water, adhesion of snow and water: sum over neighbours of (x_j - x_i) / r p(x), with x = 1 +
// (r - r_i - r_j) / length and p(x) = x (x (1 - x / 2.09)^2 - 8.77 (1 - x / 1.7)^3), where brackets below 0
// are 0: it attracts from x = 1.08 up to 2.09, and repels nearer. Times `cohesion` for two of water,
// `adhesion` for one of each. Antisymmetric.
#define COHESION_FAR 2.09f
#define COHESION_NEAR 1.7f
#define COHESION_REPULSION 8.77f
typedef struct cohesion_view {
    const contact_in *at;
    const float *liquid;
    float inverse_length; // 1/m
    float cohesion, adhesion;
} cohesion_view;
ISA_DECLARE(void, phase_cohesion_rows, (const cohesion_view *f, const fluid_rows *rows, float (*out)[4]));

#endif
