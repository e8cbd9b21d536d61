// What a viewer needs of the library: cameras, pictures and movies of its own pixels, a renderer that follows
// a changing world, the frames of a run, the list of parameters, times of passes.
#include "cache/runs.h"

#include <math.h>

#include "draw/canvas.h"

enum { WIDTH = 96, HEIGHT = 64 };

static const char yard[] = "firn: 1\n"
                           "camera: {from: [2, 1, 3], to: [0, 0.25, 0], lens: 50 mm}\n"
                           "cameras: {above: {from: [0, 5, 0.5], to: [0, 0, 0], orbit: 90 deg/s}}\n"
                           "bodies:\n"
                           "  ground: {shape: plane}\n"
                           "  ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 1, 0], motion: dynamic}\n"
                           "field: {width: 2 m, length: 2 m, cell: 5 cm, depth: 10 cm}\n";

static bool open_renderer(firn_world *world, firn_renderer **out) {
    firn_renderer_options look = {COOKIE(renderer), .text = yard, .width = WIDTH, .height = HEIGHT};
    firn_status status = firn_renderer_open(world, &look, out);
    if (status == FIRN_UNSUPPORTED) print_message("[  SKIP    ] %s\n", firn_last_error());
    if (status == FIRN_UNSUPPORTED) return false;
    assert_ok(status);
    return true;
}

static void test_cameras(void **state) {
    (void)state;
    firn_world *world;
    firn_renderer *r;
    firn_camera c;
    static uint8_t by_name[4 * WIDTH * HEIGHT], by_place[4 * WIDTH * HEIGHT];
    assert_ok(firn_world_open_text(yard, "yard", &world));
    if (open_renderer(world, &r)) {
        assert_int_equal(firn_renderer_camera_count(r), 2);
        assert_string_equal(firn_renderer_camera_name(r, 0), "main");
        assert_string_equal(firn_renderer_camera_name(r, 1), "above");
        assert_null(firn_renderer_camera_name(r, 2));
        assert_ok(firn_renderer_camera(r, NULL, &c));
        assert_true(c.name == NULL && fabs(c.from.x - 2) < 1e-6 && fabs(c.to.y - 0.25) < 1e-6);
        assert_true(fabs(c.lens - 0.05) < 1e-8);
        assert_ok(firn_world_advance(world, 1)); // a quarter of its orbit
        assert_ok(firn_renderer_camera(r, "above", &c));
        assert_true(fabs(c.from.x - 0.5) < 1e-6 && fabs(c.from.z) < 1e-6);
        assert_int_equal(firn_renderer_camera(r, "abov", &c), FIRN_BAD_INPUT);
        assert_ok(firn_renderer_camera(r, NULL, &c));
        assert_ok(firn_renderer_draw(r, NULL, by_name, 0));
        assert_ok(firn_renderer_draw(r, &c, by_place, 0));
        assert_memory_equal(by_name, by_place, sizeof by_name);
        firn_renderer_close(r);
    }
    firn_world_close(world);
}

// Models, and the def of the world, are made anew; the sanitizers see who still looks at the old ones.
static void test_renderer_follows_a_world_that_changes(void **state) {
    (void)state;
    firn_world *world;
    firn_renderer *r;
    static uint8_t before[4 * WIDTH * HEIGHT], after[4 * WIDTH * HEIGHT];
    assert_ok(firn_world_open_text(yard, "yard", &world));
    if (open_renderer(world, &r)) {
        assert_ok(firn_renderer_draw(r, NULL, before, 0));
        firn_snowfield_pour_def pour = firn_snowfield_pour_def_default();
        pour.name = "heap";
        pour.radius = 0.5;
        pour.rate = 100;
        assert_ok(firn_world_add_pour(world, &pour));
        firn_body_def body = firn_body_def_default();
        body.name = "post";
        body.shape.kind = FIRN_SHAPE_BOX;
        body.shape.size = (firn_vec3){0.2, 2, 0.2};
        body.color = (firn_vec3){1, 0, 0};
        assert_ok(firn_world_add_body(world, &body, NULL));
        assert_ok(firn_world_advance(world, 0.1));
        assert_ok(firn_renderer_draw(r, NULL, after, 0));
        int red = 0;
        for (size_t i = 0; i < sizeof after; i += 4) red += after[i] > 90 && after[i] > 2 * after[i + 1];
        assert_true(red > 40);
        firn_renderer_close(r);
    }
    firn_world_close(world);
}

