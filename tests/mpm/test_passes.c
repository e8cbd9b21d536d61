// The vectorised passes against plain ones in double, on random states; and particles on the very border of a
// block, where the rounding of two places that find a block once disagreed (a particle then wrote outside its
// tile).
#include "support.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "mpm/mpm_patch.h"
#include "snow/granular_law.h"

enum { N = 61, MATERIALS = 4 }; // not a multiple of any number of lanes

static const float CELL = 0.05f, DT = 1e-3f;

typedef struct sample {
    mpm_particles p;
    double x[N][3];
    float v[N][3], affine[N][9], strain[N][6], tau[N][6], jp[N];
    uint32_t id[N], block[N], material[N], index[N];
    mpm_material materials[MATERIALS];
    int at[3]; // the block they stand in
    firn_mpm_kernel kernel;
} sample;

static float between(uint32_t seed, uint32_t item, uint32_t stream, float low, float high) {
    return low + (high - low) * random_unit(random_bits(seed, item, 0, stream), 0);
}

static double offset_of(firn_mpm_kernel kernel) { return kernel == FIRN_MPM_CUBIC ? 1 : 0.5; }

static void sample_make(sample *s, firn_mpm_kernel kernel, uint32_t seed) {
    memset(s, 0, sizeof *s);
    s->kernel = kernel;
    for (int a = 0; a < 3; a++) s->at[a] = (int)between(seed, 0, 100 + (uint32_t)a, -6, 6);
    s->materials[0] = (mpm_material){.law = {.kind = FIRN_SNOW_LAW_STOMAKHIN,
                                             .mu = 6e4f,
                                             .lambda = 4e4f,
                                             .hardening = 10,
                                             .softening = 10,
                                             .theta_c = 0.025f,
                                             .theta_s = 0.0075f,
                                             .volume = 5e-6f,
                                             .density = 400},
                                     .mass = 2e-3f};
    s->materials[1] = (mpm_material){.law = {.kind = FIRN_SNOW_LAW_STOMAKHIN,
                                             .mu = 2e5f,
                                             .lambda = 3e5f,
                                             .hardening = 5,
                                             .softening = 5,
                                             .theta_c = 0.05f,
                                             .theta_s = 0.02f,
                                             .volume = 8e-6f,
                                             .density = 500},
                                     .mass = 4e-3f};
    mpm_law flows = {.kind = FIRN_SNOW_LAW_DRUCKER_PRAGER,
                     .mu = 6e4f,
                     .lambda = 4e4f,
                     .hardening = 3.5f,
                     .closed = 0.3f,
                     .limit = 0.05f,
                     .shear = (float)(sqrt(6.0) * 6e4 / 8e4),
                     .friction = 1.1f,
                     .stretch = 0.01f,
                     .kinetic = 0.7f,
                     .inertia = 5 * DT,
                     .lode = 0.6f,
                     .volume = 5e-6f,
                     .density = 300},
            sticks = flows;
    sticks.kind = FIRN_SNOW_LAW_CAM_CLAY;
    sticks.cohesion = 0.3f;
    sticks.lode = 0;
    s->materials[2] = (mpm_material){.law = flows, .mass = 1e-3f};
    s->materials[3] = (mpm_material){.law = sticks, .mass = 1e-3f};
    for (uint32_t i = 0; i < N; i++) {
        for (uint32_t a = 0; a < 3; a++) {
            double cells = s->at[a] * 4 + offset_of(kernel) + (double)between(seed, i, a, 0.001f, 3.999f);
            s->x[i][a] = cells * (double)CELL;
            s->v[i][a] = between(seed, i, 10 + a, -3, 3);
        }
        for (uint32_t a = 0; a < 9; a++) s->affine[i][a] = between(seed, i, 20 + a, -20, 20);
        float much = i % 2 ? 0.01f : 0.05f; // half of them within what the first snow bears
        for (uint32_t a = 0; a < 6; a++) {
            s->strain[i][a] = between(seed, i, 30 + a, -much, much);
            s->tau[i][a] = between(seed, i, 40 + a, -1, 1);
        }
        s->jp[i] = between(seed, i, 50, 0.8f, 1.2f);
        s->index[i] = (i * 7) % N;
        s->material[i] = seed % 2 ? i % MATERIALS : seed / 2 % MATERIALS;
    }
    s->p = (mpm_particles){.count = N,
                           .capacity = N,
                           .x = s->x,
                           .v = s->v,
                           .affine = s->affine,
                           .strain = s->strain,
                           .tau = s->tau,
                           .jp = s->jp,
                           .id = s->id,
                           .block = s->block,
                           .material = s->material,
                           .materials = s->materials};
}

