// Pictures of a live world: the same bytes as those of a run's frames.
// firn-test: slow
#include "cache/runs.h"

#include <pthread.h>

#include "draw/canvas.h"

#include <png.h>

enum { WIDTH = 160, HEIGHT = 90, BYTES = 4 * WIDTH * HEIGHT, LAST = 4 };

static bool no_pictures(firn_status status) {
    if (status == FIRN_UNSUPPORTED) print_message("[  SKIP    ] %s\n", firn_last_error());
    return status == FIRN_UNSUPPORTED;
}

static void read_png(const char *path, uint8_t *rgba) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    assert_true(image.width == WIDTH && image.height == HEIGHT);
    image.format = PNG_FORMAT_RGBA;
    assert_true(png_image_finish_read(&image, NULL, rgba, 0, NULL));
}

// Draws the frames of a run, and the same moments of a world that is stepped here.
static void compare_with_a_run(const char *yaml, firn_overrides overrides) {
    run_test t = {.folder = temporary_make()};
    snprintf(t.a, sizeof t.a, "%s/a", t.folder.path);
    snprintf(t.b, sizeof t.b, "%s/b", t.folder.path);
    assert_ok(firn_run(&(firn_run_options){COOKIE(run), .scene = yaml, .folder = t.a, .frames = LAST}));
    firn_world *world;
    firn_renderer *renderer;
    assert_ok(firn_world_open(yaml, &world));
    const firn_renderer_options look = {COOKIE(renderer), .scene = yaml, .overrides = overrides,
                                        .width = WIDTH, .height = HEIGHT};
    firn_status status = firn_renderer_open(world, &look, &renderer);
    if (!no_pictures(status)) {
        assert_ok(status);
        assert_ok(
            firn_render(&(firn_render_options){COOKIE(render), .folder = t.a, .output = t.b, .width = WIDTH,
                                               .height = HEIGHT, .overrides = overrides}));
        void *start;
        size_t bytes;
        assert_ok(firn_world_save(world, &start, &bytes));
        for (int frame = 0; frame <= LAST; frame++) { // as many moments as firn_render looks at
            if (frame > 0) assert_ok(firn_world_advance_frame(world));
            assert_ok(firn_renderer_measure(renderer));
        }
        assert_ok(firn_world_load(world, start, bytes));
        // Not the first: air that was loaded before any step already has the velocities of its boundaries.
        for (int frame = 1; frame <= LAST; frame++) {
            static uint8_t live[BYTES], drawn[BYTES];
            char path[500];
            assert_ok(firn_world_advance_frame(world));
            uint64_t before = firn_world_hash(world);
            assert_ok(firn_renderer_draw(renderer, NULL, live, 0));
            assert_int_equal(firn_world_hash(world), before);
            snprintf(path, sizeof path, "%s/frame_%06d.png", t.b, frame);
            read_png(path, drawn);
            size_t different = 0;
            for (size_t i = 0; i < BYTES; i++) different += live[i] != drawn[i];
            if (different) fail_msg("frame %d: %zu bytes differ", frame, different);
        }
        firn_data_free(start);
        firn_renderer_close(renderer);
    }
    firn_world_close(world);
    run_test_end(&t);
}

static void test_as_from_a_run(void **state) {
    (void)state;
    static const char *const set[] = {"picture.powder=0"}; // which needs the frames before
    compare_with_a_run(FIRN_TEST_DATA "/scenes/all-models.yaml", (firn_overrides){set, 1});
}

static void test_as_from_a_run_in_colours(void **state) {
    (void)state;
    static const char *const set[] = {"picture.color=mpm.speed", "picture.wind=lines"};
    compare_with_a_run(FIRN_TEST_DATA "/scenes/all-models.yaml", (firn_overrides){set, 2});
}

static const char ball[] =
    "firn: 1\nbodies: {ground: {shape: plane}, ball: {shape: {sphere: {radius: 30 cm}},\n"
    "  at: [0, 0.3, 0], color: [0.8, 0.1, 0.1]}}\n"
    "cameras: {near: {from: [0, 0.5, 1.2], to: [0, 0.3, 0]},\n"
    "          far: {from: [0, 2, 9], to: [0, 0.3, 0]}}\n"
    "picture: {labels: false}\n";

// Pixels of the ball.
static size_t count_red(const uint8_t *rgba, size_t stride) {
    size_t red = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t *p = rgba + (size_t)y * stride + 4 * (size_t)x;
            red += p[0] > p[1] + 40;
        }
    return red;
}