static void test_pictures_and_movies(void **state) {
    (void)state;
    temporary folder = temporary_make();
    char path[400];
    static uint8_t rgba[4 * WIDTH * HEIGHT];
    for (size_t i = 0; i < sizeof rgba; i++) rgba[i] = (uint8_t)(i % 251);
    snprintf(path, sizeof path, "%s/a.png", folder.path);
    assert_ok(firn_picture_write(path, WIDTH, HEIGHT / 2, rgba, 8 * WIDTH)); // every second row
    assert_true(access(path, R_OK) == 0);
    firn_movie *movie;
    snprintf(path, sizeof path, "%s/a.gif", folder.path);
    firn_status status = firn_movie_open(path, WIDTH, HEIGHT, 10, &movie);
    if (status != FIRN_UNSUPPORTED) {
        assert_ok(status);
        assert_ok(firn_movie_add(movie, rgba, 0));
        assert_int_equal(firn_movie_add(movie, rgba, 8), FIRN_BAD_INPUT);
        assert_ok(firn_movie_close(movie, true));
        assert_true(access(path, R_OK) == 0);
        snprintf(path, sizeof path, "%s/b.gif", folder.path);
        assert_ok(firn_movie_open(path, WIDTH, HEIGHT, 10, &movie));
        assert_ok(firn_movie_add(movie, rgba, 0));
        assert_ok(firn_movie_close(movie, false));
        assert_true(access(path, R_OK) != 0);
    }
    temporary_remove(&folder);
}

static double ball_height(const firn_world *world) {
    return firn_world_body_state(world, firn_world_body_find(world, "ball")).position.y;
}

static void test_player(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.a, .frames = 3};
    assert_ok(firn_run(&options));
    firn_player *player;
    assert_ok(firn_player_open(t.a, &player));
    assert_int_equal(firn_player_count(player), 4);
    assert_int_equal(firn_player_frame(player, 3), 3);
    firn_world *shown = firn_player_world(player), *there;
    for (size_t i = 4; i-- > 0;) { // also backwards
        assert_ok(firn_player_show(player, i));
        assert_ok(firn_run_world(t.a, i, &there));
        assert_true(firn_world_time(shown) == firn_world_time(there));
        assert_true(ball_height(shown) == ball_height(there));
        firn_world_close(there);
    }
    assert_int_equal(firn_player_show(player, 4), FIRN_BAD_INPUT);
    assert_true(firn_world_time(shown) == 0); // the frame before stays
    options.frames = 6;
    assert_ok(firn_run(&options));
    assert_int_equal(firn_player_count(player), 4);
    assert_ok(firn_player_refresh(player));
    assert_int_equal(firn_player_count(player), 7);
    assert_ok(firn_player_show(player, 6));
    firn_player_close(player);
    run_test_end(&t);
}

typedef struct seen {
    const firn_world *world;
    size_t count, live, unreadable;
    bool friction;
} seen;

static void see(void *context, const char *name, const firn_param_row *row) {
    seen *s = context;
    char value[512];
    s->count++;
    s->live += row->live;
    s->unreadable += firn_world_get_text(s->world, name, value, sizeof value) != FIRN_OK;
    if (strcmp(name, "bodies.ball.friction") == 0) s->friction = row->type == FIRN_PARAM_REAL && row->help;
}

static void test_parameters(void **state) {
    (void)state;
    firn_world *world;
    run_test t = run_test_make(small_scene);
    static const char *const set[] = {"gravity=[0, -2, 0]", "bodies.ball.density=250 kg/m3"};
    assert_ok(firn_world_open_with(t.scene, (firn_overrides){set, 2}, &world));
    seen s = {.world = world};
    assert_ok(firn_world_params(world, see, &s));
    assert_true(s.count > 30 && s.friction);
    assert_int_equal(s.unreadable, 0);
    assert_int_equal(s.live, firn_world_live_count(world));
    double density;
    assert_ok(firn_world_get(world, "bodies.ball.density", &density));
    assert_true(density == 250);
    static const char *const wrong[] = {"gravty=[0, -2, 0]"};
    firn_world *none;
    assert_int_equal(firn_world_open_with(t.scene, (firn_overrides){wrong, 1}, &none), FIRN_BAD_INPUT);
    assert_null(none);
    firn_world_close(world);
    run_test_end(&t);
}

static void test_times_of_passes(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text(small_scene, "small", &world));
    for (int i = 0; i < 5; i++) assert_ok(firn_world_step(world));
    double grains = 0;
    size_t count = firn_world_pass_count(world);
    assert_true(count >= 8);
    for (size_t i = 0; i < count; i++) {
        firn_pass pass = firn_world_pass(world, i);
        assert_true(pass.name && pass.seconds >= 0);
        if (strcmp(pass.model, "grains") == 0) grains += pass.seconds;
    }
    double whole = firn_world_model_seconds(world, 1);
    assert_true(grains > 0 && whole > 0 && grains < 1.5 * whole + 1e-3);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cameras),
                                       cmocka_unit_test(test_renderer_follows_a_world_that_changes),
                                       cmocka_unit_test(test_pictures_and_movies),
                                       cmocka_unit_test(test_player),
                                       cmocka_unit_test(test_parameters),
                                       cmocka_unit_test(test_times_of_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
