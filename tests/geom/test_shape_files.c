// Shapes from files: height maps, binvox and meshes.
#include <math.h>

#include "base/memory.h"
#include "geom/fill.h"
#include "geom/image.h"
#include "geom/shape_checks.h"
#include "geom/voxel_files.h"

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/firn-shapes-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    const char *names[] = {"ramp.png", "flat.png", "ball.binvox", "ball.obj", "out.obj", "bad.obj"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static shape *from_file(firn_shape_def def, double scale) {
    shape *s = NULL;
    if (shape_create(&def, scale, folder, "test", &s) != FIRN_OK)
        fail_msg("shape_create: %s", firn_last_error());
    return s;
}

static void write_map(const char *name, uint32_t width, uint32_t height,
                      uint16_t (*value)(uint32_t i, uint32_t j)) {
    uint16_t *values = malloc((size_t)width * height * sizeof *values);
    for (uint32_t j = 0; j < height; j++) {
        for (uint32_t i = 0; i < width; i++) values[(size_t)j * width + i] = value(i, j);
    }
    assert_ok(grey_map_write(&(grey_map){values, width, height}, path_of(name)));
    free(values);
}

static uint16_t ramp(uint32_t i, uint32_t j) {
    (void)j;
    return (uint16_t)(i * 65535 / 32);
}

// A ramp that rises by 3 m over 4 m: distances are those to a plane, 4/5 of the height over it.
static void test_ramp(void **state) {
    (void)state;
    write_map("ramp.png", 33, 17, ramp);
    shape *s = from_file(
        (firn_shape_def){.kind = FIRN_SHAPE_HEIGHT_MAP, .file = "ramp.png", .size = {2, 1.5, 1}}, 2);
    const shape_heights *h = shape_height_map(s);
    assert_int_equal(h->nx, 33);
    assert_int_equal(h->nz, 17);
    assert_near((double)h->y[32], 3, 1e-6);
    for (uint64_t i = 0; i < 200; i++) {
        firn_vec3 p = random_point(3, i, vec(0, 1.5, 0), vec(0.8, 0.3, 0.5)), n;
        double expected = 0.8 * (p.y - 0.75 * (p.x + 2));
        if (fabs(expected) > 0.25) continue; // otherwise a side or the bottom may be nearer
        assert_near(shape_sdf(s, p, &n), expected, 2e-4);
        assert_near(n.x, -0.6, 1e-2);
        assert_near(n.y, 0.8, 1e-2);
    }
    shape_mass m;
    assert_true(shape_mass_of(s, &m));
    assert_near(m.volume, 4 * 2 * (1.5 + 0.4), 1e-3);
    shape_destroy(s);
}

static uint16_t flat(uint32_t i, uint32_t j) {
    (void)i, (void)j;
    return 0;
}

static void test_flat_map_is_a_slab(void **state) {
    (void)state;
    write_map("flat.png", 2, 2, flat);
    shape *s =
        from_file((firn_shape_def){.kind = FIRN_SHAPE_HEIGHT_MAP, .file = "flat.png", .size = {4, 1, 4}}, 1);
    assert_near(shape_sdf(s, vec(0.3, 0.2, 0.1), NULL), 0.2, 1e-6);
    assert_near(shape_sdf(s, vec(0.3, 30, 0.1), NULL), 30, 1e-4);
    assert_near(shape_thickness(s), 0.4, 1e-6);
    shape_destroy(s);
}

static void test_binvox(void **state) {
    (void)state;
    voxels v = voxels_ball(0.5f, 25);
    binvox_put(&v, path_of("ball.binvox"));
    voxels_free(&v);
    shape *s =
        from_file((firn_shape_def){.kind = FIRN_SHAPE_BINVOX, .file = "ball.binvox", .height = 2}, 1.5);
    firn_vec3 low, high;
    assert_true(shape_bounds(s, &low, &high));
    assert_near(low.y, 0, 1e-5);
    assert_near(high.y, 3, 1e-5);
    assert_near(low.x, -high.x, 1e-5);
    shape_mass m;
    assert_true(shape_mass_of(s, &m));
    assert_near(m.volume / (4.0 / 3 * M_PI * 3.375), 1, 0.1);
    assert_near(shape_sdf(s, vec(0, 1.5, 0), NULL), -1.5, 0.15);
    shape_destroy(s);
}

static void write_ball(const char *name, bool inside_out, size_t missing) {
    shape *ball = make_shape((firn_shape_def){.kind = FIRN_SHAPE_ELLIPSOID, .radii = {0.5, 0.4, 0.3}}, 1);
    mesh m;
    assert_ok(mesh_copy(shape_mesh(ball), &m));
    m.triangles -= missing;
    for (size_t t = 0; inside_out && t < m.triangles; t++) {
        uint32_t *v = m.triangle[t], kept = v[0];
        v[0] = v[1], v[1] = kept;
    }
    assert_ok(mesh_write_obj(&m, path_of(name)));
    mesh_free(&m);
    shape_destroy(ball);
}

// A file read as it is, scaled to a height, inside out and with a hole: always the same solid.
static void test_mesh_files(void **state) {
    (void)state;
    const double volume = 4.0 / 3 * M_PI * 0.5 * 0.4 * 0.3;
    shape *exact = make_shape((firn_shape_def){.kind = FIRN_SHAPE_ELLIPSOID, .radii = {0.5, 0.4, 0.3}}, 2);
    for (int i = 0; i < 3; i++) {
        write_ball("ball.obj", i == 1, i == 2 ? 2 : 0);
        shape *s = from_file((firn_shape_def){.kind = FIRN_SHAPE_MESH, .file = "ball.obj"}, 2);
        shape_mass m;
        assert_true(shape_mass_of(s, &m));
        assert_near(m.volume / (8 * volume), 1, 0.01);
        assert_near(m.inertia[1][1] / m.volume, 0.2 * (1 + 0.36), 0.01);
        for (uint64_t k = 0; k < 200; k++) {
            firn_vec3 p = random_point(6, k, vec(0, 0, 0), vec(1.2, 1, 0.8));
            double d = shape_sdf(exact, p, NULL);
            if (fabs(d) > 0.2) continue;
            assert_near(shape_sdf(s, p, NULL), d, 0.01);
        }
        assert_near(shape_thickness(s), 0.9, 0.35);
        shape_destroy(s);
    }
    shape *tall =
        from_file((firn_shape_def){.kind = FIRN_SHAPE_MESH, .file = "ball.obj", .height = 1.6}, 0.5);
    firn_vec3 low, high;
    assert_true(shape_bounds(tall, &low, &high));
    assert_near(low.y, 0, 1e-5);
    assert_near(high.y, 0.8, 1e-5);
    assert_near(high.x, 0.5, 2e-3);
    shape_destroy(tall);
    shape_destroy(exact);
}

static void test_bad_meshes(void **state) {
    (void)state;
    mesh flat_mesh;
    assert_ok(mesh_alloc(3, 1, false, &flat_mesh));
    const float corner[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    memcpy(flat_mesh.position, corner, sizeof corner);
    memcpy(flat_mesh.triangle[0], (uint32_t[3]){0, 1, 2}, sizeof(uint32_t[3]));
    assert_ok(mesh_write_obj(&flat_mesh, path_of("bad.obj")));
    mesh_free(&flat_mesh);
    const firn_shape_def bad[] = {
        {.kind = FIRN_SHAPE_MESH},
        {.kind = FIRN_SHAPE_MESH, .file = "none.obj"},
        {.kind = FIRN_SHAPE_MESH, .file = "flat.png"},
        {.kind = FIRN_SHAPE_MESH, .file = "bad.obj"},
        {.kind = FIRN_SHAPE_MESH, .file = "bad.obj", .height = 1},
        {.kind = FIRN_SHAPE_MESH, .file = "ball.obj", .resolution = 1e-5},
        {.kind = FIRN_SHAPE_MESH, .file = "ball.obj", .height = 1e9},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        shape *s;
        firn_status status = shape_create(&bad[i], 1, folder, "thing", &s);
        assert_true(status == FIRN_BAD_INPUT || status == FIRN_IO);
        assert_null(s);
    }
}

static void expect_bad(firn_shape_def def) {
    shape *s;
    firn_status status = shape_create(&def, 1, folder, "thing", &s);
    assert_true(status == FIRN_BAD_INPUT || status == FIRN_IO);
    assert_null(s);
}

static void test_missing_and_wrong_files(void **state) {
    (void)state;
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_HEIGHT_MAP, .size = {1, 1, 1}});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_HEIGHT_MAP, .file = "none.png", .size = {1, 1, 1}});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_HEIGHT_MAP, .file = "ball.binvox", .size = {1, 1, 1}});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_HEIGHT_MAP, .file = "flat.png", .size = {1, 0, 1}});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_BINVOX});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_BINVOX, .file = "flat.png"});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_BINVOX, .file = "none.binvox", .height = 1});
    expect_bad((firn_shape_def){.kind = FIRN_SHAPE_BINVOX, .file = "ball.binvox", .height = -1});
}

static void test_no_memory_leaves_nothing(void **state) {
    (void)state;
    const firn_shape_def map = {.kind = FIRN_SHAPE_HEIGHT_MAP, .file = "flat.png", .size = {1, 1, 1}};
    for (size_t n = 1; n < 1000; n++) {
        size_t before = mem_in_use();
        failing_allocator f;
        fail_allocation(&f, n);
        shape *s;
        firn_status status = shape_create(&map, 1, folder, "thing", &s);
        shape_destroy(s);
        firn_set_allocator(NULL);
        assert_int_equal(mem_in_use(), before);
        if (f.calls < n) break;
        assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ramp),
        cmocka_unit_test(test_flat_map_is_a_slab),
        cmocka_unit_test(test_binvox),
        cmocka_unit_test(test_mesh_files),
        cmocka_unit_test(test_bad_meshes),
        cmocka_unit_test(test_missing_and_wrong_files),
        cmocka_unit_test(test_no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