typedef struct other_thread {
    firn_renderer *renderer;
    uint8_t *rgba;
    firn_status status;
} other_thread;

static void *draw_elsewhere(void *context) {
    other_thread *o = context;
    o->status = firn_renderer_draw(o->renderer, NULL, o->rgba, 0);
    return NULL;
}

static void test_cameras_and_rows(void **state) {
    (void)state;
    enum { STRIDE = 4 * WIDTH + 12 };
    static uint8_t rgba[STRIDE * HEIGHT], again[STRIDE * HEIGHT];
    firn_world *world;
    firn_renderer *renderer;
    assert_ok(firn_world_open_text(ball, "ball", &world));
    firn_renderer_options look = {COOKIE(renderer), .text = ball, .width = WIDTH, .height = HEIGHT};
    firn_status status = firn_renderer_open(world, &look, &renderer);
    if (no_pictures(status)) {
        firn_world_close(world);
        return;
    }
    assert_ok(status);
    assert_int_equal(firn_renderer_width(renderer), WIDTH);
    assert_int_equal(firn_renderer_height(renderer), HEIGHT);
    memset(rgba, 7, sizeof rgba);
    assert_ok(firn_renderer_draw(renderer, NULL, rgba, STRIDE)); // the first camera
    size_t near = count_red(rgba, STRIDE);
    assert_int_equal(rgba[4 * WIDTH], 7); // between rows nothing is written
    assert_int_equal(rgba[3], 255);
    assert_ok(firn_renderer_draw(renderer, &(firn_camera){.name = "far"}, again, STRIDE));
    size_t far = count_red(again, STRIDE);
    assert_true(near > 500 && far > 5 && far < near / 10);
    assert_ok(firn_renderer_draw(renderer, &(firn_camera){.from = {0, 0.5, 1.2}, .to = {0, 0.3, 0}}, again,
                                 STRIDE));
    for (int y = 0; y < HEIGHT; y++) assert_memory_equal(rgba + y * STRIDE, again + y * STRIDE, 4 * WIDTH);
    // Another thread, and this one again.
    other_thread other = {renderer, again, FIRN_OK};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, draw_elsewhere, &other), 0);
    pthread_join(thread, NULL);
    assert_int_equal(other.status, FIRN_OK);
    for (int y = 0; y < HEIGHT; y++) assert_memory_equal(rgba + y * STRIDE, again + y * 4 * WIDTH, 4 * WIDTH);
    assert_int_equal(firn_renderer_draw(renderer, &(firn_camera){.name = "nera"}, again, 0), FIRN_BAD_INPUT);
    expect_message("did you mean 'near'");
    assert_int_equal(firn_renderer_draw(renderer, &(firn_camera){.lens = 0.035}, again, 0), FIRN_BAD_INPUT);
    assert_int_equal(firn_renderer_draw(renderer, NULL, again, 4), FIRN_BAD_INPUT);
    assert_int_equal(firn_renderer_draw(renderer, NULL, NULL, 0), FIRN_BAD_INPUT);
    firn_renderer_close(renderer);
    // Without settings of its own: the camera frames what there is.
    assert_ok(firn_renderer_open(
        world, &(firn_renderer_options){COOKIE(renderer), .width = WIDTH, .height = HEIGHT}, &renderer));
    assert_ok(firn_renderer_draw(renderer, NULL, again, STRIDE));
    assert_true(count_red(again, STRIDE) > 200);
    firn_renderer_close(renderer);
    firn_world_close(world);
}

static firn_status draw_once(firn_world *world) {
    static uint8_t rgba[BYTES];
    firn_renderer *renderer;
    firn_renderer_options look = {COOKIE(renderer), .text = ball, .width = WIDTH, .height = HEIGHT};
    firn_status status = firn_renderer_open(world, &look, &renderer);
    if (status == FIRN_OK) status = firn_renderer_draw(renderer, NULL, rgba, 0);
    firn_renderer_close(renderer);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text(ball, "ball", &world));
    if (no_pictures(draw_once(world))) {
        firn_world_close(world);
        return;
    }
    size_t before = mem_in_use();
    bool enough = false;
    for (size_t n = 1; !enough; n += 1 + n / 4 * FIRN_FEWER) {
        failing_allocator f;
        fail_allocation(&f, n);
        firn_status status = draw_once(world);
        enough = f.calls < n;
        firn_set_allocator(NULL);
        assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
        assert_int_equal(mem_in_use(), before);
    }
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cameras_and_rows), cmocka_unit_test(test_as_from_a_run),
        cmocka_unit_test(test_as_from_a_run_in_colours), cmocka_unit_test(test_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
