// The patch of the grid under the stencils of one block of particles: 7 x 7 x 7 nodes, rows padded to 8. A
// node is (px, py, pz, m) in P2G and (vx, vy, vz, -) in G2P. z runs fastest, so that the four nodes of a
// stencil row are two vectors of eight floats.
#ifndef MPM_MPM_PATCH_H
#define MPM_MPM_PATCH_H

#include "base/isa.h"
#include "math/dvec.h"
#include "mpm/mpm_state.h"

// Parameters of a pass.
typedef struct mpm_pass {
    float cell; // m
    float dt;   // s
    firn_mpm_kernel kernel;
    bool no_affine;    // the affine matrix C is ignored: PIC and FLIP
    double per_cell;   // 1/m; positions become places in a patch in double
    float up[3];       // against gravity; 0 without it
    float (*delta)[3]; // mpm_state.flip_delta, or NULL
    bool separate;     // ASFLIP: particles of snow that tears move with their own velocity
} mpm_pass;
static inline mpm_pass mpm_pass_of(const mpm_state *s, float dt) {
    firn_vec3 g = s->setting.gravity;
    double length = dvec_length(g), per_length = length > 0 ? 1 / length : 0;
    return (mpm_pass){
        .cell = (float)s->def.cell,
        .dt = dt,
        .kernel = s->def.kernel,
        .no_affine = mpm_transfer_of(s) == FIRN_MPM_FLIP,
        .per_cell = 1 / s->def.cell,
        .up = {(float)(-g.x * per_length), (float)(-g.y * per_length), (float)(-g.z * per_length)},
        .delta = mpm_flip_deltas(s),
        .separate = mpm_transfer_of(s) == FIRN_MPM_ASFLIP};
}

// P2G: adds particles index[0..n) of one block to its patch (zeroed before). MPM15 eq. 19-21, APIC; the force
// of the stress is part of the momentum.
ISA_DECLARE(void, mpm_p2g_patch,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             float *patch));
// CFL limits of the next step.
typedef struct mpm_dt_limits {
    float speed2;      // largest |v|^2, m2/s2
    float wave_speed2; // largest square of the wave speed, m2/s2
} mpm_dt_limits;
// G2P: updates velocity, affine matrix, strain, return mapping, stress and position of the same particles.
// delta becomes the part of the velocity that did not move the particle.
ISA_DECLARE(mpm_dt_limits, mpm_g2p_patch,
            (mpm_particles * p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             const float *patch));

// Interpolates the nodes' velocities to the particles; `out` by particle.
ISA_DECLARE(void, mpm_sample_patch,
            (const mpm_particles *p, const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
             const float *patch, float (*out)[3]));

#endif
