// The semi-implicit step: (M + beta dt^2 K) v = M v*, with K v = sum V0 dP(grad v) F_E^T grad w the
// derivative of the elastic forces (MPM15 step 6, left open there; Stomakhin 2013 eq. 9-10), solved by
// conjugate residuals without building a matrix. Only for files of this folder.
#ifndef MPM_MPM_IMPLICIT_H
#define MPM_MPM_IMPLICIT_H

#include "mpm/mpm_tile.h"

enum {
    MPM_TALLY = 3,
    BATCH = 16,       // particles whose numbers lie together: the widest lanes there are
    FROZEN_ROWS = 26, // numbers per particle: U, snow_stiffness, where it stands
};

// What a body leaves a node free to do.
typedef enum mpm_bond_kind {
    BOND_NONE,
    BOND_NORMAL, // no motion along `axis`, relative to the body
    BOND_LINE,   // motion only along `axis`: two bodies, as in a groove
    BOND_FIXED,
} mpm_bond_kind;
typedef struct mpm_bond {
    float axis[3];
    mpm_bond_kind kind;
    uint32_t body; // the last one that touched it
} mpm_bond;

typedef struct mpm_solver {
    uint32_t *first; // by occupied block: its first particle in `frozen`, a multiple of BATCH
    float *frozen;   // what stays as it is in a step: BATCH * FROZEN_ROWS per batch
    // By slot of the grid, BLOCK_FLOATS each: preconditioned residual and direction (m/s), and the operator's
    // answers to them (kg m/s).
    float *residual, *answer, *direction, *direction_answer;
    mpm_bond *bond;  // BLOCK_NODES each
    uint8_t *bonded; // the block has bonds
    size_t first_capacity, frozen_capacity, bond_capacity, bonded_capacity, vector_capacity[4];
    bool bonding;            // contacts are being written down
    double tally[MPM_TALLY]; // one field, see mpm_fields.c
} mpm_solver;

// Freezes particles index[0..n) of one block, with stiffness times `scale`; adds the impulse of their stress
// to the tile.
ISA_DECLARE(void, mpm_implicit_prepare,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             float scale, float *frozen, float *tile));
// Adds beta dt^2 K v of a block's particles to `out`; v is the tile `in`.
ISA_DECLARE(void, mpm_implicit_apply,
            (size_t n, firn_mpm_kernel kernel, const float *frozen, const float *in, float *out));

// Sums over nodes; products are weighed by the preconditioner, 1/mass.
typedef struct mpm_sums {
    double residual2;        // residual . residual, kg m2/s2
    double curvature;        // residual . answer
    double answer2, crossed; // answer . answer, answer . direction_answer
} mpm_sums;
// The vectors of one block, by node (x, y, z, 0).
typedef struct mpm_vectors {
    float *node; // velocity and mass
    float *residual, *answer, *direction, *direction_answer;
} mpm_vectors;
// answer, which holds beta dt^2 K residual, gets M residual added; the sums that the next step needs.
ISA_DECLARE(mpm_sums, mpm_implicit_answer, (const mpm_vectors *v));
// One step of `length` along the direction, turned towards the residual by `turn`; the new residual2.
ISA_DECLARE(mpm_sums, mpm_implicit_advance, (const mpm_vectors *v, float length, float turn));

// Room for this step, and no bonds yet. Nothing if the step is explicit.
firn_status mpm_implicit_begin(mpm_state *s);
// A body that slides along (n) or holds (stick) a node of a block.
void mpm_implicit_bond(mpm_state *s, uint32_t slot, uint32_t node, size_t body, const float n[3], bool stick);
// The nodes' velocities v*, contacts included, become those of the end of the step. Nothing if the step is
// explicit.
firn_status mpm_implicit_solve(mpm_state *s, body_set *bodies, float dt);
// How fast the snow now flows, for the length of the next step. Nothing if the step is explicit.
firn_status mpm_implicit_pace(mpm_state *s);
void mpm_implicit_free(mpm_solver *v);

// For tests: stiffness of the present state; then beta dt^2 K of a vector by slot, bonds left aside.
void mpm_implicit_freeze(mpm_state *s, float dt);
void mpm_implicit_operate(mpm_state *s, const float *velocity, float *momentum);

#endif
