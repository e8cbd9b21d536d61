// Lower and upper surfaces over a grid: on the surface by distance, and nothing of the shape beyond.
#include "geom/shape_columns.h"

#include <math.h>

#include "math/dvec.h"
#include "support.h"

enum { N = 41 };

static shape *make(firn_shape_def def) {
    shape *s;
    assert_ok(shape_create(&def, 1, NULL, "test", &s));
    return s;
}

// Every end of a line lies on the surface, the line is outside beyond it; a line that misses meets no inside.
static void check_columns(firn_shape_def def, firn_quat turn, double tolerance) {
    shape *s = make(def);
    firn_vec3 at = dvec(0.3, 500, -0.2);
    column_grid g = {at.x - 1, at.z - 1, 2.0 / (N - 1) * 0.997, N, N, 499};
    static float low[N * N], high[N * N];
    shape_columns(s, at, turn, &g, low, high);
    size_t hit = 0;
    for (int i = 0; i < N * N; i++) {
        double x = g.x0 + i % N * g.step - at.x, z = g.z0 + i / N * g.step - at.z;
        double y[2] = {g.base + (double)low[i] - at.y, g.base + (double)high[i] - at.y};
        if (!(low[i] <= high[i])) {
            for (double h = -1; h <= 1; h += 0.05)
                assert_true(shape_sdf(s, dquat_rotate_back(turn, dvec(x, h, z)), NULL) > -tolerance);
            continue;
        }
        hit++;
        for (int k = 0; k < 2; k++) {
            assert_near(shape_sdf(s, dquat_rotate_back(turn, dvec(x, y[k], z)), NULL), 0, tolerance);
            double beyond = y[k] + (k ? 0.1 : -0.1);
            assert_true(shape_sdf(s, dquat_rotate_back(turn, dvec(x, beyond, z)), NULL) > -tolerance);
        }
    }
    assert_true(hit > 20);
    shape_destroy(s);
}

static void test_primitives(void **state) {
    (void)state;
    const firn_shape_def defs[] = {{.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.8, 0.3}},
                                   {.kind = FIRN_SHAPE_SPHERE, .radius = 0.45},
                                   {.kind = FIRN_SHAPE_ELLIPSOID, .radii = {0.6, 0.2, 0.4}},
                                   {.kind = FIRN_SHAPE_CAPSULE, .radius = 0.2, .length = 0.5},
                                   {.kind = FIRN_SHAPE_CYLINDER, .radius = 0.3, .length = 0.6}};
    const firn_vec3 turns[] = {{0, 0, 0}, {0.4, 1.1, -0.7}, {1.5707963, 0, 0.3}};
    for (int k = 0; k < 5; k++)
        for (int t = 0; t < 3; t++) check_columns(defs[k], dquat_from_angles(turns[t]), 2e-4);
}

static void test_mesh_and_union(void **state) {
    (void)state;
    check_columns((firn_shape_def){.kind = FIRN_SHAPE_HARE, .height = 0.9},
                  dquat_from_angles(dvec(0.3, 0.5, 0)), 0.02);
    const firn_part_def parts[] = {
        {.name = "a", .shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.3}, .at = {-0.3, 0.1, 0}, .scale = 1},
        {.name = "b",
         .shape = {.kind = FIRN_SHAPE_BOX, .size = {0.4, 0.2, 0.4}},
         .at = {0.3, 0, 0.1},
         .rotate = {0.2, 0.4, 0.6},
         .scale = 1}};
    check_columns((firn_shape_def){.kind = FIRN_SHAPE_UNION, .parts = {parts, 2}},
                  dquat_from_angles(dvec(0.5, 0, 1)), 2e-4);
}

static void test_hills_and_plane(void **state) {
    (void)state;
    check_columns((firn_shape_def){.kind = FIRN_SHAPE_HILLS, .size = {3, 0.4, 3}, .seed = 3},
                  dquat_identity(), 2e-3);
    shape *s = make((firn_shape_def){.kind = FIRN_SHAPE_PLANE});
    float low, high;
    column_grid g = {2, 0, 1, 1, 1, 0};
    shape_columns(s, dvec(0, 1, 0), dquat_from_angles(dvec(0, 0, 0.5)), &g, &low, &high);
    assert_near((double)high, 1 + 2 * tan(0.5), 1e-6);
    assert_true(isinf(low));
    shape_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_primitives),
                                       cmocka_unit_test(test_mesh_and_union),
                                       cmocka_unit_test(test_hills_and_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
