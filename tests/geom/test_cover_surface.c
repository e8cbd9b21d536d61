// The surface of snow in cells: closed, outward, with the volume of the snow; on the ground, on roofs, beside
// walls, in heaps and in any heap of cells at all.
#include "geom/meshes.h"

#include "geom/cover_surface.h"

enum { NX = 40, NY = 24, NZ = 36, CELLS = NX * NY * NZ };

typedef struct cover_test {
    float fill[CELLS];
    cover_floor floor[CELLS];
    cover_grid grid;
} cover_test;

static cover_test *begin(void) {
    static cover_test t;
    memset(&t, 0, sizeof t);
    t.grid =
        (cover_grid){.fill = t.fill, .n = {NX, NY, NZ}, .low = {-3, 1, 2}, .cell = 0.25, .floor = t.floor};
    return &t;
}

static size_t at(int i, int j, int k) { return ((size_t)k * NY + (size_t)j) * NX + (size_t)i; }

// Ground of a height (cells) that need not be whole, with snow of another on it.
static void set_slope(cover_test *t, int i, int k, double ground, double snow, double steep) {
    int base = (int)floor(ground + 0.5);
    for (int j = 0; j < base && j < NY; j++) t->fill[at(i, j, k)] = -1;
    t->floor[t->grid.floors++] =
        (cover_floor){.cell = (uint32_t)at(i, base, k), .up = (float)(ground - base), .steep = (float)steep};
    for (int j = base; snow > 0 && j < NY; j++, snow -= 1) t->fill[at(i, j, k)] = (float)fmin(snow, 1);
}

static void set_column(cover_test *t, int i, int k, double ground, double snow) {
    set_slope(t, i, k, ground, snow, 0);
}

static int by_cell(const void *a, const void *b) {
    uint32_t p = ((const cover_floor *)a)->cell, q = ((const cover_floor *)b)->cell;
    return p < q ? -1 : p > q;
}

// Each vertex looks out: along the mean normal of the triangles around it.
static void assert_outward(const mesh *m) {
    double(*sum)[3] = calloc(m->vertices, sizeof *sum);
    for (size_t t = 0; t < m->triangles; t++) {
        const uint32_t *v = m->triangle[t];
        double e[3], f[3];
        for (int k = 0; k < 3; k++) {
            e[k] = (double)m->position[v[1]][k] - (double)m->position[v[0]][k];
            f[k] = (double)m->position[v[2]][k] - (double)m->position[v[0]][k];
        }
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
                sum[v[c]][k] += e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
    }
    for (size_t i = 0; i < m->vertices; i++) {
        const float *n = m->normal[i];
        assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-4);
        double size = sqrt(sum[i][0] * sum[i][0] + sum[i][1] * sum[i][1] + sum[i][2] * sum[i][2]);
        if (size < 1e-9) continue;
        assert_true((double)n[0] * sum[i][0] + (double)n[1] * sum[i][1] + (double)n[2] * sum[i][2] >
                    0.05 * size);
    }
    free(sum);
}

static mesh surface_of(cover_test *t) {
    mesh m;
    qsort(t->floor, t->grid.floors, sizeof *t->floor, by_cell);
    assert_int_equal(cover_surface(&t->grid, &m), FIRN_OK);
    assert_two_manifold(&m);
    assert_outward(&m);
    return m;
}

static void assert_volume(cover_test *t, double tolerance) {
    mesh m = surface_of(t);
    assert_near(mesh_volume(&m) / cover_volume(&t->grid), 1, tolerance);
    mesh_free(&m);
}

// However thin: a box from border to border.
static void test_flat_ground(void **state) {
    (void)state;
    const double depth[] = {0.01, 0.3, 0.5, 1, 2.7};
    for (int d = 0; d < 5; d++) {
        cover_test *t = begin();
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) set_column(t, i, k, 0, depth[d]);
        mesh m = surface_of(t);
        float low[3], high[3];
        mesh_bounds(&m, low, high);
        assert_near(low[0], -3, 1e-4);
        assert_near(high[0], -3 + 0.25 * NX, 1e-4);
        assert_near(low[1], 1, 1e-4);
        assert_near(high[1], 1 + 0.25 * depth[d], 1e-3);
        assert_near(mesh_volume(&m), 0.25 * 0.25 * 0.25 * NX * NZ * depth[d], 2e-3 * mesh_volume(&m));
        mesh_free(&m);
    }
}

