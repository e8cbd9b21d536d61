// firn_render: from a run's folder to pictures and movies.
// firn-test: slow
#include "cache/runs.h"

#include <math.h>
#include <png.h>

#include "draw/canvas.h"
#include "draw/gl.h"
#include "draw/renderer.h"

// One run serves all tests.
static run_test shared;

static int make_run(void **state) {
    (void)state;
    shared = run_test_make(small_scene);
    return run_to(shared.scene, shared.a) == FIRN_OK ? 0 : -1;
}

static int drop_run(void **state) {
    (void)state;
    run_test_end(&shared);
    return 0;
}

static char *place(const char *name) {
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", shared.folder.path, name);
    return path;
}

static void read_png(const char *path, canvas *out) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGBA;
    assert_ok(canvas_create((int)image.width, (int)image.height, (draw_color){0, 0, 0, 255}, out));
    assert_true(png_image_finish_read(&image, NULL, out->rgba, 0, NULL));
}

static uint64_t reports, last_frame, last_frames;
static double last_eta;
static void report(void *context, uint64_t frame, uint64_t frames, double eta) {
    (void)context;
    reports++;
    last_frame = frame;
    last_frames = frames;
    last_eta = eta;
}

static void test_a_folder_of_pictures(void **state) {
    (void)state;
    NEEDS_GL();
    reports = 0;
    size_t before = mem_in_use();
    assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a,
                                                 .output = place("deep/er"), .width = 97, .height = 61,
                                                 .first = 3, .count = 4, .progress = report}));
    assert_int_equal(mem_in_use(), before);
    assert_int_equal(reports, 4);
    assert_int_equal(last_frame, 4);
    assert_int_equal(last_frames, 4);
    assert_near(last_eta, 0, 0);
    assert_int_equal(count_files(place("deep/er"), ""), 4);
    canvas c;
    read_png(place("deep/er/frame_000006.png"), &c);
    assert_int_equal(c.width, 97);
    assert_int_equal(c.height, 61);
    canvas_free(&c);
    // The same frame alone, on other threads: the same bytes.
    firn_set_threads(3);
    char one[400];
    snprintf(one, sizeof one, "%s", place("one.png"));
    assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = one,
                                                 .width = 97, .height = 61, .first = 6, .count = 1}));
    firn_set_threads(0);
    assert_true(files_equal(one, place("deep/er/frame_000006.png")));
    // A .png without a choice is the last frame.
    assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = one,
                                                 .width = 97, .height = 61}));
    assert_false(files_equal(one, place("deep/er/frame_000006.png")));
}

static void test_every_nth_frame(void **state) {
    (void)state;
    NEEDS_GL();
    assert_ok(
        firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("nth"),
                                           .width = 32, .height = 32, .first = 1, .count = 3, .stride = 4}));
    assert_int_equal(count_files(place("nth"), ""), 3);
    assert_true(file_exists(place("nth/frame_000001.png")));
    assert_true(file_exists(place("nth/frame_000005.png")));
    assert_true(file_exists(place("nth/frame_000009.png")));
}

static void test_a_movie_of_the_whole_run(void **state) {
    (void)state;
    NEEDS_GL();
#if FIRN_HAVE_LIBAV
    assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("a.mp4"),
                                                 .width = 97, .height = 65}));
    assert_true(file_exists(place("a.mp4")));
    // However it fails, no part of it is left.
    fail_file(0, false);
    assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("b.mp4"),
                                                 .width = 64, .height = 48, .count = 3}));
    size_t calls = failing_files.calls;
    unlink(place("b.mp4"));
    for (size_t n = 1; n <= calls; n++) {
        fail_file(n, true);
        firn_status status =
            firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("b.mp4"),
                                               .width = 64, .height = 48, .count = 3});
        file_use(NULL);
        assert_int_equal(status, FIRN_IO);
        expect_message("b.mp4");
        assert_false(file_exists(place("b.mp4")));
        assert_int_equal(count_files(shared.folder.path, ".tmp"), 0);
    }
