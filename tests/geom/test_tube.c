// Tubes: closed, of the right volume, and in as many pieces as the rope is.
#include "geom/meshes.h"

#include "geom/sheet.h"
#include "geom/tube.h"

enum { POINTS = 21 };
static const double STEP = 0.05, RADIUS = 0.02;

static void assert_closed(const mesh *m) {
    mesh_defects d;
    assert_int_equal(mesh_inspect(m, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite + d.degenerate, 0);
}

// The polygons of 14 sides that stand for circles.
static double polygon(void) { return 7 * sin(2 * M_PI / 14) / M_PI; }

static double volume_of(double length, int pieces) {
    return M_PI * RADIUS * RADIUS * length + pieces * 4 * M_PI / 3 * RADIUS * RADIUS * RADIUS;
}

static void test_straight(void **state) {
    (void)state;
    float at[POINTS][3], value[POINTS];
    surface s;
    for (int i = 0; i < POINTS; i++) {
        memcpy(at[i], (float[3]){(float)(STEP * i), 1, 2}, sizeof at[i]);
        value[i] = (float)i;
    }
    const tube_input in = {(const float(*)[3])at, POINTS, NULL, RADIUS, value, 1};
    assert_int_equal(tube_build(&in, &s), FIRN_OK);
    assert_closed(&s.mesh);
    double length = STEP * (POINTS - 1);
    assert_near(mesh_volume(&s.mesh) / volume_of(length, 1) / polygon(), 1, 0.005);
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        double x = (double)s.mesh.position[v][0], y = (double)s.mesh.position[v][1] - 1,
               z = (double)s.mesh.position[v][2] - 2;
        double beyond = x < 0 ? x : x > length ? x - length : 0;
        assert_near(sqrt(beyond * beyond + y * y + z * z), RADIUS, 1e-6); // ends are round
        if (beyond == 0) assert_near(s.value[v], x / STEP, 1e-4);
    }
    isosurface_free(&s);
}

// A circle of points: the tube is round between them too.
static void test_bent(void **state) {
    (void)state;
    float at[POINTS][3];
    surface s;
    double turn = M_PI / (POINTS - 1), radius = STEP / turn;
    for (int i = 0; i < POINTS; i++)
        memcpy(at[i], (float[3]){(float)(radius * cos(turn * i)), (float)(radius * sin(turn * i)), 0},
               sizeof at[i]);
    const tube_input in = {(const float(*)[3])at, POINTS, NULL, RADIUS, NULL, 0};
    assert_int_equal(tube_build(&in, &s), FIRN_OK);
    assert_closed(&s.mesh);
    assert_near(mesh_volume(&s.mesh) / volume_of(M_PI * radius, 1) / polygon(), 1, 0.005);
    isosurface_free(&s);
}

static void test_torn(void **state) {
    (void)state;
    float at[POINTS][3];
    uint8_t held[POINTS];
    surface s;
    for (int i = 0; i < POINTS; i++) {
        memcpy(at[i], (float[3]){0, (float)(-STEP * i), 0}, sizeof at[i]);
        held[i] = SHEET_ALONG_ROW;
    }
    held[4] = held[5] = 0; // five points, one, the rest
    at[POINTS - 1][0] = NAN;
    const tube_input in = {(const float(*)[3])at, POINTS, held, RADIUS, NULL, 0};
    assert_int_equal(tube_build(&in, &s), FIRN_OK);
    assert_closed(&s.mesh);
    assert_near(mesh_volume(&s.mesh) / volume_of(STEP * (POINTS - 1 - 3), 3) / polygon(), 1, 0.01);
    isosurface_free(&s);
    const tube_input none = {(const float(*)[3])at, 0, held, RADIUS, NULL, 0};
    assert_int_equal(tube_build(&none, &s), FIRN_OK);
    assert_int_equal(s.mesh.vertices + s.mesh.triangles, 0);
    isosurface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_straight), cmocka_unit_test(test_bent),
                                       cmocka_unit_test(test_torn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
