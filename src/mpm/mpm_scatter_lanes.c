// Particles to grid.
#include "mpm/mpm_transfer.h"

LANE_INLINE particle_load load_of(const mpm_particles *p, uint32_t i, mpm_pass pass) {
    const mpm_material *m = &p->materials[p->material[i]];
    const float *v = p->v[i], *c = p->affine[i], *t = p->tau[i];
    float mc = pass.flat ? 0.0f : m->mass * pass.cell, dt = pass.dt / pass.cell;
    return (particle_load){
        m->mass * (f4){v[0], v[1], v[2], 1},
        {mc * (f4){c[0], c[1], c[2], 0}, mc * (f4){c[3], c[4], c[5], 0}, mc * (f4){c[6], c[7], c[8], 0}},
        {dt * (f4){t[0], t[1], t[2], 0}, dt * (f4){t[1], t[3], t[4], 0}, dt * (f4){t[2], t[4], t[5], 0}},
    };
}

LANE_INLINE void scatter_all(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                             mpm_pass pass, firn_mpm_kernel kernel, int width, float *tile) {
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        f4 x[LANES];
        footing foot[LANES];
        for (int k = 0; k < LANES; k++) x[k] = f4_load3(p->x[index[i + (size_t)(k < count ? k : 0)]]);
        stand(kernel, x, block, 1.0f / pass.cell, foot);
        for (int k = 0; k < count; k++) {
            particle_load load = load_of(p, index[i + (size_t)k], pass);
            scatter_one(tile, &foot[k], &load, width);
        }
    }
}

void ISA_NAME(mpm_scatter)(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                           mpm_pass pass, float *tile) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        scatter_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, tile);
    else
        scatter_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, tile);
}
