#include "geom/levelset.h"
#include "geom/meshes.h"

static double cross_dot(const double a[3], const double b[3], const double c[3]) {
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}
static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The plain sum over all triangles.
static double winding_plain(const mesh *m, const float p[3]) {
    double sum = 0.0;
    for (size_t i = 0; i < m->triangles; i++) {
        double v[3][3], l[3];
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) v[c][k] = (double)m->position[m->triangle[i][c]][k] - (double)p[k];
            l[c] = sqrt(dot(v[c], v[c]));
        }
        double below =
            l[0] * l[1] * l[2] + dot(v[0], v[1]) * l[2] + dot(v[1], v[2]) * l[0] + dot(v[2], v[0]) * l[1];
        sum += 2.0 * atan2(cross_dot(v[0], v[1], v[2]), below);
    }
    return sum / (4.0 * M_PI);
}

// Nearest point of a triangle by projecting onto its plane and its three sides.
static double triangle_distance(const double a[3], const double b[3], const double c[3], const double p[3]) {
    const double *v[3] = {a, b, c};
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double e[3], d[3], t;
        for (int k = 0; k < 3; k++) e[k] = v[(i + 1) % 3][k] - v[i][k], d[k] = p[k] - v[i][k];
        t = dot(e, e) > 0 ? fmin(1, fmax(0, dot(d, e) / dot(e, e))) : 0;
        for (int k = 0; k < 3; k++) d[k] -= t * e[k];
        best = fmin(best, sqrt(dot(d, d)));
    }
    double e[3], f[3], n[3], d[3];
    for (int k = 0; k < 3; k++) e[k] = b[k] - a[k], f[k] = c[k] - a[k], d[k] = p[k] - a[k];
    for (int k = 0; k < 3; k++) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    double nn = dot(n, n);
    if (nn == 0) return best;
    double u = cross_dot(n, d, f), v2 = cross_dot(n, e, d); // barycentric, up to a positive factor
    if (u >= 0 && v2 >= 0 && u + v2 <= nn) best = fmin(best, fabs(dot(d, n)) / sqrt(nn));
    return best;
}

static double distance_plain(const mesh *m, const float p[3]) {
    double best = INFINITY, q[3] = {(double)p[0], (double)p[1], (double)p[2]};
    for (size_t i = 0; i < m->triangles; i++) {
        double v[3][3];
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) v[c][k] = (double)m->position[m->triangle[i][c]][k];
        best = fmin(best, triangle_distance(v[0], v[1], v[2], q));
    }
    return best;
}

static mesh make_noisy_torus(uint64_t seed) {
    mesh m = make_torus(1.0f, 0.4f, 48, 24);
    for (size_t i = 0; i < m.vertices; i++)
        for (int k = 0; k < 3; k++) m.position[i][k] += 0.03f * random_signed(seed, i, k);
    return m;
}

static void test_closed_meshes(void **state) {
    (void)state;
    mesh all[4] = {make_sphere(1.0f, 64, 32), make_torus(1.0f, 0.4f, 64, 32), make_box(1.5f, 1.0f, 2.0f),
                   make_noisy_torus(3)};
    for (int which = 0; which < 4; which++) {
        mesh *m = &all[which];
        bvh *w;
        assert_int_equal(bvh_create(m, &w), FIRN_OK);
        for (uint64_t i = 0; i < 500; i++) {
            float p[3] = {1.6f * random_signed(11, i, 0), 1.6f * random_signed(11, i, 1),
                          1.6f * random_signed(11, i, 2)};
            double plain = winding_plain(m, p), tree = (double)bvh_winding_number(w, p);
            assert_near(tree, plain, 1e-3);
            if (distance_plain(m, p) > 1e-3) assert_near(tree, round(tree), 1e-3);
        }
        bvh_destroy(w);
        mesh_free(m);
    }
}

static void test_distance(void **state) {
    (void)state;
    mesh m = make_noisy_torus(5);
    // Triangles without area must not disturb.
    memcpy(m.triangle[10], (uint32_t[3]){4, 4, 9}, 12);
    memcpy(m.triangle[11], (uint32_t[3]){7, 7, 7}, 12);
    bvh *w;
    assert_int_equal(bvh_create(&m, &w), FIRN_OK);
    for (uint64_t i = 0; i < 500; i++) {
        float scale = i % 2 ? 1.5f : 4.0f, nearest[3], p[3];
        for (int k = 0; k < 3; k++) p[k] = scale * random_signed(17, i, k);
        uint32_t triangle;
        float d = bvh_distance(w, p, nearest, &triangle);
        assert_near(d, distance_plain(&m, p), 2e-6);
        float away = 0.0f;
        for (int k = 0; k < 3; k++) away += (nearest[k] - p[k]) * (nearest[k] - p[k]);
        assert_near(sqrtf(away), d, 2e-6);
        double v[3][3], q[3] = {(double)p[0], (double)p[1], (double)p[2]};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) v[c][k] = (double)m.position[m.triangle[triangle][c]][k];
        assert_near(triangle_distance(v[0], v[1], v[2], q), d, 2e-6);
    }
    bvh_destroy(w);
    mesh_free(&m);
}

static void test_odd_meshes(void **state) {
    (void)state;
    mesh m = make_box(1, 1, 1);
    bvh *w;
    m.position[3][1] = INFINITY;
    assert_int_equal(bvh_create(&m, &w), FIRN_BAD_INPUT);
    assert_null(w);
    m.triangles = 0;
    m.position[3][1] = 0.5f;
    assert_int_equal(bvh_create(&m, &w), FIRN_OK);
    assert_near(bvh_winding_number(w, (float[3]){0, 0, 0}), 0.0, 0.0);
    assert_true(isinf(bvh_distance(w, (float[3]){0, 0, 0}, NULL, NULL)));
    bvh_destroy(w);
    mesh_free(&m);
    // Many triangles with one and the same middle.
    assert_int_equal(mesh_alloc(3, 5000, false, &m), FIRN_OK);
    memcpy(m.position, (float[3][3]){{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, sizeof(float[3][3]));
    for (size_t i = 0; i < m.triangles; i++) memcpy(m.triangle[i], (uint32_t[3]){0, 1, 2}, 12);
    assert_int_equal(bvh_create(&m, &w), FIRN_OK);
    assert_near(bvh_distance(w, (float[3]){0.2f, 0.2f, 3.0f}, NULL, NULL), 3.0, 1e-6);
    bvh_destroy(w);
    mesh_free(&m);
}

static firn_status create_work(void *context) {
    bvh *w;
    firn_status status = bvh_create(context, &w);
    bvh_destroy(w);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    mesh m = make_torus(1, 0.3f, 20, 10);
    sweep_allocations(create_work, &m);
    mesh_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_meshes),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_odd_meshes),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
