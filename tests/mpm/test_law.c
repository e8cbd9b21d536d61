// The law of snow against its energy, closed forms and its clamps.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "math/svd3.h"
#include "snow/snow_law.h"

static const float mu = 4e5f, lambda = 3e5f;

static vec3 strains(vec3 s) { return vec3_sub(s, vec3_all(1)); }

static double energy_of(const double f[3][3]) {
    mat3 m = mat3_of(vec3_of((float)f[0][0], (float)f[1][0], (float)f[2][0]),
                     vec3_of((float)f[0][1], (float)f[1][1], (float)f[2][1]),
                     vec3_of((float)f[0][2], (float)f[1][2], (float)f[2][2]));
    // Per rest volume (Pa), MPM15 eq. 28 with the square that is missing there.
    vec3 e = strains(svd3_of(m).s);
    real j = snow_dilation(e);
    return mu * vec3_length2(e) + R(0.5f) * lambda * j * j;
}

static void random_f(uint64_t item, double spread, double f[3][3]) {
    for (int r = 0; r < 3; r++) {
        random4 bits = random_bits(11, item, (uint32_t)r, 0);
        for (int c = 0; c < 3; c++) f[r][c] = (r == c) + spread * (2 * (double)random_unit(bits, c) - 1);
    }
}

static mat3 to_mat3(const double f[3][3]) {
    return mat3_of(vec3_of((float)f[0][0], (float)f[1][0], (float)f[2][0]),
                   vec3_of((float)f[0][1], (float)f[1][1], (float)f[2][1]),
                   vec3_of((float)f[0][2], (float)f[1][2], (float)f[2][2]));
}

// tau = P F^T with P = d energy / d F: central differences of the energy.
static void test_stress_is_the_derivative_of_the_energy(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 200; item++) {
        double f[3][3], p[3][3], h = 4e-3;
        random_f(item, 0.2, f);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                double kept = f[r][c];
                f[r][c] = kept + h;
                double above = energy_of(f);
                f[r][c] = kept - h;
                p[r][c] = (above - energy_of(f)) / (2 * h);
                f[r][c] = kept;
            }
        }
        svd3 d = svd3_of(to_mat3(f));
        vec3 t = snow_principal_stress(strains(d.s), mu, lambda);
        mat3 tau = mat3_multiply_transposed(mat3_scale_columns(d.u, t), d.u);
        const float law[3][3] = {
            {tau.x.x, tau.y.x, tau.z.x}, {tau.x.y, tau.y.y, tau.z.y}, {tau.x.z, tau.y.z, tau.z.z}};
        double largest = 0, wrong = 0;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 3; c++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) sum += p[r][k] * f[c][k];
                largest = fmax(largest, fabs(sum));
                wrong = fmax(wrong, fabs(sum - law[r][c]));
            }
        }
        assert_true(wrong <= 1e-3 * largest);
    }
}

static void test_energy_is_rotation_invariant(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 200; item++) {
        double f[3][3], turned[3][3];
        random_f(item, 0.2, f);
        double angle = 0.1 + 0.03 * (double)item, c = cos(angle), s = sin(angle);
        for (int k = 0; k < 3; k++) {
            turned[0][k] = c * f[0][k] - s * f[1][k];
            turned[1][k] = s * f[0][k] + c * f[1][k];
            turned[2][k] = f[2][k];
        }
        double a = energy_of(f), b = energy_of(turned);
        assert_near(b, a, 1e-4 * a + 1.0);
    }
}

static void test_clamps_act_exactly(void **state) {
    (void)state;
    float theta_c = 2.5e-2f, theta_s = 7.5e-3f, jp = 0.9f;
    vec3 inside = vec3_of(0.007f, -0.01f, -0.024f), e = inside;
    assert_false(snow_return_map(&e, &jp, theta_c, theta_s, R(0), R(0), ~0));
    assert_true(e.x == inside.x && e.y == inside.y && e.z == inside.z && jp == 0.9f);
    e = vec3_of(0.2f, 0.0f, -0.3f);
    assert_true(snow_return_map(&e, &jp, theta_c, theta_s, R(0), R(0), ~0));
    assert_true(e.x == theta_s && e.y == 0.0f && e.z == -theta_c);
    assert_near(jp, 0.9 * (1.2 * 1.0 * 0.7) / (1.0075 * 0.975), 1e-6); // the total volume is kept
}

// Stretched steadily, snow bears more than theta_s by what it is stretched within its tearing time; left
// alone, it gives way by 1/e in that time. In steps of any length.
static void test_tearing_takes_time(void **state) {
    (void)state;
    const float theta_s = 7.5e-3f, tearing = 1e-3f, rate = 2;
    for (float dt = 1e-5f; dt < 3e-4f; dt *= 2) {
        vec3 e = vec3_of(0, 0, 0);
        float jp = 1, held = snow_held(tearing, dt);
        for (float t = 0; t < 0.02f; t += dt) {
            e.x += rate * dt * (1 + e.x);
            snow_return_map(&e, &jp, 2.5e-2f, theta_s, held, 0, ~0);
        }
        assert_near(e.x, theta_s + rate * tearing, (double)(rate * (0.02f * tearing + 0.7f * dt)));
        float excess = e.x - theta_s;
        for (float t = 0; t < 0.999f * tearing; t += dt)
            snow_return_map(&e, &jp, 2.5e-2f, theta_s, held, 0, ~0);
        assert_near((e.x - theta_s) / excess, exp(-1), 0.4 * (double)(dt / tearing));
    }
}

