#include "geom/shape_checks.h"

typedef struct primitive_case {
    const char *name;
    firn_shape_def def;
    double scale;
    double (*implicit)(const firn_shape_def *def,
                       firn_vec3 p); // about the distance near the surface; def before scale
} primitive_case;

static double box_implicit(const firn_shape_def *d, firn_vec3 p) {
    return fmax(fabs(p.x) - d->size.x / 2, fmax(fabs(p.y) - d->size.y / 2, fabs(p.z) - d->size.z / 2));
}
static double sphere_implicit(const firn_shape_def *d, firn_vec3 p) { return vec_length(p) - d->radius; }
static double ellipsoid_implicit(const firn_shape_def *d, firn_vec3 p) {
    firn_vec3 r = d->radii;
    double f = vec_length(vec(p.x / r.x, p.y / r.y, p.z / r.z));
    return f * (f - 1) / vec_length(vec(p.x / r.x / r.x, p.y / r.y / r.y, p.z / r.z / r.z));
}
static double capsule_implicit(const firn_shape_def *d, firn_vec3 p) {
    double y = fmax(fabs(p.y) - d->length / 2, 0);
    return sqrt(p.x * p.x + y * y + p.z * p.z) - d->radius;
}
static double cylinder_implicit(const firn_shape_def *d, firn_vec3 p) {
    return fmax(hypot(p.x, p.z) - d->radius, fabs(p.y) - d->length / 2);
}
static double plane_implicit(const firn_shape_def *d, firn_vec3 p) {
    (void)d;
    return p.y;
}

static const primitive_case cases[] = {
    {"plane", {.kind = FIRN_SHAPE_PLANE}, 1, plane_implicit},
    {"box", {.kind = FIRN_SHAPE_BOX, .size = {1, 0.4, 2}}, 1, box_implicit},
    {"sphere", {.kind = FIRN_SHAPE_SPHERE, .radius = 0.3}, 2.5, sphere_implicit},
    {"ellipsoid", {.kind = FIRN_SHAPE_ELLIPSOID, .radii = {1, 0.3, 0.6}}, 1, ellipsoid_implicit},
    {"disc", {.kind = FIRN_SHAPE_ELLIPSOID, .radii = {0.1, 1.5, 1.5}}, 0.5, ellipsoid_implicit},
    {"needle", {.kind = FIRN_SHAPE_ELLIPSOID, .radii = {0.15, 0.15, 3}}, 1, ellipsoid_implicit},
    {"ball", {.kind = FIRN_SHAPE_ELLIPSOID, .radii = {0.5, 0.5, 0.5}}, 1, ellipsoid_implicit},
    {"capsule", {.kind = FIRN_SHAPE_CAPSULE, .radius = 0.25, .length = 1.5}, 1.5, capsule_implicit},
    {"cylinder", {.kind = FIRN_SHAPE_CYLINDER, .radius = 0.5, .length = 1.2}, 1, cylinder_implicit},
    {"coin", {.kind = FIRN_SHAPE_CYLINDER, .radius = 0.5, .length = 0.05}, 3, cylinder_implicit},
};
enum { CASES = sizeof cases / sizeof cases[0], POINTS = 400 };

static firn_vec3 case_point(const shape *s, uint64_t i) {
    firn_vec3 low, high;
    firn_vec3 reach =
        shape_bounds(s, &low, &high) ? vec(high.x * 1.6, high.y * 1.6, high.z * 1.6) : vec(2, 2, 2);
    return random_point(11, i, vec(0, 0, 0), reach);
}