#else
    assert_int_equal(
        firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("a.mp4")}),
        FIRN_UNSUPPORTED);
    expect_message("libavcodec-dev");
#endif
}

static uint64_t asked;
static bool stop_at_third(void *context) {
    (void)context;
    return ++asked >= 3;
}

static void test_stopping(void **state) {
    (void)state;
    NEEDS_GL();
    asked = 0;
    assert_int_equal(
        firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("stopped"),
                                           .width = 64, .height = 48, .stop = stop_at_third}),
        FIRN_INTERRUPTED);
    expect_message("after 2 of 11");
    assert_int_equal(count_files(place("stopped"), ".png"), 2);
    assert_int_equal(count_files(place("stopped"), ".tmp"), 0);
#if FIRN_HAVE_LIBAV
    asked = 0;
    assert_int_equal(
        firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("stopped.mp4"),
                                           .width = 64, .height = 48, .stop = stop_at_third}),
        FIRN_INTERRUPTED);
    assert_false(file_exists(place("stopped.mp4")));
#endif
}

static void expect_refusal(firn_render_options options, firn_status status, const char *part) {
    size_t before = mem_in_use();
    assert_int_equal(firn_render(&options), status);
    expect_message(part);
    assert_int_equal(mem_in_use(), before);
}

static void test_wrong_wishes_are_refused(void **state) {
    (void)state;
    firn_render_options good = {COOKIE(render), .folder = shared.a, .output = place("never.png"), .width = 64,
                                .height = 48},
                        o;
    o = good, o.width = 15;
    expect_refusal(o, FIRN_BAD_INPUT, "16 to 8192 pixels");
    o = good, o.height = 8193;
    expect_refusal(o, FIRN_BAD_INPUT, "16 to 8192 pixels");
    o = good, o.camera = "mian";
    expect_refusal(o, FIRN_BAD_INPUT, "did you mean 'main'?");
    o = good, o.output = "movie.avi";
    expect_refusal(o, FIRN_BAD_INPUT, ".mp4");
    o = good, o.output = "/nowhere/at/all/a.png";
    expect_refusal(o, FIRN_IO, "/nowhere/at/all");
    o = good, o.folder = shared.b;
    assert_int_not_equal(firn_render(&o), FIRN_OK);
    o = good, o.first = 400;
    expect_refusal(o, FIRN_BAD_INPUT, "ends with frame 10");
    char inside[500];
    snprintf(inside, sizeof inside, "%s/frames/x.png", shared.a);
    o = good, o.output = inside;
    expect_refusal(o, FIRN_BAD_INPUT, "inside the run folder");
    o = good, o.output = shared.a;
    expect_refusal(o, FIRN_BAD_INPUT, "inside the run folder");
    snprintf(inside, sizeof inside, "%s/new/er", shared.a);
    o.output = inside;
    expect_refusal(o, FIRN_BAD_INPUT, "inside the run folder");
    o = good, o.output = NULL;
    expect_refusal(o, FIRN_BAD_INPUT, "output");
    assert_false(file_exists(good.output));
    // A run that has no frames yet.
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    char frames[400];
    snprintf(frames, sizeof frames, "%s/frames", t.a);
    folder_remove(frames);
    assert_int_equal(mkdir(frames, 0777), 0);
    o = good, o.folder = t.a;
    expect_refusal(o, FIRN_BAD_INPUT, "no frames");
    run_test_end(&t);
}

// Pixels of the colour map's middle (magenta) are in the legend, and nowhere in a white scene.
static size_t magenta(const canvas *c, int x0, int y0, int x1, int y1) {
    size_t count = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            const uint8_t *p = c->rgba + 4 * (y * c->width + x);
            count += p[0] > p[1] + 80 && p[2] > p[1] + 40;
        }
    return count;
}