// Plain weights: the B-spline as it is defined, MPM15 eq. 18, and its slope; the quadratic one's slope is
// that of moving least squares.
static double spline(firn_mpm_kernel kernel, double r) {
    double a = fabs(r);
    if (kernel == FIRN_MPM_CUBIC)
        return a < 1 ? 0.5 * a * a * a - a * a + 2.0 / 3 : a < 2 ? pow(2 - a, 3) / 6 : 0;
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}
static double spline_slope(firn_mpm_kernel kernel, double r) {
    double a = fabs(r), sign = r < 0 ? -1 : 1;
    if (kernel == FIRN_MPM_CUBIC)
        return sign * (a < 1 ? 1.5 * a * a - 2 * a : a < 2 ? -0.5 * (2 - a) * (2 - a) : 0);
    return -4 * r * spline(kernel, r);
}

typedef struct node_link {
    double w, grad[3], offset[3]; // grad w (1/m), node - particle (m)
} node_link;

static node_link link_of(const sample *s, const double x[3], const int node[3]) {
    double r[3], w[3], d[3];
    node_link out;
    for (int a = 0; a < 3; a++) {
        out.offset[a] = node[a] * (double)CELL - x[a];
        r[a] = -out.offset[a] / (double)CELL;
        w[a] = spline(s->kernel, r[a]);
        d[a] = spline_slope(s->kernel, r[a]) / (double)CELL;
    }
    out.w = w[0] * w[1] * w[2];
    for (int a = 0; a < 3; a++) out.grad[a] = d[a] * w[(a + 1) % 3] * w[(a + 2) % 3];
    return out;
}

static float *patch_node(float *patch, int x, int y, int z) {
    return patch + (x * PATCH_EDGE + y) * PATCH_ROW + 4 * z;
}

static double sym(const float t[6], int i, int j) {
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    return (double)t[at[i][j]];
}

// Momentum and mass of one node from all particles.
static void plain_p2g(const sample *s, const int node[3], double out[4], double scale[4]) {
    memset(out, 0, 4 * sizeof *out);
    memset(scale, 0, 4 * sizeof *scale);
    for (int i = 0; i < N; i++) {
        node_link l = link_of(s, s->x[i], node);
        double m = (double)s->materials[s->material[i]].mass;
        for (int a = 0; a < 3; a++) {
            double p = l.w * m * (double)s->v[i][a];
            for (int b = 0; b < 3; b++) {
                p += l.w * m * (double)s->affine[i][3 * b + a] * l.offset[b];
                p -= (double)DT * sym(s->tau[i], a, b) * l.grad[b];
            }
            out[a] += p;
            scale[a] += fabs(p);
        }
        out[3] += l.w * m;
        scale[3] += l.w * m;
    }
}

static void test_scatter_equals_the_plain_one(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        sample s;
        sample_make(&s, seed % 3 ? FIRN_MPM_CUBIC : FIRN_MPM_QUADRATIC, seed);
        _Alignas(64) float patch[PATCH_FLOATS] = {0};
        mpm_pass pass = {.cell = CELL, .dt = DT, .kernel = s.kernel, .per_cell = 1 / (double)CELL};
        ISA_PICK(mpm_p2g_patch)(&s.p, s.index, N, s.at, pass, patch);
        double largest[4] = {0};
        for (int round = 0; round < 2; round++)
            for (int i = 0; i < PATCH_EDGE * PATCH_EDGE * PATCH_EDGE; i++) {
                int at[3] = {i / 49, i / 7 % 7, i % 7};
                int node[3] = {4 * s.at[0] + at[0], 4 * s.at[1] + at[1], 4 * s.at[2] + at[2]};
                double expected[4], scale[4];
                plain_p2g(&s, node, expected, scale);
                for (int a = 0; a < 4; a++) {
                    if (round == 0)
                        largest[a] = fmax(largest[a], scale[a]);
                    else
                        assert_near(patch_node(patch, at[0], at[1], at[2])[a], expected[a],
                                    2e-5 * largest[a]);
                }
            }
    }
}

