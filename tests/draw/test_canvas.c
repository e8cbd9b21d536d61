// Pictures in memory, the typeface, and PNG files.
#include "cache/folders.h"

#include <math.h>
#include <png.h>

#include "draw/figure.h"

static const draw_color white = {255, 255, 255, 255}, black = {0, 0, 0, 255};

static const uint8_t *pixel(const canvas *c, int x, int y) { return c->rgba + 4 * (y * c->width + x); }

static double darkness(const canvas *c) {
    double sum = 0;
    for (int i = 0; i < c->width * c->height; i++) sum += 255 - c->rgba[4 * i];
    return sum / 255;
}

static void test_a_rectangle_covers_its_area(void **state) {
    (void)state;
    canvas c;
    assert_ok(canvas_create(40, 30, white, &c));
    canvas_rect(&c, 3.25f, 4.5f, 10.5f, 7.25f, black);
    assert_near(darkness(&c), 10.5 * 7.25, 0.5);
    assert_int_equal(pixel(&c, 8, 8)[0], 0);
    assert_int_equal(pixel(&c, 2, 8)[0], 255);
    canvas_rect(&c, -100, -100, 1000, 1000, black); // clipped
    assert_near(darkness(&c), 40 * 30, 1e-9);
    canvas_rect(&c, NAN, 0, INFINITY, 5, white);
    canvas_free(&c);
}

static void test_a_line_has_its_width(void **state) {
    (void)state;
    canvas c;
    assert_ok(canvas_create(200, 200, white, &c));
    font_segment slanted = {20, 30, 180, 150};
    assert_ok(canvas_segments(&c, &slanted, 1, 3, black));
    assert_near(darkness(&c), 200 * 3 + 3.14159 * 1.5 * 1.5, 8);
    // Drawn in two halves as one figure it is the same: overlaps are not darker.
    canvas d;
    assert_ok(canvas_create(200, 200, white, &d));
    font_segment halves[3] = {{20, 30, 100, 90}, {100, 90, 180, 150}, {60, 60, 140, 120}};
    assert_ok(canvas_segments(&d, halves, 3, 3, black));
    for (int i = 0; i < 200 * 200 * 4; i++) assert_true(abs(c.rgba[i] - d.rgba[i]) <= 1);
    font_segment wild[2] = {{-1e30f, 5, 1e30f, 5}, {NAN, NAN, 3, 4}};
    assert_ok(canvas_segments(&d, wild, 2, 1, black));
    canvas_free(&c);
    canvas_free(&d);
}

static void test_words_have_their_width(void **state) {
    (void)state;
    const char *words = "Snow 0123 \303\244\303\266\303\274 m\302\263";
    float width = font_width(words, 20);
    font_strokes strokes = {0};
    font_trace(&strokes, words, 0, 0, 20);
    float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
    for (size_t i = 0; i < strokes.count; i++) {
        font_segment s = strokes.items[i];
        left = fminf(left, fminf(s.x0, s.x1));
        right = fmaxf(right, fmaxf(s.x0, s.x1));
        top = fminf(top, fminf(s.y0, s.y1));
        bottom = fmaxf(bottom, fmaxf(s.y0, s.y1));
    }
    assert_near(left, 0.2, 0.8);
    assert_near(right, width, 0.8);
    assert_true(top >= -16 && bottom <= 5);
    assert_near(font_width(words, 40), 2 * width, 1e-3);
    font_strokes_free(&strokes);
    // Every printable character is drawn, and no two are alike.
    double seen[128] = {0};
    for (char c = '!'; c <= '~'; c++) {
        char one[2] = {c, 0};
        font_trace(&strokes, one, 0, 0, 20);
        assert_true(strokes.count > 0);
        for (size_t i = 0; i < strokes.count; i++) {
            font_segment s = strokes.items[i];
            seen[(int)c] += (double)(s.x0 * 3 + s.y0 * 5 + s.x1 * 7 + s.y1 * 11 + s.x0 * s.y1);
        }
        for (char other = '!'; other < c; other++) assert_true(fabs(seen[(int)c] - seen[(int)other]) > 1e-6);
        font_strokes_free(&strokes);
    }
    // Broken UTF-8 ends, and is shown as boxes.
    assert_true(font_width("\xff\xfe\xc3", 10) > 0);
    assert_true(font_width("\xf0\x9f", 10) > 0);
}

