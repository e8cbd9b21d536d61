// G2P and the constitutive law: velocities are gathered one particle at a time (vectors over nodes), the law
// runs over LANES particles at once.
#include "mpm/mpm_transfer.h"

#include <math.h>

#include "snow/snow_law.h"

// LANES particles between gather and law, one row each.
typedef struct batch {
    f4 place[LANES], v[LANES], grad[3][LANES]; // slope: columns of grad v, times cell
    f4 first[LANES], last[LANES];              // strain xx, xy, xz, yy; strain yz, zz, J_P, -
    mpm_stencil stencil[LANES];
} batch;

// Material parameters per lane.
typedef struct batch_material {
    real mu, lambda, hardening, theta_c, theta_s, volume, density;
} batch_material;

LANE_INLINE batch_material one_material(const mpm_material *m) {
    return (batch_material){R(m->mu),      R(m->lambda), R(m->hardening), R(m->theta_c),
                            R(m->theta_s), R(m->volume), R(m->density)};
}

static inline batch_material mixed_material(const mpm_particles *p, const uint32_t index[LANES]) {
    float rows[7][LANES];
    for (int k = 0; k < LANES; k++) {
        const mpm_material *m = &p->materials[p->material[index[k]]];
        const float row[7] = {m->mu, m->lambda, m->hardening, m->theta_c, m->theta_s, m->volume, m->density};
        for (int a = 0; a < 7; a++) rows[a][k] = row[a];
    }
    return (batch_material){r_load(rows[0]), r_load(rows[1]), r_load(rows[2]), r_load(rows[3]),
                            r_load(rows[4]), r_load(rows[5]), r_load(rows[6])};
}

LANE_INLINE batch_material material_of(const mpm_particles *p, const uint32_t index[LANES]) {
    bool same = true;
    for (int k = 1; k < LANES; k++) same &= p->material[index[k]] == p->material[index[0]];
    return same ? one_material(&p->materials[p->material[index[0]]]) : mixed_material(p, index);
}

LANE_INLINE mat3 velocity_gradient(const batch *b) {
    real x[4], y[4], z[4];
    lanes_from_rows(b->grad[0], x);
    lanes_from_rows(b->grad[1], y);
    lanes_from_rows(b->grad[2], z);
    return mat3_of(vec3_of(x[0], x[1], x[2]), vec3_of(y[0], y[1], y[2]), vec3_of(z[0], z[1], z[2]));
}

// State after the return mapping.
typedef struct law_result {
    sym3 strain, tau; // tau times rest volume
    real jp;
    real wave_speed2; // (lambda + 2 mu) hardened / rho: square of the wave speed, m2/s2
} law_result;

// MPM15 step 8: trial F_E^ = (I + dt grad v) F_E, return mapping, and the stress of the elastic part.
LANE_INLINE law_result batch_law(const batch *b, const batch_material *m, mpm_pass pass) {
    real first[4], last[4];
    lanes_from_rows(b->first, first);
    lanes_from_rows(b->last, last);
    sym3 strain = sym3_of(first[0], first[1], first[2], first[3], last[0], last[1]);
    strain = snow_push_forward(strain, mat3_scale(velocity_gradient(b), R(pass.dt / pass.cell)));
    law_result out = {.strain = strain, .jp = last[2]};
    mask elastic = snow_is_elastic(strain, m->theta_c, m->theta_s);
    bool all_small = m_all(elastic & snow_small(strain));
    eigen3 d = {0};
    vec3 e = {0};
    if (!all_small) { // elastic lanes keep their strain
        d = eigen3_of(strain);
        e = snow_roots(d.value);
        mask yields = snow_return_map(&e, &out.jp, m->theta_c, m->theta_s, ~elastic);
        vec3 clamped = vec3_add(vec3_add(e, e), vec3_mul(e, e)); // s^2 - 1
        out.strain = sym3_select(yields, sym3_from_eigen(d.u, clamped), strain);
    }
    real hard = snow_hardness(out.jp, m->hardening), mu = m->mu * hard, lambda = m->lambda * hard;
    out.tau = snow_small_stress(out.strain, mu * m->volume, lambda * m->volume);
    if (!all_small) {
        vec3 t = vec3_scale(snow_principal_stress(e, mu, lambda), m->volume);
        out.tau = sym3_select(snow_small(out.strain), out.tau, sym3_from_eigen(d.u, t));
    }
    out.wave_speed2 = (lambda + R(2) * mu) / m->density;
    return out;
}

