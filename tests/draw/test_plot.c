// Plots of a run's ledgers: ticks, both file formats, and firn_info_plot.
#include "cache/runs.h"

#include <math.h>

#include "draw/overlay.h"
#include "draw/plot.h"

static void test_ticks_are_round_numbers(void **state) {
    (void)state;
    assert_near(plot_tick_step(0, 10, 5), 2, 1e-12);
    assert_near(plot_tick_step(0, 1, 5), 0.2, 1e-12);
    assert_near(plot_tick_step(-3e6, 4e6, 4), 2e6, 1e-3);
    assert_near(plot_tick_step(5, 5, 4), 1, 0);
    assert_near(plot_tick_step(0, NAN, 4), 1, 0);
    for (int i = 0; i < 2000; i++) {
        random4 r = random_bits(5, (uint64_t)i, 0, 0);
        double low = (random_unit(r, 0) - 0.5) * pow(10, (int)(r.v[2] % 12) - 5),
               high = low + pow(10, (int)(r.v[3] % 9) - 4);
        double step = plot_tick_step(low, high, 5), count = (high - low) / step,
               lead = step / pow(10, floor(log10(step) + 1e-9));
        assert_true(count >= 2 && count <= 10);
        assert_true(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 || fabs(lead - 5) < 1e-6);
    }
    char words[40];
    plot_tick_text(0.30000000000000004, 0.1, words, sizeof words);
    assert_string_equal(words, "0.3");
    plot_tick_text(-1e-18, 0.5, words, sizeof words);
    assert_string_equal(words, "0.0");
    plot_tick_text(1500, 500, words, sizeof words);
    assert_string_equal(words, "1500");
    double factor;
    assert_string_equal(plot_prefix(25000, "J", &factor), "k");
    assert_near(factor, 1000, 0);
    assert_string_equal(plot_prefix(25000, "kg", &factor), "");
    assert_near(factor, 1, 0);
}

static const figure_item *find_words(const figure *f, const char *words) {
    for (size_t i = 0; i < f->count; i++)
        if (f->items[i].kind == FIGURE_TEXT && strcmp(f->words + f->items[i].first, words) == 0)
            return &f->items[i];
    fail_msg("no '%s' in the figure", words);
    return NULL;
}

// A caption stands in the middle of the lowest line, or above it where the title would be in its way.
static void test_captions_and_titles_do_not_overlap(void **state) {
    (void)state;
    static const char *const caption[] = {"Short", "A plough clears a lane and throws a bank to the side"};
    for (int k = 0; k < 2; k++) {
        figure f = {.width = 640, .height = 360};
        overlay o = {
            .width = 640, .labels = true, .title = "A plough clears the street", .caption = caption[k]};
        overlay_figure(&o, &f);
        float under = find_words(&f, o.title)->y - find_words(&f, caption[k])->y;
        assert_true(k == 0 ? under == 0 : under > 15);
        figure_free(&f);
    }
}

// Kelvin are shown as degrees Celsius, at round numbers, where the bar has their colour; the words of a view
// stay within it.
static void test_the_legend_of_temperatures(void **state) {
    (void)state;
    figure f = {.width = 1280, .height = 720};
    overlay o = {.left = 642,
                 .width = 638,
                 .name = "heat",
                 .labels = true,
                 .time = -1,
                 .legend = "temperature",
                 .unit = "K",
                 .low = 263.15,
                 .high = 323.15};
    overlay_figure(&o, &f);
    find_words(&f, "temperature (\u00b0C)");
    const figure_item *cold = find_words(&f, "0"), *warm = find_words(&f, "40"), *bar[2] = {NULL, NULL};
    for (size_t i = 0; i < f.count; i++) { // the columns of the bar are a pixel wide
        const figure_item *item = &f.items[i];
        if (item->kind == FIGURE_TEXT) assert_true(item->x >= 642 && item->x <= 1280);
        if (item->kind != FIGURE_RECT || item->width != 1) continue;
        if (!bar[0]) bar[0] = item;
        bar[1] = item;
    }
    double low = (double)bar[0]->x, high = (double)bar[1]->x + 1;
    assert_near((double)cold->x, low + (high - low) * 10 / 60, 1);
    assert_near((double)warm->x, low + (high - low) * 50 / 60, 1);
    figure_free(&f);
}

// Tags are balanced, attributes quoted, no bare & or < in texts. Returns how many elements of `name` there
// are.
static size_t check_xml(const char *source, const char *name) {
    const char *open[64];
    size_t depth = 0, found = 0, length = strlen(name);
    const char *c = strstr(source, "?>");
    assert_non_null(c);
    for (c += 2; *c; c++) {
        if (*c == '&')
            assert_true(!strncmp(c, "&amp;", 5) || !strncmp(c, "&lt;", 4) || !strncmp(c, "&gt;", 4));
        if (*c != '<') continue;
        const char *start = c + 1;
        if (!strncmp(start, name, length) && (start[length] == ' ' || start[length] == '>')) found++;
        bool quoted = false;
        for (c++; *c && (quoted || *c != '>'); c++) {
            if (*c == '"') quoted = !quoted;
            if (*c == '<') fail_msg("a < inside a tag: %.40s", start);
        }
        assert_int_equal(*c, '>');
        if (c[-1] == '/') continue;
        if (*start == '/') {
            assert_true(depth > 0);
            size_t n = strcspn(start + 1, ">");
            assert_true(!strncmp(open[--depth], start + 1, n) &&
                        (open[depth][n] == ' ' || open[depth][n] == '>'));
        } else {
            assert_true(depth < 64);
            open[depth++] = start;
        }
    }
    assert_int_equal(depth, 0);
    return found;
}