// Eigenvalues and vectors of a symmetric matrix, by Jacobi's turns.
static void plain_eigen(double a[3][3], double u[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) u[i][j] = i == j;
    for (int turn = 0; turn < 60; turn++) {
        int p = turn % 3, q = (p + 1) % 3;
        double gap = a[q][q] - a[p][p], angle = 0.5 * atan2(gap < 0 ? -2 * a[p][q] : 2 * a[p][q], fabs(gap));
        double c = cos(angle), t = sin(angle); // at most 45 degrees, or it may go round in circles
        for (int k = 0; k < 3; k++) {
            double x = a[k][p], y = a[k][q];
            a[k][p] = c * x - t * y;
            a[k][q] = t * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            double x = a[p][k], y = a[q][k];
            a[p][k] = c * x - t * y;
            a[q][k] = t * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
            double x = u[k][p], y = u[k][q];
            u[k][p] = c * x - t * y;
            u[k][q] = t * x + c * y;
        }
    }
}

typedef struct plain_result {
    double v[3], c[3][3], strain[3][3], tau[3][3], jp; // c[row][column]
    double open;                                       // see granular_open
} plain_result;

static double granular_hard(const mpm_law *m, double jp) {
    double r = fmin((double)m->closed / jp, 0.995);
    return pow(fmin(jp, 1), -(double)m->hardening) * fmax(1, (1 - fmax((double)m->closed, 0.95)) / (1 - r));
}

// Drucker-Prager and Cam clay, by principal logarithmic strains.
static void plain_granular(const mpm_law *m, double b[3][3], plain_result *r) {
    double u[3][3], e[3], trace = 0, dev = 0, det = 1, volume, share = 1, plastic = log(r->jp);
    plain_eigen(b, u);
    for (int k = 0; k < 3; k++) trace += e[k] = 0.5 * log(b[k][k]);
    for (int k = 0; k < 3; k++) dev += (e[k] - trace / 3) * (e[k] - trace / 3), det *= e[k] - trace / 3;
    double q = (double)m->shear * sqrt(dev), limit = m->limit, slope = m->friction, beta = m->cohesion;
    if (m->kind == FIRN_SNOW_LAW_DRUCKER_PRAGER) {
        double gap = fmax(plastic, 0), trial = trace + gap;
        slope *= pow(1 + (double)m->lode * 3 * sqrt(6) * det / pow(dev, 1.5), -0.25);
        if (trial > (double)GRANULAR_APART) trial = fmax(trial, r->open - fmin(plastic, 0));
        volume = fmin(fmax(trial, -limit), 0);
        double fast = (double)(m->inertia / DT) * fmax(q + slope * volume, 0) / (double)m->shear;
        slope *= 1 - (1 - (double)m->kinetic) * fast * fast / (fast * fast + fmax(-volume, 1e-12));
        if (q > -slope * volume) share = -slope * volume / q;
        plastic += trial - gap - volume;
    } else {
        double p0 = limit * fmin(fmax(1 - plastic / (double)m->stretch, 0), 1), middle = (1 - beta) / 2 * p0;
        double p = -trace - middle, size = sqrt((1 + 2 * beta) * q * q + slope * slope * p * p);
        double edge = slope * (1 + beta) / 2 * p0;
        if (size > edge) share = edge / size;
        volume = size > edge ? -(middle + share * p) : trace;
        plastic += trace - volume;
    }
    r->jp = exp(plastic);
    double hard = granular_hard(m, r->jp) * (double)m->volume;
    double bulk = ((double)m->lambda + 2.0 / 3 * (double)m->mu) * hard;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r->strain[i][j] = i == j ? -1 : 0;
            r->tau[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                double left = share * (e[k] - trace / 3);
                r->strain[i][j] += u[i][k] * u[j][k] * exp(2 * (left + volume / 3));
                r->tau[i][j] += u[i][k] * u[j][k] * (2 * (double)m->mu * hard * left + bulk * volume);
            }
        }
}

static void plain_law(const mpm_law *m, double b[3][3], plain_result *r) {
    if (m->kind != FIRN_SNOW_LAW_STOMAKHIN) {
        plain_granular(m, b, r);
        return;
    }
    double u[3][3], s[3], kept[3], before = 1, after = 1;
    plain_eigen(b, u);
    for (int k = 0; k < 3; k++) {
        s[k] = sqrt(b[k][k]);
        kept[k] = fmin(fmax(s[k], 1 - (double)m->theta_c), 1 + (double)m->theta_s);
        before *= s[k];
        after *= kept[k];
    }
    r->jp *= before / after;
    double hard = exp(fmin(5, fmax(-5, (double)m->hardening * (1 - r->jp))));
    double mu = (double)m->mu * hard, lambda = (double)m->lambda * hard;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r->strain[i][j] = i == j ? -1 : 0;
            r->tau[i][j] = 0;
            for (int k = 0; k < 3; k++) {
                r->strain[i][j] += u[i][k] * u[j][k] * kept[k] * kept[k];
                r->tau[i][j] += u[i][k] * u[j][k] * (double)m->volume *
                                (2 * mu * (kept[k] - 1) * kept[k] + lambda * (after - 1) * after);
            }
        }
}

