// firn-test: threaded
// Fills whose particles have the volume of their shape, whatever its size.
#include "base/memory.h"
#include "base/random.h"
#include "geom/fill.h"
#include "geom/shape_checks.h"

static const firn_fill_pattern patterns[3] = {FIRN_FILL_REGULAR, FIRN_FILL_JITTERED, FIRN_FILL_BLUE_NOISE};

static double between(uint64_t n, int k, double low, double high) {
    return low + (high - low) * (double)random_unit(random_bits(16, n, 0, 0), k);
}

static double volume_of(const shape *s) {
    shape_mass mass;
    assert_true(shape_mass_of(s, &mass));
    return mass.volume;
}

// The volume of all points is that of the shape to half a percent, or to half a particle.
static void check_volume(const shape *s, double spacing, fill_sizes sizes, firn_fill_pattern pattern) {
    fill_points p;
    const fill_plan plan = fill_plan_of(s, spacing, sizes);
    double cell = spacing * spacing * spacing, volume = volume_of(s);
    assert_ok(fill_planned(s, spacing, sizes, pattern, 7, &p));
    assert_near((double)p.count, plan.count, 0);
    assert_near(p.volume, plan.volume, 0);
    if (sizes == FILL_EQUAL) assert_near(p.volume, cell, 0);
    assert_near((double)p.count * p.volume / volume, 1,
                sizes == FILL_EQUAL ? fmax(0.005, 0.51 * cell / volume) : 0.005);
    fill_free(&p);
}

static void check_patterns(firn_shape_def def, double spacing) {
    shape *s = make_shape(def, 1);
    for (int k = 0; k < 3; k++) {
        check_volume(s, spacing, FILL_EQUAL, patterns[k]);
        check_volume(s, spacing, FILL_ADAPTED, patterns[k]);
    }
    shape_destroy(s);
}

static void test_volume_of_any_size(void **state) {
    (void)state;
    for (uint64_t n = 0; n < 40; n++) {
        double a = between(n, 0, 0.3, 15), b = between(n, 1, 0.3, 15), c = between(n, 2, 0.3, 15);
        double spacing = between(n, 3, 0.01, 0.1);
        check_patterns(
            (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {a * spacing, b * spacing, c * spacing}},
            spacing);
        check_patterns((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = (0.7 + 0.4 * a) * spacing},
                       spacing);
        check_patterns((firn_shape_def){.kind = FIRN_SHAPE_CYLINDER,
                                        .radius = (0.6 + 0.4 * a) * spacing,
                                        .length = b * spacing},
                       spacing);
        check_patterns((firn_shape_def){.kind = FIRN_SHAPE_ELLIPSOID,
                                        .radii = {(1 + 0.4 * a) * spacing, (1 + 0.4 * b) * spacing,
                                                  (1 + 0.4 * c) * spacing}},
                       spacing);
    }
}

static void test_volume_of_meshes(void **state) {
    (void)state;
    const firn_shape_kind kinds[] = {FIRN_SHAPE_HARE, FIRN_SHAPE_SNOWMAN, FIRN_SHAPE_HOUSE,
                                     FIRN_SHAPE_LAMP_POST};
    for (int k = 0; k < 4; k++) {
        firn_shape_def def = {.kind = kinds[k], .height = 1.5};
        check_patterns(def, 0.061);
        check_patterns(def, 0.13);
    }
}

// Distance of the outermost points from the faces of a box.
static void check_faces(const double size[3], double spacing, fill_sizes sizes) {
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {size[0], size[1], size[2]}}, 1);
    const fill_plan plan = fill_plan_of(s, spacing, sizes);
    fill_points p;
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    assert_ok(fill_planned(s, spacing, sizes, FIRN_FILL_REGULAR, 0, &p));
    for (size_t i = 0; i < p.count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)p.at[i][k]);
            high[k] = fmax(high[k], (double)p.at[i][k]);
        }
    for (int k = 0; k < 3; k++) {
        double n = plan.rows == k ? floor(size[k] / plan.edge[k]) : (double)plan.n[k];
        double outer = plan.rows == k ? 0.5 * size[k] / (n + 1) : 0.5 * plan.edge[k];
        assert_near(low[k], -0.5 * size[k] + outer, 1e-6 + 0.03 * outer);
        assert_near(high[k], 0.5 * size[k] - outer, 1e-6 + 0.03 * outer);
    }
    fill_free(&p);
    shape_destroy(s);
}

static void test_layers_lie_half_inside(void **state) {
    (void)state;
    const double sizes[][3] = {{0.5, 0.3, 0.4}, {0.501, 0.301, 0.401}, {0.525, 0.31, 0.49}, {0.8, 0.12, 0.8}};
    for (int i = 0; i < 4; i++) {
        check_faces(sizes[i], 0.05, FILL_ADAPTED);
        check_faces(sizes[i], 0.05, FILL_EQUAL);
    }
}

