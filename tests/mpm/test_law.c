// The law of snow against its energy, closed forms and its clamps.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "snow/snow_law.h"

static const float mu = 4e5f, lambda = 3e5f;

static double energy_of(const double f[3][3]) {
    mat3 m = mat3_of(vec3_of((float)f[0][0], (float)f[1][0], (float)f[2][0]),
                     vec3_of((float)f[0][1], (float)f[1][1], (float)f[2][1]),
                     vec3_of((float)f[0][2], (float)f[1][2], (float)f[2][2]));
    return snow_energy(svd3_of(m).s, mu, lambda);
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
        vec3 t = snow_principal_stress(d.s, mu, lambda);
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
    float low = 1 - 2.5e-2f, high = 1 + 7.5e-3f, jp = 1;
    vec3 inside = vec3_of(1.007f, 0.99f, 0.976f), s = inside;
    snow_flow(&s, &jp, low, high);
    assert_true(s.x == inside.x && s.y == inside.y && s.z == inside.z);
    assert_near(jp, 1, 1e-7);
    s = vec3_of(1.2f, 1.0f, 0.7f);
    jp = 0.9f;
    snow_flow(&s, &jp, low, high);
    assert_true(s.x == high && s.y == 1.0f && s.z == low);
    assert_near(jp, 0.9 * (1.2 * 1.0 * 0.7) / ((double)high * low), 1e-6); // the total volume is kept
}

// Squeezed along one axis beyond the limit: s stays at 1 - theta_c, J_P takes the rest, stress follows the
// closed form with hardening e^(xi (1 - J_P)).
static void test_uniaxial_compression(void **state) {
    (void)state;
    float low = 1 - 2.5e-2f, high = 1 + 7.5e-3f, xi = 10;
    for (double squeeze = 1.0; squeeze > 0.7; squeeze -= 0.01) {
        vec3 s = vec3_of(1, 1, (float)squeeze);
        float jp = 1;
        snow_flow(&s, &jp, low, high);
        double elastic = fmax(squeeze, 1 - 2.5e-2), plastic = squeeze / elastic;
        assert_near(jp, plastic, 2e-6);
        double hard = exp(fmin(xi * (1 - plastic), 5.0));
        assert_near(snow_hardness(jp, xi) / hard, 1, 1e-4);
        vec3 t = snow_principal_stress(s, mu * (float)hard, lambda * (float)hard);
        double j = elastic, expected = hard * (2 * mu * (elastic - 1) * elastic + lambda * (j - 1) * j);
        assert_near(t.z, expected, 2e-3 * fabs(expected) + 1);
    }
}

static void test_hardness_is_limited(void **state) {
    (void)state;
    assert_near(snow_hardness(0.0f, 100.0f), exp(5.0), 0.01);
    assert_near(snow_hardness(9.0f, 100.0f), exp(-5.0), 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stress_is_the_derivative_of_the_energy),
        cmocka_unit_test(test_energy_is_rotation_invariant),
        cmocka_unit_test(test_clamps_act_exactly),
        cmocka_unit_test(test_uniaxial_compression),
        cmocka_unit_test(test_hardness_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
