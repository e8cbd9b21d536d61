// firn-test: threaded
#include "base/memory.h"
#include "geom/fill.h"
#include "geom/shape_checks.h"

static const firn_fill_pattern patterns[3] = {FIRN_FILL_REGULAR, FIRN_FILL_JITTERED, FIRN_FILL_BLUE_NOISE};

static fill_points filled(const shape *s, double spacing, unsigned per_cell, firn_fill_pattern pattern,
                          uint64_t seed) {
    fill_points p;
    assert_ok(fill_shape(s, spacing, per_cell, pattern, seed, &p));
    return p;
}

static void test_counts_and_volumes(void **state) {
    (void)state;
    const firn_shape_def defs[] = {
        {.kind = FIRN_SHAPE_BOX, .size = {1, 1, 1}},
        {.kind = FIRN_SHAPE_SPHERE, .radius = 0.6},
        {.kind = FIRN_SHAPE_CAPSULE, .radius = 0.3, .length = 1},
    };
    for (size_t i = 0; i < 3; i++) {
        shape *s = make_shape(defs[i], 1);
        shape_mass mass;
        shape_mass_of(s, &mass);
        for (int k = 0; k < 3; k++) {
            fill_points p = filled(s, 0.1, 8, patterns[k], 3);
            // Blue noise packs a little denser along the surface.
            assert_near((double)p.count / fill_estimate(s, 0.1, 8), 1, k == 2 ? 0.06 : 0.02);
            assert_near((double)p.count * p.volume / mass.volume, 1, 1e-12);
            for (size_t q = 0; q < p.count; q++) {
                assert_true(
                    shape_sdf(s, vec((double)p.at[q][0], (double)p.at[q][1], (double)p.at[q][2]), NULL) < 0);
            }
            fill_free(&p);
        }
        shape_destroy(s);
    }
}

static void test_regular_is_a_lattice(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {1, 0.5, 0.2}}, 1);
    fill_points p = filled(s, 0.1, 1, FIRN_FILL_REGULAR, 0);
    assert_int_equal(p.count, 10 * 5 * 2 + 0);
    assert_near(p.volume, 1e-3, 1e-9);
    fill_free(&p);
    p = filled(s, 0.1, 8, FIRN_FILL_REGULAR, 0);
    assert_int_equal(p.count, 800);
    fill_free(&p);
    shape_destroy(s);
}

// Fitted: as many layers, the outer ones half a layer from the faces.
static void test_fitted_to_its_box(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {1, 0.5, 0.2}}, 1);
    fill_points p, plain = filled(s, 0.12, 1, FIRN_FILL_REGULAR, 0);
    assert_ok(fill_shape_fitted(s, 0.12, FIRN_FILL_REGULAR, 0, &p));
    assert_int_equal(p.count, 9 * 5 * 2);
    assert_int_equal(p.count, plain.count);
    double low[3] = {1, 1, 1};
    for (size_t i = 0; i < p.count; i++)
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], (double)p.at[i][k]);
    assert_near(low[0], -0.5 + 0.5 / 9, 1e-6);
    assert_near(low[1], -0.25 + 0.05, 1e-6);
    assert_near(low[2], -0.1 + 0.05, 1e-6);
    assert_near(p.spacing, 0.1, 1e-6);
    assert_near(p.volume * (double)p.count, 0.1, 1e-7);
    fill_free(&p);
    fill_free(&plain);
    p = filled(s, 0.1, 1, FIRN_FILL_REGULAR, 0);
    assert_ok(fill_shape_fitted(s, 0.1, FIRN_FILL_REGULAR, 0, &plain));
    assert_memory_equal(p.at, plain.at, p.count * sizeof *p.at);
    fill_free(&p);
    fill_free(&plain);
    shape_destroy(s);
}

static double least_distance(const fill_points *p) {
    double least = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        for (size_t j = 0; j < i; j++) {
            double x = (double)(p->at[i][0] - p->at[j][0]), y = (double)(p->at[i][1] - p->at[j][1]),
                   z = (double)(p->at[i][2] - p->at[j][2]);
            least = fmin(least, x * x + y * y + z * z);
        }
    }
    return sqrt(least);
}

static void test_blue_noise_keeps_its_distance(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 1}, 1);
    fill_points p = filled(s, 0.1, 1, FIRN_FILL_BLUE_NOISE, 9);
    double mean = cbrt(p.volume);
    assert_true(least_distance(&p) > 0.75 * mean);
    // It is no lattice: the least distance stays below that of the densest packing.
    assert_true(least_distance(&p) < 1.12 * mean);
    fill_free(&p);
    shape_destroy(s);
}

