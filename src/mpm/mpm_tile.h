// The patch of grid that one block of particles sees: 7 x 7 x 7 nodes, rows padded to 8. A node is (px, py,
// pz, m) on the way to the grid and (vx, vy, vz, -) on the way back. z runs fastest, so that the four nodes
// of a kernel's row are two vectors of eight floats.
#ifndef MPM_MPM_TILE_H
#define MPM_MPM_TILE_H

#include "base/isa.h"
#include "mpm/mpm_state.h"

// What all particles of a pass share.
typedef struct mpm_pass {
    float cell; // m
    float dt;   // s
    firn_mpm_kernel kernel;
    bool flat; // C stays out: PIC and FLIP
} mpm_pass;

// Adds particles index[0..n) of one block to its tile (zeroed before). MPM15 eq. 19-21, APIC; the force of
// the stress is part of the momentum.
ISA_DECLARE(void, mpm_scatter,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             float *tile));
// What limits the next step.
typedef struct mpm_pace {
    float speed2;    // largest |v|^2, m2/s2
    float stiffness; // largest square of the wave speed, m2/s2
} mpm_pace;
// Velocity, affine matrix, and the step of F, plasticity, stress and position for the same particles.
ISA_DECLARE(mpm_pace, mpm_gather,
            (mpm_particles * p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             const float *tile));

// What the nodes' velocities are at the particles; by particle.
ISA_DECLARE(void, mpm_sample,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             const float *tile, float (*out)[3]));

#endif
