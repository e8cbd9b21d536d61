// The semi-implicit step (after Stomakhin 2013 eq. 9-10): (M + b dt^2 K) v = M v* + g b dt^2 K u with b =
// mpm.implicit, the explicit impulse in v*, the velocity u before the step, and a stiffness K that lives on
// the grid: isotropic elasticity of its cells, whose moduli come from the particles. Solved by conjugate
// residuals. Only for files of this folder.
#ifndef MPM_MPM_IMPLICIT_H
#define MPM_MPM_IMPLICIT_H

#include "mpm/mpm_patch.h"

enum {
    MPM_SOLVER_STATS = 3,
    CELL_EDGE = BLOCK_EDGE + 1,      // nodes along the edge of a block with its upper neighbours
    CELL_ROW = 4 * (BLOCK_EDGE + 2), // floats of one (x, y) row, padded
    CELL_FLOATS = CELL_EDGE * CELL_EDGE * CELL_ROW,
};

// The blocks around an active one, as numbers in the list of active blocks; BLOCK_NONE: not active.
typedef struct mpm_neighbours {
    uint32_t up[8], down[8]; // at + or - (i>>2&1, i>>1&1, i&1)
} mpm_neighbours;

typedef struct mpm_solver {
    // By active block.
    mpm_neighbours *near;
    float *stiffness; // BLOCK_NODES each: b dt^2 K of the cell above a node, kg; the first is -1 in blocks
                      // without stiffness
    float *force;     // CELL_FLOATS each: b dt^2 K of the block's cells, kg m/s
    float inertia;    // share of the stiffness that resists only the change of velocity
    float shear;      // mu / (lambda + 2 mu), the largest of all snow
    float dt;         // s, of this step
    uint32_t *number; // by slot: number in the list of active blocks
    // By slot of the grid, BLOCK_FLOATS each: preconditioned residual r and search direction p (m/s), and the
    // operator A = M + b dt^2 K applied to them (kg m/s).
    float *residual, *Ar, *direction, *Ap;
    size_t near_capacity, stiffness_capacity, force_capacity, number_capacity, vector_capacity[4];
    double stats[MPM_SOLVER_STATS]; // one field, see mpm_fields.c
} mpm_solver;

// Adds the impulse of the stress of particles index[0..n) of one block to the patch; the fourth component is
// their (lambda + 2 mu) V.
ISA_DECLARE(void, mpm_implicit_prepare,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             float *patch));
// Stiffness of the cells of a block, at most `edge` times what the least mass of their nodes gives. in:
// (mass, (lambda + 2 mu) V) of its nodes. Returns whether there is any.
ISA_DECLARE(bool, mpm_implicit_cells,
            (const float *mass, const float *modulus, float scale, float edge, float *stiffness));
// Sets `out` to b dt^2 K v of a block's cells; v is `in`.
ISA_DECLARE(void, mpm_implicit_apply, (const float *stiffness, float shear, const float *in, float *out));

// Sums the forces of the cells of a block and of those below, at -(i>>2&1, i>>1&1, i&1), on the block's
// nodes.
ISA_DECLARE(void, mpm_implicit_sum, (const float *const force[8], float *node));

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
// The first residual, from the impulse of the stress in Ar and b dt^2 K v in Ap; clears the directions.
ISA_DECLARE(mpm_sums, mpm_implicit_start, (const mpm_vectors *v));
// Completes Ar, which holds b dt^2 K r, by M r; returns the sums for the next iteration.
ISA_DECLARE(mpm_sums, mpm_implicit_finish_ar, (const mpm_vectors *v));
// p = r + beta p, then a step alpha along p; returns the new residual2. This beta is that of conjugate
// residuals.
ISA_DECLARE(mpm_sums, mpm_implicit_advance, (const mpm_vectors *v, float alpha, float beta));

// Finds the stiffness of the present state and the impulse of its stress, which is not yet in the nodes'
// velocities: contacts are found without it, since that of stiff snow over a long step is far from what the
// solve gives, and a solve that ends early must not keep it.
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