static double bump(int i, int k, uint64_t seed) {
    return (double)random_unit(random_bits(seed, (uint64_t)(k * NX + i), 0, 0), 0);
}

static void test_uneven_snow(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        cover_test *t = begin();
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) set_column(t, i, k, 0, 1 + 0.15 * (double)seed * bump(i, k, seed));
        assert_volume(t, 0.02);
    }
}

// How far the upper side is from a drift of 20 cells' length (cells, root of the mean square), and its share of that drift.
static void compare_with_drift(const mesh *m, double size, double *off, double *share) {
    double with = 0, all = 0, sum = 0, count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t v = 0; v < m->vertices; v++) {
            double x = ((double)m->position[v][0] + 3) / 0.25, z = ((double)m->position[v][2] - 2) / 0.25,
                   y = ((double)m->position[v][1] - 1) / 0.25 - 4, wave = sin(2 * acos(-1.0) * x / 20);
            if (x < 4 || x > NX - 4 || z < 4 || z > NZ - 4 || m->normal[v][1] < 0.2f) continue;
            if (pass) {
                sum += (y - *share * size * wave) * (y - *share * size * wave), count++;
            } else {
                with += y * wave, all += size * wave * wave;
            }
            *share = with / all;
        }
    *off = sqrt(sum / count);
}

// Heaps of single flakes go, drifts stay.
static void test_heaps_of_flakes_are_no_drifts(void **state) {
    (void)state;
    cover_test *t = begin();
    for (int k = 0; k < NZ; k++)
        for (int i = 0; i < NX; i++)
            set_column(t, i, k, 0, 3.25 + 1.5 * bump(i, k, 3) + 1.2 * sin(2 * acos(-1.0) * (i + 0.5) / 20));
    double off[2], share[2];
    for (unsigned n = 0; n < 2; n++) {
        t->grid.smooth = 4 * n;
        t->grid.level = 8 * n;
        mesh m = surface_of(t);
        compare_with_drift(&m, 1.2, &off[n], &share[n]);
        if (n) assert_near(mesh_volume(&m) / cover_volume(&t->grid), 1, 0.01);
        mesh_free(&m);
    }
    print_message("heaps: %.3f of a cell, smoothed %.3f; drift: %.3f, %.3f\n", off[0], off[1], share[0], share[1]);
    assert_true(off[0] > 0.3 && off[1] < 0.4 * off[0]);
    assert_true(share[1] > 0.75 && share[1] < 1.05);
}

// A cone on bare ground, and the half that a wall leaves of it.
static void test_heap(void **state) {
    (void)state;
    for (int wall = 0; wall < 2; wall++) {
        cover_test *t = begin();
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                bool behind = wall && i >= 21 && i < 24;
                set_column(t, i, k, behind ? NY : 0,
                           wall && i > 20 ? 0 : 11.3 - 0.75 * hypot(i - 20.2, k - 17.6));
            }
        mesh m = surface_of(t);
        assert_near(mesh_volume(&m) / cover_volume(&t->grid), 1, 0.02);
        // Normals of the cone: as steep everywhere.
        size_t steep = 0, upper = 0;
        for (size_t v = 0; v < m.vertices; v++) {
            double x = ((double)m.position[v][0] + 3) / 0.25 - 20.7,
                   z = ((double)m.position[v][2] - 2) / 0.25 - 18.1;
            double r = hypot(x, z);
            if (r < 3 || r > 12 || m.position[v][1] < 1.3f || (wall && x > -2)) continue;
            double along = -(x * (double)m.normal[v][0] + z * (double)m.normal[v][2]) / r;
            upper++;
            steep += fabs(along / (double)m.normal[v][1] + 0.75) < 0.1;
        }
        assert_true(upper > 200 && (double)steep > 0.97 * (double)upper);
        mesh_free(&m);
    }
}

