// Grid to particles, and the law: the nodes' velocities come in one particle at a time (vectors over nodes),
// the law runs over LANES particles at once.
#include "mpm/mpm_transfer.h"

#include <math.h>

#include "snow/snow_law.h"

// LANES particles between the two halves; row c holds component c of all.
typedef struct batch {
    _Alignas(64) float v[3][LANES], moment[9][LANES], slope[9][LANES], strain[6][LANES], jp[LANES];
    _Alignas(64) float mu[LANES], lambda[LANES], hardening[LANES], squeeze[LANES], stretch[LANES],
        volume[LANES], density[LANES];
} batch;

LANE_INLINE void put3(float (*row)[LANES], int k, f4 a) {
    row[0][k] = a[0];
    row[1][k] = a[1];
    row[2][k] = a[2];
}

LANE_INLINE void batch_fill(batch *b, int k, const mpm_particles *p, uint32_t i, const particle_catch *c) {
    put3(b->v, k, c->v);
    for (int a = 0; a < 3; a++) {
        put3(b->moment + 3 * a, k, c->moment[a]);
        put3(b->slope + 3 * a, k, c->slope[a]);
    }
    for (int a = 0; a < 6; a++) b->strain[a][k] = p->strain[i][a];
    b->jp[k] = p->jp[i];
    const mpm_material *m = &p->materials[p->material[i]];
    b->mu[k] = m->mu;
    b->lambda[k] = m->lambda;
    b->hardening[k] = m->hardening;
    b->squeeze[k] = m->squeeze;
    b->stretch[k] = m->stretch;
    b->volume[k] = m->volume;
    b->density[k] = m->density;
}

LANE_INLINE mat3 load_mat3(const float (*row)[LANES]) {
    return mat3_of(vec3_of(r_load(row[0]), r_load(row[1]), r_load(row[2])),
                   vec3_of(r_load(row[3]), r_load(row[4]), r_load(row[5])),
                   vec3_of(r_load(row[6]), r_load(row[7]), r_load(row[8])));
}

LANE_INLINE void store_sym3(float (*row)[LANES], sym3 m) {
    const real six[6] = {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
    for (int a = 0; a < 6; a++) r_store(row[a], six[a]);
}

// What the law leaves behind for the particles and for the choice of the next step.
typedef struct law_result {
    _Alignas(64) float tau[6][LANES];
    real stiffness; // (lambda + 2 mu) hardened / rho: square of the wave speed, m2/s2
} law_result;

// MPM15 step 8: F_E^ = (I + dt grad v) F_E, its flow, and the stress of what stays elastic.
static inline law_result batch_law(batch *b, mpm_pass pass) {
    const float(*row)[LANES] = (const float(*)[LANES])b->strain;
    sym3 strain = sym3_of(r_load(row[0]), r_load(row[1]), r_load(row[2]), r_load(row[3]), r_load(row[4]),
                          r_load(row[5]));
    mat3 slope = load_mat3((const float(*)[LANES])b->slope);
    strain = snow_move(strain, mat3_scale(slope, R(pass.dt / pass.cell)));
    eigen3 d = eigen3_of(strain);
    vec3 e = snow_roots(d.value);
    real jp = r_load(b->jp);
    mask flows = snow_flow(&e, &jp, r_load(b->squeeze), r_load(b->stretch));
    r_store(b->jp, jp);
    vec3 kept = vec3_add(vec3_add(e, e), vec3_mul(e, e)); // s^2 - 1
    store_sym3(b->strain, sym3_select(flows, sym3_from_eigen(d.u, kept), strain));
    real hard = snow_hardness(jp, r_load(b->hardening));
    real mu = r_load(b->mu) * hard, lambda = r_load(b->lambda) * hard;
    vec3 t = vec3_scale(snow_principal_stress(e, mu, lambda), r_load(b->volume));
    law_result out;
    store_sym3(out.tau, sym3_from_eigen(d.u, t));
    out.stiffness = (lambda + R(2) * mu) / r_load(b->density);
    return out;
}

// Particles beyond n are copies of the first: their lanes are computed and dropped.
LANE_INLINE mpm_pace gather_batch(mpm_particles *p, const uint32_t *index, int n, const int block[3],
                                  const spline *s, int width, mpm_pass pass, const float *tile,
                                  mpm_pace pace) {
    batch b;
    for (int k = 0; k < LANES; k++) {
        uint32_t i = index[k < n ? k : 0];
        footing foot;
        stand(s, p->x[i], block, 1.0f / pass.cell, &foot);
        particle_catch c = gather_one(tile, &foot, width);
        batch_fill(&b, k, p, i, &c);
    }
    law_result law = batch_law(&b, pass);
    float affine = (width == 4 ? 3.0f : 4.0f) / pass.cell; // D^-1 = 3/h2 (cubic), 4/h2 (quadratic)
    for (int k = 0; k < n; k++) {
        uint32_t i = index[k];
        float speed2 = 0;
        for (int a = 0; a < 3; a++) {
            p->v[i][a] = b.v[a][k];
            p->x[i][a] += pass.dt * b.v[a][k];
            speed2 += b.v[a][k] * b.v[a][k];
        }
        for (int a = 0; a < 9; a++) p->affine[i][a] = affine * b.moment[a][k];
        for (int a = 0; a < 6; a++) p->strain[i][a] = b.strain[a][k];
        for (int a = 0; a < 6; a++) p->tau[i][a] = law.tau[a][k];
        p->jp[i] = b.jp[k];
        pace.speed2 = speed2 > pace.speed2 ? speed2 : pace.speed2;
        pace.lowest = p->x[i][1] < pace.lowest ? p->x[i][1] : pace.lowest;
    }
    float stiffest = r_max_lanes(law.stiffness);
    pace.stiffness = stiffest > pace.stiffness ? stiffest : pace.stiffness;
    return pace;
}

// Compiled twice, so that the kernel's width is known.
LANE_INLINE mpm_pace gather_all(mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                                firn_mpm_kernel kernel, int width, mpm_pass pass, const float *tile) {
    mpm_pace pace = {.lowest = INFINITY};
    spline s = spline_of(kernel);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        pace = gather_batch(p, index + i, count, block, &s, width, pass, tile, pace);
    }
    return pace;
}

mpm_pace ISA_NAME(mpm_gather)(mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                              mpm_pass pass, const float *tile) {
    if (pass.kernel == FIRN_MPM_CUBIC) return gather_all(p, index, n, block, FIRN_MPM_CUBIC, 4, pass, tile);
    return gather_all(p, index, n, block, FIRN_MPM_QUADRATIC, 3, pass, tile);
}
