// Sheets: closed whatever is torn, and as thick as asked for.
#include "geom/meshes.h"

#include "geom/sheet.h"

enum { COLUMNS = 9, ROWS = 6, POINTS = COLUMNS * ROWS };
static const double STEP = 0.1, THICK = 0.02;

static void lay_flat(float at[POINTS][3]) {
    for (int i = 0; i < POINTS; i++) {
        at[i][0] = (float)(STEP * (i % COLUMNS));
        at[i][1] = 0.5f;
        at[i][2] = (float)(STEP * (i / COLUMNS));
    }
}

static void assert_closed(const mesh *m) {
    mesh_defects d;
    assert_int_equal(mesh_inspect(m, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite, 0);
}

static void test_whole(void **state) {
    (void)state;
    float at[POINTS][3], value[POINTS];
    surface s;
    lay_flat(at);
    for (int i = 0; i < POINTS; i++) value[i] = (float)i;
    const sheet_input in = {.at = (const float(*)[3])at,
                            .columns = COLUMNS,
                            .rows = ROWS,
                            .thickness = THICK,
                            .value = value,
                            .channels = 1};
    assert_int_equal(sheet_build(&in, &s), FIRN_OK);
    assert_int_equal(s.mesh.vertices, 2 * POINTS);
    int squares = (COLUMNS - 1) * (ROWS - 1), border = 2 * (COLUMNS - 1 + ROWS - 1);
    assert_int_equal(s.mesh.triangles, 4 * squares + 2 * border);
    assert_closed(&s.mesh);
    assert_two_manifold(&s.mesh);
    assert_near(mesh_volume(&s.mesh), squares * STEP * STEP * THICK, 1e-7);
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        assert_near(fabsf(s.mesh.normal[v][1]), 1, 1e-6);
        assert_near(fabsf(s.mesh.position[v][1] - 0.5f), THICK / 2, 1e-6);
        assert_near(s.value[v], (double)(v / 2), 0);
    }
    isosurface_free(&s);
}

// Whatever holds and whatever does not, no edge is open; nothing is left where nothing holds.
static void test_torn(void **state) {
    (void)state;
    float at[POINTS][3];
    uint8_t held[POINTS];
    lay_flat(at);
    for (uint64_t seed = 0; seed < 200; seed++) {
        surface s;
        for (int i = 0; i < POINTS; i++) {
            at[i][1] = random_unit(random_bits(seed, (uint64_t)i, 0, 0), 0);
            uint32_t tear = random_bits(seed, (uint64_t)i, 0, 1).v[0];
            held[i] = (uint8_t)(tear % 100 < 2 * seed ? tear / 100 % 4 : 3);
        }
        const sheet_input in = {(const float(*)[3])at, COLUMNS, ROWS, held, THICK, NULL, 0};
        assert_int_equal(sheet_build(&in, &s), FIRN_OK);
        assert_closed(&s.mesh);
        isosurface_free(&s);
    }
    surface s;
    memset(held, 0, sizeof held);
    const sheet_input in = {(const float(*)[3])at, COLUMNS, ROWS, held, THICK, NULL, 0};
    assert_int_equal(sheet_build(&in, &s), FIRN_OK);
    assert_int_equal(s.mesh.vertices + s.mesh.triangles, 0);
    isosurface_free(&s);
}

static void test_cut(void **state) {
    (void)state;
    float at[POINTS][3];
    uint8_t held[POINTS];
    surface s;
    lay_flat(at);
    memset(held, SHEET_ALONG_ROW | SHEET_ALONG_COLUMN, sizeof held);
    for (int r = 0; r < ROWS; r++) held[r * COLUMNS + 3] = SHEET_ALONG_COLUMN; // between columns 3 and 4
    at[POINTS - 1][2] = NAN; // the last square has one triangle less than two
    const sheet_input in = {(const float(*)[3])at, COLUMNS, ROWS, held, THICK, NULL, 0};
    assert_int_equal(sheet_build(&in, &s), FIRN_OK);
    assert_closed(&s.mesh);
    double squares = (COLUMNS - 2) * (ROWS - 1) - 1;
    assert_near(mesh_volume(&s.mesh), squares * STEP * STEP * THICK, 1e-7);
    isosurface_free(&s);
}

// The smooth one has the area of the other where it is flat, with the same tears, and is round where it is
// bent.
static void test_smooth(void **state) {
    (void)state;
    float at[POINTS][3], value[POINTS];
    uint8_t held[POINTS];
    for (uint64_t seed = 0; seed < 60; seed++) {
        surface plain, smooth;
        lay_flat(at);
        for (int i = 0; i < POINTS; i++) {
            uint32_t tear = random_bits(seed, (uint64_t)i, 0, 1).v[0];
            held[i] = (uint8_t)(tear % 100 < 2 * seed ? tear / 100 % 4 : 3);
            value[i] = at[i][0];
        }
        const sheet_input in = {(const float(*)[3])at, COLUMNS, ROWS, held, THICK, value, 1};
        assert_int_equal(sheet_build(&in, &plain), FIRN_OK);
        assert_int_equal(sheet_build_smooth(&in, &smooth), FIRN_OK);
        assert_closed(&smooth.mesh);
        assert_near(mesh_volume(&smooth.mesh), mesh_volume(&plain.mesh), 1e-7);
        for (size_t v = 0; v < smooth.mesh.vertices; v++)
            assert_near(smooth.value[v], smooth.mesh.position[v][0], 1e-6);
        isosurface_free(&plain);
        isosurface_free(&smooth);
    }
    surface s;
    for (int i = 0; i < POINTS; i++) {
        double angle = STEP * (i % COLUMNS) / 0.3;
        at[i][0] = (float)(0.3 * sin(angle)), at[i][1] = (float)(0.3 * cos(angle));
    }
    const sheet_input bent = {(const float(*)[3])at, COLUMNS, ROWS, NULL, THICK, NULL, 0};
    assert_int_equal(sheet_build_smooth(&bent, &s), FIRN_OK);
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        double x = (double)s.mesh.position[v][0], y = (double)s.mesh.position[v][1], r = hypot(x, y);
        bool inner = x > 0.1 && y > 0; // straight on beyond the last points
        assert_near(fabs(r - 0.3), THICK / 2, inner ? 5e-4 : 5e-3);
    }
    isosurface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_torn),
                                       cmocka_unit_test(test_cut), cmocka_unit_test(test_smooth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
