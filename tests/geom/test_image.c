#include "geom/image.h"
#include "base/file.h"
#include "geom/meshes.h"

#include <png.h>
#include <stdio.h>
#include <unistd.h>

static grey_map make_map(uint32_t width, uint32_t height) {
    grey_map map = {.width = width, .height = height};
    map.value = mem_alloc((size_t)width * height * sizeof *map.value);
    for (uint32_t i = 0; i < width * height; i++) map.value[i] = (uint16_t)random_bits(1, i, 0, 0).v[0];
    return map;
}

static void test_round_trip(void **state) {
    (void)state;
    const uint32_t sizes[3][2] = {{1, 1}, {33, 7}, {300, 200}};
    for (int i = 0; i < 3; i++) {
        grey_map map = make_map(sizes[i][0], sizes[i][1]), back;
        map.value[0] = 0x1234;
        assert_int_equal(grey_map_write(&map, "image-test.png"), FIRN_OK);
        assert_int_equal(grey_map_read("image-test.png", &back), FIRN_OK);
        assert_int_equal(back.width, map.width);
        assert_int_equal(back.height, map.height);
        assert_memory_equal(back.value, map.value, (size_t)map.width * map.height * 2);
        grey_map_free(&back);
        grey_map_free(&map);
    }
    unlink("image-test.png");
}

// Any kind of PNG, by libpng itself; interlaced if asked.
static size_t make_png(int depth, int type, bool interlaced, char *out, size_t room) {
    FILE *file = fmemopen(out, room, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, 9, 5, depth, type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_color color = {1, 2, 3};
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, &color, 1);
    png_write_info(png, info);
    png_byte rows[5][9 * 8], *row[5];
    for (int y = 0; y < 5; y++) {
        row[y] = rows[y];
        for (int k = 0; k < 72; k++) rows[y][k] = type == PNG_COLOR_TYPE_PALETTE ? 0 : (png_byte)(y * 72 + k);
    }
    png_write_image(png, row);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    long length = ftell(file);
    fclose(file);
    return (size_t)length;
}

static void assert_refused(const char *data, size_t bytes, const char *word) {
    grey_map map;
    assert_int_equal(grey_map_parse(data, bytes, "map.png", &map), FIRN_BAD_INPUT);
    assert_null(map.value);
    if (!strstr(firn_last_error(), word)) fail_msg("'%s' does not say '%s'", firn_last_error(), word);
    assert_non_null(strstr(firn_last_error(), "map.png"));
}

static void test_other_kinds(void **state) {
    (void)state;
    static char data[4000];
    assert_refused(data, make_png(8, PNG_COLOR_TYPE_RGB, false, data, sizeof data), "8-bit RGB PNG");
    assert_refused(data, make_png(8, PNG_COLOR_TYPE_GRAY, false, data, sizeof data), "8-bit grey PNG");
    assert_refused(data, make_png(16, PNG_COLOR_TYPE_RGB_ALPHA, false, data, sizeof data),
                   "16-bit RGB and alpha PNG");
    assert_refused(data, make_png(8, PNG_COLOR_TYPE_PALETTE, false, data, sizeof data), "8-bit palette PNG");
    assert_refused(data, 0, "empty");
    assert_refused("\xff\xd8\xff\xe0hello", 9, "JPEG");
    assert_refused("hello, world", 12, "not a PNG");
    grey_map map;
    size_t bytes = make_png(16, PNG_COLOR_TYPE_GRAY, true, data, sizeof data);
    assert_int_equal(grey_map_parse(data, bytes, "map.png", &map), FIRN_OK);
    assert_int_equal(map.value[9 * 2 + 3], (2 * 72 + 6) % 256 << 8 | (2 * 72 + 7) % 256);
    grey_map_free(&map);
    assert_refused(data, bytes / 2, "damaged");
    data[20] = 100; // height of 100 x 2^24 in the header, with a wrong checksum
    assert_refused(data, bytes, "damaged");
    assert_int_equal(grey_map_read("no-such-file.png", &map), FIRN_BAD_INPUT);
    map = (grey_map){0};
    assert_int_equal(grey_map_write(&map, "image-test.png"), FIRN_BAD_INPUT);
    assert_false(file_exists("image-test.png"));
}

static void test_mutations(void **state) {
    (void)state;
    static char good[4000], data[4000];
    size_t bytes = make_png(16, PNG_COLOR_TYPE_GRAY, true, good, sizeof good), before = mem_in_use();
    for (uint64_t seed = 0; seed < 10000; seed++) {
        memcpy(data, good, bytes);
        for (uint32_t k = 0; k < 1 + seed % 4; k++) {
            random4 dice = random_bits(seed, k, 0, 0);
            data[dice.v[0] % bytes] = (char)dice.v[1];
        }
        size_t cut = seed % 7 == 0 ? random_bits(seed, 9, 0, 0).v[0] % bytes : bytes;
        grey_map map;
        firn_status status = grey_map_parse(data, cut, "map.png", &map);
        assert_true(status == FIRN_OK || status == FIRN_BAD_INPUT);
        grey_map_free(&map);
    }
    assert_int_equal(mem_in_use(), before);
}

static firn_status read_and_write(void *context) {
    grey_map map;
    TRY(grey_map_read(context, &map));
    firn_status status = grey_map_write(&map, "image-test-2.png");
    grey_map_free(&map);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    grey_map map = make_map(40, 30);
    assert_int_equal(grey_map_write(&map, "image-test-1.png"), FIRN_OK);
    grey_map_free(&map);
    sweep_allocations(read_and_write, "image-test-1.png");
    unlink("image-test-1.png");
    unlink("image-test-2.png");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