// Squeezed along one axis beyond the limit: s stays at 1 - theta_c, J_P takes the rest, stress follows the
// closed form with hardening e^(xi (1 - J_P)).
static void test_uniaxial_compression(void **state) {
    (void)state;
    float theta_c = 2.5e-2f, theta_s = 7.5e-3f, xi = 10;
    for (double height = 1.0; height > 0.7; height -= 0.01) {
        vec3 e = vec3_of(0, 0, (float)(height - 1));
        float jp = 1;
        snow_return_map(&e, &jp, theta_c, theta_s, R(0), R(0), ~0);
        double elastic = fmax(height, 1 - 2.5e-2), plastic = height / elastic;
        assert_near(jp, plastic, 2e-6);
        double hard = exp(fmin(xi * (1 - plastic), 5.0));
        assert_near(snow_hardness(jp, xi, xi, 0) / hard, 1, 1e-4);
        vec3 t = snow_principal_stress(e, mu * (float)hard, lambda * (float)hard);
        double j = elastic, expected = hard * (2 * mu * (elastic - 1) * elastic + lambda * (j - 1) * j);
        assert_near(t.z, expected, 1e-4 * fabs(expected) + 1);
    }
}

// Motions one after the other, kept as a strain and as F itself in double: the same stretches.
static void test_strain_follows_the_motion(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 200; item++) {
        double f[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        sym3 strain = sym3_of(0, 0, 0, 0, 0, 0);
        for (uint64_t k = 0; k < 10; k++) {
            double m[3][3], next[3][3];
            random_f(100 * item + k, 0.02, m);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    next[r][c] = m[r][0] * f[0][c] + m[r][1] * f[1][c] + m[r][2] * f[2][c];
            memcpy(f, next, sizeof f);
            for (int r = 0; r < 3; r++) m[r][r] -= 1;
            strain = snow_push_forward(strain, to_mat3(m));
        }
        vec3 e = snow_roots(eigen3_of(strain).value), s = svd3_of(to_mat3(f)).s;
        assert_near(snow_dilation(e), s.x * s.y * s.z - 1, 2e-6);
        assert_near(vec3_length2(e), vec3_length2(strains(s)), 2e-6);
        assert_near(vec3_largest(e), s.x - 1, 2e-6);
    }
}

// The short way for small strains against the eigenvectors' way.
static void test_small_strains_take_a_short_way(void **state) {
    (void)state;
    float theta_c = 2.5e-2f, theta_s = 7.5e-3f;
    int bearing = 0;
    for (uint64_t item = 0; item < 20000; item++) {
        double f[3][3];
        random_f(item, item % 2 ? 0.02 : 0.005, f);
        for (int r = 0; r < 3; r++) f[r][r] -= 1;
        sym3 strain = snow_push_forward(sym3_of(0, 0, 0, 0, 0, 0), to_mat3(f));
        eigen3 d = eigen3_of(strain);
        vec3 e = snow_roots(d.value);
        bool inside = vec3_largest(e) < theta_s && -vec3_largest(vec3_scale(e, -1)) > -theta_c;
        float margin = fminf(theta_s - vec3_largest(e), theta_c - vec3_largest(vec3_scale(e, -1)));
        bool bears = snow_is_elastic(strain, theta_c, theta_s);
        if (fabsf(margin) > 1e-5f) assert_int_equal(bears, inside);
        bearing += bears;
        assert_true(snow_small(strain));
        sym3 quick = snow_small_stress(strain, mu, lambda);
        sym3 slow = sym3_from_eigen(d.u, snow_principal_stress(e, mu, lambda));
        float size = fabsf(slow.xx) + fabsf(slow.yy) + fabsf(slow.zz) + fabsf(slow.xy) + fabsf(slow.xz) +
                     fabsf(slow.yz);
        float wrong = fabsf(slow.xx - quick.xx) + fabsf(slow.yy - quick.yy) + fabsf(slow.zz - quick.zz) +
                      fabsf(slow.xy - quick.xy) + fabsf(slow.xz - quick.xz) + fabsf(slow.yz - quick.yz);
        assert_true(wrong < 3e-6f * size);
    }
    assert_true(bearing > 5000 && bearing < 15000);
}

// Small strains that turn: a creep of 1e-9 a step is not lost.
static void test_slow_creep_is_not_lost(void **state) {
    (void)state;
    sym3 strain = sym3_of(0, 0, 0, -1e-3f, 0, 0);
    mat3 m = mat3_diagonal(vec3_of(0, -1e-9f, 0));
    for (int i = 0; i < 100000; i++) strain = snow_push_forward(strain, m);
    assert_near(strain.yy, -1e-3 - 2e-4, 1e-5);
}

static void test_hardness_is_limited(void **state) {
    (void)state;
    assert_near(snow_hardness(0.01f, 100.0f, 100.0f, 0), exp(5.0), 0.01);
    assert_near(snow_hardness(9.0f, 100.0f, 100.0f, 0), exp(-5.0), 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stress_is_the_derivative_of_the_energy),
        cmocka_unit_test(test_energy_is_rotation_invariant),
        cmocka_unit_test(test_clamps_act_exactly),
        cmocka_unit_test(test_tearing_takes_time),
        cmocka_unit_test(test_uniaxial_compression),
        cmocka_unit_test(test_strain_follows_the_motion),
        cmocka_unit_test(test_slow_creep_is_not_lost),
        cmocka_unit_test(test_small_strains_take_a_short_way),
        cmocka_unit_test(test_hardness_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
