// The snow field in a picture: a ball has left a track, snow lies on a box.
// firn-test: slow
#include "cache/runs.h"

#include <math.h>
#include <png.h>

#include "draw/renderer.h"

static const char track_scene[] =
    "firn: 1\nduration: 0.4 s\nfps: 10\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  ball: {shape: {sphere: {radius: 15 cm}}, at: [0, 25 cm, 0], motion: dynamic, velocity: [2, 0, 0]}\n"
    "  box: {shape: {box: {size: [40 cm, 30 cm, 40 cm]}}, at: [0, 15 cm, -50 cm], color: [0.8, 0.1, 0]}\n"
    "field: {width: 2 m, length: 2 m, cell: 2 cm, depth: 15 cm, fall: {rate: 20000 mm/h}}\n"
    "camera: {from: [0.9, 1.2, 1.3], to: [0, 0.1, -0.1]}\n"
    "picture: {width: 192, height: 108, labels: false}\n";
enum { WIDTH = 192, HEIGHT = 108 };

static run_test shared;

static int make_run(void **state) {
    (void)state;
    shared = run_test_make(track_scene);
    return run_to(shared.scene, shared.a) == FIRN_OK ? 0 : -1;
}

static int drop_run(void **state) {
    (void)state;
    run_test_end(&shared);
    return 0;
}

static void draw(const char *setting, int frame, uint8_t out[WIDTH * HEIGHT][3]) {
    renderer *r;
    if (renderer_create(64, 64, 1, &r) != FIRN_OK) skip();
    renderer_destroy(r);
    char path[400];
    snprintf(path, sizeof path, "%s/p.png", shared.folder.path);
    assert_ok(firn_render(&(firn_render_options){COOKIE(render), .folder = shared.a, .output = path,
                                                 .overrides = {&setting, setting ? 1 : 0},
                                                 .first = (uint64_t)frame, .count = 1}));
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, WIDTH);
    assert_true(png_image_finish_read(&image, NULL, out, 0, NULL));
}

static uint8_t first[WIDTH * HEIGHT][3], last[WIDTH * HEIGHT][3];

static int count_red(uint8_t picture[WIDTH * HEIGHT][3]) {
    int red = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) red += picture[i][0] > picture[i][2] + 40;
    return red;
}

// Where red begins, seen from the middle of the picture in 24 directions: the least and the largest distance;
// rim: where it ends.
static void red_ring(uint8_t picture[WIDTH * HEIGHT][3], double *least, double *most, double *rim) {
    enum { SECTORS = 24 };
    double begin[SECTORS];
    for (int k = 0; k < SECTORS; k++) begin[k] = INFINITY;
    *least = INFINITY, *most = *rim = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        if (picture[i][0] <= picture[i][2] + 40) continue;
        const double x = i % WIDTH - 0.5 * (WIDTH - 1), y = i / WIDTH - 0.5 * (HEIGHT - 1),
                     away = hypot(x, y);
        const int k = (int)(SECTORS * (atan2(y, x) / (2 * M_PI) + 0.5)) % SECTORS;
        begin[k] = fmin(begin[k], away);
        *rim = fmax(*rim, away);
    }
    for (int k = 0; k < SECTORS; k++) *least = fmin(*least, begin[k]), *most = fmax(*most, begin[k]);
}

// The third frame of a scene of its own, in `last`.
static void draw_end_of(const char *words) {
    run_test kept = shared;
    shared = run_test_make(words);
    assert_ok(run_to(shared.scene, shared.a));
    draw(NULL, 2, last);
    run_test_end(&shared);
    shared = kept;
}

static int count_colour(const char *color) {
    char words[600];
    snprintf(words, sizeof words,
             "firn: 1\nduration: 0.4 s\nfps: 5\nair: {temperature: 9 C, time_lapse: 36000}\n"
             "bodies: {road: {shape: plane%s}}\n"
             "field: {width: 2 m, length: 2 m, cell: 10 cm, depth: 3 cm, pour: {heap: {rate: 1}}}\n"
             "camera: {from: [0.9, 1.2, 1.3], to: [0, 0.1, -0.1]}\n"
             "picture: {width: 192, height: 108, labels: false, sun_strength: 0}\n",
             color);
    draw_end_of(words);
    int found = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        found += last[i][1] > last[i][0] + 40 && last[i][1] > last[i][2] + 40;
    return found;
}

