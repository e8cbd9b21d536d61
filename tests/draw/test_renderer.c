// Pictures of lists whose look is known. Skipped, with a line that says so, where EGL is not there.
// firn-test: slow
#include "support.h"

#include <sys/wait.h>

#include "base/hash.h"
#include "base/memory.h"
#include "draw/fixture.h"
#include "draw/gl.h"

enum { WIDTH = 320, HEIGHT = 180 };

// Seen along -z from 6 m; the sun stands to the left, above and behind the camera.
static draw_list stage(void) {
    draw_list list = draw_list_default();
    list.camera = (draw_camera){{0, 1, 6}, {0, 1, 0}, 1};
    memcpy(list.light.sun, (float[]){-0.7f, 0.5f, 0.5f}, sizeof list.light.sun);
    list.centre[1] = 1;
    list.radius = 4;
    return list;
}

static canvas take(const draw_list *list, int samples) {
    renderer *r;
    canvas c;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){1, 2, 3, 4}, &c));
    assert_ok(renderer_create(WIDTH, HEIGHT, samples, &r));
    assert_ok(renderer_draw(r, list, &c));
    renderer_destroy(r);
    return c;
}

static const uint8_t *at(const canvas *c, int x, int y) { return c->rgba + 4 * (y * c->width + x); }
static int brightness(const canvas *c, int x, int y) {
    return at(c, x, y)[0] + at(c, x, y)[1] + at(c, x, y)[2];
}
static bool is_red(const canvas *c, int x, int y) { return at(c, x, y)[0] > at(c, x, y)[1] * 6 / 5; }

// Where a point of the world is in the picture of stage(): lens 1 means half the width at distance 1 is 0.5.
static void project(double x, double y, double z, double *px, double *py) {
    double scale = WIDTH / (6 - z);
    *px = WIDTH / 2.0 + x * scale;
    *py = HEIGHT / 2.0 - (y - 1) * scale;
}

static draw_mesh item(const mesh *m, float x, float y, float z, const float color[3]) {
    draw_mesh out = {.mesh = m, .at = {x, y, z}, .material = DRAW_BODY};
    memcpy(out.rotation, fixture_upright, sizeof out.rotation);
    memcpy(out.color, color, 3 * sizeof(float));
    return out;
}

static const float red[3] = {0.8f, 0.03f, 0.02f}, green[3] = {0.03f, 0.6f, 0.05f},
                   snow[3] = {0.9f, 0.92f, 0.95f};
static const draw_plane ground = {{0, 0, 0}, {0, 1, 0}, {0.9f, 0.92f, 0.95f}, false};

// A sphere of radius 0.5 at (0.5, 1.2, 0): each pixel's ray meets it or not; a pixel and a half at the rim
// may go either way.
static void expect_disc(const canvas *c) {
    size_t inside = 0, wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double d[3] = {(x + 0.5 - WIDTH / 2.0) / WIDTH, (HEIGHT / 2.0 - y - 0.5) / WIDTH, -1},
                   to[3] = {0.5, 0.2, -6};
            double dd = d[0] * d[0] + d[1] * d[1] + 1, along = (d[0] * to[0] + d[1] * to[1] + 6) / dd,
                   off = 0;
            for (int k = 0; k < 3; k++) off += pow(to[k] - along * d[k], 2);
            double pixels = (0.5 - sqrt(off)) * WIDTH / 6;
            inside += pixels > 0;
            wrong += pixels > 1.5 && !is_red(c, x, y);
            wrong += pixels < -1.5 && is_red(c, x, y);
        }
    assert_true(inside > 2000);
    assert_int_equal(wrong, 0);
}

static void expect_sunny_side(const canvas *c) {
    double px, py;
    project(0.5, 1.2, 0, &px, &py);
    int sunny = brightness(c, (int)px - 10, (int)py - 8), shady = brightness(c, (int)px + 17, (int)py + 8);
    assert_true(sunny > shady + 60);
}

static void test_a_sphere_is_where_it_should_be(void **state) {
    (void)state;
    NEEDS_GL();
    mesh ball = fixture_sphere(0.5f, 48);
    static const float middle[1][3] = {{0.5f, 1.2f, 0}};
    for (int as_point = 0; as_point < 2; as_point++)
        for (int samples = 1; samples <= 4; samples *= 2) {
            draw_list list = stage();
            assert_ok(draw_list_plane(&list, ground));
            if (as_point)
                assert_ok(draw_list_points(
                    &list,
                    (draw_points){middle, 1, 0.5f, {0.8f, 0.03f, 0.02f}, NULL, 0, 1, false, NULL, NULL, 0}));
            else
                assert_ok(draw_list_mesh(&list, item(&ball, 0.5f, 1.2f, 0, red)));
            canvas c = take(&list, samples);
            expect_disc(&c);
            expect_sunny_side(&c);
            assert_true(at(&c, 5, 5)[2] > at(&c, 5, 5)[0]); // the sky is blue
            canvas_free(&c);
            draw_list_free(&list);
        }
    mesh_free(&ball);
}