// Chi-square over 64 equal parts of a cube. Random points give 63 +- 11, these are spread more evenly than at
// random but must not be lumped: all below the 99.9 % bound of the random case, 104.
static void test_spread_is_even(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {1, 1, 1}}, 1);
    for (int k = 0; k < 3; k++) {
        fill_points p = filled(s, 0.0531, 1, patterns[k], 21);
        size_t counts[64] = {0};
        for (size_t i = 0; i < p.count; i++) {
            int at[3];
            for (int c = 0; c < 3; c++) at[c] = (int)fmin(3, floor(4 * ((double)p.at[i][c] + 0.5)));
            counts[at[0] + 4 * (at[1] + 4 * at[2])]++;
        }
        double expected = (double)p.count / 64, chi = 0;
        for (int i = 0; i < 64; i++)
            chi += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
        if (k > 0) assert_true(chi < 104);
        fill_free(&p);
    }
    shape_destroy(s);
}

static void test_same_points_for_any_threads(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 1}, 1);
    for (int k = 0; k < 3; k++) {
        fill_points first = {0};
        for (int threads = 1; threads <= 4; threads++) {
            firn_set_threads(threads);
            fill_points p = filled(s, 0.1, 1, patterns[k], 5);
            if (threads == 1) {
                first = p;
                continue;
            }
            assert_int_equal(p.count, first.count);
            assert_memory_equal(p.at, first.at, p.count * sizeof *p.at);
            fill_free(&p);
        }
        fill_points other = filled(s, 0.1, 1, patterns[k], 6);
        bool same =
            other.count == first.count && memcmp(other.at, first.at, first.count * sizeof *first.at) == 0;
        assert_int_equal(same, k == 0);
        fill_free(&other);
        fill_free(&first);
    }
    firn_set_threads(0);
    shape_destroy(s);
}

static void test_bad_fills_are_errors(void **state) {
    (void)state;
    shape *ball = make_shape((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 1}, 1);
    shape *plane = make_shape((firn_shape_def){.kind = FIRN_SHAPE_PLANE}, 1);
    fill_points p;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(fill_shape(plane, 0.1, 1, patterns[k], 0, &p), FIRN_BAD_INPUT);
        assert_int_equal(fill_shape(ball, 0, 1, patterns[k], 0, &p), FIRN_BAD_INPUT);
        assert_int_equal(fill_shape(ball, NAN, 1, patterns[k], 0, &p), FIRN_BAD_INPUT);
        assert_int_equal(fill_shape(ball, 0.1, 0, patterns[k], 0, &p), FIRN_BAD_INPUT);
        assert_int_equal(fill_shape(ball, 1e-7, 1, patterns[k], 0, &p), FIRN_BAD_INPUT);
        assert_null(p.at);
    }
    // One cell around the ball, and the one point in it misses.
    assert_int_equal(fill_shape(ball, 100, 1, FIRN_FILL_JITTERED, 0, &p), FIRN_BAD_INPUT);
    assert_int_equal(fill_shape(ball, 0.1, 1, (firn_fill_pattern)7, 0, &p), FIRN_BAD_INPUT);
    assert_near(fill_estimate(plane, 0.1, 1), 0, 0);
    shape_destroy(ball);
    shape_destroy(plane);
}

static void test_no_memory_leaves_nothing(void **state) {
    (void)state;
    shape *ball = make_shape((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 1}, 1);
    firn_set_threads(1);
    for (int k = 0; k < 3; k++) {
        size_t failures = 0;
        for (size_t n = 1; n < 100; n++) {
            size_t before = mem_in_use();
            failing_allocator f;
            fail_allocation(&f, n);
            fill_points p;
            firn_status status = fill_shape(ball, 0.3, 1, patterns[k], 1, &p);
            if (status == FIRN_OK) fill_free(&p);
            firn_set_allocator(NULL);
            assert_int_equal(mem_in_use(), before);
            if (f.calls < n) break;
            if (status != FIRN_OK) {
                assert_int_equal(status, FIRN_NO_MEMORY);
                failures++;
            }
        }
        assert_true(failures >= 2);
    }
    firn_set_threads(0);
    shape_destroy(ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_volumes),   cmocka_unit_test(test_regular_is_a_lattice),
        cmocka_unit_test(test_fitted_to_its_box),    cmocka_unit_test(test_blue_noise_keeps_its_distance),
        cmocka_unit_test(test_spread_is_even),       cmocka_unit_test(test_same_points_for_any_threads),
        cmocka_unit_test(test_bad_fills_are_errors), cmocka_unit_test(test_no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