static void test_a_sheet_as_svg_and_png(void **state) {
    (void)state;
    enum { N = 100 };
    double time[N], a[N], b[N];
    for (int i = 0; i < N; i++) {
        time[i] = i * 0.1;
        a[i] = 1e4 * sin(time[i]);
        b[i] = i >= 40 && i < 50 ? NAN : 2e4; // a gap
    }
    const plot_panel panels[2] = {{"energy", "J", {{"kinetic", a, 1}, {"sum", b, 0}}, 2, true},
                                  {"nothing", "", {{NULL, b, 0}}, 1, false}};
    const char *const columns[2] = {"bodies", "a < b & c"};
    const plot_sheet sheet = {"Fire & \"ice\" <1>\001", time, N, columns, panels, 2, 1};
    figure f;
    assert_ok(plot_draw(&sheet, &f));
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/a.svg", t.path);
    assert_ok(figure_write_svg(&f, path));
    size_t bytes;
    char *words = file_get(path, &bytes);
    assert_true(check_xml(words, "path") > 20); // lines, and letters as outlines
    assert_true(check_xml(words, "use") > 60);
    find_words(&f, "energy (kJ)");
    find_words(&f, "a < b & c");
    size_t first_bytes = bytes;
    mem_free(words);
    assert_ok(figure_write_svg(&f, path)); // the same again
    words = file_get(path, &bytes);
    assert_int_equal(bytes, first_bytes);
    mem_free(words);
    canvas c;
    assert_ok(canvas_create(f.width, f.height, f.background, &c));
    assert_ok(figure_draw(&f, &c));
    size_t orange = 0, blue = 0;
    for (int i = 0; i < c.width * c.height; i++) {
        const uint8_t *p = c.rgba + 4 * i;
        orange += p[0] > 190 && p[2] < 90;
        blue += p[0] < 60 && p[2] > 140;
    }
    assert_true(orange > 400 && blue > 400); // each curve is some 400 pixels long
    canvas_free(&c);
    figure_free(&f);
    temporary_remove(&t);
}

static void test_the_plot_of_a_run(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    char path[400];
    size_t before = mem_in_use(), bytes;
    snprintf(path, sizeof path, "%s/plot.svg", t.folder.path);
    assert_ok(firn_info_plot(t.a, path));
    char *words = file_get(path, &bytes);
    assert_true(check_xml(words, "path") > 40 && check_xml(words, "use") > 200);
    mem_free(words);
    snprintf(path, sizeof path, "%s/plot.png", t.folder.path);
    assert_ok(firn_info_plot(t.a, path));
    assert_int_equal(mem_in_use(), before);
    snprintf(path, sizeof path, "%s/table.csv", t.folder.path);
    assert_ok(firn_info_plot(t.a, path));
    words = file_get(path, &bytes);
    size_t lines = 0, commas = 0;
    for (size_t i = 0; i < bytes; i++) lines += words[i] == '\n', commas += words[i] == ',';
    assert_true(lines > 2 && commas % lines == 0); // all rows have the columns of the heading
    assert_true(strncmp(words, "frame,time s,time of a step s,bodies items", 42) == 0);
    mem_free(words);
    snprintf(path, sizeof path, "%s/plot.png", t.folder.path);
    assert_int_equal(mem_in_use(), before);
    assert_int_equal(firn_info_plot(t.a, "plot.pdf"), FIRN_BAD_INPUT);
    expect_message(".png, .svg or .csv");
    assert_int_equal(firn_info_plot(t.b, path), FIRN_BAD_INPUT);
    snprintf(path, sizeof path, "%s/frames", t.a);
    folder_remove(path);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/plot2.png", t.folder.path);
    assert_int_equal(firn_info_plot(t.a, path), FIRN_BAD_INPUT);
    expect_message("no frames");
    assert_false(file_exists(path));
    run_test_end(&t);
}

static void test_plotting_survives_failing_memory(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    char path[400];
    snprintf(path, sizeof path, "%s/plot.svg", t.folder.path);
    failing_allocator f;
    fail_allocation(&f, 0);
    assert_ok(firn_info_plot(t.a, path));
    size_t calls = f.calls, before = mem_in_use();
    for (size_t n = 1; n <= calls; n += 1 + calls / 150) {
        fail_allocation(&f, n);
        firn_info_plot(t.a, path);
        assert_int_equal(mem_in_use(), before);
    }
    firn_set_allocator(NULL);
    run_test_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_captions_and_titles_do_not_overlap),
        cmocka_unit_test(test_ticks_are_round_numbers),
        cmocka_unit_test(test_the_legend_of_temperatures),
        cmocka_unit_test(test_a_sheet_as_svg_and_png),
        cmocka_unit_test(test_the_plot_of_a_run),
        cmocka_unit_test(test_plotting_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