// The shadow of the ball's middle falls on the ground at p - sun * p.y / sun.y.
static void test_shadows_fall_away_from_the_sun(void **state) {
    (void)state;
    NEEDS_GL();
    mesh ball = fixture_sphere(0.4f, 32);
    static float cloud[2000][3];
    for (int i = 0; i < 2000; i++) { // the same ball, of grains
        random4 r = random_bits(9, (uint64_t)i, 0, 0);
        float z = 2 * random_unit(r, 0) - 1, a = 6.2831853f * random_unit(r, 1),
              d = 0.4f * cbrtf(random_unit(r, 2));
        cloud[i][0] = d * sqrtf(1 - z * z) * cosf(a) - 0.5f;
        cloud[i][1] = d * z + 1;
        cloud[i][2] = d * sqrtf(1 - z * z) * sinf(a);
    }
    for (int grains = 0; grains < 2; grains++) {
        draw_list list = stage();
        assert_ok(draw_list_plane(&list, ground));
        if (grains)
            assert_ok(draw_list_points(&list, (draw_points){(const float(*)[3])cloud,
                                                            2000,
                                                            0.04f,
                                                            {0.9f, 0.9f, 0.9f},
                                                            NULL,
                                                            0,
                                                            1,
                                                            false,
                                                            NULL,
                                                            NULL,
                                                            0}));
        else
            assert_ok(draw_list_mesh(&list, item(&ball, -0.5f, 1, 0, red)));
        canvas c = take(&list, 2);
        double x, y, side_x, side_y;
        project(-0.5 + 0.7 / 0.5, 0, -0.5 / 0.5, &x, &y);
        project(-0.5 - 0.7 / 0.5, 0, -0.5 / 0.5, &side_x, &side_y);
        int shadow = brightness(&c, (int)x, (int)y), lit = brightness(&c, (int)side_x, (int)side_y);
        assert_true(shadow < lit - 100);
        assert_true(at(&c, (int)x, (int)y)[2] > at(&c, (int)x, (int)y)[0] + 15); // shadows on snow are blue
        canvas_free(&c);
        draw_list_free(&list);
    }
    mesh_free(&ball);
}

static void test_what_is_nearer_hides_what_is_behind(void **state) {
    (void)state;
    NEEDS_GL();
    mesh box = fixture_box(1, 1, 1);
    static const float small[1][3] = {{0, 1, 0.9f}}, behind[1][3] = {{0, 1, -0.9f}};
    for (int order = 0; order < 2; order++)
        for (int radius = 0; radius < 2; radius++) { // drawn as splat and as exact sphere
            draw_list list = stage();
            float r = radius ? 0.35f : 0.1f;
            assert_ok(draw_list_mesh(&list, item(&box, 0, 1, 0, green)));
            assert_ok(draw_list_points(
                &list,
                (draw_points){
                    order ? small : behind, 1, r, {0.8f, 0.03f, 0.02f}, NULL, 0, 1, false, NULL, NULL, 0}));
            canvas c = take(&list, 1);
            assert_int_equal(is_red(&c, WIDTH / 2, HEIGHT / 2), order);
            canvas_free(&c);
            draw_list_free(&list);
        }
    mesh_free(&box);
}

static draw_list busy_list(mesh meshes[3], float (*grains)[3], float *value, size_t count) {
    draw_list list = stage();
    fixture_heap(grains, value, count, 1, 0.8f, 5);
    assert_ok(draw_list_mesh(&list, item(&meshes[0], -1, 0.6f, 0.5f, red)));
    assert_ok(draw_list_mesh(&list, item(&meshes[1], 1.2f, 0.5f, 0, green)));
    assert_ok(draw_list_mesh(&list, item(&meshes[2], 0, -0.3f, 0, snow)));
    list.meshes[2].material = DRAW_SNOW;
    list.meshes[0].material = DRAW_PACKED;
    assert_ok(draw_list_points(
        &list,
        (draw_points){
            (const float(*)[3])grains, count, 0.02f, {0.9f, 0.9f, 0.9f}, value, 0, 1, false, NULL, NULL, 0}));
    return list;
}

