// Pictures of light as OpenEXR: numbers become the nearest half, files are whole or absent.
#include "cache/folders.h"

#include <math.h>

#include "draw/light.h"

static const struct {
    float value;
    uint16_t half;
} halves[] = {{0, 0},
              {-1, 0},
              {NAN, 0},
              {1, 0x3c00},
              {0.1f, 0x2e66},
              {1 + 0x1p-11f, 0x3c00}, // ties to even
              {1 + 0x3p-11f, 0x3c02},
              {2 - 0x1p-12f, 0x4000}, // into the next power
              {65504, 0x7bff},
              {65519, 0x7bff},
              {INFINITY, 0x7bff},
              {0x1p-14f, 0x0400}, // the smallest normal one
              {0x1p-24f, 0x0001},
              {0x1p-25f, 0x0000},
              {0x3p-25f, 0x0002},
              {0x1p-14f - 0x1p-26f, 0x0400}};
enum { WIDTH = sizeof halves / sizeof *halves, HEIGHT = 3, ROW = 12 * WIDTH };

static light_picture make(void) {
    light_picture p;
    assert_ok(light_create(WIDTH, HEIGHT, false, &p));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        assert_true(p.depth[i] == LIGHT_NOTHING);
        for (int k = 0; k < 4; k++) p.rgba[i][k] = k == 1 ? halves[i % WIDTH].value : 0.25f * (float)k;
        p.depth[i] = (float)i;
    }
    return p;
}

static void test_numbers_become_the_nearest_half(void **state) {
    (void)state;
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.exr", t.path);
    light_picture p = make();
    assert_ok(light_write_exr(&p, path));
    uint8_t row[ROW];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, -ROW, SEEK_END), 0); // the last row: A, B, G, R, Z
    assert_int_equal(fread(row, 1, ROW, file), ROW);
    fclose(file);
    for (int i = 0; i < WIDTH; i++) {
        const uint8_t *green = row + 2 * (2 * WIDTH + i), *depth = row + 8 * WIDTH + 4 * i;
        assert_int_equal(green[0] | green[1] << 8, halves[i].half);
        assert_int_equal(row[2 * i] | row[2 * i + 1] << 8, 0x3a00); // 0.75
        float z;
        memcpy(&z, depth, sizeof z);
        assert_true(z == (float)((HEIGHT - 1) * WIDTH + i));
    }
    light_free(&p);
    temporary_remove(&t);
}

// Layers of final quality stand behind the others, in the order of their names.
static void test_layers_of_final_quality(void **state) {
    (void)state;
    enum { WIDE = 2, BYTES = 34 };
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.exr", t.path);
    light_picture p;
    assert_ok(light_create(WIDE, 1, true, &p));
    p.normal[1][2] = -0.5f;
    p.noise[0] = 0.125f;
    p.albedo[0][0] = 1;
    assert_ok(light_write_exr(&p, path));
    uint8_t row[WIDE * BYTES];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, -(long)sizeof row, SEEK_END), 0);
    assert_int_equal(fread(row, 1, sizeof row, file), sizeof row);
    fclose(file);
    float noise, normal;
    memcpy(&noise, row + 18 * WIDE, 4);
    memcpy(&normal, row + sizeof row - 4, 4);
    assert_true(noise == 0.125f && normal == -0.5f);
    assert_int_equal(row[16 * WIDE] | row[16 * WIDE + 1] << 8, 0x3c00); // albedo.R
    light_free(&p);
    temporary_remove(&t);
}

static void test_a_file_is_whole_or_absent(void **state) {
    (void)state;
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.exr", t.path);
    light_picture p = make();
    fail_file(0, false);
    assert_ok(light_write_exr(&p, path));
    size_t calls = failing_files.calls;
    unlink(path);
    for (size_t n = 1; n <= calls; n++) {
        fail_file(n, n % 2);
        firn_status status = light_write_exr(&p, path);
        file_use(NULL);
        assert_int_equal(status, FIRN_IO);
        assert_int_equal(count_files(t.path, ""), 0);
    }
    light_free(&p);
    temporary_remove(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_become_the_nearest_half),
        cmocka_unit_test(test_layers_of_final_quality),
        cmocka_unit_test(test_a_file_is_whole_or_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