static plain_result plain_g2p(const sample *s, int i, float *patch) {
    plain_result r = {.jp = (double)s->jp[i]};
    double grad[3][3] = {{0}}, mass = 0, slope[3] = {0},
           spread = (double)CELL * (double)CELL / (s->kernel == FIRN_MPM_CUBIC ? 3 : 4);
    for (int k = 0; k < PATCH_EDGE * PATCH_EDGE * PATCH_EDGE; k++) {
        int at[3] = {k / 49, k / 7 % 7, k % 7};
        int node[3] = {4 * s->at[0] + at[0], 4 * s->at[1] + at[1], 4 * s->at[2] + at[2]};
        const float *v = patch_node(patch, at[0], at[1], at[2]);
        node_link l = link_of(s, s->x[i], node);
        mass += l.w * (double)v[3];
        for (int a = 0; a < 3; a++) {
            slope[a] += (double)v[3] * l.grad[a] * (double)CELL;
            r.v[a] += l.w * (double)v[a];
            for (int b = 0; b < 3; b++) {
                r.c[a][b] += l.w * (double)v[a] * l.offset[b] / spread;
                grad[a][b] += (double)v[a] * l.grad[b];
            }
        }
    }
    double move[3][3], moved[3][3] = {{0}}, b[3][3] = {{0}};
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) move[a][c] = (a == c) + (double)DT * grad[a][c];
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) moved[a][c] += move[a][k] * ((k == c) + sym(s->strain[i], k, c));
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) b[a][c] += moved[a][k] * move[c][k];
    const mpm_law *law = &s->materials[s->material[i]].law;
    r.open = -log(mass / ((double)law->density * pow((double)CELL, 3))) - (double)GRANULAR_TOLERANCE;
    for (int a = 0; a < 3; a++)
        r.open -= 0.33 * fabs(slope[a] / mass) + 0.36 * slope[a] * slope[a] / (mass * mass);
    r.open = fmin(r.open, 1);
    plain_law(law, b, &r);
    return r;
}

static void check_particle(const sample *before, const sample *after, int i, const plain_result *r) {
    const mpm_law *m = &before->materials[before->material[i]].law;
    // A rounding error of a strain, times the stiffness; e^5 would be the hardest.
    double hard = m->kind == FIRN_SNOW_LAW_STOMAKHIN
                      ? exp(fmin(5, fmax(-5, (double)m->hardening * (1 - r->jp))))
                      : granular_hard(m, r->jp);
    double stress = (double)m->volume * (2 * (double)m->mu + 3 * (double)m->lambda) * hard;
    assert_near(after->jp[i], r->jp, 2e-5);
    for (int a = 0; a < 3; a++) {
        assert_near(after->v[i][a], r->v[a], 2e-5 * 3);
        assert_near(after->x[i][a], before->x[i][a] + (double)DT * r->v[a], 1e-6);
        for (int b = 0; b < 3; b++) {
            assert_near(after->affine[i][3 * b + a], r->c[a][b], 2e-5 * 3 / (double)CELL * 3);
            assert_near(sym(after->strain[i], a, b), r->strain[a][b], 2e-5);
            assert_near(sym(after->tau[i], a, b), r->tau[a][b], 2e-5 * stress);
        }
    }
}

static void test_gather_equals_the_plain_one(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        sample s, after;
        sample_make(&s, seed % 3 ? FIRN_MPM_CUBIC : FIRN_MPM_QUADRATIC, seed);
        after = s;
        after.p.x = after.x, after.p.v = after.v, after.p.affine = after.affine,
        after.p.strain = after.strain;
        after.p.tau = after.tau, after.p.jp = after.jp, after.p.material = after.material;
        after.p.materials = after.materials;
        _Alignas(64) float patch[PATCH_FLOATS] = {0};
        for (uint32_t k = 0; k < PATCH_EDGE * PATCH_EDGE * PATCH_EDGE; k++)
            for (uint32_t a = 0; a < 3; a++)
                patch_node(patch, (int)k / 49, (int)k / 7 % 7, (int)k % 7)[a] =
                    between(seed, k, 60 + a, -2, 2);
        mpm_pass pass = {.cell = CELL, .dt = DT, .kernel = s.kernel, .per_cell = 1 / (double)CELL};
        mpm_dt_limits dt_limits = ISA_PICK(mpm_g2p_patch)(&after.p, s.index, N, s.at, pass, patch);
        double fastest = 0;
        for (int i = 0; i < N; i++) {
            plain_result r = plain_g2p(&s, i, patch);
            check_particle(&s, &after, i, &r);
            fastest = fmax(fastest, r.v[0] * r.v[0] + r.v[1] * r.v[1] + r.v[2] * r.v[2]);
        }
        assert_near(dt_limits.speed2, fastest, 1e-4 * fastest);
        float(*seen)[3] = after.v; // mpm_sample_patch sees the same velocities
        float sampled[N][3];
        ISA_PICK(mpm_sample_patch)(&s.p, s.index, N, s.at, pass, patch, sampled);
        for (int i = 0; i < N; i++)
            for (int a = 0; a < 3; a++) assert_near(sampled[i][a], seen[i][a], 1e-5);
    }
}

