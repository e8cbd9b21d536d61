// Pictures in memory, figures drawn on them, words, and PNG files.
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
    figure f = {.width = 40, .height = 30};
    figure_rect(&f, 3.25f, 4.5f, 10.5f, 7.25f, black);
    assert_ok(figure_draw(&f, &c));
    assert_near(darkness(&c), 10.5 * 7.25, 0.5);
    assert_int_equal(pixel(&c, 8, 8)[0], 0);
    assert_int_equal(pixel(&c, 2, 8)[0], 255);
    figure_rect(&f, -100, -100, 1000, 1000, black); // clipped
    figure_rect(&f, NAN, 0, INFINITY, 5, white);
    assert_ok(figure_draw(&f, &c));
    assert_near(darkness(&c), 40 * 30, 1e-9);
    figure_free(&f);
    canvas_free(&c);
}

static void test_colors_stay_in_their_order(void **state) {
    (void)state;
    canvas c;
    const draw_color orange = {250, 130, 10, 255};
    assert_ok(canvas_create(20, 20, orange, &c));
    figure f = {.width = 20, .height = 20};
    figure_rect(&f, 10, 0, 10, 20, (draw_color){20, 90, 200, 255});
    figure_rect(&f, 0, 10, 10, 10, (draw_color){255, 255, 255, 51}); // a fifth of white
    assert_ok(figure_draw(&f, &c));
    const uint8_t expected[3][4] = {{250, 130, 10, 255}, {20, 90, 200, 255}, {251, 155, 59, 255}};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(pixel(&c, 5, 5)[k], expected[0][k]);
        assert_int_equal(pixel(&c, 15, 5)[k], expected[1][k]);
        assert_true(abs(pixel(&c, 5, 15)[k] - expected[2][k]) <= 1);
    }
    figure_free(&f);
    canvas_free(&c);
}

static void test_a_line_has_its_width(void **state) {
    (void)state;
    canvas c, d;
    assert_ok(canvas_create(200, 200, white, &c));
    assert_ok(canvas_create(200, 200, white, &d));
    figure one = {.width = 200, .height = 200}, bent = one;
    figure_stroke(&one, 20, 30, 180, 150, 3, black);
    assert_ok(figure_draw(&one, &c));
    assert_near(darkness(&c), 200 * 3 + 3.14159 * 1.5 * 1.5, 8);
    // There and back is one line: overlaps are not darker.
    figure_line(&bent, (figure_point[]){{20, 30}, {180, 150}, {60, 60}}, 3, 3, black);
    assert_ok(figure_draw(&bent, &d));
    assert_near(darkness(&d), darkness(&c), 2);
    figure_line(&bent, (figure_point[]){{-1e30f, 5}, {1e30f, 5}, {NAN, NAN}, {3, 4}}, 4, 1, black);
    assert_ok(figure_draw(&bent, &d));
    figure_free(&one);
    figure_free(&bent);
    canvas_free(&c);
    canvas_free(&d);
}

// Where there is ink, and how much of it.
typedef struct ink_box {
    int left, right, top, bottom;
    double sum;
} ink_box;

static ink_box ink_of(const char *words, text_style style) {
    canvas c;
    figure f = {.width = 600, .height = 100};
    assert_ok(canvas_create(f.width, f.height, white, &c));
    style.color = black;
    figure_text(&f, 300, 60, style, words);
    assert_ok(figure_draw(&f, &c));
    ink_box box = {600, -1, 100, -1, darkness(&c)};
    for (int i = 0; i < f.width * f.height; i++) {
        if (c.rgba[4 * i] > 128) continue;
        int x = i % f.width, y = i / f.width;
        box.left = x < box.left ? x : box.left, box.right = x > box.right ? x : box.right;
        box.top = y < box.top ? y : box.top, box.bottom = y > box.bottom ? y : box.bottom;
    }
    figure_free(&f);
    canvas_free(&c);
    return box;
}

static void test_words_stand_where_they_should(void **state) {
    (void)state;
    const char *words = "HSnow 0123 \u00e4\u00f6\u00fc m\u00b3H";
    float width = figure_text_width(words, 20, false);
    assert_true(width > 120 && width < 300);
    assert_near(figure_text_width(words, 40, false), 2 * width, 0.2);
    assert_true(figure_text_width(words, 20, true) > width);
    const figure_anchor anchors[] = {ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT};
    for (int k = 0; k < 3; k++) {
        ink_box box = ink_of(words, (text_style){.size = 20, .anchor = anchors[k]});
        assert_near(box.left, 300 - 0.5 * k * (double)width, 4);
        assert_near(box.right, 300 + (1 - 0.5 * k) * (double)width, 4);
        assert_near(box.bottom, 60, 1); // the baseline
        assert_near(box.top, 60 - 0.73 * 20, 5);
    }
    ink_box thin = ink_of(words, (text_style){.size = 20}),
            bold = ink_of(words, (text_style){.size = 20, .bold = true});
    assert_true(bold.sum > 1.2 * thin.sum);
    // A line break or a control character does not begin another line; broken UTF-8 is shown as something.
    assert_true(ink_of("HHH\nHHH\001H", (text_style){.size = 20}).bottom <= 61);
    assert_true(figure_text_width("\xff\xfe\xc3", 10, false) > 0);
    assert_true(figure_text_width("\xf0\x9f", 10, false) > 0);
    assert_near(figure_text_width("", 10, false), 0, 0);
}

// DejaVu, which every Debian with Cairo has, covers Cyrillic, Greek and Arabic. Letters of Arabic are joined:
// together they are narrower than one by one.
static void test_other_scripts(void **state) {
    (void)state;
    const char *const words[] = {"\u0421\u043d\u0435\u0433", "\u03a7\u03b9\u03cc\u03bd\u03b9",
                                 "\u062b\u0644\u062c"};
    ink_box seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = ink_of(words[i], (text_style){.size = 20});
        assert_true(seen[i].sum > 50);
        for (int k = 0; k < i; k++) assert_true(fabs(seen[k].sum - seen[i].sum) > 1);
    }
    float alone = figure_text_width("\u062b", 20, false) + figure_text_width("\u0644", 20, false) +
                  figure_text_width("\u062c", 20, false);
    assert_true(figure_text_width(words[2], 20, false) < 0.95f * alone);
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
        cmocka_unit_test(test_colors_stay_in_their_order),
        cmocka_unit_test(test_a_line_has_its_width),
        cmocka_unit_test(test_words_stand_where_they_should),
        cmocka_unit_test(test_other_scripts),
        cmocka_unit_test(test_a_png_reads_back_equal),
        cmocka_unit_test(test_a_png_is_whole_or_absent),
        cmocka_unit_test(test_drawing_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