static void read_png(const char *path, canvas *out) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_int_equal(image.format & PNG_FORMAT_FLAG_ALPHA, 0);
    image.format = PNG_FORMAT_RGBA;
    assert_ok(canvas_create((int)image.width, (int)image.height, black, out));
    assert_true(png_image_finish_read(&image, NULL, out->rgba, 0, NULL));
}

static void test_a_png_reads_back_equal(void **state) {
    (void)state;
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.png", t.path);
    for (int level = 0; level <= 9; level += 3) {
        canvas c, back;
        int width = 1 + 61 * level, height = 97;
        assert_ok(canvas_create(width, height, white, &c));
        for (int i = 0; i < width * height; i++) {
            random4 r = random_bits(3, (uint64_t)i, (uint32_t)level, 0);
            for (int k = 0; k < 3; k++) c.rgba[4 * i + k] = (uint8_t)(r.v[k] >> 24);
        }
        assert_ok(canvas_write_png(&c, path, level));
        read_png(path, &back);
        assert_int_equal(back.width, width);
        assert_int_equal(back.height, height);
        assert_memory_equal(back.rgba, c.rgba, (size_t)width * (size_t)height * 4);
        canvas_free(&c);
        canvas_free(&back);
    }
    temporary_remove(&t);
}

static void test_a_png_is_whole_or_absent(void **state) {
    (void)state;
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.png", t.path);
    canvas c;
    assert_ok(canvas_create(200, 150, white, &c));
    fail_file(0, false);
    assert_ok(canvas_write_png(&c, path, 1));
    size_t calls = failing_files.calls;
    assert_true(calls >= 5);
    assert_int_equal(unlink(path), 0);
    for (size_t n = 1; n <= calls; n++) {
        fail_file(n, true);
        assert_int_not_equal(canvas_write_png(&c, path, 1), FIRN_OK);
        file_use(NULL);
        assert_int_equal(count_files(t.path, ""), 0);
    }
    file_use(NULL);
    snprintf(path, sizeof path, "%s/nowhere/a.png", t.path);
    assert_int_equal(canvas_write_png(&c, path, 1), FIRN_IO);
    assert_non_null(strstr(firn_last_error(), "nowhere/a.png"));
    canvas_free(&c);
    temporary_remove(&t);
}

static firn_status draw_figure(const char *path) {
    figure f = {.width = 120, .height = 60, .background = white};
    figure_rect(&f, 5, 5, 20, 20, black);
    figure_stroke(&f, 0, 0, 119, 59, 2, black);
    figure_text(&f, 60, 30, (text_style){.size = 14, .color = black, .anchor = ANCHOR_MIDDLE, .halo = true},
                "halo & co");
    firn_status status = figure_write_png(&f, path);
    if (status == FIRN_OK) status = figure_write_svg(&f, path);
    figure_free(&f);
    return status;
}

static void test_drawing_survives_failing_memory(void **state) {
    (void)state;
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.png", t.path);
    size_t before = mem_in_use();
    failing_allocator f;
    fail_allocation(&f, 0);
    assert_ok(draw_figure(path));
    size_t calls = f.calls;
    for (size_t n = 1; n <= calls; n++) {
        unlink(path);
        fail_allocation(&f, n);
        firn_status status = draw_figure(path);
        if (status != FIRN_OK) assert_int_equal(status, FIRN_NO_MEMORY);
        assert_int_equal(mem_in_use(), before);
    }
    firn_set_allocator(NULL);
    assert_true(count_files(t.path, ".tmp") == 0);
    temporary_remove(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rectangle_covers_its_area),
        cmocka_unit_test(test_a_line_has_its_width),
        cmocka_unit_test(test_words_have_their_width),
        cmocka_unit_test(test_a_png_reads_back_equal),
        cmocka_unit_test(test_a_png_is_whole_or_absent),
        cmocka_unit_test(test_drawing_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
