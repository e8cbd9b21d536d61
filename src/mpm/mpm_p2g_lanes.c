// P2G: mass, momentum and stress of the particles to a patch of the grid.
#include "mpm/mpm_transfer.h"

// Columns of matrices, fourth components not zero; loads stay within the particle.
LANE_INLINE void columns_of_affine(const float c[9], f4 out[3]) {
    f4 last = f4_load(c + 5);
    out[0] = f4_load(c);
    out[1] = f4_load(c + 3);
    out[2] = __builtin_shufflevector(last, last, 1, 2, 3, 3);
}
LANE_INLINE void columns_of_sym(const float t[6], f4 out[3]) {
    f4 low = f4_load(t), high = f4_load(t + 2);
    out[0] = low;
    out[1] = __builtin_shufflevector(low, high, 1, 3, 6, 6);
    out[2] = __builtin_shufflevector(high, high, 0, 2, 3, 3);
}
LANE_INLINE f4 f4_three(f4 a) { return __builtin_shufflevector(a, (f4){0}, 0, 1, 2, 7); }

LANE_INLINE void p2g_particle(const mpm_particles *p, uint32_t i, mpm_pass pass, int width,
                              const mpm_stencil *stencil, float *patch) {
    const mpm_material *m = &p->materials[p->material[i]];
    const float *v = p->v[i];
    float mc = pass.no_affine ? 0.0f : m->mass * pass.cell, dt = pass.dt / pass.cell;
    f4 mv = m->mass * (f4){v[0], v[1], v[2], 1}, affine[3], stress[3];
    columns_of_affine(p->affine[i], affine);
    columns_of_sym(p->tau[i], stress);
    if (width == 3) {
        f4 linear[3];
        for (int a = 0; a < 3; a++) linear[a] = f4_three(mc * affine[a] - 4 * dt * stress[a]);
        p2g_by_moments(patch, stencil, mv, linear);
        return;
    }
    p2g_source source = {.mv = mv};
    for (int a = 0; a < 3; a++) source.affine[a] = f4_three(mc * affine[a]);
    for (int a = 0; a < 3; a++) source.stress[a] = f4_three(dt * stress[a]);
    p2g_one(patch, stencil, &source, width);
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
        stencil_build(kernel, transfer_parts(kernel), place, stencil);
        for (int k = 0; k < count; k++)
            p2g_particle(p, index[i + (size_t)k], pass, width, &stencil[k], patch);
    }
}

void ISA_NAME(mpm_p2g_patch)(const mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                             mpm_pass pass, float *patch) {
    if (pass.kernel == FIRN_MPM_CUBIC)
        p2g_all(p, index, n, block, pass, FIRN_MPM_CUBIC, 4, patch);
    else
        p2g_all(p, index, n, block, pass, FIRN_MPM_QUADRATIC, 3, patch);
}
