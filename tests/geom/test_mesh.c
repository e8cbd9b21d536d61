#include "geom/meshes.h"

static void test_volume_and_bounds(void **state) {
    (void)state;
    mesh box = make_box(2, 3, 4);
    for (size_t i = 0; i < box.vertices; i++) box.position[i][0] += 1000.0f;
    assert_near(mesh_volume(&box), 24.0, 1e-3);
    float low[3], high[3];
    mesh_bounds(&box, low, high);
    assert_near(low[0], 999.0f, 0);
    assert_near(high[2], 2.0f, 0);
    mesh_free(&box);

    mesh torus = make_torus(1.0f, 0.25f, 96, 48);
    // An n-gon inscribed in a circle has sin(2 pi/n) / (2 pi/n) of its area, and so for the way around.
    double expected = 2.0 * M_PI * M_PI * 0.0625;
    assert_near(mesh_volume(&torus) / expected, 1.0, 0.005);
    assert_true(mesh_volume(&torus) < expected);
    mesh_free(&torus);

    mesh empty;
    assert_int_equal(mesh_alloc(0, 0, true, &empty), FIRN_OK);
    assert_near(mesh_volume(&empty), 0.0, 0);
    mesh_free(&empty);
    assert_int_equal(mesh_alloc((size_t)UINT32_MAX + 1, 0, false, &empty), FIRN_BAD_INPUT);
}

static void test_inspect(void **state) {
    (void)state;
    mesh sphere = make_sphere(1, 24, 12), torus = make_torus(1, 0.3f, 20, 10), box = make_box(1, 1, 1);
    mesh_defects d;
    mesh *closed[] = {&sphere, &torus, &box};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mesh_inspect(closed[i], &d), FIRN_OK);
        assert_int_equal(d.open_edges + d.flipped_edges + d.degenerate + d.non_finite, 0);
    }
    uint32_t *t = torus.triangle[7], kept = t[0];
    t[0] = t[1], t[1] = kept; // flipped: its three edges now run the wrong way
    torus.triangles--;        // one hole
    assert_int_equal(mesh_inspect(&torus, &d), FIRN_OK);
    assert_int_equal(d.flipped_edges, 3);
    assert_int_equal(d.open_edges, 3);

    t = box.triangle[0];
    t[2] = t[1]; // degenerate; leaves a hole of three edges
    box.position[7][1] = NAN;
    assert_int_equal(mesh_inspect(&box, &d), FIRN_OK);
    assert_int_equal(d.degenerate, 1);
    assert_int_equal(d.non_finite, 1);
    assert_true(d.open_edges >= 3);
    mesh_free(&sphere);
    mesh_free(&torus);
    mesh_free(&box);
}

// Unshared vertices, as STL has them.
static mesh torn(const mesh *m) {
    mesh out;
    assert_int_equal(mesh_alloc(3 * m->triangles, m->triangles, false, &out), FIRN_OK);
    for (size_t i = 0; i < 3 * m->triangles; i++) {
        memcpy(out.position[i], m->position[m->triangle[i / 3][i % 3]], 12);
        out.triangle[i / 3][i % 3] = (uint32_t)i;
    }
    return out;
}

static void test_smooth_normals(void **state) {
    (void)state;
    mesh round = make_sphere(2, 64, 32), sphere = torn(&round), box = make_box(1, 2, 3), copy;
    assert_int_equal(mesh_smooth_normals(&sphere, 1.0f), FIRN_OK);
    assert_int_equal(sphere.vertices, round.vertices);
    for (size_t i = 0; i < sphere.vertices; i++)
        for (int k = 0; k < 3; k++) assert_near(sphere.normal[i][k], sphere.position[i][k] / 2, 0.01f);
    assert_near(mesh_volume(&sphere), mesh_volume(&round), 1e-5);
    mesh_defects d;
    assert_int_equal(mesh_inspect(&sphere, &d), FIRN_OK);
    assert_int_equal(d.open_edges, 0);

    assert_int_equal(mesh_copy(&box, &copy), FIRN_OK);
    assert_int_equal(mesh_smooth_normals(&box, 1.0f), FIRN_OK); // every edge is a crease
    assert_int_equal(box.vertices, 24);
    for (size_t i = 0; i < 24; i++) {
        const float *n = box.normal[i], *p = box.position[i];
        assert_near(fabsf(n[0]) + fabsf(n[1]) + fabsf(n[2]), 1.0f, 1e-6f); // along an axis
        assert_true(n[0] * p[0] + n[1] * p[1] + n[2] * p[2] > 0.0f);
    }
    assert_int_equal(mesh_inspect(&box, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges, 0);
    assert_int_equal(mesh_smooth_normals(&copy, 3.0f), FIRN_OK); // none is
    assert_int_equal(copy.vertices, 8);
    for (size_t i = 0; i < 8; i++) // weighted by angle: the diagonals of the faces do not matter
        for (int k = 0; k < 3; k++) assert_near(fabsf(copy.normal[i][k]), 0.57735f, 1e-5f);
    mesh_free(&round);
    mesh_free(&sphere);
    mesh_free(&box);
    mesh_free(&copy);
}

static firn_status smooth_work(void *context) {
    mesh m;
    firn_status status = mesh_copy(context, &m);
    if (status == FIRN_OK) status = mesh_smooth_normals(&m, 0.5f);
    mesh_defects d;
    if (status == FIRN_OK) status = mesh_inspect(&m, &d);
    mesh_free(&m);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    mesh torus = make_torus(1, 0.3f, 20, 10);
    sweep_allocations(smooth_work, &torus);
    mesh_free(&torus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_and_bounds),
        cmocka_unit_test(test_inspect),
        cmocka_unit_test(test_smooth_normals),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