static uint64_t picture_hash(int samples) {
    enum { GRAINS = 3000 };
    static float grains[GRAINS][3], value[GRAINS];
    mesh meshes[3] = {fixture_sphere(0.5f, 24), fixture_box(0.8f, 0.8f, 0.8f), fixture_hills(8, 1, 40)};
    draw_list list = busy_list(meshes, grains, value, GRAINS);
    canvas c = take(&list, samples);
    uint64_t hash = hash64(c.rgba, WIDTH * HEIGHT * 4, 0);
    canvas_free(&c);
    draw_list_free(&list);
    for (int i = 0; i < 3; i++) mesh_free(&meshes[i]);
    return hash;
}

// The driver reads LP_NUM_THREADS once, so another number needs another process.
static uint64_t hash_in_child(const char *threads) {
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("LP_NUM_THREADS", threads, 1);
        dup2(channel[1], 3);
        execl("/proc/self/exe", "test", "hash", (char *)NULL);
        _exit(1);
    }
    close(channel[1]);
    uint64_t hash = 0;
    assert_int_equal(read(channel[0], &hash, sizeof hash), sizeof hash);
    close(channel[0]);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    return hash;
}

static void test_the_same_list_gives_the_same_bits(void **state) {
    (void)state;
    NEEDS_GL();
    uint64_t hash = picture_hash(2);
    assert_true(picture_hash(2) == hash);
    assert_true(picture_hash(1) != hash);
    firn_set_threads(1);
    assert_true(picture_hash(2) == hash);
    firn_set_threads(3);
    assert_true(picture_hash(2) == hash);
    firn_set_threads(0);
    assert_true(hash_in_child("0") == hash);
    assert_true(hash_in_child("3") == hash);
}

// The same renderer draws one list after another: what was before leaves no trace.
static void test_a_renderer_forgets(void **state) {
    (void)state;
    NEEDS_GL();
    enum { GRAINS = 500 };
    static float grains[GRAINS][3], value[GRAINS];
    mesh meshes[3] = {fixture_sphere(0.5f, 24), fixture_box(0.8f, 0.8f, 0.8f), fixture_hills(8, 1, 20)};
    draw_list busy = busy_list(meshes, grains, value, GRAINS), plain = stage();
    assert_ok(draw_list_plane(&plain, ground));
    canvas fresh = take(&plain, 2), again = take(&plain, 2);
    renderer *r;
    assert_ok(renderer_create(WIDTH, HEIGHT, 2, &r));
    for (int i = 0; i < 3; i++) {
        assert_ok(renderer_draw(r, &busy, &again));
        assert_memory_not_equal(again.rgba, fresh.rgba, WIDTH * HEIGHT * 4);
        assert_ok(renderer_draw(r, &plain, &again));
        assert_memory_equal(again.rgba, fresh.rgba, WIDTH * HEIGHT * 4);
    }
    // A mesh whose content changed is loaded again when its revision says so.
    canvas moved;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0, 0, 0, 0}, &moved));
    assert_ok(renderer_draw(r, &busy, &again));
    for (size_t v = 0; v < meshes[0].vertices; v++) meshes[0].position[v][1] += 1;
    busy.meshes[0].revision++;
    assert_ok(renderer_draw(r, &busy, &moved));
    assert_memory_not_equal(again.rgba, moved.rgba, WIDTH * HEIGHT * 4);
    renderer_destroy(r);
    canvas_free(&moved);
    canvas_free(&fresh);
    canvas_free(&again);
    draw_list_free(&busy);
    draw_list_free(&plain);
    for (int i = 0; i < 3; i++) mesh_free(&meshes[i]);
}

