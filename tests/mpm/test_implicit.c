// firn-test: threaded
// The semi-implicit step: the stress differential, the operator, conservation, equal bits.
#include "mpm/snow.h"

#include "base/memory.h"
#include "base/random.h"
#include "mpm/mpm_implicit.h"
#include "snow/snow_law.h"
#include "world/world.h"

// ---- plain 3x3 matrices in double: the reference

typedef double matrix[3][3];

static void multiply(const matrix a, const matrix b, matrix out) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out[r][c] = a[r][0] * b[0][c] + a[r][1] * b[1][c] + a[r][2] * b[2][c];
}

static void transpose(const matrix a, matrix out) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out[r][c] = a[c][r];
}

static double cofactor(const matrix a, matrix out) {
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[r][c] = a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
        }
    }
    return a[0][0] * out[0][0] + a[0][1] * out[0][1] + a[0][2] * out[0][2];
}

// The rotation of the polar decomposition by Newton's iteration.
static void polar(const matrix f, matrix r) {
    memcpy(r, f, sizeof(matrix));
    for (int k = 0; k < 60; k++) {
        matrix c;
        double det = cofactor((const double(*)[3])r, c);
        for (int i = 0; i < 9; i++) r[i / 3][i % 3] = 0.5 * (r[i / 3][i % 3] + c[i / 3][i % 3] / det);
    }
}

// P = 2 mu (F - R) + lambda (J - 1) J F^-T
static void piola(const matrix f, double mu, double lambda, matrix p) {
    matrix r, c;
    polar(f, r);
    double j = cofactor(f, c);
    for (int i = 0; i < 9; i++)
        p[i / 3][i % 3] = 2 * mu * (f[i / 3][i % 3] - r[i / 3][i % 3]) + lambda * (j - 1) * c[i / 3][i % 3];
}

// d P(F + e L F)/d e F^T by central differences.
static void stress_change_plain(const matrix f, const matrix l, double mu, double lambda, matrix out) {
    const double e = 1e-5;
    matrix step, moved, above, below, difference, ft;
    multiply(l, f, step);
    for (int i = 0; i < 9; i++) moved[i / 3][i % 3] = f[i / 3][i % 3] + e * step[i / 3][i % 3];
    piola((const double(*)[3])moved, mu, lambda, above);
    for (int i = 0; i < 9; i++) moved[i / 3][i % 3] = f[i / 3][i % 3] - e * step[i / 3][i % 3];
    piola((const double(*)[3])moved, mu, lambda, below);
    for (int i = 0; i < 9; i++)
        difference[i / 3][i % 3] = (above[i / 3][i % 3] - below[i / 3][i % 3]) / (2 * e);
    transpose(f, ft);
    multiply((const double(*)[3])difference, (const double(*)[3])ft, out);
}

static mat3 to_mat3(const matrix f) {
    return mat3_of(vec3_of((float)f[0][0], (float)f[1][0], (float)f[2][0]),
                   vec3_of((float)f[0][1], (float)f[1][1], (float)f[2][1]),
                   vec3_of((float)f[0][2], (float)f[1][2], (float)f[2][2]));
}

// The law knows F F^T - 1 only.
static sym3 strain_of(const matrix f) {
    matrix ft, b;
    transpose(f, ft);
    multiply(f, (const double(*)[3])ft, b);
    return sym3_of((float)(b[0][0] - 1), (float)b[0][1], (float)b[0][2], (float)(b[1][1] - 1), (float)b[1][2],
                   (float)(b[2][2] - 1));
}

static void stress_change_of_law(const matrix f, const matrix l, float mu, float lambda, matrix out) {
    eigen3 d = eigen3_of(strain_of(f));
    mat3 g = mat3_multiply(mat3_transposed_multiply(d.u, to_mat3(l)), d.u);
    mat3 b = snow_stress_differential(snow_tangent_of(snow_roots(d.value), mu, lambda), g);
    b = mat3_multiply(d.u, mat3_multiply_transposed(b, d.u));
    const vec3 column[3] = {b.x, b.y, b.z};
    for (int c = 0; c < 3; c++) out[0][c] = column[c].x, out[1][c] = column[c].y, out[2][c] = column[c].z;
}

static void random_matrix(uint64_t item, uint32_t stream, double diagonal, double spread, matrix f) {
    for (int r = 0; r < 3; r++) {
        random4 bits = random_bits(23, item, (uint32_t)r, stream);
        for (int c = 0; c < 3; c++)
            f[r][c] = diagonal * (r == c) + spread * (2 * (double)random_unit(bits, c) - 1);
    }
}

