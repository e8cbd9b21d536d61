// Points on surfaces: at their depth, not too near to each other, nowhere missing, and always the same.
#include "geom/meshes.h"

#include <stdio.h>

#include "geom/fill.h"
#include "math/dvec.h"

static shape *make(firn_shape_kind kind) {
    firn_shape_def def = firn_shape_def_default();
    shape *s;
    def.kind = kind;
    def.radius = 0.5;
    def.length = 0.6;
    def.height = 1;
    def.size = dvec(0.8, 0.5, 0.6);
    def.radii = dvec(0.5, 0.3, 0.4);
    assert_int_equal(shape_create(&def, 1, NULL, "test", &s), FIRN_OK);
    return s;
}

static double nearest(const fill_points *p, firn_vec3 x, size_t but) {
    double least = INFINITY;
    for (size_t i = 0; i < p->count; i++)
        if (i != but) least = fmin(least, dvec_distance(x, dvec_of_floats(p->at[i])));
    return least;
}

static void check(firn_shape_kind kind, double spacing, double area) {
    shape *s = make(kind);
    fill_points p, again;
    shape_mass mass;
    double depth = spacing / 2;
    assert_int_equal(fill_surface(s, spacing, depth, 7, &p), FIRN_OK);
    assert_int_equal(fill_surface(s, spacing, depth, 7, &again), FIRN_OK);
    assert_int_equal(p.count, again.count);
    assert_memory_equal(p.at, again.at, p.count * sizeof *p.at);
    assert_true(shape_mass_of(s, &mass));
    assert_near(p.volume * (double)p.count, mass.volume, 1e-9 * mass.volume);
    if (area > 0) assert_near((double)p.count * spacing * spacing / area, 1, 0.07);
    for (size_t i = 0; i < p.count; i++) {
        firn_vec3 x = dvec_of_floats(p.at[i]);
        assert_near(shape_sdf(s, x, NULL), -depth, 0.31 * depth);
        assert_true(nearest(&p, x, i) > 0.8 * spacing - 1e-6);
    }
    const mesh *m = shape_mesh(s); // no gap: from every part of the surface one is near
    for (size_t t = 0; t < m->triangles; t += m->triangles / 200 + 1) {
        firn_vec3 x = {0};
        for (int k = 0; k < 3; k++)
            x = dvec_add_scaled(x, dvec_of_floats(m->position[m->triangle[t][k]]), 1.0 / 3);
        assert_true(nearest(&p, x, SIZE_MAX) < 1.6 * spacing);
    }
    fill_free(&p);
    fill_free(&again);
    shape_destroy(s);
}

static void test_shapes(void **state) {
    (void)state;
    check(FIRN_SHAPE_SPHERE, 0.06, 4 * M_PI * 0.47 * 0.47);
    check(FIRN_SHAPE_BOX, 0.05, 2 * (0.75 * 0.45 + 0.75 * 0.55 + 0.45 * 0.55));
    check(FIRN_SHAPE_ELLIPSOID, 0.06, 0);
    check(FIRN_SHAPE_CYLINDER, 0.06, 0);
}

static void test_wrong(void **state) {
    (void)state;
    fill_points p;
    shape *plane = make(FIRN_SHAPE_PLANE), *ball = make(FIRN_SHAPE_SPHERE);
    assert_int_equal(fill_surface(plane, 0.1, 0.05, 0, &p), FIRN_BAD_INPUT);
    assert_int_equal(fill_surface(ball, 1e-4, 5e-5, 0, &p), FIRN_BAD_INPUT);
    assert_int_equal(fill_vertices(ball, 0.1, &p), FIRN_BAD_INPUT);
    shape_destroy(plane);
    shape_destroy(ball);
}

// Each corner once, however often a file has it.
static void test_vertices(void **state) {
    (void)state;
    static const char path[] = "test_fill_surface.obj";
    mesh sphere = make_sphere(0.5f, 12, 8);
    firn_shape_def def = firn_shape_def_default();
    shape *s;
    fill_points p;
    assert_int_equal(mesh_write_obj(&sphere, path), FIRN_OK);
    def.kind = FIRN_SHAPE_MESH;
    def.file = path;
    assert_int_equal(shape_create(&def, 1, NULL, "test", &s), FIRN_OK);
    assert_int_equal(fill_vertices(s, 0.1, &p), FIRN_OK);
    assert_int_equal(p.count, sphere.vertices);
    for (size_t i = 0; i < p.count; i++) assert_near(dvec_length(dvec_of_floats(p.at[i])), 0.5, 1e-5);
    fill_free(&p);
    shape_destroy(s);
    mesh_free(&sphere);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_wrong),
                                       cmocka_unit_test(test_vertices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