// One particle at each border of a block, a rounding to either side: nothing is written beside the tile, and
// mass and momentum are all there.
static void check_border(firn_mpm_kernel kernel, const int at[3], const double x[3]) {
    enum { GUARD = 64 };
    sample s;
    sample_make(&s, kernel, 1);
    memcpy(s.at, at, sizeof s.at);
    memcpy(s.x[0], x, sizeof s.x[0]);
    memset(s.affine[0], 0, sizeof s.affine[0]);
    memset(s.tau[0], 0, sizeof s.tau[0]);
    _Alignas(64) static float room[PATCH_FLOATS + 2 * GUARD];
    for (int i = 0; i < PATCH_FLOATS + 2 * GUARD; i++)
        room[i] = i < GUARD || i >= PATCH_FLOATS + GUARD ? 7 : 0;
    uint32_t index = 0;
    mpm_pass pass = {.cell = CELL, .dt = DT, .kernel = kernel, .per_cell = 1 / (double)CELL};
    ISA_PICK(mpm_p2g_patch)(&s.p, &index, 1, s.at, pass, room + GUARD);
    double mass = 0, momentum = 0, m = (double)s.materials[s.material[0]].mass;
    for (int i = 0; i < PATCH_FLOATS; i += 4) {
        assert_true(isfinite(room[GUARD + i]));
        mass += (double)room[GUARD + i + 3];
        momentum += (double)room[GUARD + i];
    }
    assert_near(mass, m, 1e-6 * m);
    assert_near(momentum, m * (double)s.v[0][0], 1e-6 * m * 3);
    for (int i = 0; i < GUARD; i++) assert_true(room[i] == 7 && room[PATCH_FLOATS + GUARD + i] == 7);
    // Rows end in a column of padding that no node is in.
    for (int r = 0; r < PATCH_EDGE * PATCH_EDGE; r++)
        for (int k = 28; k < 32; k++) assert_true(room[GUARD + r * PATCH_ROW + k] == 0);
    for (int i = 0; i < PATCH_FLOATS; i++) room[GUARD + i] = 2; // a grid that moves as one
    ISA_PICK(mpm_g2p_patch)(&s.p, &index, 1, s.at, pass, room + GUARD);
    for (int a = 0; a < 3; a++) assert_near(s.v[0][a], 2, 1e-5);
}

static void test_particles_on_the_border_of_a_block(void **state) {
    (void)state;
    for (firn_mpm_kernel kernel = FIRN_MPM_CUBIC; kernel <= FIRN_MPM_QUADRATIC; kernel++)
        for (int block = -5; block <= 5; block++)
            for (int side = 0; side < 2; side++) // its lower or upper border
                for (int ulp = -2; ulp <= 2; ulp++) {
                    double edge = ((block + side) * 4 + offset_of(kernel)) * (double)CELL;
                    double at = edge;
                    for (int k = 0; k < abs(ulp); k++) at = nextafter(at, ulp < 0 ? -1e9 : 1e9);
                    const int blocks[3] = {block, block, block};
                    double middle = (block * 4 + 2.3 + offset_of(kernel)) * (double)CELL;
                    for (int axis = 0; axis < 4; axis++) { // one axis, or a corner
                        double x[3] = {middle, middle, middle};
                        for (int a = 0; a < 3; a++)
                            if (axis == a || axis == 3) x[a] = at;
                        check_border(kernel, blocks, x);
                    }
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scatter_equals_the_plain_one),
        cmocka_unit_test(test_gather_equals_the_plain_one),
        cmocka_unit_test(test_particles_on_the_border_of_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
