// firn-test: threaded
#include "geom/fill.h"
#include "base/file.h"
#include "geom/meshes.h"
#include "geom/voxel_files.h"

#include <stdio.h>
#include <unistd.h>

static voxels make_voxels(uint32_t nx, uint32_t ny, uint32_t nz, uint64_t seed) {
    voxels v = {.nx = nx, .ny = ny, .nz = nz, .low = {-1.25f, 0.1f, 3.0f}, .cell = 0.037f};
    size_t total = (size_t)nx * ny * nz;
    v.bits = mem_zero((total + 7) / 8, 1);
    for (size_t i = 0; i < total; i++)
        if (random_bits(seed, i / 5, 0, 0).v[0] & 1) v.bits[i / 8] |= (uint8_t)(1u << i % 8);
    return v;
}

static void test_sphere(void **state) {
    (void)state;
    voxels v = voxels_ball(0.5f, 34);
    assert_near((double)voxels_count(&v) * pow((double)v.cell, 3) / (M_PI / 6.0), 1.0, 0.01);
    mesh m;
    assert_int_equal(voxels_to_mesh(&v, &m), FIRN_OK);
    mesh_defects d;
    assert_int_equal(mesh_inspect(&m, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges, 0);
    assert_near(mesh_volume(&m) / (M_PI / 6.0), 1.0, 0.02);
    for (size_t i = 0; i < m.vertices; i++) {
        const float *p = m.position[i], *n = m.normal[i];
        float r = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        assert_near(r, 0.5, 0.03);
        assert_true((n[0] * p[0] + n[1] * p[1] + n[2] * p[2]) / r > 0.8f); // smooth: no steps
    }
    mesh_free(&m);
    voxels_free(&v);
}

// Single cells, plates and rods survive the smoothing.
static void test_thin_parts(void **state) {
    (void)state;
    voxels v = {.nx = 9, .ny = 7, .nz = 6, .cell = 1.0f};
    v.bits = mem_zero(64, 1);
    mesh m;
    assert_int_equal(voxels_to_mesh(&v, &m), FIRN_OK);
    assert_int_equal(m.triangles, 0);
    mesh_free(&m);
    size_t i = 4 + 9 * (3 + 7 * 2);
    v.bits[i / 8] |= (uint8_t)(1u << i % 8);
    assert_int_equal(voxels_to_mesh(&v, &m), FIRN_OK);
    assert_int_equal(m.vertices, 6);
    assert_true(mesh_volume(&m) > 0.0);
    float low[3], high[3];
    mesh_bounds(&m, low, high);
    const float middle[3] = {4.5f, 3.5f, 2.5f};
    for (int k = 0; k < 3; k++) assert_near(0.5f * (low[k] + high[k]), middle[k], 1e-5);
    mesh_free(&m);
    memset(v.bits, 255, (9 * 7 * 6 + 7) / 8); // solid up to its border
    assert_int_equal(voxels_to_mesh(&v, &m), FIRN_OK);
    assert_near(mesh_volume(&m) / (9.0 * 7.0 * 6.0), 0.9, 0.1); // edges are rounded
    mesh_defects d;
    assert_int_equal(mesh_inspect(&m, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges, 0);
    mesh_free(&m);
    voxels_free(&v);
}

static void test_binvox_round_trip(void **state) {
    (void)state;
    const uint32_t sizes[4][3] = {{1, 1, 1}, {7, 5, 3}, {16, 40, 9}, {3, 300, 2}};
    for (int i = 0; i < 4; i++) {
        voxels v = make_voxels(sizes[i][0], sizes[i][1], sizes[i][2], (uint64_t)i), back;
        binvox_put(&v, "voxels-test.binvox");
        assert_int_equal(binvox_read("voxels-test.binvox", &back), FIRN_OK);
        assert_true(back.nx == v.nx && back.ny == v.ny && back.nz == v.nz);
        assert_memory_equal(back.low, v.low, sizeof v.low);
        assert_memory_equal(&back.cell, &v.cell, sizeof v.cell);
        assert_memory_equal(back.bits, v.bits, ((size_t)v.nx * v.ny * v.nz + 7) / 8);
        voxels_free(&v);
        voxels_free(&back);
    }
    unlink("voxels-test.binvox");
}

static void test_binvox_layout(void **state) {
    (void)state;
    // dim is x z y; y runs fastest, then z, then x. Bytes after the last run do not matter.
    static const char file[] =
        "#binvox 1\ndim 2 2 3\ntranslate -1 0.5 2\nscale 6\ndata\n\0\1\1\2\0\5\1\1\0\3 more";
    voxels v;
    assert_int_equal(binvox_parse(file, sizeof file - 1, "a.binvox", &v), FIRN_OK);
    assert_true(v.nx == 2 && v.ny == 3 && v.nz == 2);
    assert_near(v.cell, 2.0, 0.0);
    assert_near(v.low[1], 0.5, 0.0);
    assert_int_equal(voxels_count(&v), 3);
    assert_true(voxels_at(&v, 0, 1, 0) && voxels_at(&v, 0, 2, 0)); // index 1, 2
    assert_true(voxels_at(&v, 1, 2, 0));                           // index 8 = 6 + 2
    voxels_free(&v);
}

typedef struct wrong_file {
    const char *text;
    size_t bytes;
    const char *says;
} wrong_file;
#define WRONG(t, says)                                                                                       \
    { t, sizeof t - 1, says }

static void test_binvox_refusals(void **state) {
    (void)state;
    static const wrong_file files[] = {
        WRONG("", "header"),
        WRONG("solid x\n", "not a .binvox"),
        WRONG("#binvox 2\n", "version 2"),
        WRONG("#binvox one\n", "numbers"),
        WRONG("#binvox 1\ndata\n", "dim"),
        WRONG("#binvox 1\ndim 2 2\ndata\n\1\4", "3 numbers"),
        WRONG("#binvox 1\ndim 2 2 2 2\ndata\n\1\4", "3 numbers"),
        WRONG("#binvox 1\ndim 0 2 2\ndata\n", "1 to 2048"),
        WRONG("#binvox 1\ndim 2049 2 2\ndata\n", "1 to 2048"),
        WRONG("#binvox 1\ndim 1.5 2 2\ndata\n", "whole"),
        WRONG("#binvox 1\ndim -3 2 2\ndata\n", "whole"),
        WRONG("#binvox 1\ndim nan 2 2\ndata\n", "numbers"),
        WRONG("#binvox 1\ndim 2048 2048 2048\ndata\n\1\4", "too large"),
        WRONG("#binvox 1\ndim 1024 1024 1024\ndata\n\1\4", "too short"),
        WRONG("#binvox 1\ndim 2 2 2\ndata\n\1\4", "ends after 4"),
        WRONG("#binvox 1\ndim 2 2 2\ndata\n\1\4\0\5", "run of 5"),
        WRONG("#binvox 1\ndim 2 2 2\ndata\n\1\0\1\4", "run of 0"),
        WRONG("#binvox 1\ndim 2 2 2\ndata\n\2\4\1\4", "value 2"),
        WRONG("#binvox 1\ndim 2 2 2\nscale 0\ndata\n\1\10", "positive"),
        WRONG("#binvox 1\ndim 2 2 2\nscale -1\ndata\n\1\10", "positive"),
        WRONG("#binvox 1\ndim 2 2 2\ntranslate 1e300 0 0\ndata\n\1\10", "too large"),
        WRONG("#binvox 1\ndim 2 2 2\ncolor 3\ndata\n\1\10", "color"),
        WRONG("#binvox 1\ndim 2 2 2\n", "header"),
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        voxels v;
        assert_int_equal(binvox_parse(files[i].text, files[i].bytes, "x.binvox", &v), FIRN_BAD_INPUT);
        assert_null(v.bits);
        if (!strstr(firn_last_error(), files[i].says) || !strstr(firn_last_error(), "x.binvox"))
            fail_msg("'%s' does not say '%s'", firn_last_error(), files[i].says);
    }
    voxels v;
    assert_int_equal(binvox_read("no-such.binvox", &v), FIRN_BAD_INPUT);
}

static void test_binvox_mutations(void **state) {
    (void)state;
    voxels v = make_voxels(12, 9, 7, 3);
    binvox_put(&v, "voxels-test.binvox");
    voxels_free(&v);
    char *good;
    size_t bytes;
    assert_int_equal(file_read_whole("voxels-test.binvox", 1 << 20, &good, &bytes), FIRN_OK);
    unlink("voxels-test.binvox");
    size_t before = mem_in_use();
    char *data = malloc(bytes); // exact: a read beyond the end is seen by the address sanitizer
    for (uint64_t seed = 0; seed < 10000; seed++) {
        memcpy(data, good, bytes);
        for (uint32_t k = 0; k < 1 + seed % 5; k++) {
            random4 dice = random_bits(seed, k, 0, 0);
            data[dice.v[0] % (seed % 2 ? 90 : bytes)] =
                (char)(dice.v[2] % 2 ? dice.v[1] : '0' + dice.v[1] % 10);
        }
        firn_status status =
            binvox_parse(data, seed % 9 ? bytes : random_bits(seed, 9, 0, 0).v[0] % bytes, "x", &v);
        assert_true(status == FIRN_OK || status == FIRN_BAD_INPUT);
        voxels_free(&v);
    }
    free(data);
    assert_int_equal(mem_in_use(), before);
    mem_free(good);
}

static firn_status voxel_work(void *context) {
    (void)context;
    voxels v;
    mesh m = {0};
    TRY(binvox_read("voxels-test.binvox", &v));
    firn_status status = voxels_to_mesh(&v, &m);
    mesh_free(&m);
    voxels_free(&v);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    voxels v = voxels_ball(0.5f, 10);
    binvox_put(&v, "voxels-test.binvox");
    voxels_free(&v);
    sweep_allocations(voxel_work, NULL);
    unlink("voxels-test.binvox");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere),
        cmocka_unit_test(test_thin_parts),
        cmocka_unit_test(test_binvox_round_trip),
        cmocka_unit_test(test_binvox_layout),
        cmocka_unit_test(test_binvox_refusals),
        cmocka_unit_test(test_binvox_mutations),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
