// The share of a shape that is thinner than a cell, against closed forms.
#include <unistd.h>

#include "geom/meshes.h"
#include "geom/shape.h"
#include "geom/thickness.h"

static double share_of(const firn_shape_def *def, double cell) {
    shape *s;
    double share = -1;
    assert_int_equal(shape_create(def, 1, NULL, "thing", &s), FIRN_OK);
    assert_int_equal(shape_thin_share(s, cell, &share), FIRN_OK);
    shape_destroy(s);
    return share;
}

static void test_boxes(void **state) {
    (void)state;
    firn_shape_def board = {.kind = FIRN_SHAPE_BOX, .size = {1, 0.05, 1}};
    assert_near(share_of(&board, 0.06), 1, 0);
    assert_near(share_of(&board, 0.04), 0, 0);
    firn_shape_def rod = {.kind = FIRN_SHAPE_BOX, .size = {0.01, 2, 0.01}};
    assert_near(share_of(&rod, 0.02), 1, 0);
    assert_near(share_of(&rod, 0.009), 0, 0);
    firn_shape_def cube = {.kind = FIRN_SHAPE_BOX, .size = {1, 1, 1}}; // its corners and edges are not thin
    assert_near(share_of(&cube, 0.3), 0, 0);
}

static void test_round(void **state) {
    (void)state;
    firn_shape_def ball = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.5};
    assert_near(share_of(&ball, 0.9), 0, 0);
    assert_near(share_of(&ball, 1.1), 1, 0);
    firn_shape_def wire = {.kind = FIRN_SHAPE_CAPSULE, .radius = 0.02, .length = 1};
    assert_near(share_of(&wire, 0.05), 1, 0);
    assert_near(share_of(&wire, 0.035), 0, 0);
    firn_shape_def ground = {.kind = FIRN_SHAPE_PLANE};
    assert_near(share_of(&ground, 0.05), 0, 0);
}

// A ball of radius 0.5 m and a rod of radius 0.1 m that sticks out of it by 3 m.
static void test_ball_with_rod(void **state) {
    (void)state;
    firn_part_def parts[2] = {{.scale = 1}, {.scale = 1}};
    parts[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.5};
    parts[1].shape = (firn_shape_def){.kind = FIRN_SHAPE_CYLINDER, .radius = 0.1, .length = 3.5};
    parts[1].at.y = 1.75;
    firn_shape_def def = {.kind = FIRN_SHAPE_UNION, .parts = {parts, 2}};
    double ball = 4.0 / 3.0 * M_PI * 0.125, rod = M_PI * 0.01 * 3.01;
    assert_near(share_of(&def, 0.3), rod / (ball + rod), 0.02);
    assert_near(share_of(&def, 0.15), 0, 0.005);
    assert_near(share_of(&def, 1.2), 1, 0.005);
}

// A tilted sheet fills a thousandth of its box.
static void test_tilted_mesh(void **state) {
    (void)state;
    mesh m = make_box(1, 0.004f, 1);
    for (size_t i = 0; i < m.vertices; i++) {
        float x = m.position[i][0], y = m.position[i][1];
        m.position[i][0] = 0.8f * x - 0.6f * y;
        m.position[i][1] = 0.6f * x + 0.8f * y;
    }
    assert_int_equal(mesh_write_obj(&m, "thickness-test.obj"), FIRN_OK);
    mesh_free(&m);
    firn_shape_def def = {.kind = FIRN_SHAPE_MESH, .file = "thickness-test.obj", .resolution = 0.02};
    assert_near(share_of(&def, 0.01), 1, 0.01);
    unlink("thickness-test.obj");
}

static void test_threads(void **state) {
    (void)state;
    firn_shape_def hare = {.kind = FIRN_SHAPE_HARE, .height = 1};
    double first = -1;
    for (int i = 0; i < 3; i++) {
        firn_set_threads(i + 1);
        double share = share_of(&hare, 0.06); // its ears
        if (i == 0) first = share;
        assert_true(share == first);
    }
    firn_set_threads(0);
    assert_true(first > 0.01 && first < 0.5);
}

static void test_wrong_cell(void **state) {
    (void)state;
    firn_shape_def ball = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.5};
    shape *s;
    double share;
    assert_int_equal(shape_create(&ball, 1, NULL, "thing", &s), FIRN_OK);
    assert_int_equal(shape_thin_share(s, 0, &share), FIRN_BAD_INPUT);
    shape_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),         cmocka_unit_test(test_round),
        cmocka_unit_test(test_ball_with_rod), cmocka_unit_test(test_tilted_mesh),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_wrong_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
