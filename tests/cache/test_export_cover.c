// The snow cover for other programs, read back by other means than ours.
#include "cache/runs.h"

#include <math.h>

#include "geom/image.h"
#include "geom/mesh.h"
#include "world/cover.h"

static const char storm_scene[] =
    "firn: 1\nduration: 4 s\nfps: 1\nmax_step: 200 ms\n"
    "bodies: {ground: {shape: plane}, block: {shape: {box: {size: [1.2 m, 1.1 m, 1 m]}}, at: [1, 0.55, 0]}}\n"
    "wind: {grid: [14, 12, 10], cell: 20 cm, at: [1 m, 0, 0], inflow: {speed: 0}}\n"
    "flakes: {snowfall: 3600 mm/h, shown: 2000}\ncover: {}\n";
enum { NX = 14, NZ = 10, FRAMES = 4 };

static run_test run_made;

static int make_run(void **state) {
    (void)state;
    run_made = run_test_make(storm_scene);
    return run_to(run_made.scene, run_made.a) == FIRN_OK ? 0 : -1;
}

static int drop_run(void **state) {
    (void)state;
    run_test_end(&run_made);
    return 0;
}

static void export_as(const char *format, const char *what) {
    assert_ok(firn_export(&(firn_export_options){COOKIE(export), .folder = run_made.a, .output = run_made.b,
                                                 .format = format, .what = what}));
}

// Depth of each column at the end, from the world itself.
static double snow_at_end(double depth[NX * NZ]) {
    firn_world *world;
    cover_grid g;
    assert_ok(firn_world_open(run_made.scene, &world));
    for (int i = 0; i < FRAMES; i++) assert_ok(firn_world_advance_frame(world));
    assert_ok(world_cover_grid(world, &g));
    memset(depth, 0, NX * NZ * sizeof *depth);
    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < g.n[1]; j++)
            for (int i = 0; i < NX; i++)
                depth[k * NX + i] += fmax((double)g.fill[(k * g.n[1] + j) * NX + i], 0) * g.cell;
    double volume = cover_volume(&g);
    firn_world_close(world);
    return volume;
}

static FILE *open_result(const char *name) {
    char path[500];
    snprintf(path, sizeof path, "%s/%s", run_made.b, name);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("there is no %s", path);
    return f;
}

static void read_text(const char *name, double out[NX * NZ]) {
    FILE *f = open_result(name);
    int columns, rows;
    double x, y, cell, none;
    assert_int_equal(fscanf(f, "ncols %d nrows %d xllcorner %lf yllcorner %lf cellsize %lf NODATA_value %lf",
                            &columns, &rows, &x, &y, &cell, &none),
                     6);
    assert_true(columns == NX && rows == NZ && none == -9999);
    assert_near(x, 1 - 1.4, 1e-9);
    assert_near(y, -1, 1e-9); // the southern border
    assert_near(cell, 0.2, 1e-12);
    for (int i = 0; i < NX * NZ; i++) assert_int_equal(fscanf(f, "%lf", &out[i]), 1);
    assert_int_equal(fscanf(f, "%lf", &x), EOF);
    fclose(f);
}

static void test_text(void **state) {
    (void)state;
    double depth[NX * NZ], height[NX * NZ], expected[NX * NZ];
    snow_at_end(expected);
    export_as("asc", "cover");
    read_text("cover_depth_000004.asc", depth);
    read_text("cover_height_000004.asc", height);
    int on_block = 0;
    for (int k = 0; k < NZ; k++)
        for (int i = 0; i < NX; i++) {
            double x = 1 - 1.4 + (i + 0.5) * 0.2, z = -1 + (k + 0.5) * 0.2;
            bool block = fabs(x - 1) < 0.6 && fabs(z) < 0.5;
            assert_near(depth[k * NX + i], expected[k * NX + i], 1e-5);
            assert_true(height[k * NX + i] >= (block ? 1.1 : 0) - 1e-3);
            if (!block || expected[k * NX + i] < 0.01) continue;
            assert_near(height[k * NX + i], 1.1 + expected[k * NX + i], 0.01); // its top is between two cells
            on_block++;
        }
    assert_true(on_block > 5); // it slides off the rim
    export_as("asc", NULL);    // there is nothing else it could be
}

static void test_pictures_and_floats(void **state) {
    (void)state;
    double expected[NX * NZ];
    char path[500];
    grey_map map;
    snow_at_end(expected);
    export_as("png16", "cover");
    snprintf(path, sizeof path, "%s/cover_depth_000004.png", run_made.b);
    assert_ok(grey_map_read(path, &map));
    assert_true(map.width == NX && map.height == NZ);
    for (int i = 0; i < NX * NZ; i++) assert_near(map.value[i] * 1e-4, expected[i], 0.6e-4);
    grey_map_free(&map);
    char line[400] = "";
    FILE *f = open_result("cover_000004.json");
    size_t got = fread(line, 1, sizeof line - 1, f);
    fclose(f);
    assert_true(got > 100 &&
                strstr(line, "\"file\": \"cover_depth_000004.png\", \"unit\": \"m\", \"black\": 0, "));
    export_as("flt", "cover");
    float depth[NX * NZ];
    f = open_result("cover_depth_000004.flt");
    assert_int_equal(fread(depth, sizeof *depth, NX * NZ, f), NX * NZ);
    fclose(f);
    for (int i = 0; i < NX * NZ; i++) assert_near((double)depth[i], expected[i], 1e-5);
}

static void test_meshes(void **state) {
    (void)state;
    const char *const formats[] = {"obj", "ply"};
    double expected[NX * NZ], volume = snow_at_end(expected);
    for (int n = 0; n < 2; n++) {
        char path[500];
        mesh m;
        mesh_defects d;
        export_as(formats[n], "cover");
        snprintf(path, sizeof path, "%s/cover_000004.%s", run_made.b, formats[n]);
        assert_ok(mesh_read(path, &m));
        assert_ok(mesh_inspect(&m, &d));
        assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite, 0);
        assert_near(mesh_volume(&m) / volume, 1, 0.03);
        mesh_free(&m);
    }
}

static void test_needs_a_cover(void **state) {
    (void)state;
    run_test plain = run_test_make(small_scene);
    assert_ok(run_to(plain.scene, plain.a));
    firn_export_options o = {COOKIE(export), .folder = plain.a, .output = plain.b, .format = "asc",
                             .what = "cover"};
    assert_int_equal(firn_export(&o), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "no snow cover"));
    o.format = "xdmf";
    assert_int_equal(firn_export(&o), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "'cover' cannot be exported as xdmf"));
    run_test_end(&plain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_pictures_and_floats),
                                       cmocka_unit_test(test_meshes), cmocka_unit_test(test_needs_a_cover)};
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