// Squeezed and turned: F = (1 + spread * random) Rot(angle about a tilted axis).
static void random_deformation(uint64_t item, double spread, matrix f) {
    matrix stretch, turn;
    random_matrix(item, 1, 1, spread, stretch);
    double angle = 0.7 * (double)item, axis[3] = {0.6, 0.48, 0.64}, c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        turn[i][i] = (1 - c) * axis[i] * axis[i] + c;
        turn[j][k] = (1 - c) * axis[j] * axis[k] - s * axis[i];
        turn[k][j] = (1 - c) * axis[j] * axis[k] + s * axis[i];
    }
    multiply((const double(*)[3])stretch, (const double(*)[3])turn, f);
}

static void compare_stress_change(const matrix f, uint64_t item, double mu, double lambda) {
    matrix l, plain, law;
    random_matrix(item, 2, 0, 1, l);
    stress_change_plain(f, (const double(*)[3])l, mu, lambda, plain);
    stress_change_of_law(f, (const double(*)[3])l, (float)mu, (float)lambda, law);
    double largest = 0, wrong = 0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(plain[i / 3][i % 3]));
        wrong = fmax(wrong, fabs(plain[i / 3][i % 3] - law[i / 3][i % 3]));
    }
    assert_true(wrong <= 1e-3 * largest);
}

static void test_stress_change_is_the_derivative_of_the_stress(void **state) {
    (void)state;
    const double spreads[] = {0.3, 0.02, 1e-4, 1e-6, 0}; // down to equal singular values
    for (uint64_t item = 0; item < 100; item++) {
        for (int i = 0; i < 5; i++) {
            matrix f;
            random_deformation(item, spreads[i], f);
            double hard = (double)snow_hardness(0.7f + 0.006f * (float)item, 10.0f, 10.0f, 0); // e^3 .. e^-3
            compare_stress_change((const double(*)[3])f, item, 4e5 * hard, 3e5 * hard);
        }
    }
}

// Taking out buckling leaves what is definite alone and makes the rest so.
static void test_definite_stiffness(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 300; item++) {
        random4 bits = random_bits(29, item, 0, 0);
        float low = item % 2 ? 0.97f : 0.4f;
        vec3 s = vec3_of(low + 0.05f * random_unit(bits, 0), low + 0.05f * random_unit(bits, 1),
                         low + 0.05f * random_unit(bits, 2));
        snow_tangent exact = snow_tangent_of(vec3_sub(s, vec3_all(1)), 4e5f, 3e5f), k = snow_make_psd(exact);
        const float *a = &k.first.x, *b = &k.second.x, *c = &k.crossed.x, *a0 = &exact.first.x,
                    *b0 = &exact.second.x, *c0 = &exact.crossed.x;
        for (int i = 0; i < 3; i++) {
            assert_true(a[i] >= 0 && b[i] >= 0);
            assert_true((double)a[i] * b[i] - (double)c[i] * c[i] >= -1e-5 * (double)a[i] * b[i]);
            bool sound = a0[i] > 0 && b0[i] > 0 && (double)a0[i] * b0[i] > (double)c0[i] * c0[i] * 1.0001;
            if (sound) assert_near(a[i] / a0[i], 1, 1e-5);
            // The stiff direction, shear, keeps its stiffness.
            assert_near((a[i] + b[i]) / 2 + c[i], (a0[i] + b0[i]) / 2 + c0[i], 1e-3 * fabsf(a0[i] + c0[i]));
        }
    }
}

// ---- the operator

typedef struct opened {
    firn_world *world;
    mpm_state *s;
    body_set *bodies;
} opened;

static opened open_box(double implicit, firn_vec3 size, firn_vec3 at, firn_mpm_kernel kernel) {
    snow_world w;
    snow_box(&w, size, at, 0.05);
    w.mpm.implicit = implicit;
    w.mpm.kernel = kernel;
    w.snow.velocity = (firn_vec3){1, -3, 0.5};
    w.snow.spin = (firn_vec3){1, 2, 3};
    w.snow.young = 1e6;
    snow_floor(&w, 0.4, 0.1);
    opened o = {.world = snow_open(&w)};
    for (size_t i = 0; i < world_model_count(o.world); i++) {
        const char *name = world_model_class(o.world, i)->name;
        if (strcmp(name, "mpm") == 0) o.s = world_model(o.world, i);
        if (strcmp(name, "bodies") == 0) o.bodies = world_model(o.world, i);
    }
    assert_non_null(o.s);
    return o;
}

static float *random_vector(const mpm_state *s, uint32_t stream) {
    float *v = mem_zero(s->grid.map.count, BLOCK_FLOATS * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < s->grid.map.count * BLOCK_NODES; i++) {
        random4 bits = random_bits(31, i, 0, stream);
        for (int a = 0; a < 3; a++) v[4 * i + (size_t)a] = 2 * random_unit(bits, a) - 1;
    }
    return v;
}