// Shadows of what stays where it is are kept from picture to picture: each is as a new renderer draws it,
// while things move, stop, vanish, come back and become others.
static void test_shadows_are_those_of_the_moment(void **state) {
    (void)state;
    NEEDS_GL();
    enum { MOMENTS = 12 };
    mesh ball = fixture_sphere(0.4f, 40), other = fixture_sphere(0.5f, 40), box = fixture_box(0.5f, 0.5f, 0.5f);
    renderer *r;
    canvas c;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0, 0, 0, 0}, &c));
    assert_ok(renderer_create(WIDTH, HEIGHT, 1, &r));
    for (int moment = 0; moment < MOMENTS; moment++) {
        draw_list list = stage();
        assert_ok(draw_list_plane(&list, ground));
        float rolled = moment < 4 ? 0 : moment < 6 ? 0.3f : 0.5f;
        if (moment != 8) assert_ok(draw_list_mesh(&list, item(&ball, -0.8f + rolled, 1, 0, red)));
        assert_ok(draw_list_mesh(&list, item(&other, 1, 1, 0, green)));
        assert_ok(draw_list_mesh(&list, item(&box, 0.1f * (float)moment, 0.5f, 1, red)));
        if (moment == 10) {
            for (size_t v = 0; v < other.vertices; v++) other.position[v][1] *= 1.5f;
            renderer_forget(r);
        }
        if (moment == 11) list.radius = 5; // another shadow map
        assert_ok(renderer_draw(r, &list, &c));
        canvas fresh = take(&list, 1);
        assert_memory_equal(c.rgba, fresh.rgba, WIDTH * HEIGHT * 4);
        canvas_free(&fresh);
        draw_list_free(&list);
    }
    renderer_destroy(r);
    canvas_free(&c);
    mesh_free(&ball);
    mesh_free(&other);
    mesh_free(&box);
}

static void test_strange_lists_are_drawn(void **state) {
    (void)state;
    NEEDS_GL();
    static const float odd[][3] = {{NAN, 1, 0}, {0, 1, 6}, {0, 1, 5.999f}, {INFINITY, 0, 0}, {0, 1e30f, 0}};
    mesh box = fixture_box(1, 1, 1);
    draw_list list = stage();
    canvas c = take(&list, 1); // nothing at all: sky
    assert_true(at(&c, 10, 10)[2] > at(&c, 10, 10)[0]);
    canvas_free(&c);
    assert_ok(
        draw_list_points(&list, (draw_points){odd, 5, 0.5f, {1, 1, 1}, NULL, 0, 0, false, NULL, NULL, 0}));
    assert_ok(
        draw_list_points(&list, (draw_points){NULL, 0, 0.5f, {1, 1, 1}, NULL, 0, 0, false, NULL, NULL, 0}));
    assert_ok(draw_list_plane(&list, (draw_plane){{0, -1, 0}, {0.3f, 1, 0.2f}, {0.9f, 0.9f, 0.9f}, true}));
    assert_ok(draw_list_mesh(&list, item(&box, NAN, 0, 0, red)));
    for (int i = 0; i < 4; i++) {
        if (i == 1) memcpy(list.camera.to, list.camera.from, sizeof list.camera.to); // looks nowhere
        if (i == 2) list.camera = (draw_camera){{0, 5, 0}, {0, 0, 0}, 1};            // straight down
        if (i == 3) memset(list.light.sun, 0, sizeof list.light.sun);
        c = take(&list, 2);
        canvas_free(&c);
    }
    draw_list_free(&list);
    mesh_free(&box);
}

static void test_drawing_survives_failing_memory(void **state) {
    (void)state;
    NEEDS_GL();
    enum { GRAINS = 100 };
    static float grains[GRAINS][3], value[GRAINS];
    mesh meshes[3] = {fixture_sphere(0.5f, 8), fixture_box(0.8f, 0.8f, 0.8f), fixture_hills(8, 1, 10)};
    draw_list list = busy_list(meshes, grains, value, GRAINS);
    canvas c;
    assert_ok(canvas_create(64, 32, (draw_color){0, 0, 0, 0}, &c));
    size_t before = mem_in_use();
    failing_allocator f;
    for (size_t n = 1;; n++) {
        fail_allocation(&f, n);
        renderer *r;
        firn_status status = renderer_create(64, 32, 4, &r);
        if (status == FIRN_OK) status = renderer_draw(r, &list, &c);
        renderer_destroy(r);
        assert_int_equal(mem_in_use(), before);
        if (f.calls < n) {
            assert_ok(status);
            break;
        }
        assert_int_equal(status, FIRN_NO_MEMORY);
    }
    firn_set_allocator(NULL);
    canvas_free(&c);
    draw_list_free(&list);
    for (int i = 0; i < 3; i++) mesh_free(&meshes[i]);
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "hash") == 0) {
        uint64_t hash = picture_hash(2);
        return write(3, &hash, sizeof hash) == sizeof hash ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_sphere_is_where_it_should_be),
        cmocka_unit_test(test_shadows_fall_away_from_the_sun),
        cmocka_unit_test(test_what_is_nearer_hides_what_is_behind),
        cmocka_unit_test(test_the_same_list_gives_the_same_bits),
        cmocka_unit_test(test_a_renderer_forgets),
        cmocka_unit_test(test_shadows_are_those_of_the_moment),
        cmocka_unit_test(test_strange_lists_are_drawn),
        cmocka_unit_test(test_drawing_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
