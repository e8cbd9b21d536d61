// Eigenvalues and -vectors of symmetric matrices.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "math/eigen3.h"

static float number(uint64_t item, uint32_t part) {
    return 2 * random_unit(random_bits(77, item, part, 0), 0) - 1;
}

// Random ones of all sizes; nearly equal values; diagonal ones; zero.
static sym3 matrix(uint64_t item) {
    float size = powf(10, -(float)(item % 7)), a[6];
    for (uint32_t k = 0; k < 6; k++) a[k] = size * number(item, k);
    if (item % 5 == 1) { // nearly a multiple of 1
        for (int k = 0; k < 6; k++) a[k] *= 1e-4f;
        a[0] += size;
        a[3] += size;
        a[5] += size;
    }
    if (item % 11 == 3) a[1] = a[2] = a[4] = 0;
    if (item % 101 == 7) return sym3_of(0, 0, 0, 0, 0, 0);
    return sym3_of(a[0], a[1], a[2], a[3], a[4], a[5]);
}

static float largest_part(sym3 a) {
    return fmaxf(fmaxf(fabsf(a.xx), fmaxf(fabsf(a.xy), fabsf(a.xz))),
                 fmaxf(fabsf(a.yy), fmaxf(fabsf(a.yz), fabsf(a.zz))));
}

static float distance2(mat3 a, mat3 b) {
    return vec3_length2(vec3_sub(a.x, b.x)) + vec3_length2(vec3_sub(a.y, b.y)) +
           vec3_length2(vec3_sub(a.z, b.z));
}

static void test_values_and_vectors_give_the_matrix_back(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 100000; item++) {
        sym3 a = matrix(item);
        eigen3 d = eigen3_of(a);
        sym3 b = sym3_from_eigen(d.u, d.value);
        sym3 off = sym3_of(b.xx - a.xx, b.xy - a.xy, b.xz - a.xz, b.yy - a.yy, b.yz - a.yz, b.zz - a.zz);
        assert_true(largest_part(off) <= 2e-6f * largest_part(a));
        mat3 unit = mat3_multiply(mat3_transpose(d.u), d.u);
        assert_true(distance2(unit, mat3_identity()) < 4e-12f);
        assert_near(vec3_dot(d.u.x, vec3_cross(d.u.y, d.u.z)), 1, 2e-6);
    }
}

static void test_known_values(void **state) {
    (void)state;
    eigen3 d = eigen3_of(sym3_of(2, 1, 0, 2, 0, -5)); // 1, 3, -5
    assert_near(fmaxf(d.value.x, d.value.y), 3, 1e-6);
    assert_near(fminf(d.value.x, d.value.y), 1, 1e-6);
    assert_near(d.value.z, -5, 1e-6);
    d = eigen3_of(sym3_of(1e-12f, 2e-12f, 0, 1e-12f, 0, 0)); // -1, 3, 0: small ones keep their digits
    assert_near(fmaxf(d.value.x, d.value.y) * 1e12, 3, 1e-5);
    assert_near(fminf(d.value.x, d.value.y) * 1e12, -1, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_vectors_give_the_matrix_back),
        cmocka_unit_test(test_known_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
