// The grid's velocity at the particles, and nothing else.
#include "mpm/mpm_transfer.h"

LANE_INLINE void sample_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                            mpm_pass pass, firn_mpm_kernel kernel, int width, const float *tile,
                            float (*out)[3]) {
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        f4 x[LANES];
        footing foot[LANES];
        for (int k = 0; k < LANES; k++) x[k] = f4_load3(p->x[index[i + (size_t)(k < count ? k : 0)]]);
        stand(kernel, x, block, 1.0f / pass.cell, foot);
        for (int k = 0; k < count; k++)
            f4_store3(out[index[i + (size_t)k]], gather_one(tile, &foot[k], width).v);
    }
}

void ISA_NAME(mpm_sample)(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                          mpm_pass pass, const float *tile, float (*out)[3]) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        sample_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, tile, out);
    else
        sample_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, tile, out);
}
