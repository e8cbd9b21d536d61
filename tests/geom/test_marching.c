// firn-test: threaded
#include "geom/meshes.h"
#include "geom/marching.h"
#include "geom/marching_table.h"

static void test_table(void **state) {
    (void)state;
    static marching_case table[256];
    marching_table_build(table);
    assert_int_equal(table[0].triangles, 0);
    assert_int_equal(table[255].triangles, 0);
    assert_int_equal(table[1].triangles, 1);
    for (int i = 0; i < 256; i++) {
        bool crossed[12] = {0}, used[12] = {0};
        for (int e = 0; e < 12; e++) {
            int low = marching_edge_corner(e), high = low | 1 << e / 4;
            assert_int_equal(low >> e / 4 & 1, 0);
            crossed[e] = (i >> low & 1) != (i >> high & 1);
        }
        for (int t = 0; t < table[i].triangles; t++)
            for (int k = 0; k < 3; k++) used[table[i].edge[t][k]] = true;
        assert_memory_equal(crossed, used, sizeof used);
    }
}

enum { SIZE = 12 };

// Noise whose border is outside. Few distinct values on purpose in some seeds, so that samples hit the level.
static void fill_noise(uint64_t seed, float *values) {
    bool coarse = seed % 4 == 0;
    for (int z = 0, i = 0; z < SIZE; z++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++, i++) {
                bool border = x == 0 || y == 0 || z == 0 || x == SIZE - 1 || y == SIZE - 1 || z == SIZE - 1;
                float noise = random_signed(seed, (uint64_t)i, 0);
                values[i] = border ? 1.0f : coarse ? roundf(noise * 2.0f) : noise;
            }
}

static void test_noise_is_closed(void **state) {
    (void)state;
    static float values[SIZE * SIZE * SIZE];
    for (uint64_t seed = 1; seed <= 200; seed++) {
        fill_noise(seed, values);
        marching_grid grid = {.values = values, .nx = SIZE, .ny = SIZE, .nz = SIZE, .cell = 0.5f};
        mesh m;
        assert_int_equal(marching_cubes(&grid, &m), FIRN_OK);
        assert_true(m.triangles > 500);
        assert_two_manifold(&m);
        mesh_defects d;
        assert_int_equal(mesh_inspect(&m, &d), FIRN_OK);
        assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite + d.degenerate, 0);
        assert_true(mesh_volume(&m) > 0.0);
        mesh_free(&m);
    }
}

enum { ROUND = 40 };
static void test_sphere(void **state) {
    (void)state;
    static float values[ROUND * ROUND * ROUND];
    const float cell = 0.1f, radius = 1.5f, low = -0.5f * (ROUND - 1) * cell + 0.013f;
    for (int z = 0, i = 0; z < ROUND; z++)
        for (int y = 0; y < ROUND; y++)
            for (int x = 0; x < ROUND; x++, i++) {
                float p[3] = {low + cell * (float)x, low + cell * (float)y, low + cell * (float)z};
                values[i] = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) + 3.0f;
            }
    marching_grid grid = {.values = values,
                          .nx = ROUND,
                          .ny = ROUND,
                          .nz = ROUND,
                          .low = {low, low, low},
                          .cell = cell,
                          .level = radius + 3.0f};
    mesh m;
    assert_int_equal(marching_cubes(&grid, &m), FIRN_OK);
    assert_two_manifold(&m);
    assert_near(mesh_volume(&m) / (4.0 / 3.0 * M_PI * pow(radius, 3)), 1.0, 0.01);
    assert_int_equal(m.vertices, m.triangles / 2 + 2); // Euler: one sphere
    for (size_t i = 0; i < m.vertices; i++) {
        const float *p = m.position[i], *n = m.normal[i];
        assert_near(sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), radius, 0.01 * cell);
        assert_true((n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / radius > 0.999f);
    }
    // The same bits for any number of threads.
    for (int threads = 1; threads <= 3; threads++) {
        mesh again;
        firn_set_threads(threads);
        assert_int_equal(marching_cubes(&grid, &again), FIRN_OK);
        assert_int_equal(again.vertices, m.vertices);
        assert_memory_equal(again.position, m.position, m.vertices * sizeof *m.position);
        assert_memory_equal(again.normal, m.normal, m.vertices * sizeof *m.normal);
        assert_memory_equal(again.triangle, m.triangle, m.triangles * sizeof *m.triangle);
        mesh_free(&again);
    }
    firn_set_threads(0);
    mesh_free(&m);
}

static void test_odd_fields(void **state) {
    (void)state;
    float values[4 * 3 * 3];
    for (int i = 0; i < 36; i++) values[i] = 1.0f;
    values[1 + 4 * (1 + 3)] = -1.0f; // one sample inside: an octahedron
    marching_grid grid = {.values = values, .nx = 4, .ny = 3, .nz = 3, .cell = 1.0f};
    mesh m;
    assert_int_equal(marching_cubes(&grid, &m), FIRN_OK);
    assert_int_equal(m.vertices, 6);
    assert_int_equal(m.triangles, 8);
    assert_near(mesh_volume(&m), 4.0 / 3.0 * 0.125, 1e-6);
    mesh_free(&m);
    values[0] = NAN;
    values[2 + 4 * (1 + 3)] = -INFINITY;
    assert_int_equal(marching_cubes(&grid, &m), FIRN_OK);
    for (size_t i = 0; i < m.vertices; i++) {
        const float *n = m.normal[i];
        assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-5);
        assert_true(isfinite(m.position[i][0] + m.position[i][1] + m.position[i][2]));
    }
    mesh_free(&m);
    marching_grid none = {.values = values, .nx = 0, .ny = 3, .nz = 3, .cell = 1.0f};
    assert_int_equal(marching_cubes(&none, &m), FIRN_OK);
    assert_int_equal(m.triangles, 0);
    mesh_free(&m);
}

static firn_status march_work(void *context) {
    mesh m;
    firn_status status = marching_cubes(context, &m);
    mesh_free(&m);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    static float values[SIZE * SIZE * SIZE];
    fill_noise(7, values);
    marching_grid grid = {.values = values, .nx = SIZE, .ny = SIZE, .nz = SIZE, .cell = 0.5f};
    sweep_allocations(march_work, &grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),         cmocka_unit_test(test_noise_is_closed),
        cmocka_unit_test(test_sphere),        cmocka_unit_test(test_odd_fields),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
