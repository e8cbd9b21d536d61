// The snow field for other programs, read back by other means than ours.
#include "cache/runs.h"

#include <math.h>
#include <png.h>

#include "geom/mesh.h"

static const char heap_scene[] =
    "firn: 1\nduration: 0.4 s\nfps: 10\nbodies: {ground: {shape: plane}}\n"
    "field:\n  width: 1.5 m\n  length: 1 m\n  cell: 2 cm\n  depth: 10 cm\n  at: [1, 0.5, 2]\n"
    "  pour: {spout: {at: [1, 0, 2], radius: 6 cm, rate: 6}}\n";
enum { NX = 75, NZ = 50, FRAMES = 4 };

static run_test run_made;

static int make_run(void **state) {
    (void)state;
    run_made = run_test_make(heap_scene);
    return run_to(run_made.scene, run_made.a) == FIRN_OK ? 0 : -1;
}

static int drop_run(void **state) {
    (void)state;
    run_test_end(&run_made);
    return 0;
}

static firn_status export_as(const char *format, const char *what) {
    return firn_export(&(firn_export_options){COOKIE(export), .folder = run_made.a, .output = run_made.b,
                                              .format = format, .what = what});
}

static firn_world *world_at_end(void) {
    firn_world *world;
    assert_ok(firn_world_open(run_made.scene, &world));
    for (int i = 0; i < FRAMES; i++) assert_ok(firn_world_advance_frame(world));
    return world;
}

static void file_at(const char *name, char out[500]) { snprintf(out, 500, "%s/%s", run_made.b, name); }

static double number_in(const char *json, const char *layer, const char *key) {
    char quoted[60];
    snprintf(quoted, sizeof quoted, "\"%s\": {", layer);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    at = strstr(at, quoted);
    assert_non_null(at);
    return atof(at + strlen(quoted));
}

// With libpng itself: rows of 16-bit greys.
static void read_greys(const char *name, double black, double white, double *out) {
    char path[500];
    file_at(name, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    assert_int_equal(png_get_image_width(png, info), NX);
    assert_int_equal(png_get_image_height(png, info), NZ);
    assert_int_equal(png_get_bit_depth(png, info), 16);
    assert_int_equal(png_get_color_type(png, info), PNG_COLOR_TYPE_GRAY);
    png_bytepp rows = png_get_rows(png, info);
    for (int z = 0; z < NZ; z++)
        for (int x = 0; x < NX; x++)
            out[z * NX + x] = black + (white - black) * (256 * rows[z][2 * x] + rows[z][2 * x + 1]) / 65535;
    png_destroy_read_struct(&png, &info, NULL);
    fclose(file);
}

static void test_pictures(void **state) {
    (void)state;
    assert_ok(export_as("png16", NULL)); // a scene with a snow field: its heights
    char path[500], name[60];
    size_t bytes;
    file_at("field_000004.json", path);
    char *json = file_get(path, &bytes);
    assert_non_null(strstr(json, "\"columns\": 75, \"rows\": 50"));
    assert_non_null(strstr(json, "\"corner\": [0.25, 1.5]"));
    const char *const layers[] = {"height", "depth", "density"};
    double value[3][NX * NZ];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "field_%s_000004.png", layers[i]);
        read_greys(name, number_in(json, layers[i], "black"), number_in(json, layers[i], "white"), value[i]);
    }
    mem_free(json);
    firn_world *world = world_at_end();
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    double highest = 0;
    for (int z = 0; z < NZ; z++)
        for (int x = 0; x < NX; x++) {
            const double *v = &value[0][z * NX + x];
            double height = firn_snowfield_surface(&f, 0.25 + 0.02 * (x + 0.5), 1.5 + 0.02 * (z + 0.5));
            assert_near(v[0], height, 0.51e-4);
            assert_near(v[0] - v[NX * NZ], 0.5, 1.1e-4); // the ground
            highest = fmax(highest, v[0]);
        }
    assert_true(highest > 0.65);
    assert_near(value[0][0], 0.6, 1e-4); // untouched
    firn_world_close(world);
}

static void read_floats(const char *name, float *out) {
    char path[500];
    size_t bytes;
    file_at(name, path);
    char *file = file_get(path, &bytes);
    assert_int_equal(bytes, NX * NZ * sizeof *out);
    memcpy(out, file, bytes);
    mem_free(file);
}

// Depth times density, cell by cell, is the mass of the ledger.
static void test_floats(void **state) {
    (void)state;
    assert_ok(export_as("flt", NULL));
    float depth[NX * NZ], density[NX * NZ];
    read_floats("field_depth_000004.flt", depth);
    read_floats("field_density_000004.flt", density);
    double mass = 0;
    for (int i = 0; i < NX * NZ; i++) mass += (double)depth[i] * (double)density[i] * 4e-4;
    firn_world *world = world_at_end();
    firn_ledger ledger = firn_world_ledger(world, firn_world_ledger_count(world) - 1);
    assert_string_equal(ledger.model, "field");
    assert_near(mass / ledger.mass, 1, 1e-6);
    assert_true(ledger.mass_in > 2); // 0.4 s of 6 kg/s came
    firn_world_close(world);
    char path[500];
    size_t bytes;
    file_at("field_height_000004.hdr", path);
    char *head = file_get(path, &bytes);
    assert_non_null(strstr(head, "ncols 75\nnrows 50\nxllcorner 0.25\nyllcorner -2.5\ncellsize 0.02\n"));
    mem_free(head);
}

// Read by Assimp: closed but for the bottom, covers the area once, and holds the volume of the snow.
static void test_mesh(void **state) {
    (void)state;
    assert_ok(export_as("obj", "field"));
    char path[500];
    file_at("field_000004.obj", path);
    mesh m;
    assert_ok(mesh_read(path, &m));
    double area = 0, volume = 0;
    for (size_t t = 0; t < m.triangles; t++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) p[k] = m.position[m.triangle[t][k]];
        double up = 0.5 * (((double)p[1][2] - p[0][2]) * ((double)p[2][0] - p[0][0]) -
                           ((double)p[1][0] - p[0][0]) * ((double)p[2][2] - p[0][2]));
        area += up;
        volume += up * (((double)p[0][1] + p[1][1] + p[2][1]) / 3 - 0.5);
    }
    assert_near(area, 1.5, 1e-5);
    firn_world *world = world_at_end();
    firn_snowfield f;
    float depth[NX * NZ];
    assert_ok(firn_world_snowfield(world, &f));
    firn_snowfield_read(&f, (firn_cells){0, 0, NX, NZ}, NULL, depth, NULL);
    double expected = 0;
    for (int i = 0; i < NX * NZ; i++) expected += 4e-4 * (double)depth[i];
    assert_near(volume / expected, 1, 2e-3);
    firn_world_close(world);
    mesh_free(&m);
}

static void test_wrong(void **state) {
    (void)state;
    assert_int_equal(export_as("xdmf", "field"), FIRN_BAD_INPUT);
    expect_message("field");
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    assert_int_equal(
        firn_export(&(firn_export_options){COOKIE(export), .folder = t.a, .output = t.b, .format = "flt"}),
        FIRN_BAD_INPUT);
    expect_message("no snow field");
    run_test_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
