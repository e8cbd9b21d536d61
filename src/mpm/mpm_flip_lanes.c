// Interpolates the grid velocity to the particles; changes nothing else.
#include "mpm/mpm_transfer.h"

LANE_INLINE void sample_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                            mpm_pass pass, firn_mpm_kernel kernel, int width, const float *patch,
                            float (*out)[3]) {
    const patch_map map = patch_map_of(kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        f4 place[LANES];
        mpm_stencil stencil[LANES];
        for (int k = 0; k < LANES; k++)
            place[k] = patch_place(&map, d4_load3(p->x[index[i + (size_t)(k < count ? k : 0)]]));
        stencil_build(kernel, STENCIL_W, place, stencil);
        for (int k = 0; k < count; k++)
            f4_store3(out[index[i + (size_t)k]], g2p_one(patch, &stencil[k], width).v);
    }
}

void ISA_NAME(mpm_sample_patch)(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                                mpm_pass pass, const float *patch, float (*out)[3]) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        sample_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, patch, out);
    else
        sample_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, patch, out);
}