LANE_INLINE void store_law(mpm_particles *p, const uint32_t *index, int n, const law_result *r) {
    f4 strain[LANES], tau[LANES], rest[LANES];
    rows_from_lanes(r->strain.xx, r->strain.xy, r->strain.xz, r->strain.yy, strain);
    rows_from_lanes(r->tau.xx, r->tau.xy, r->tau.xz, r->tau.yy, tau);
    rows_from_lanes(r->strain.yz, r->strain.zz, r->tau.yz, r->tau.zz, rest);
    for (int k = 0; k < n; k++) {
        uint32_t i = index[k];
        f4_store(p->strain[i], strain[k]);
        f4_store(p->tau[i], tau[k]);
        p->strain[i][4] = rest[k][0];
        p->strain[i][5] = rest[k][1];
        p->tau[i][4] = rest[k][2];
        p->tau[i][5] = rest[k][3];
        p->jp[i] = r_lane(r->jp, k);
    }
}

// Time step limits per lane, over the batches so far.
typedef struct lane_limits {
    real speed2, wave_speed2;
} lane_limits;

LANE_INLINE void update_limits(lane_limits *dt_limits, const batch *b, real wave_speed2) {
    real v[4];
    lanes_from_rows(b->v, v);
    dt_limits->speed2 = r_max(dt_limits->speed2, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    dt_limits->wave_speed2 = r_max(dt_limits->wave_speed2, wave_speed2);
}

// index: LANES particles, those beyond n are copies of the first whose results are dropped.
LANE_INLINE void g2p_batch(mpm_particles *p, const uint32_t index[LANES], int n, const patch_map *map,
                           firn_mpm_kernel kernel, int width, mpm_pass pass, const float *patch,
                           lane_limits *dt_limits) {
    batch b;
    d4 x[LANES];
    for (int k = 0; k < LANES; k++) {
        x[k] = d4_load3(p->x[index[k]]);
        b.place[k] = patch_place(map, x[k]);
    }
    stencil_build(kernel, b.place, b.stencil);
    float affine = (width == 4 ? 3.0f : 4.0f) / pass.cell; // D^-1 = 3/h2 (cubic), 4/h2 (quadratic)
    for (int k = 0; k < LANES; k++) {
        uint32_t i = index[k];
        g2p_result c = g2p_one(patch, &b.stencil[k], width);
        b.v[k] = c.v;
        x[k] += (double)pass.dt * d4_of(c.v);
        for (int a = 0; a < 3; a++) b.grad[a][k] = c.grad[a];
        f4_store3(p->v[i], c.v);
        for (int a = 0; a < 3; a++) f4_store3(p->affine[i] + 3 * a, affine * c.moment[a]);
        const float *strain = p->strain[i];
        b.first[k] = f4_load(strain);
        b.last[k] = (f4){strain[4], strain[5], p->jp[i], 0};
    }
    for (int k = 0; k < n; k++) d4_store3(p->x[index[k]], x[k]);
    batch_material material = material_of(p, index);
    law_result law = batch_law(&b, &material, pass);
    store_law(p, index, n, &law);
    update_limits(dt_limits, &b, law.wave_speed2);
}

// Compiled twice, so that the kernel's width is known.
LANE_INLINE mpm_dt_limits g2p_all(mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                                  firn_mpm_kernel kernel, int width, mpm_pass pass, const float *patch) {
    lane_limits dt_limits = {R(0), R(0)};
    const patch_map map = patch_map_of(kernel, block, pass);
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        uint32_t all[LANES];
        for (int k = 0; k < LANES; k++) all[k] = index[i + (size_t)(k < count ? k : 0)];
        g2p_batch(p, all, count, &map, kernel, width, pass, patch, &dt_limits);
    }
    return (mpm_dt_limits){r_max_lanes(dt_limits.speed2), r_max_lanes(dt_limits.wave_speed2)};
}

mpm_dt_limits ISA_NAME(mpm_g2p_patch)(mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                                      mpm_pass pass, const float *patch) {
    if (pass.kernel == FIRN_MPM_CUBIC) return g2p_all(p, index, n, block, FIRN_MPM_CUBIC, 4, pass, patch);
    return g2p_all(p, index, n, block, FIRN_MPM_QUADRATIC, 3, pass, patch);
}