static void test_colours_have_a_legend(void **state) {
    (void)state;
    NEEDS_GL();
    char words[3000];
    for (int colored = 0; colored < 2; colored++) {
        snprintf(words, sizeof words, "%spicture: {labels: true%s}\n", small_scene,
                 colored ? ", color: grains.speed" : "");
        run_test t = run_test_make(words);
        assert_ok(run_to(t.scene, t.a));
        firn_render_options o = {COOKIE(render), .folder = t.a, .output = place("legend.png"), .width = 480,
                                 .height = 270};
        assert_ok(firn_render(&o));
        canvas c;
        read_png(place("legend.png"), &c);
        size_t found = magenta(&c, 300, 10, 480, 60);
        if (colored)
            assert_true(found > 100);
        else
            assert_int_equal(found, 0);
        canvas_free(&c);
        static const char *const wrong[] = {"picture.color=grains.sped"};
        o.overrides = (firn_overrides){wrong, 1};
        expect_refusal(o, FIRN_BAD_INPUT, "did you mean 'grains.speed'?");
        run_test_end(&t);
    }
}

static void survive_failing_memory(const char *output) {
    firn_render_options o = {COOKIE(render), .folder = shared.a, .output = output, .width = 32,
                             .height = 16,   .first = 4,         .count = 1};
    failing_allocator f;
    fail_allocation(&f, 0);
    assert_ok(firn_render(&o));
    size_t calls = f.calls, before = mem_in_use();
    for (size_t n = 1; n <= calls; n += 1 + calls / 40) {
        unlink(o.output);
        fail_allocation(&f, n);
        firn_status status = firn_render(&o);
        firn_set_allocator(NULL);
        if (status != FIRN_OK) assert_false(file_exists(o.output));
        assert_int_equal(mem_in_use(), before);
    }
}

static void test_rendering_survives_failing_memory(void **state) {
    (void)state;
    NEEDS_GL();
    survive_failing_memory(place("memory.png"));
    survive_failing_memory(place("memory.exr"));
}

// Mean difference from a picture of SCALE times the size, averaged over the pixels of the small one.
enum { SCALE = 4 };
static double far_from(const canvas *c, const canvas *large) {
    double sum = 0;
    for (int y = 0; y < c->height; y++)
        for (int x = 0; x < c->width; x++) {
            double mean = 0;
            for (int k = 0; k < SCALE * SCALE; k++)
                mean += large->rgba[4 * ((y * SCALE + k / SCALE) * large->width + x * SCALE + k % SCALE)];
            sum += fabs(mean / (SCALE * SCALE) - c->rgba[4 * (y * c->width + x)]);
        }
    return sum / (c->width * c->height);
}

static void draw_samples(int width, int height, int samples, canvas *out) {
    const char *const looks[] = {"picture.labels=false",
                                 samples == 4 ? "picture.samples=4" : "picture.samples=2"};
    assert_ok(
        firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = place("quality.png"),
                                           .width = width, .height = height, .overrides = {looks, 2}}));
    read_png(place("quality.png"), out);
}

static void test_more_samples_have_smoother_edges(void **state) {
    (void)state;
    NEEDS_GL();
    canvas draft, final, large;
    draw_samples(96, 64, 2, &draft);
    draw_samples(96, 64, 4, &final);
    draw_samples(96 * SCALE, 64 * SCALE, 4, &large);
    assert_int_equal(final.width, draft.width);
    assert_int_equal(final.height, draft.height);
    double of_draft = far_from(&draft, &large), of_final = far_from(&final, &large);
    print_message("from a large picture: draft %.3f, final %.3f of 255\n", of_draft, of_final);
    assert_true(of_final < 0.8 * of_draft);
    canvas_free(&draft);
    canvas_free(&final);
    canvas_free(&large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_folder_of_pictures),
        cmocka_unit_test(test_every_nth_frame),
        cmocka_unit_test(test_a_movie_of_the_whole_run),
        cmocka_unit_test(test_more_samples_have_smoother_edges),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_wrong_wishes_are_refused),
        cmocka_unit_test(test_colours_have_a_legend),
        cmocka_unit_test(test_rendering_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
