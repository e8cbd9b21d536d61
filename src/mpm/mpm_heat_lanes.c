// Sums of particles' values on a patch of the grid, with the weights of P2G.
#include "mpm/mpm_heat.h"
#include "mpm/mpm_transfer.h"

LANE_INLINE p2g_source heat_source(const float row[4], bool places) {
    f4 none = {0}, all = f4_load(row);
    p2g_source out = {all, {none, none, none}, {none, none, none}};
    if (places) {
        float v = row[3];
        out = (p2g_source){{0, 0, 0, v}, {{v, 0, 0, 0}, {0, v, 0, 0}, {0, 0, v, 0}}, {none, none, none}};
    }
    return out;
}

LANE_INLINE void heat_all(const mpm_particles *p, const float (*rows)[4], bool places, const uint32_t *index,
                          size_t n, const int block[3], mpm_pass pass, firn_mpm_kernel kernel, int width,
                          float *patch) {
    const patch_map map = patch_map_of(kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        f4 place[LANES];
        mpm_stencil stencil[LANES];
        for (int k = 0; k < LANES; k++)
            place[k] = patch_place(&map, d4_load3(p->x[index[i + (size_t)(k < count ? k : 0)]]));
        stencil_build(kernel, STENCIL_MOMENT | STENCIL_GRAD, place, stencil);
        for (int k = 0; k < count; k++) {
            p2g_source source = heat_source(rows[index[i + (size_t)k]], places);
            p2g_one(patch, &stencil[k], &source, width);
        }
    }
}

void ISA_NAME(mpm_heat_patch)(const mpm_particles *p, const float (*rows)[4], bool places,
                              const uint32_t *index, size_t n, const int block[3], mpm_pass pass,
                              float *patch) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        heat_all(p, rows, places, index, n, block, pass, FIRN_MPM_CUBIC, 4, patch);
    else
        heat_all(p, rows, places, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, patch);
}
