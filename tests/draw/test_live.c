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

typedef struct watching {
    int calls;
    bool stop;
} watching;

static void watch_progress(void *context, double share, double eta) {
    watching *w = context;
    w->calls++;
    assert_true(share >= 0 && share <= 1 && eta >= 0);
}

static bool watch_stop(void *context) { return ((watching *)context)->stop; }

static void test_progress_of_final_quality(void **state) {
    (void)state;
    firn_world *world;
    firn_renderer *renderer;
    watching w = {0};
    static const char *const set[] = {"picture.noise=0.05"};
    static uint8_t rgba[BYTES];
    const firn_renderer_options o = {COOKIE(renderer),
                                     .text = ball,
                                     .overrides = {set, 1},
                                     .width = 64,
                                     .height = 36,
                                     .quality = FIRN_QUALITY_FINAL,
                                     .progress = watch_progress,
                                     .stop = watch_stop,
                                     .context = &w};
    assert_ok(firn_world_open_text(ball, "ball", &world));
    firn_status status = firn_renderer_open(world, &o, &renderer);
    if (!no_pictures(status)) {
        assert_ok(status);
        assert_ok(firn_renderer_draw(renderer, NULL, rgba, 0));
        assert_true(w.calls > 0);
        w = (watching){.stop = true};
        assert_int_equal(firn_renderer_draw(renderer, NULL, rgba, 0), FIRN_INTERRUPTED);
        firn_renderer_close(renderer);
    }
    firn_world_close(world);
}

// How many pixels a change of the picture changes.
static size_t changed_by(firn_world *world, const char *yaml, const char *const *set, size_t count,
                         uint8_t *rgba) {
    static uint8_t plain[BYTES];
    uint8_t *to[2] = {plain, rgba};
    const firn_camera camera = {.from = {3, 2, 4}, .to = {0, 0.5, 0}};
    for (int i = 0; i < 2; i++) {
        firn_renderer *renderer;
        const firn_renderer_options o = {COOKIE(renderer), .text = yaml, .overrides = {set, i ? count : 0},
                                         .width = WIDTH, .height = HEIGHT};
        assert_ok(firn_renderer_open(world, &o, &renderer));
        assert_ok(firn_renderer_draw(renderer, &camera, to[i], 0));
        firn_renderer_close(renderer);
    }
    size_t changed = 0;
    for (size_t i = 0; i < BYTES; i += 4) changed += memcmp(plain + i, rgba + i, 4) != 0;
    return changed;
}

// A clip plane beyond everything changes nothing; halfway through it hides one half; before it, all.
static void test_clip_arrows_and_domains(void **state) {
    (void)state;
    static const char yaml[] =
        "firn: 1\nbodies:\n  ground: {shape: plane}\n"
        "  box: {shape: {box: {size: [1, 1, 1]}}, at: [0, 1, 0], motion: dynamic, velocity: [0, 0, 3]}\n"
        "pbd:\n  box: {walls: [{low: [-1, 0, -1], high: [1, 2, 1]}]}\n"
        "  fluid: {spacing: 10 cm, pools: {pool: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [0.7, 0.3, "
        "0.7]}}}\n";
    firn_world *world;
    static uint8_t rgba[BYTES];
    assert_ok(firn_world_open_text(yaml, "clip", &world));
    if (no_pictures(draw_once(world))) {
        firn_world_close(world);
        return;
    }
    static const char *const none[] = {"picture.clip=x", "picture.clip_at=5"},
                             *const half[] = {"picture.clip=below-x", "picture.clip_at=0"},
                             *const all[] = {"picture.clip=y", "picture.clip_at=-1"},
                             *const arrows[] = {"picture.arrow_time=0.5 s"},
                             *const domains[] = {"picture.domains=yes"};
    assert_int_equal(changed_by(world, yaml, none, 2, rgba), 0);
    size_t some = changed_by(world, yaml, half, 2, rgba), most = changed_by(world, yaml, all, 2, rgba);
    if (!(some > 100 && most > some)) fail_msg("half: %zu, all: %zu pixels", some, most);
    assert_true(changed_by(world, yaml, arrows, 1, rgba) > 20);
    assert_true(changed_by(world, yaml, domains, 1, rgba) > 100);
    firn_world_close(world);
}

// Particles have arrows, too: one hundred grains of a cube that flies.
static void test_arrows_of_particles(void **state) {
    (void)state;
    static const char yaml[] =
        "firn: 1\ncamera: {from: [0, 1, 4], to: [0, 1, 0]}\nbodies: {ground: {shape: plane}}\n"
        "mpm:\n  cell: 10 cm\n  snow: {block: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [0, 1, 0], "
        "velocity: "
        "[2, 0, 0]}}\n";
    static const char *const arrows[] = {"picture.arrow_time=0.5 s"}, *const hidden[] = {
                                                                          "picture.arrow_time=0.5 s",
                                                                          "picture.hide=mpm"};
    firn_world *world;
    static uint8_t rgba[BYTES];
    assert_ok(firn_world_open_text(yaml, "arrows", &world));
    if (!no_pictures(draw_once(world))) {
        size_t some = changed_by(world, yaml, arrows, 1, rgba),
               none = changed_by(world, yaml, hidden, 2, rgba);
        if (some < 100) fail_msg("arrows: %zu pixels, hidden: %zu", some, none);
    }
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_progress_of_final_quality),
                                       cmocka_unit_test(test_clip_arrows_and_domains),
                                       cmocka_unit_test(test_arrows_of_particles),
                                       cmocka_unit_test(test_cameras_and_rows),
                                       cmocka_unit_test(test_as_from_a_run),
                                       cmocka_unit_test(test_as_from_a_run_in_colours),
                                       cmocka_unit_test(test_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
