// G2P and the constitutive law: velocities are gathered one particle at a time (vectors over nodes), the law
// runs over LANES particles at once.
#include "mpm/mpm_transfer.h"

#include <math.h>
#include <string.h>

#include "snow/granular_law.h"
#include "snow/snow_thermal.h"

// LANES particles between gather and law, one row each.
typedef struct batch {
    f4 place[LANES], v[LANES],
        grad[3][LANES];            // grad: columns of grad v, times grad_unit; fourth: of the mass
    float grad_unit;               // m
    f4 delta[LANES], apart[LANES]; // FLIP: part of its own velocity, and what of that moves it
    f4 first[LANES], last[LANES];  // strain xx, xy, xz, yy; strain yz, zz, J_P, strength
    float healed[LANES];           // with heat only
    float bond[LANES];             // with clods only
    mpm_stencil stencil[LANES];
} batch;

// mpm_law per lane.
typedef struct batch_material {
    real kind, mu, lambda, hardening, softening, closed, densest, theta_c, theta_s, tearing, limit, shear,
        friction, cohesion, stretch, kinetic, inertia, lode, volume, density;
} batch_material;
_Static_assert(sizeof(batch_material) == MPM_LAW_FLOATS * sizeof(real), "the members of mpm_law, in order");

// Most batches have one snow, and most often that of the batch before: `last`, UINT32_MAX for none.
LANE_INLINE void material_find(const mpm_particles *p, const uint32_t index[LANES], batch_material *out,
                               uint32_t *last) {
    uint32_t first = p->material[index[0]], differs = 0;
    for (int k = 1; k < LANES; k++) differs |= p->material[index[k]] ^ first;
    if (!differs && first == *last) return;
    real lanes[MPM_LAW_FLOATS];
    if (!differs) {
        const float *law = (const float *)&p->materials[first].law;
        for (int a = 0; a < MPM_LAW_FLOATS; a++) lanes[a] = R(law[a]);
    } else {
        float rows[MPM_LAW_FLOATS][LANES];
        for (int k = 0; k < LANES; k++) {
            const float *law = (const float *)&p->materials[p->material[index[k]]].law;
            for (int a = 0; a < MPM_LAW_FLOATS; a++) rows[a][k] = law[a];
        }
        for (int a = 0; a < MPM_LAW_FLOATS; a++) lanes[a] = r_load(rows[a]);
    }
    memcpy(out, lanes, sizeof *out);
    *last = differs ? UINT32_MAX : first;
}

LANE_INLINE mat3 velocity_gradient(const batch *b) {
    real x[4], y[4], z[4];
    lanes_from_rows(b->grad[0], x);
    lanes_from_rows(b->grad[1], y);
    lanes_from_rows(b->grad[2], z);
    return mat3_of(vec3_of(x[0], x[1], x[2]), vec3_of(y[0], y[1], y[2]), vec3_of(z[0], z[1], z[2]));
}

// See granular_open; the fourth components are the nodes' masses.
LANE_INLINE real open_of(const batch *b, const batch_material *m, float cell) {
    real v[4], x[4], y[4], z[4];
    lanes_from_rows(b->v, v);
    lanes_from_rows(b->grad[0], x);
    lanes_from_rows(b->grad[1], y);
    lanes_from_rows(b->grad[2], z);
    real mass = r_max(v[3], R(1e-30f));
    vec3 slope = vec3_scale(vec3_of(x[3], y[3], z[3]), R(cell / b->grad_unit) / mass);
    return granular_open(mass / (m->density * R(cell * cell * cell)), slope);
}

// What temperature, water and sintering do to the law; all 1 without heat.
typedef struct law_heat {
    bool acts;
    real strength, healed;
} law_heat;
// log J_P at which Cam clay has lost its bonds, as if what has healed had never been loosened.
LANE_INLINE real healed_stretch(real stretch, real jp, const law_heat *h) {
    real left = r_log(snow_bonded(jp, h->healed));
    return r_select(r_gt(left, R(0)), stretch * r_log(jp) / r_max(left, R(1e-12f)), R(1e12f));
}

// State after the return mapping.
typedef struct law_result {
    sym3 strain, tau; // tau times rest volume
    real jp;
    real wave_speed2; // (lambda + 2 mu) hardened / rho: square of the wave speed, m2/s2
} law_result;

LANE_INLINE law_result law_select(mask m, law_result a, law_result b) {
    return (law_result){sym3_select(m, a.strain, b.strain), sym3_select(m, a.tau, b.tau),
                        r_select(m, a.jp, b.jp), r_select(m, a.wave_speed2, b.wave_speed2)};
}