// A box of whole spacings is the plain lattice, to the bit; so it is if its size is off by what a cube root
// is.
static void test_whole_spacings(void **state) {
    (void)state;
    for (int n = 1; n <= 40; n++)
        for (int i = 0; i < 3; i++) {
            double spacing = cbrt((double[]){1e-6, 2e-6, 60e-6}[i]);
            shape *s = make_shape(
                (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {n * spacing, 3 * spacing, 2 * spacing}}, 1);
            fill_points p;
            assert_ok(fill_planned(s, spacing, FILL_EQUAL, FIRN_FILL_REGULAR, 0, &p));
            assert_int_equal(p.count, 6 * n);
            assert_near(p.spacing, spacing, 0);
            fill_free(&p);
            shape_destroy(s);
        }
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {1, 0.5, 0.3}}, 1);
    fill_points p, plain;
    assert_ok(fill_planned(s, 0.05, FILL_ADAPTED, FIRN_FILL_REGULAR, 0, &p));
    assert_ok(fill_shape(s, 0.05, 1, FIRN_FILL_REGULAR, 0, &plain));
    assert_int_equal(p.count, plain.count);
    assert_memory_equal(p.at, plain.at, p.count * sizeof *p.at);
    assert_near(p.volume, 0.05 * 0.05 * 0.05, 0);
    fill_free(&p);
    fill_free(&plain);
    shape_destroy(s);
}

// A millimetre more does not add a layer.
static void test_a_millimetre_more(void **state) {
    (void)state;
    for (int n = 1; n < 30; n++) {
        double side = 0.05 * n + 0.001;
        shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {side, side, side}}, 1);
        const fill_plan plan = fill_plan_of(s, 0.05, FILL_ADAPTED);
        assert_near(plan.count, n * n * n, 0);
        shape_destroy(s);
    }
}

// No two points closer than the plan says.
static void test_points_keep_their_distance(void **state) {
    (void)state;
    const double sizes[][3] = {{0.523, 0.271, 0.333}, {0.3, 0.02, 0.3}, {0.777, 0.09, 0.111}};
    for (int i = 0; i < 3; i++) {
        shape *s = make_shape(
            (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {sizes[i][0], sizes[i][1], sizes[i][2]}}, 1);
        fill_points p;
        assert_ok(fill_planned(s, 0.05, FILL_EQUAL, FIRN_FILL_REGULAR, 0, &p));
        double least = INFINITY;
        for (size_t a = 0; a < p.count; a++)
            for (size_t b = 0; b < a; b++)
                least = fmin(
                    least, hypot(hypot((double)(p.at[a][0] - p.at[b][0]), (double)(p.at[a][1] - p.at[b][1])),
                                 (double)(p.at[a][2] - p.at[b][2])));
        assert_true(least > 0.99 * p.spacing);
        fill_free(&p);
        shape_destroy(s);
    }
}

static void test_same_points_for_any_threads(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_SNOWMAN, .height = 1.5}, 1);
    for (int k = 0; k < 3; k++) {
        fill_points first = {0};
        for (int threads = 1; threads <= 3; threads++) {
            fill_points p;
            firn_set_threads(threads);
            assert_ok(fill_planned(s, 0.07, FILL_EQUAL, patterns[k], 5, &p));
            if (threads > 1) {
                assert_int_equal(p.count, first.count);
                assert_memory_equal(p.at, first.at, p.count * sizeof *p.at);
                fill_free(&p);
            } else {
                first = p;
            }
        }
        fill_free(&first);
    }
    firn_set_threads(0);
    shape_destroy(s);
}

static void test_no_memory_leaves_nothing(void **state) {
    (void)state;
    shape *ball = make_shape((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 1}, 1);
    firn_set_threads(1);
    for (int k = 0; k < 3; k++)
        for (size_t n = 1; n < 100; n++) {
            size_t before = mem_in_use();
            failing_allocator f;
            fail_allocation(&f, n);
            fill_points p;
            firn_status status = fill_planned(ball, 0.3, FILL_EQUAL, patterns[k], 1, &p);
            if (status == FIRN_OK) fill_free(&p);
            firn_set_allocator(NULL);
            assert_int_equal(mem_in_use(), before);
            if (f.calls < n) break;
            assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
        }
    firn_set_threads(0);
    shape_destroy(ball);
}

static void test_bad_fills_are_errors(void **state) {
    (void)state;
    shape *plane = make_shape((firn_shape_def){.kind = FIRN_SHAPE_PLANE}, 1);
    fill_points p;
    assert_near(fill_plan_of(plane, 0.1, FILL_EQUAL).count, 0, 0);
    assert_int_equal(fill_planned(plane, 0.1, FILL_EQUAL, FIRN_FILL_REGULAR, 0, &p), FIRN_BAD_INPUT);
    assert_int_equal(fill_planned(plane, -1, FILL_EQUAL, FIRN_FILL_REGULAR, 0, &p), FIRN_BAD_INPUT);
    assert_null(p.at);
    shape_destroy(plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_of_any_size),          cmocka_unit_test(test_volume_of_meshes),
        cmocka_unit_test(test_layers_lie_half_inside),      cmocka_unit_test(test_whole_spacings),
        cmocka_unit_test(test_a_millimetre_more),           cmocka_unit_test(test_points_keep_their_distance),
        cmocka_unit_test(test_same_points_for_any_threads), cmocka_unit_test(test_no_memory_leaves_nothing),
        cmocka_unit_test(test_bad_fills_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