// Only nodes that hold snow.
static double dot(const mpm_state *s, const float *a, const float *b) {
    double sum = 0;
    for (size_t i = 0; i < s->grid.active_count; i++)
        for (size_t k = 0; k < BLOCK_FLOATS; k++) {
            size_t at = (size_t)s->grid.active[i] * BLOCK_FLOATS + k;
            if (k % 4 < 3) sum += (double)a[at] * b[at];
        }
    return sum;
}

// A box that has been squeezed and sheared on the floor, its stiffness frozen.
static opened frozen_box(firn_mpm_kernel kernel) {
    opened o = open_box(1, (firn_vec3){0.4, 0.3, 0.35}, (firn_vec3){0.02, 0.17, 0.01}, kernel);
    assert_ok(firn_world_advance(o.world, 0.02));
    assert_ok(mpm_sort(o.s, 0));
    assert_ok(mpm_implicit_begin(o.s, 1e-3f));
    return o;
}

static void test_operator_is_symmetric_and_definite(void **state) {
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        opened o = frozen_box(kernel ? FIRN_MPM_QUADRATIC : FIRN_MPM_CUBIC);
        float *ka = random_vector(o.s, 9), *kb = random_vector(o.s, 9);
        for (uint32_t i = 0; i < 5; i++) {
            float *a = random_vector(o.s, 2 * i), *b = random_vector(o.s, 2 * i + 1);
            mpm_implicit_operate(o.s, a, ka);
            mpm_implicit_operate(o.s, b, kb);
            double size = sqrt(dot(o.s, a, ka) * dot(o.s, b, kb));
            assert_true(dot(o.s, a, ka) > 0);
            assert_near(dot(o.s, a, kb), dot(o.s, b, ka), 1e-5 * size);
            mem_free(a);
            mem_free(b);
        }
        mem_free(ka);
        mem_free(kb);
        firn_world_close(o.world);
    }
}

// MPM15 eq. 18 and the quadratic kernel, and their slopes (per cell), in double.
static double kernel_at(firn_mpm_kernel kernel, double x, double *slope) {
    double a = fabs(x), sign = x < 0 ? -1 : 1;
    if (kernel == FIRN_MPM_CUBIC) {
        *slope = sign * (a < 1 ? 1.5 * a * a - 2 * a : a < 2 ? -0.5 * (2 - a) * (2 - a) : 0);
        return a < 1 ? 0.5 * a * a * a - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
    }
    *slope = sign * (a < 0.5 ? -2 * a : a < 1.5 ? a - 1.5 : 0);
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

typedef struct reached {
    size_t at; // float of a node in a vector by slot
    double slope[3];
} reached;

// The up to 64 nodes around a particle and their grad w.
static size_t reach(const mpm_state *s, const double x[3], reached out[64]) {
    double cell = (float)s->def.cell;
    size_t n = 0;
    for (int i = 0; i < 64; i++) {
        double w[3], d[3];
        int32_t node[3] = {i >> 4, i >> 2 & 3, i & 3}, block[3];
        for (int a = 0; a < 3; a++) {
            node[a] += (int32_t)floor(x[a] / cell) - 1;
            w[a] = kernel_at(s->def.kernel, x[a] / cell - node[a], &d[a]);
            block[a] = node[a] >> 2;
        }
        uint32_t slot = block_map_find(&s->grid.map, block);
        if (slot == BLOCK_NONE) continue;
        out[n++] = (reached){
            ((size_t)slot * BLOCK_NODES + (size_t)((node[0] & 3) << 4 | (node[1] & 3) << 2 | (node[2] & 3))) *
                4,
            {d[0] * w[1] * w[2] / cell, w[0] * d[1] * w[2] / cell, w[0] * w[1] * d[2] / cell}};
    }
    return n;
}

static void deformation_of(uint64_t particle, matrix f) {
    random_deformation(particle, 0.01, f);
    for (int k = 0; k < 9; k++) f[k / 3][k % 3] *= 1.03;
}

// beta dt^2 K v, particle by particle with finite differences of the stress.
static void operate_plain(const mpm_state *s, double dt, const float *v, double *out) {
    for (size_t p = 0; p < s->p.count; p++) {
        reached node[64];
        size_t n = reach(s, s->p.x[p], node);
        matrix l = {{0}}, f, change;
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 9; k++)
                l[k / 3][k % 3] += v[node[i].at + (size_t)(k / 3)] * node[i].slope[k % 3];
        deformation_of(s->p.id[p], f);
        const mpm_law *m = &s->materials[s->p.material[p]].law;
        double hard = exp(fmin(fmax(m->hardening * (1.0 - s->p.jp[p]), -5.0), 5.0));
        stress_change_plain((const double(*)[3])f, (const double(*)[3])l, m->mu * hard, m->lambda * hard,
                            change);
        double scale = s->def.implicit * dt * dt * m->volume;
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 9; k++)
                out[node[i].at + (size_t)(k / 3)] += scale * change[k / 3][k % 3] * node[i].slope[k % 3];
    }
}