// Further stiffening of what is pressed nearly to the density of ice; 1 for nearly all batches.
LANE_INLINE real barrier_of(sym3 strain, real jp, const batch_material *m) {
    if (!m_any(snow_may_be_full(jp, m->densest))) return R(1);
    return snow_barrier(snow_share(strain, jp, m->densest));
}

// MPM15: fixed-corotated elasticity, principal strains clamped.
// bond: share of theta_s; a weak bond is also lost over a shorter opening.
LANE_INLINE law_result snow_law(sym3 strain, real jp, const batch_material *m, const law_heat *h, real bond,
                                float dt) {
    law_result out = {.strain = strain, .jp = jp};
    real theta_s = m->theta_s * bond, softening = m->softening * r_min(R(1) / bond, R(10));
    mask elastic = snow_is_elastic(strain, m->theta_c, theta_s);
    bool all_small = m_all(elastic & snow_small(strain));
    eigen3 d = {0};
    vec3 e = {0};
    if (!all_small) { // elastic lanes keep their strain
        d = eigen3_of(strain);
        e = snow_roots(d.value);
        mask yields =
            snow_return_map(&e, &out.jp, m->theta_c, theta_s, snow_held(m->tearing, dt), m->closed, ~elastic);
        vec3 clamped = vec3_add(vec3_add(e, e), vec3_mul(e, e)); // s^2 - 1
        out.strain = sym3_select(yields, sym3_from_eigen(d.u, clamped), strain);
    }
    real bonded = h->acts ? snow_bonded(out.jp, h->healed) : out.jp;
    real hard = snow_hardness(bonded, m->hardening, softening, m->closed) * barrier_of(out.strain, out.jp, m);
    if (h->acts) hard *= h->strength;
    real mu = m->mu * hard, lambda = m->lambda * hard;
    out.tau = snow_small_stress(out.strain, mu * m->volume, lambda * m->volume);
    if (!all_small) {
        vec3 t = vec3_scale(snow_principal_stress(e, mu, lambda), m->volume);
        out.tau = sym3_select(snow_small(out.strain), out.tau, sym3_from_eigen(d.u, t));
    }
    out.wave_speed2 = (lambda + R(2) * mu) / m->density;
    return out;
}

// Drucker-Prager and Cam clay: Hencky elasticity, return mapping in the invariants of the strain. Its axes
// stay, so that eigenvectors are needed for large strains only.
LANE_INLINE law_result granular_law(sym3 strain, real jp, const batch_material *m, const law_heat *h,
                                    real open, float dt) {
    mask small = snow_small(strain);
    bool all_small = m_all(small);
    eigen3 d = {0};
    vec3 logs = {0};
    sym3 eps = granular_small_log(strain);
    if (!all_small) {
        d = eigen3_of(strain);
        logs = granular_logs(d.value);
        eps = sym3_select(small, eps, sym3_from_eigen(d.u, logs));
    }
    granular_yield yield = {m->limit,    m->shear,
                            m->friction, m->cohesion,
                            m->stretch,  r_gt(m->kind, R(FIRN_SNOW_LAW_DRUCKER_PRAGER)),
                            m->kinetic,  m->inertia * R(1 / dt),
                            open};
    if (h->acts) {
        yield.stretch = healed_stretch(m->stretch, jp, h);
        yield.friction *= snow_thermal_friction(h->strength);
    }
    real trace = eps.xx + eps.yy + eps.zz, mean = R(1.0f / 3) * trace;
    sym3 dev = granular_combine(eps, mean, R(1), R(0));
    real shear = r_sqrt(sym3_norm2(dev));
    yield.friction *= granular_lode(dev, shear, m->lode);
    granular_state s = {trace, shear, r_log(jp)};
    real share = granular_return_map(&s, &yield, r_log(snow_densest(m->closed))),
         new_mean = R(1.0f / 3) * s.volume;
    mask yields = r_lt(share, R(1)) | r_ne(s.volume, trace);
    law_result out = {.strain = strain, .jp = jp};
    if (m_any(yields)) {
        out.jp = r_select(yields, r_clamp(r_exp(s.plastic), snow_densest(m->closed), R(SNOW_LOOSEST)), jp);
        sym3 after = granular_small_exp(granular_combine(eps, mean, share, new_mean));
        if (!all_small) {
            vec3 left = vec3_add(vec3_scale(vec3_sub(logs, vec3_all(mean)), share), vec3_all(new_mean));
            after = sym3_select(small, after, sym3_from_eigen(d.u, granular_exps(left)));
        }
        out.strain = sym3_select(yields, after, strain);
    }
    real hard =
        granular_hardness(s.plastic, out.jp, m->hardening, m->closed) * barrier_of(out.strain, out.jp, m);
    if (h->acts) hard *= h->strength;
    real mu = m->mu * hard, lambda = m->lambda * hard;
    out.tau = granular_combine(eps, mean, R(2) * mu * m->volume * share,
                               (lambda + R(2.0f / 3) * mu) * m->volume * s.volume);
    out.wave_speed2 = (lambda + R(2) * mu) / m->density;
    return out;
}

