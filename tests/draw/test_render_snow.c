// Pictures of snow: surface, points, colours; several runs in one movie. firn-test: slow
#include "cache/runs.h"

#include <math.h>
#include <png.h>

#include "draw/canvas.h"
#include "draw/gl.h"
#include "draw/renderer.h"

static const char snow_scene[] =
    "firn: 1\n"
    "name: A snowball\n"
    "duration: 0.12 s\n"
    "fps: 25\n"
    "bodies:\n"
    "  floor: {shape: plane}\n"
    "mpm:\n"
    "  cell: 5 cm\n"
    "  snow:\n"
    "    ball: {shape: {sphere: {radius: 40 cm}}, at: [0, 60 cm, 0], velocity: [0, -2, 0]}\n"
    "camera: {from: [1.2, 0.9, 1.6], to: [0, 0.5, 0], lens: 40 mm}\n"
    "picture: {labels: false}\n";
enum { FRAMES = 3 };

static run_test shared;

static int make_run(void **state) {
    (void)state;
    shared = run_test_make(snow_scene);
    return run_to(shared.scene, shared.a) == FIRN_OK ? 0 : -1;
}

static int drop_run(void **state) {
    (void)state;
    run_test_end(&shared);
    return 0;
}

static const char *place(const char *name) {
    static char path[4][400];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", shared.folder.path, name);
    return path[next];
}

static void read_png(const char *path, canvas *out) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGBA;
    assert_ok(canvas_create((int)image.width, (int)image.height, (draw_color){0, 0, 0, 255}, out));
    assert_true(png_image_finish_read(&image, NULL, out->rgba, 0, NULL));
}

static firn_status draw(const char *output, const char *const *set, size_t count) {
    return firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = output,
                                              .width = 320, .height = 240, .first = 1, .count = 1,
                                              .overrides = {set, count}});
}

// Mean and spread of the green of a picture's middle, and the mean of red over blue.
static void look_at(const canvas *c, double *mean, double *spread, double *hue) {
    double sum = 0, square = 0, red = 0, blue = 0, n = 0;
    for (int y = c->height * 4 / 10; y < c->height * 6 / 10; y++)
        for (int x = c->width * 4 / 10; x < c->width * 6 / 10; x++, n++) {
            const uint8_t *p = c->rgba + 4 * ((size_t)y * (size_t)c->width + (size_t)x);
            sum += p[1], square += p[1] * p[1], red += p[0], blue += p[2];
        }
    *mean = sum / n;
    *spread = sqrt(fmax(square / n - *mean * *mean, 0));
    *hue = red / blue;
}

// Snow has relief, is pale, and neither blue nor brown; the same for any number of threads.
static void test_a_surface_looks_like_snow(void **state) {
    (void)state;
    NEEDS_GL();
    canvas c;
    double mean, spread, hue;
    assert_ok(draw(place("surface.png"), NULL, 0));
    read_png(place("surface.png"), &c);
    look_at(&c, &mean, &spread, &hue);
    print_message("mean %.1f, spread %.1f, red over blue %.3f\n", mean, spread, hue);
    assert_true(mean > 150 && mean < 245);
    assert_true(spread > 3 && spread < 40);
    assert_true(hue > 0.85 && hue < 1.15);
    canvas_free(&c);
    firn_set_threads(3);
    assert_ok(draw(place("again.png"), NULL, 0));
    firn_set_threads(0);
    assert_true(files_equal(place("surface.png"), place("again.png")));
}

// Blue (slow) to yellow (fast); the ball falls as a whole, so a range that ends below its speed shows yellow.
static void test_colours_by_speed(void **state) {
    (void)state;
    NEEDS_GL();
    for (int fast = 0; fast < 2; fast++) {
        const char *set[] = {"picture.color=mpm.speed", "picture.color_low=0.1",
                             fast ? "picture.color_high=1" : "picture.color_high=200"};
        assert_ok(draw(place("speed.png"), set, 3));
        canvas c;
        read_png(place("speed.png"), &c);
        const uint8_t *p = c.rgba + 4 * ((size_t)(c.height / 2) * (size_t)c.width + (size_t)c.width / 2);
        assert_true(fast ? p[0] > p[2] + 60 : p[2] > p[0] + 60);
        canvas_free(&c);
    }
}