// The foot p - d n lies on the surface, so |d| is not too small; no vertex of the mesh, which lies on the
// surface, is closer, so it is not too large.
static void test_distance_is_to_the_nearest_point(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        shape *s = make_shape(cases[c].def, cases[c].scale);
        double scale = cases[c].scale, tolerance = 5e-5 * fmin(1, shape_thickness(s));
        const mesh *m = shape_mesh(s);
        for (uint64_t i = 0; i < POINTS; i++) {
            firn_vec3 p = case_point(s, i), n;
            double d = shape_sdf(s, p, &n);
            firn_vec3 foot = vec((p.x - d * n.x) / scale, (p.y - d * n.y) / scale, (p.z - d * n.z) / scale);
            assert_near(cases[c].implicit(&cases[c].def, foot) * scale, 0, tolerance);
            firn_vec3 own = vec(p.x / scale, p.y / scale, p.z / scale);
            assert_true(fabs(d) < tolerance || (d < 0) == (cases[c].implicit(&cases[c].def, own) < 0));
            for (size_t v = 0; v < m->vertices; v++) {
                const float *q = m->position[v];
                assert_true(vec_length(vec(p.x - (double)q[0], p.y - (double)q[1], p.z - (double)q[2])) >
                            fabs(d) - tolerance);
            }
        }
        shape_destroy(s);
    }
}

static void test_normal_is_the_gradient(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        shape *s = make_shape(cases[c].def, cases[c].scale);
        size_t off = 0;
        for (uint64_t i = 0; i < POINTS; i++) {
            firn_vec3 p = case_point(s, i), n;
            shape_sdf(s, p, &n);
            assert_near(vec_length(n), 1, 1e-5);
            firn_vec3 g = finite_difference(s, p, 1e-3);
            // On the inner ridges, where two feet are equally near, the gradient jumps.
            off += vec_length(vec(g.x - n.x, g.y - n.y, g.z - n.z)) > 0.01;
        }
        assert_true(off <= POINTS / 50);
        shape_destroy(s);
    }
}

static void test_middle_is_sane(void **state) {
    (void)state;
    for (size_t c = 1; c < CASES; c++) {
        shape *s = make_shape(cases[c].def, cases[c].scale);
        firn_vec3 n;
        double d = shape_sdf(s, vec(0, 0, 0), &n);
        assert_near(d, -shape_thickness(s) / 2, 1e-5 * shape_thickness(s));
        assert_near(vec_length(n), 1, 1e-5);
        firn_vec3 far_normal;
        assert_near(shape_sdf(s, vec(0, 1e5, 0), &far_normal) / 1e5, 1, 1e-4);
        assert_near(far_normal.y, 1, 1e-6);
        shape_destroy(s);
    }
}

// Any count, any alignment, with and without normals: the same bits.
static void test_lanes_agree_with_one(void **state) {
    (void)state;
    float x[67], y[67], z[67], d[67], d2[67], nx[67], ny[67], nz[67];
    for (size_t c = 0; c < CASES; c++) {
        shape *s = make_shape(cases[c].def, cases[c].scale);
        for (size_t i = 0; i < 67; i++) {
            firn_vec3 p = case_point(s, i);
            x[i] = (float)p.x, y[i] = (float)p.y, z[i] = (float)p.z;
        }
        for (size_t first = 0; first < 3; first++) {
            size_t n = 67 - first;
            shape_query(s, n, x + first, y + first, z + first, d + first, nx + first, ny + first, nz + first);
            shape_query(s, n, x + first, y + first, z + first, d2 + first, NULL, NULL, NULL);
            for (size_t i = first; i < 67; i++) {
                firn_vec3 one;
                double alone = shape_sdf(s, vec((double)x[i], (double)y[i], (double)z[i]), &one);
                assert_true((double)d[i] == alone && d[i] == d2[i]);
                assert_true((double)nx[i] == one.x && (double)ny[i] == one.y && (double)nz[i] == one.z);
            }
        }
        shape_destroy(s);
    }
}

static void test_mesh_is_closed_and_on_the_surface(void **state) {
    (void)state;
    for (size_t c = 1; c < CASES; c++) {
        shape *s = make_shape(cases[c].def, cases[c].scale);
        const mesh *m = shape_mesh(s);
        mesh_defects defects;
        assert_int_equal(mesh_inspect(m, &defects), FIRN_OK);
        assert_int_equal(defects.open_edges + defects.flipped_edges + defects.degenerate + defects.non_finite,
                         0);
        shape_mass mass;
        assert_true(shape_mass_of(s, &mass));
        assert_near(mesh_volume(m) / mass.volume, 1, 0.01);
        for (size_t v = 0; v < m->vertices; v++) {
            const float *q = m->position[v], *n = m->normal[v];
            assert_near(shape_sdf(s, vec((double)q[0], (double)q[1], (double)q[2]), NULL), 0,
                        1e-5 * shape_thickness(s));
            // A little outside along the normal it is nearly as much away.
            double h = 0.01 * shape_thickness(s);
            double d = shape_sdf(s,
                                 vec((double)q[0] + h * (double)n[0], (double)q[1] + h * (double)n[1],
                                     (double)q[2] + h * (double)n[2]),
                                 NULL);
            assert_near(d / h, 1, 0.01);
        }
        shape_destroy(s);
    }
}