// MPM15 step 8: trial F_E^ = (I + dt grad v) F_E, return mapping, and the stress of the elastic part.
LANE_INLINE law_result batch_law(const batch *b, const batch_material *m, bool thermal, bool clods,
                                 mpm_pass pass) {
    real first[4], last[4];
    lanes_from_rows(b->first, first);
    lanes_from_rows(b->last, last);
    sym3 strain = sym3_of(first[0], first[1], first[2], first[3], last[0], last[1]);
    mat3 gradient = velocity_gradient(b);
    strain = snow_push_forward(strain, mat3_scale(gradient, R(pass.dt / b->grad_unit)));
    mask granular = r_gt(m->kind, R(FIRN_SNOW_LAW_STOMAKHIN));
    law_result out;
    const law_heat heat = {thermal, last[3], thermal ? r_load(b->healed) : R(1)};
    real bond = clods ? r_load(b->bond) : R(1);
    if (!m_any(granular)) {
        out = snow_law(strain, last[2], m, &heat, bond, pass.dt);
    } else {
        out = granular_law(strain, last[2], m, &heat, open_of(b, m, pass.cell), pass.dt);
        if (!m_all(granular))
            out = law_select(granular, out, snow_law(strain, last[2], m, &heat, bond, pass.dt));
    }
    out.wave_speed2 =
        r_max(out.wave_speed2,
              snow_closing_speed2(out.jp, m->closed, R(-pass.cell / b->grad_unit) * mat3_trace(gradient)));
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
        f4_store2(p->strain[i] + 4, rest[k], 0);
        f4_store2(p->tau[i] + 4, rest[k], 1);
        p->jp[i] = r_lane(r->jp, k);
    }
}

// Time step limits per lane, over the batches so far.
typedef struct lane_limits {
    real speed2, wave_speed2;
} lane_limits;

// It expands and has reached about half of what it bears in tension; for granular laws: it is not pressed.
LANE_INLINE bool tears(const mpm_particles *p, uint32_t i, const g2p_result *c) {
    const float *strain = p->strain[i];
    const mpm_law *law = &p->materials[p->material[i]].law;
    float bears =
        law->kind > (float)FIRN_SNOW_LAW_STOMAKHIN ? -1e-5f : law->theta_s * (p->clods ? p->bond[i] : 1);
    return strain[0] + strain[3] + strain[5] > bears &&
           c->moment[0][0] + c->moment[1][1] + c->moment[2][2] > 0;
}

// Velocities, affine matrices and what the law needs, particle by particle: vectors over nodes.
LANE_INLINE void gather_batch(mpm_particles *p, const uint32_t index[LANES], int width, bool thermal,
                              mpm_pass pass, const float *patch, batch *b) {
    float affine = (width == 4 ? 3.0f : 4.0f) / pass.cell; // D^-1 = 3/h2 (cubic), 4/h2 (quadratic)
    b->grad_unit = width == 4 ? pass.cell : 0.25f * pass.cell;
    for (int k = 0; k < LANES; k++) {
        uint32_t i = index[k];
        g2p_result c = g2p_one(patch, &b->stencil[k], width);
        b->v[k] = c.v;
        for (int a = 0; a < 3; a++) b->grad[a][k] = c.grad[a];
        if (pass.delta) {
            b->delta[k] = f4_load3(pass.delta[i]);
            b->apart[k] = pass.separate && tears(p, i, &c) ? b->delta[k] : (f4){0};
        }
        for (int a = 0; a < 2; a++)
            f4_store(p->affine[i] + 3 * a, affine * c.moment[a]); // the next overwrites
        f4_store3(p->affine[i] + 6, affine * c.moment[2]);
        const float *strain = p->strain[i];
        b->first[k] = f4_load(strain);
        b->last[k] = (f4){strain[4], strain[5], p->jp[i], thermal ? p->strength[i] : 0};
        if (thermal) b->healed[k] = p->healed[i];
        if (p->clods) b->bond[k] = p->bond[i];
    }
}