// Each of two views is what a picture of its size would be alone; together they have the size asked for.
static void test_two_views_beside_each_other(void **state) {
    (void)state;
    NEEDS_GL();
    const char *both[] = {"picture.views={snow: {color: none}, speed: {color: mpm.speed, color_high: 3}}"};
    const char *alone[] = {"picture.color=mpm.speed", "picture.color_high=3"};
    assert_ok(draw(place("both.png"), both, 1));
    canvas c, part;
    read_png(place("both.png"), &c);
    assert_int_equal(c.width, 320);
    assert_int_equal(c.height, 240);
    for (size_t i = 0; i < 2; i++) {
        assert_ok(firn_render(&(firn_render_options){
            COOKIE(render), .folder = shared.a, .output = place("part.png"), .width = 158, .height = 240,
            .first = 1, .count = 1, .overrides = {alone, i ? 2 : 0}}));
        read_png(place("part.png"), &part);
        for (int y = 70; y < 240; y++) // below the legend
            assert_memory_equal(c.rgba + 4 * ((size_t)y * 320 + i * 162), part.rgba + 4 * (size_t)y * 158,
                                4 * 158);
        canvas_free(&part);
    }
    canvas_free(&c);
    const char *wrong[][2] = {{"picture.views={a: {color: mpm.sped}}", "did you mean 'mpm.speed'"},
                              {"picture.views={a: {camera: top}}", "no camera 'top'"},
                              {"picture.views={a: {color_high: 3}}", "is not given"},
                              {"picture.views={a: {}, b: {}, c: {}, d: {}, e: {}}", "at most 4"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(draw(place("never.png"), &wrong[i][0], 1), FIRN_BAD_INPUT);
        expect_message(wrong[i][1]);
    }
}

static void test_only_looks_can_be_set(void **state) {
    (void)state;
    static const char *const wrong[][2] = {{"mpm.cell=4cm", "only the appearance"},
                                           {"picture.color=mpm.sped", "did you mean 'mpm.speed'"},
                                           {"picture.color=mpm.stress", "no field"}, // is not in frames
                                           {"picture.snow=surfce", "did you mean 'surface'"},
                                           {"picture.snaw=points", "snow"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        size_t before = mem_in_use();
        assert_int_equal(draw(place("never.png"), &wrong[i][0], 1), FIRN_BAD_INPUT);
        expect_message(wrong[i][1]);
        assert_int_equal(mem_in_use(), before);
        assert_false(file_exists(place("never.png")));
    }
}

static void test_several_acts(void **state) {
    (void)state;
    NEEDS_GL();
    run_test other = run_test_make(small_scene);
    assert_ok(run_to(other.scene, other.a));
    const char *more[] = {other.a, shared.a};
    firn_render_options o = {COOKIE(render),          .folder = shared.a, .more = {more, 2},
                             .output = place("acts"), .width = 160,       .height = 90};
    char acts[400], path[600];
    snprintf(acts, sizeof acts, "%s", o.output);
    o.output = acts;
    size_t before = mem_in_use();
    assert_ok(firn_render(&o));
    assert_int_equal(mem_in_use(), before);
    assert_int_equal(count_files(acts, ".png"), 2 * (FRAMES + 1) + SMALL_FRAMES + 1);
    // The first picture bears a title, the last of an act is as if it were drawn alone.
    for (int last = 0; last < 2; last++) {
        uint64_t frame = last ? FRAMES : 0;
        assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a,
                                                     .output = place("alone.png"), .width = 160, .height = 90,
                                                     .first = frame, .count = 1}));
        snprintf(path, sizeof path, "%s/frame_%06d.png", acts, last ? FRAMES : 0);
        assert_int_equal(files_equal(path, place("alone.png")), last);
        snprintf(path, sizeof path, "%s/frame_%06d.png", acts, FRAMES + 1 + SMALL_FRAMES + 1 + (int)frame);
        assert_int_equal(files_equal(path, place("alone.png")), last);
    }
    o.output = "one.png";
    assert_int_equal(firn_render(&o), FIRN_BAD_INPUT);
    expect_message("not one picture");
    more[1] = "/nowhere";
    o.output = acts;
    assert_int_equal(firn_render(&o), FIRN_BAD_INPUT); // before anything is drawn
    run_test_end(&other);
}

static void test_failing_memory(void **state) {
    (void)state;
    NEEDS_GL();
    failing_allocator f;
    fail_allocation(&f, 0);
    static const char *const set[] = {"picture.views={a: {color: none}, b: {color: mpm.density}}"};
    assert_ok(draw(place("memory.png"), set, 1));
    size_t calls = f.calls, before = mem_in_use();
    for (size_t n = 1; n <= calls; n += 1 + calls / 25) {
        unlink(place("memory.png"));
        fail_allocation(&f, n);
        firn_status status = draw(place("memory.png"), set, 1);
        firn_set_allocator(NULL);
        if (status != FIRN_OK) assert_false(file_exists(place("memory.png")));
        assert_int_equal(mem_in_use(), before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_surface_looks_like_snow),   cmocka_unit_test(test_colours_by_speed),
        cmocka_unit_test(test_only_looks_can_be_set),       cmocka_unit_test(test_several_acts),
        cmocka_unit_test(test_two_views_beside_each_other), cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