// A saddle roof of 40 degrees, turned against the grid, above ground with snow: thin snow hangs together on
// the stairs of its cells.
static void test_roof(void **state) {
    (void)state;
    const double depth[] = {0.2, 0.6, 1.5};
    for (int d = 0; d < 3; d++) {
        cover_test *t = begin();
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                double u = 0.9 * (i - 20) + 0.43 * (k - 18), v = -0.43 * (i - 20) + 0.9 * (k - 18);
                bool house = fabs(u) < 11 && fabs(v) < 9;
                set_slope(t, i, k, house ? 14 - 0.84 * fabs(u) : 0, depth[d], house ? 0.84 : 0);
            }
        mesh m = surface_of(t);
        assert_near(mesh_volume(&m) / cover_volume(&t->grid), 1, 0.02);
        // The upper side of the roof's snow is a plane: no vertex that looks up stands out of it.
        size_t seen = 0, off = 0;
        for (size_t n = 0; n < m.vertices; n++) {
            double i = ((double)m.position[n][0] + 3) / 0.25 - 20.5,
                   k = ((double)m.position[n][2] - 2) / 0.25 - 18.5;
            double u = fabs(0.9 * i + 0.43 * k), v = fabs(-0.43 * i + 0.9 * k);
            if (u < 2 || u > 9 || v > 7 || m.normal[n][1] < 0.3f) continue;
            seen++;
            off += fabs(((double)m.position[n][1] - 1) / 0.25 - (14 - 0.84 * u + depth[d])) > 0.1;
        }
        assert_true(seen > 150 && off == 0);
        mesh_free(&m);
    }
}

// Patches of thin snow on a steep roof and on the ground around it.
static void test_patches(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed += 2) {
        cover_test *t = begin();
        for (int k = 0; k < NZ; k++)
            for (int i = 0; i < NX; i++) {
                double u = 0.9 * (i - 20) + 0.43 * (k - 18), v = -0.43 * (i - 20) + 0.9 * (k - 18);
                bool house = fabs(u) < 11 && fabs(v) < 9, white = bump(i / 3, k / 3, seed) < 0.4;
                double snow = white ? 0.05 * (double)seed * (0.3 + bump(i, k, seed + 100)) : 0;
                set_slope(t, i, k, house ? 16 - 1.2 * fabs(u) : 0, snow, house ? 1.2 : 0);
            }
        assert_volume(t, 0.01);
    }
}

// Any cells: bodies, snow, air in a muddle; nothing is said of volumes.
static void test_muddle(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        cover_test *t = begin();
        for (size_t c = 0; c < CELLS; c++) {
            float r = random_unit(random_bits(seed, c, 0, 0), 0);
            t->fill[c] = r < 0.3f ? -1 : r < 0.5f ? 0 : 1.2f * random_unit(random_bits(seed, c, 0, 0), 1);
        }
        t->grid.overlap = seed % 2 ? 0.4f : 0;
        t->grid.smooth = seed % 4 == 0 ? 2 : 0;
        t->grid.level = seed % 3 == 0 ? 4 : 0;
        mesh m;
        assert_int_equal(cover_surface(&t->grid, &m), FIRN_OK);
        assert_true(m.triangles > 1000);
        assert_two_manifold(&m);
        for (size_t v = 0; v < m.vertices; v++)
            assert_true(isfinite(m.position[v][0] + m.position[v][1] + m.position[v][2]));
        mesh_free(&m);
    }
}

static firn_status build(void *context) {
    mesh m;
    firn_status status = cover_surface(context, &m);
    mesh_free(&m);
    return status;
}

static void test_nothing_and_no_memory(void **state) {
    (void)state;
    cover_test *t = begin();
    mesh m = surface_of(t);
    assert_int_equal(m.triangles, 0);
    mesh_free(&m);
    for (int i = 0; i < 9; i++) set_column(t, 10 + i, 10, 2, 0.7);
    t->grid.smooth = 1;
    t->grid.level = 1;
    sweep_allocations(build, &t->grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flat_ground),
                                       cmocka_unit_test(test_uneven_snow),
                                       cmocka_unit_test(test_heaps_of_flakes_are_no_drifts),
                                       cmocka_unit_test(test_heap),
                                       cmocka_unit_test(test_roof),
                                       cmocka_unit_test(test_patches),
                                       cmocka_unit_test(test_muddle),
                                       cmocka_unit_test(test_nothing_and_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
