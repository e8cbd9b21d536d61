// A picture of snow kilometres from the origin is the picture of the same snow there.
#include "cache/runs.h"

#include <math.h>
#include <png.h>
#include <stdio.h>

#include "draw/canvas.h"
#include "draw/renderer.h"

static bool have_gl;

static int find_gl(void **state) {
    (void)state;
    renderer *r;
    have_gl = renderer_create(64, 64, 1, &r) == FIRN_OK;
    if (!have_gl) print_message("[  SKIP    ] no pictures on this machine: %s\n", firn_last_error());
    renderer_destroy(r);
    return 0;
}

// `at`: m along x and z from the origin; the floor is a slanting plane through it.
static void draw_at(double at, bool camera, canvas *out) {
    char words[1000], path[500];
    int n = snprintf(words, sizeof words,
                     "firn: 1\nduration: 40 ms\nfps: 25\n"
                     "bodies:\n"
                     "  floor: {shape: plane, rotate: [0, 0, -20 deg], at: [%.1f, 0, 0]}\n"
                     "  box: {shape: {box: {size: [30 cm, 30 cm, 30 cm]}}, at: [%.1f, 0.4, %.1f]}\n"
                     "mpm:\n  cell: 5 cm\n  floor: -10 km\n  snow:\n"
                     "    ball: {shape: {sphere: {radius: 30 cm}}, at: [%.1f, 70 cm, %.1f]}\n"
                     "picture: {labels: false}\n",
                     at, at + 0.6, at, at, at);
    if (camera)
        snprintf(words + n, sizeof words - (size_t)n,
                 "camera: {from: [%.1f, 0.9, %.1f], to: [%.1f, 0.5, %.1f], lens: 40 mm}\n", at + 1.2,
                 at + 1.6, at, at);
    run_test t = run_test_make(words);
    assert_ok(run_to(t.scene, t.a));
    snprintf(path, sizeof path, "%s/picture.png", t.folder.path);
    assert_ok(firn_render(
        &(firn_render_options){COOKIE(render), .folder = t.a, .output = path, .width = 240, .height = 180}));
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGBA;
    assert_ok(canvas_create((int)image.width, (int)image.height, (draw_color){0, 0, 0, 255}, out));
    assert_true(png_image_finish_read(&image, NULL, out->rgba, 0, NULL));
    run_test_end(&t);
}

static void test_the_picture_is_the_same(void **state) {
    (void)state;
    if (!have_gl) skip();
    for (int camera = 0; camera < 2; camera++) {
        canvas near, far;
        draw_at(0, camera, &near);
        draw_at(10000, camera, &far);
        double sum = 0, changes = 0;
        size_t bytes = 4 * (size_t)near.width * (size_t)near.height;
        assert_int_equal(near.width, far.width);
        for (size_t i = 4; i < bytes; i++) {
            sum += abs(near.rgba[i] - far.rgba[i]);
            changes += abs(near.rgba[i] - near.rgba[i - 4]);
        }
        assert_true(changes / (double)bytes > 0.5); // there is something to see
        if (sum / (double)bytes > 0.05)
            fail_msg("%s camera: a channel differs by %g on average", camera ? "given" : "framing",
                     sum / (double)bytes);
        canvas_free(&near);
        canvas_free(&far);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_picture_is_the_same)};
    return cmocka_run_group_tests(tests, find_gl, NULL);
}