// The velocity takes all of gravity's impulse, the path half of it (as in free fall): of the change of the
// velocity along gravity, so that snow at rest stays. Of other forces the path takes the whole impulse
// (symplectic Euler). Returns the velocities.
LANE_INLINE vec3 move_batch(mpm_particles *p, const uint32_t index[LANES], int n, mpm_pass pass, batch *b,
                            d4 x[LANES]) {
    f4 before[LANES], path[LANES];
    for (int k = 0; k < LANES; k++) {
        before[k] = f4_load3(p->v[index[k]]);
        if (pass.delta) before[k] -= b->delta[k];
    }
    real old[4], v[4];
    lanes_from_rows(before, old);
    lanes_from_rows(b->v, v);
    real half = R(0.5f) * (R(pass.up[0]) * (old[0] - v[0]) + R(pass.up[1]) * (old[1] - v[1]) +
                           R(pass.up[2]) * (old[2] - v[2]));
    rows_from_lanes(v[0] + half * R(pass.up[0]), v[1] + half * R(pass.up[1]), v[2] + half * R(pass.up[2]),
                    v[3], path);
    for (int k = 0; k < n; k++) {
        uint32_t i = index[k];
        f4 to = b->v[k];
        if (pass.delta) {
            to += b->delta[k];
            path[k] += b->apart[k];
            f4_store3(pass.delta[i], b->delta[k] - b->apart[k]);
        }
        d4_store3(p->x[i], x[k] + (double)pass.dt * d4_of(path[k]));
        f4_store3(p->v[i], to);
    }
    if (!pass.delta) return vec3_of(v[0], v[1], v[2]);
    for (int k = 0; k < LANES; k++) b->delta[k] += b->v[k];
    lanes_from_rows(b->delta, v);
    return vec3_of(v[0], v[1], v[2]);
}

// index: LANES particles, those beyond n are copies of the first whose results are dropped.
LANE_INLINE void g2p_batch(mpm_particles *p, const uint32_t index[LANES], int n, const patch_map *map,
                           firn_mpm_kernel kernel, int width, bool thermal, mpm_pass pass, const float *patch,
                           const batch_material *material, lane_limits *dt_limits) {
    batch b;
    d4 x[LANES];
    for (int k = 0; k < LANES; k++) {
        x[k] = d4_load3(p->x[index[k]]);
        b.place[k] = patch_place(map, x[k]);
    }
    stencil_build(kernel, transfer_parts(kernel), b.place, b.stencil);
    gather_batch(p, index, width, thermal, pass, patch, &b);
    vec3 v = move_batch(p, index, n, pass, &b, x);
    law_result law = batch_law(&b, material, thermal, p->clods, pass);
    store_law(p, index, n, &law);
    dt_limits->speed2 = r_max(dt_limits->speed2, vec3_dot(v, v));
    dt_limits->wave_speed2 = r_max(dt_limits->wave_speed2, law.wave_speed2);
}

// Compiled four times, so that the kernel's width is known and snow without heat does not pay for it.
LANE_INLINE mpm_dt_limits g2p_all(mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                                  firn_mpm_kernel kernel, int width, bool thermal, mpm_pass pass,
                                  const float *patch) {
    lane_limits dt_limits = {R(0), R(0)};
    const patch_map map = patch_map_of(kernel, block, pass);
    batch_material material = {0};
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        uint32_t all[LANES];
        for (int k = 0; k < LANES; k++) all[k] = index[i + (size_t)(k < count ? k : 0)];
        material_find(p, all, &material, &last);
        g2p_batch(p, all, count, &map, kernel, width, thermal, pass, patch, &material, &dt_limits);
    }
    return (mpm_dt_limits){r_max_lanes(dt_limits.speed2), r_max_lanes(dt_limits.wave_speed2)};
}

mpm_dt_limits ISA_NAME(mpm_g2p_patch)(mpm_particles *p, const uint32_t *index, size_t n, const int block[3],
                                      mpm_pass pass, const float *patch) {
    bool cubic = pass.kernel == FIRN_MPM_CUBIC;
    if (p->thermal && cubic) return g2p_all(p, index, n, block, FIRN_MPM_CUBIC, 4, true, pass, patch);
    if (p->thermal) return g2p_all(p, index, n, block, FIRN_MPM_QUADRATIC, 3, true, pass, patch);
    if (cubic) return g2p_all(p, index, n, block, FIRN_MPM_CUBIC, 4, false, pass, patch);
    return g2p_all(p, index, n, block, FIRN_MPM_QUADRATIC, 3, false, pass, patch);
}