// Stretched everywhere, so that nothing buckles and the operator is the exact derivative.
static void stretch_all(mpm_state *s) {
    for (size_t p = 0; p < s->p.count; p++) {
        matrix f;
        deformation_of(p, f);
        sym3 e = strain_of((const double(*)[3])f);
        memcpy(s->p.strain[p], (float[6]){e.xx, e.xy, e.xz, e.yy, e.yz, e.zz}, sizeof s->p.strain[p]);
        s->p.jp[p] = 0.9f + 0.02f * (float)(p % 10);
    }
}

static void test_operator_equals_the_plain_one(void **state) {
    (void)state;
    for (int kernel = 0; kernel < 2; kernel++) {
        opened o = open_box(0.7, (firn_vec3){0.4, 0.3, 0.35}, (firn_vec3){0.02, 0.17, 0.01},
                            kernel ? FIRN_MPM_QUADRATIC : FIRN_MPM_CUBIC);
        stretch_all(o.s);
        assert_ok(mpm_sort(o.s, 0));
        assert_ok(mpm_implicit_begin(o.s, 1e-3f));
        float *v = random_vector(o.s, 3), *fast = random_vector(o.s, 4);
        double *plain = mem_zero(o.s->grid.map.count, BLOCK_FLOATS * sizeof *plain);
        assert_non_null(plain);
        mpm_implicit_operate(o.s, v, fast);
        operate_plain(o.s, 1e-3f, v, plain);
        double largest = 0, wrong = 0;
        for (size_t i = 0; i < o.s->grid.active_count; i++)
            for (size_t k = 0; k < BLOCK_FLOATS; k++) {
                size_t at = (size_t)o.s->grid.active[i] * BLOCK_FLOATS + k;
                largest = fmax(largest, fabs(plain[at]));
                wrong = fmax(wrong, fabs(plain[at] - fast[at]));
            }
        assert_true(largest > 0 && wrong <= 2e-5 * largest);
        mem_free(v);
        mem_free(fast);
        mem_free(plain);
        firn_world_close(o.world);
    }
}

// ---- whole steps

static void test_momentum_is_conserved(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.3, 0.3}, (firn_vec3){0, 0, 0}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.mpm.implicit = 1;
    w.mpm.max_step = 1e-3; // five times what is stable explicitly
    w.snow.young = 1e7;
    w.snow.velocity = (firn_vec3){1, -2, 0.5};
    w.snow.spin = (firn_vec3){5, 8, -6}; // it breaks
    firn_world *world = snow_open(&w);
    firn_ledger before = snow_ledger(world);
    assert_ok(firn_world_advance(world, 0.05));
    firn_ledger after = snow_ledger(world);
    double size = before.mass * 2.3;
    assert_true(after.mass == before.mass);
    assert_near(after.momentum.x, before.momentum.x, 1e-5 * size);
    assert_near(after.momentum.y, before.momentum.y, 1e-5 * size);
    assert_near(after.momentum.z, before.momentum.z, 1e-5 * size);
    assert_true(after.kinetic < before.kinetic); // no energy from nothing
    firn_world_close(world);
}

static void test_hash_over_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
        firn_set_threads(threads);
        opened o = open_box(0.5, (firn_vec3){0.4, 0.3, 0.4}, (firn_vec3){0, 0.22, 0}, FIRN_MPM_CUBIC);
        for (int i = 0; i < 40; i++) assert_ok(firn_world_step(o.world));
        assert_true(o.s->solver->stats[2] > 20);
        if (threads == 1) first = firn_world_hash(o.world);
        assert_true(firn_world_hash(o.world) == first);
        firn_world_close(o.world);
    }
    firn_set_threads(0);
}

static void test_every_failing_allocation(void **state) {
    (void)state;
    snow_may_lack_memory(1, 3);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stress_change_is_the_derivative_of_the_stress),
        cmocka_unit_test(test_definite_stiffness),
        cmocka_unit_test(test_operator_is_symmetric_and_definite),
        cmocka_unit_test(test_operator_equals_the_plain_one),
        cmocka_unit_test(test_momentum_is_conserved),
        cmocka_unit_test(test_hash_over_threads),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
