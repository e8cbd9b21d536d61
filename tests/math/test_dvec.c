// Vectors and rotations in double against closed forms.
#include "math/dvec.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { SEED = 4711, ROUNDS = 2000 };
static const double pi = 3.14159265358979323846;

static double number(uint64_t i, int k) { return 2.0 * random_unit(random_bits(SEED, i, 0, 0), k) - 1; }
static firn_vec3 vector(uint64_t i) { return dvec(number(i, 0), number(i, 1), number(i, 2)); }
static firn_quat rotation(uint64_t i) {
    return dquat_normalise((firn_quat){number(i, 0), number(i, 1), number(i, 2), number(i, 3)});
}
static void assert_near(firn_vec3 a, firn_vec3 b, double tolerance) {
    if (!(dvec_distance(a, b) <= tolerance))
        fail_msg("(%g %g %g) is not (%g %g %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}
// q and -q are the same rotation.
static void assert_same_turn(firn_quat a, firn_quat b, double tolerance) {
    double dot = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    if (!(fabs(dot - 1) <= tolerance)) fail_msg("rotations differ: |dot| - 1 = %g", dot - 1);
}

static void products_obey_their_laws(void **state) {
    (void)state;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        firn_vec3 a = vector(3 * i), b = vector(3 * i + 1), c = vector(3 * i + 2), axb = dvec_cross(a, b);
        assert_true(fabs(dvec_dot(axb, a)) < 1e-15 && fabs(dvec_dot(axb, b)) < 1e-15);
        double lagrange = dvec_length2(a) * dvec_length2(b) - dvec_dot(a, b) * dvec_dot(a, b);
        assert_true(fabs(dvec_length2(axb) - lagrange) < 1e-14);
        assert_near(dvec_cross(a, dvec_cross(b, c)),
                    dvec_sub(dvec_scale(b, dvec_dot(a, c)), dvec_scale(c, dvec_dot(a, b))), 1e-14);
        assert_near(dvec_mix(a, b, 0.25), dvec_add_scaled(dvec_scale(a, 0.75), b, 0.25), 1e-15);
        firn_vec3 unit = dvec_normalise(a), side = dvec_perpendicular(unit);
        assert_true(fabs(dvec_length(unit) - 1) < 1e-15 && fabs(dvec_length(side) - 1) < 1e-15);
        assert_true(fabs(dvec_dot(unit, side)) < 1e-15);
    }
    assert_near(dvec_cross(dvec(1, 0, 0), dvec(0, 1, 0)), dvec(0, 0, 1), 0);
}

static void normalise_stands_any_length(void **state) {
    (void)state;
    assert_near(dvec_normalise(dvec(0, 0, 0)), dvec(0, 0, 0), 0);
    assert_near(dvec_normalise(dvec(3e-300, 0, 4e-300)), dvec(0.6, 0, 0.8), 1e-15);
    assert_near(dvec_normalise(dvec(0, -3e300, 4e300)), dvec(0, -0.6, 0.8), 1e-15);
    assert_near(dvec_normalise(dvec(5e-324, 0, 0)), dvec(1, 0, 0), 0);
    firn_quat q = dquat_normalise((firn_quat){0, 0, 0, 0});
    assert_true(q.w == 1 && q.x == 0 && q.y == 0 && q.z == 0);
    assert_true(!dvec_finite(dvec(0, NAN, 0)) && !dvec_finite(dvec(INFINITY, 0, 0)) &&
                dvec_finite(dvec(1, 2, 3)));
}

static void quarter_turns_are_right_handed(void **state) {
    (void)state;
    firn_vec3 x = dvec(1, 0, 0), y = dvec(0, 1, 0), z = dvec(0, 0, 1);
    assert_near(dquat_rotate(dquat_from_angles(dvec(pi / 2, 0, 0)), y), z, 1e-15);
    assert_near(dquat_rotate(dquat_from_angles(dvec(0, pi / 2, 0)), z), x, 1e-15);
    assert_near(dquat_rotate(dquat_from_angles(dvec(0, 0, pi / 2)), x), y, 1e-15);
    // About x first (y to z), then about y (z to x), then about z (x to y).
    assert_near(dquat_rotate(dquat_from_angles(dvec(pi / 2, pi / 2, pi / 2)), y), y, 1e-15);
    assert_near(dquat_rotate(dquat_from_angles(dvec(pi / 2, pi / 2, 0)), y), x, 1e-15);
}

static void matrix_and_quaternion_agree(void **state) {
    (void)state;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        firn_quat q = rotation(2 * i), p = rotation(2 * i + 1);
        firn_vec3 v = vector(i + 100000);
        double m[3][3];
        dquat_matrix(q, m);
        firn_vec3 mv =
            dvec(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                 m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
        assert_near(dquat_rotate(q, v), mv, 1e-15);
        assert_near(dquat_rotate_back(q, mv), v, 2e-15);
        assert_near(dquat_rotate(dquat_multiply(p, q), v), dquat_rotate(p, mv), 2e-15);
        assert_same_turn(dquat_from_matrix(m), q, 1e-15);
    }
}

static void half_turns_survive_the_matrix(void **state) {
    (void)state;
    for (uint64_t i = 0; i < ROUNDS; i++) {
        firn_quat q = dquat_about(dvec_normalise(vector(i)), pi - 1e-9 * number(i, 3));
        double m[3][3];
        dquat_matrix(q, m);
        assert_same_turn(dquat_from_matrix(m), q, 1e-14);
    }
}

static void mixing_turns_evenly_the_short_way(void **state) {
    (void)state;
    firn_vec3 axis = dvec_normalise(dvec(1, 2, -2));
    firn_quat a = dquat_about(axis, 0.2), b = dquat_about(axis, 1.4), minus_b = {-b.w, -b.x, -b.y, -b.z};
    for (int i = 0; i <= 10; i++) {
        firn_quat expected = dquat_about(axis, 0.2 + 0.12 * i);
        assert_same_turn(dquat_mix(a, b, i / 10.0), expected, 1e-15);
        assert_same_turn(dquat_mix(a, minus_b, i / 10.0), expected, 1e-15);
    }
    assert_same_turn(dquat_mix(a, a, 0.3), a, 1e-15);
    firn_quat spun = a;
    for (int i = 0; i < 100; i++) spun = dquat_spin(spun, dvec_scale(axis, 1.2), 0.01);
    assert_same_turn(spun, b, 1e-14);
    assert_same_turn(dquat_spin(a, dvec(0, 0, 0), 1), a, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_obey_their_laws),       cmocka_unit_test(normalise_stands_any_length),
        cmocka_unit_test(quarter_turns_are_right_handed), cmocka_unit_test(matrix_and_quaternion_agree),
        cmocka_unit_test(half_turns_survive_the_matrix),  cmocka_unit_test(mixing_turns_evenly_the_short_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