// Where the snow has melted away, the ground below has the colour that the scene gives it.
static void test_bare_ground_has_its_colour(void **state) {
    (void)state;
    int given = count_colour(", color: [0, 0.6, 0]"), earth = count_colour("");
    print_message("%d green pixels, %d without a colour\n", given, earth);
    assert_true(given > WIDTH * HEIGHT / 4);
    assert_true(earth == 0);
}

// The red box turns white while snow falls on it; snow is bright all over.
static void test_snow_lies_on_the_box(void **state) {
    (void)state;
    draw(NULL, 0, first);
    draw(NULL, 4, last);
    assert_true(count_red(first) > 100);
    assert_true(count_red(last) < count_red(first) * 7 / 10);
    int bright = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) bright += last[i][1] > 150;
    assert_true(bright > WIDTH * HEIGHT / 2);
}

// A ball five cells in radius with two millimetres of snow on it, from above: its cap has no holes and no
// notches.
static void test_snow_on_a_ball_is_whole(void **state) {
    (void)state;
    static const char words[] =
        "firn: 1\nduration: 0.4 s\nfps: 5\n"
        "bodies: {ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 10 cm, 0], color: [0.8, 0.1, 0]}}\n"
        "field: {width: 6 m, length: 6 m, cell: 4 cm, depth: 3 cm, fall: {rate: 20000 mm/h}}\n"
        "camera: {from: [0, 1 m, 0.1 mm], to: [0, 0, 0]}\n"
        "picture: {width: 192, height: 108, labels: false, sun_strength: 0}\n";
    double least, most, rim;
    draw_end_of(words);
    red_ring(last, &least, &most, &rim);
    print_message("snow to %.2f and %.2f of the ball's radius\n", least / rim, most / rim);
    assert_true(least > 0.6 * rim && most < 0.9 * rim);
    assert_true(most - least < 0.15 * rim);
}

// Two millimetres of snow on a box with a board on it: the step below the snow is no hole in it.
static void test_snow_over_a_step_is_whole(void **state) {
    (void)state;
    static const char words[] =
        "firn: 1\nduration: 0.4 s\nfps: 5\n"
        "bodies:\n"
        "  box: {shape: {box: {size: [1.2 m, 20 cm, 1.2 m]}}, rotate: [25 deg, 0, 0], color: [0.8, 0.1, 0]}\n"
        "  board: {shape: {box: {size: [40 cm, 23 cm, 40 cm]}}, rotate: [25 deg, 0, 0], color: [0.8, 0.1, "
        "0]}\n"
        "field: {width: 6 m, length: 6 m, cell: 4 cm, depth: 3 cm, fall: {rate: 20000 mm/h}}\n"
        "camera: {from: [0, 1 m, 0.1 mm], to: [0, 0, 0]}\n"
        "picture: {width: 192, height: 108, labels: false, sun_strength: 0}\n";
    double least, most, rim;
    draw_end_of(words);
    red_ring(last, &least, &most, &rim);
    print_message("red from %.1f pixels on\n", least);
    assert_true(isinf(least));
}

// Coloured by depth: the colours of the map instead of white, at both ends of it.
static void test_colours_of_depth(void **state) {
    (void)state;
    draw("picture.color=field.depth", 4, last);
    int blue = 0, warm = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        blue += last[i][2] > last[i][1] + 60;
        warm += last[i][0] > last[i][2] + 60 && last[i][1] > last[i][2];
    }
    assert_true(blue + warm > WIDTH * HEIGHT / 3);
}

// Cut at its border the field is smaller than the picture.
static void test_cut(void **state) {
    (void)state;
    draw("picture.endless=true", 4, first);
    draw("picture.endless=false", 4, last);
    int different = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) different += abs(first[i][0] - last[i][0]) > 4;
    assert_true(different > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bare_ground_has_its_colour), cmocka_unit_test(test_snow_on_a_ball_is_whole),
        cmocka_unit_test(test_snow_over_a_step_is_whole),  cmocka_unit_test(test_snow_lies_on_the_box),
        cmocka_unit_test(test_colours_of_depth),           cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
