// The semi-implicit step: (M + b dt^2 K) v = M v* with b = mpm.implicit and the tangent stiffness K v = sum
// V0 dP(grad v) F_E^T grad w (MPM15 step 6, left open there; Stomakhin 2013 eq. 9-10), solved by matrix-free
// conjugate residuals. Only for files of this folder.
#ifndef MPM_MPM_IMPLICIT_H
#define MPM_MPM_IMPLICIT_H

#include "mpm/mpm_patch.h"

enum {
    MPM_SOLVER_STATS = 3,
    BATCH = 16,        // particles stored together: the widest vector of all instruction sets
    TANGENT_ROWS = 26, // numbers per particle: U, snow_tangent, position in the patch
};

typedef struct mpm_solver {
    uint32_t *first; // by occupied block: its first particle in `tangent`, a multiple of BATCH
    float *tangent;  // linearisation of this step: BATCH * TANGENT_ROWS per batch
    // By slot of the grid, BLOCK_FLOATS each: preconditioned residual r and search direction p (m/s), and the
    // operator A = M + b dt^2 K applied to them (kg m/s).
    float *residual, *Ar, *direction, *Ap;
    size_t first_capacity, tangent_capacity, vector_capacity[4];
    double stats[MPM_SOLVER_STATS]; // one field, see mpm_fields.c
} mpm_solver;

// Stores the tangent of particles index[0..n) of one block, times `scale`; adds the impulse of their stress
// to the patch.
ISA_DECLARE(void, mpm_implicit_prepare,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             float scale, float *tangent, float *patch));
// Adds b dt^2 K v of a block's particles to `out`; v is the patch `in`.
ISA_DECLARE(void, mpm_implicit_apply,
            (size_t n, firn_mpm_kernel kernel, const float *tangent, const float *in, float *out));

// Dot products over nodes; those of two momenta are preconditioned by 1/mass.
typedef struct mpm_sums {
    double residual2;  // r.r, kg m2/s2
    double rAr;        // r.Ar
    double ArAr, ArAp; // Ar.Ar, Ar.Ap
} mpm_sums;
// The vectors of one block, by node (x, y, z, 0).
typedef struct mpm_vectors {
    float *node; // velocity and mass
    float *residual, *Ar, *direction, *Ap;
} mpm_vectors;
// Completes Ar, which holds b dt^2 K r, by M r; returns the sums for the next iteration.
ISA_DECLARE(mpm_sums, mpm_implicit_finish_ar, (const mpm_vectors *v));
// p = r + beta p, then a step alpha along p; returns the new residual2. This beta is that of conjugate
// residuals.
ISA_DECLARE(mpm_sums, mpm_implicit_advance, (const mpm_vectors *v, float alpha, float beta));

// Linearises about the present state and takes the elastic impulse out of the nodes' velocities: contacts are
// found without it, since that of stiff snow over a long step is far from what the solve gives.
firn_status mpm_implicit_begin(mpm_state *s, float dt);
// Turns these velocities, contacts included, into those at the end of the step. Both do nothing if the step
// is explicit.
firn_status mpm_implicit_solve(mpm_state *s, float dt);
// Measures the flow rate that limits the next step. Does nothing if the step is explicit.
firn_status mpm_implicit_flow_rate(mpm_state *s);
void mpm_implicit_free(mpm_solver *v);

// For tests, after begin: applies b dt^2 K to a vector by slot, without contacts.
void mpm_implicit_operate(mpm_state *s, const float *velocity, float *momentum);

#endif