// Probes lie inside and touch the surface from within, and the bounds hold them all.
static void test_probes_touch_the_surface(void **state) {
    (void)state;
    for (size_t c = 1; c < CASES; c++) {
        shape *s = make_shape(cases[c].def, cases[c].scale);
        size_t count;
        const shape_probe *probes = shape_probes(s, &count);
        assert_true(count >= 1 && count <= 400);
        firn_vec3 low, high, reached = {0, 0, 0};
        assert_true(shape_bounds(s, &low, &high));
        for (size_t i = 0; i < count; i++) {
            double x = (double)probes[i].at[0], y = (double)probes[i].at[1], z = (double)probes[i].at[2],
                   r = (double)probes[i].radius;
            assert_near(shape_sdf(s, vec(x, y, z), NULL), -r, 2e-5 * shape_thickness(s) + 1e-4 * r);
            reached =
                vec(fmax(reached.x, fabs(x) + r), fmax(reached.y, fabs(y) + r), fmax(reached.z, fabs(z) + r));
        }
        assert_near(reached.x / high.x, 1, 1e-5);
        assert_near(reached.y / high.y, 1, 1e-5);
        assert_near(reached.z / high.z, 1, 1e-5);
        shape_destroy(s);
    }
}

static void test_plane_is_endless(void **state) {
    (void)state;
    shape *s = make_shape(cases[0].def, 1);
    firn_vec3 low, high;
    shape_mass mass;
    size_t count;
    assert_false(shape_bounds(s, &low, &high));
    assert_false(shape_mass_of(s, &mass));
    assert_true(isinf(shape_thickness(s)));
    shape_probes(s, &count);
    assert_int_equal(count, 0);
    assert_null(shape_height_map(s));
    assert_true(shape_mesh(s)->triangles > 0);
    shape_destroy(s);
}

static void test_bad_defs_are_errors(void **state) {
    (void)state;
    const firn_shape_def bad[] = {
        {.kind = FIRN_SHAPE_SPHERE},
        {.kind = FIRN_SHAPE_SPHERE, .radius = -1},
        {.kind = FIRN_SHAPE_SPHERE, .radius = NAN},
        {.kind = FIRN_SHAPE_SPHERE, .radius = INFINITY},
        {.kind = FIRN_SHAPE_BOX, .size = {1, 0, 1}},
        {.kind = FIRN_SHAPE_ELLIPSOID, .radii = {1, 1, -1}},
        {.kind = FIRN_SHAPE_CAPSULE, .radius = 1},
        {.kind = FIRN_SHAPE_CYLINDER, .length = 1},
        {.kind = FIRN_SHAPE_KINDS},
        {.kind = (firn_shape_kind)-1},
    };
    shape *s;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(shape_create(&bad[i], 1, NULL, "thing", &s), FIRN_BAD_INPUT);
        assert_null(s);
        assert_non_null(strstr(firn_last_error(), "thing"));
    }
    assert_int_equal(shape_create(&cases[1].def, 0, NULL, "thing", &s), FIRN_BAD_INPUT);
    assert_int_equal(shape_create(&cases[1].def, NAN, NULL, "thing", &s), FIRN_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_is_to_the_nearest_point),
        cmocka_unit_test(test_normal_is_the_gradient),
        cmocka_unit_test(test_middle_is_sane),
        cmocka_unit_test(test_lanes_agree_with_one),
        cmocka_unit_test(test_mesh_is_closed_and_on_the_surface),
        cmocka_unit_test(test_probes_touch_the_surface),
        cmocka_unit_test(test_plane_is_endless),
        cmocka_unit_test(test_bad_defs_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
