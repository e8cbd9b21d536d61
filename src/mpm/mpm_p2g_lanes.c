// P2G: mass, momentum and stress of the particles to a patch of the grid.
#include "mpm/mpm_transfer.h"

LANE_INLINE p2g_source p2g_source_of(const mpm_particles *p, uint32_t i, mpm_pass pass) {
    const mpm_material *m = &p->materials[p->material[i]];
    const float *v = p->v[i], *c = p->affine[i], *t = p->tau[i];
    float mc = pass.no_affine ? 0.0f : m->mass * pass.cell, dt = pass.dt / pass.cell;
    return (p2g_source){
        m->mass * (f4){v[0], v[1], v[2], 1},
        {mc * (f4){c[0], c[1], c[2], 0}, mc * (f4){c[3], c[4], c[5], 0}, mc * (f4){c[6], c[7], c[8], 0}},
        {dt * (f4){t[0], t[1], t[2], 0}, dt * (f4){t[1], t[3], t[4], 0}, dt * (f4){t[2], t[4], t[5], 0}},
    };
}

LANE_INLINE void p2g_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                         mpm_pass pass, firn_mpm_kernel kernel, int width, float *patch) {
    const patch_map map = patch_map_of(kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        f4 place[LANES];
        mpm_stencil stencil[LANES];
        for (int k = 0; k < LANES; k++)
            place[k] = patch_place(&map, d4_load3(p->x[index[i + (size_t)(k < count ? k : 0)]]));
        stencil_build(kernel, place, stencil);
        for (int k = 0; k < count; k++) {
            p2g_source source = p2g_source_of(p, index[i + (size_t)k], pass);
            p2g_one(patch, &stencil[k], &source, width);
        }
    }
}

void ISA_NAME(mpm_p2g_patch)(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                             mpm_pass pass, float *patch) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        p2g_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, patch);
    else
        p2g_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, patch);
}
