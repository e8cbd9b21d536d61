// The screen passes on the CPU against those of OpenGL, and the glints of snow. Skipped, with a line that
// says so, without EGL.
#include "support.h"

#include <math.h>

#include "base/isa.h"
#include "draw/fixture.h"

enum { WIDTH = 323, HEIGHT = 181, GRAINS = 3000 }; // no multiple of a vector
static renderer *shared;

static int open_renderer(void **state) {
    (void)state;
    if (renderer_create(WIDTH, HEIGHT, 1, &shared) != FIRN_OK)
        print_message("[  SKIP    ] no pictures on this machine: %s\n", firn_last_error());
    return 0;
}

static int close_renderer(void **state) {
    (void)state;
    renderer_destroy(shared);
    return 0;
}

#define NEEDS_GL()                                                                                           \
    if (!shared) skip()

static draw_list stage(void) {
    draw_list list = draw_list_default();
    draw_list_camera(&list, (draw_camera){{0, 1.6f, 6}, {0, 0.8f, 0}, 1});
    memcpy(list.light.sun, (float[]){-0.7f, 0.5f, 0.3f}, sizeof list.light.sun);
    list.centre[1] = 1;
    list.radius = 4;
    return list;
}

static void add(draw_list *list, const mesh *m, float x, float y, float z, draw_material material) {
    draw_mesh item = {.mesh = m, .at = {x, y, z}, .rotation = {1, 0, 0, 0}, .material = material};
    const float snow[3] = {0.9f, 0.92f, 0.95f}, wood[3] = {0.5f, 0.25f, 0.1f},
                deep[3] = {0.03f, 0.16f, 0.24f};
    memcpy(item.color,
           material == DRAW_WATER  ? deep
           : material == DRAW_BODY ? wood
                                   : snow,
           sizeof item.color);
    assert_ok(draw_list_mesh(list, item));
}

static canvas take(const draw_list *list, bool on_cpu) {
    canvas c;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){1, 2, 3, 4}, &c));
    renderer_forget(shared);
    assert_ok(renderer_shade_on_cpu(shared, on_cpu));
    assert_ok(renderer_draw(shared, list, &c));
    return c;
}

// Rounding may turn a look at the shadow map or at the edge of a thing to the next pixel, so single pixels
// differ.
static void expect_pictures_alike(const canvas *a, const canvas *b) {
    double sum = 0;
    size_t far = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        int most = 0;
        for (size_t k = 4 * i; k < 4 * i + 3; k++) {
            int apart = abs(a->rgba[k] - b->rgba[k]);
            sum += apart;
            most = apart > most ? apart : most;
        }
        far += most > 8;
    }
    double mean = sum / (3 * WIDTH * HEIGHT), share = (double)far / (WIDTH * HEIGHT);
    print_message("           mean %.4f of 255, %.3f %% of the pixels by more than 8\n", mean, 100 * share);
    assert_true(mean < 0.1);
    assert_true(share < 0.002);
}

static double toned(double x, double corner) {
    return 255 * corner * pow(x * (x + 0.25) / (x * (x + 0.55) + 0.27), 1 / 2.2);
}

// Light before tones becomes the picture by shader_tone; its sky is where nothing was drawn.
static void expect_light(const draw_list *list, const canvas *picture) {
    light_picture light;
    assert_ok(light_create(WIDTH, HEIGHT, false, &light));
    assert_ok(renderer_keep_light(shared, &light));
    canvas again = take(list, true);
    assert_memory_equal(again.rgba, picture->rgba, 4 * WIDTH * HEIGHT);
    size_t sky = 0;
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        double u = ((double)(i % WIDTH) + 0.5) / WIDTH - 0.5, v = ((double)(i / WIDTH) + 0.5) / HEIGHT - 0.5;
        for (int k = 0; k < 3; k++)
            assert_near(picture->rgba[4 * i + k], toned(light.rgba[i][k], 1 - 0.2 * (u * u + v * v)), 1.1);
        assert_true(light.rgba[i][3] == (light.depth[i] < LIGHT_NOTHING));
        assert_true(light.depth[i] > 0.5f);
        sky += light.rgba[i][3] == 0;
    }
    assert_true(sky > WIDTH * HEIGHT / 50 && sky < WIDTH * HEIGHT / 2);
    assert_ok(renderer_keep_light(shared, NULL));
    canvas_free(&again);
    light_free(&light);
}

// With every instruction set of this machine.
static void expect_alike(const draw_list *list) {
    isa before = isa_active();
    canvas a = take(list, false);
    for (isa set = ISA_BASE; set <= isa_best(); set++) {
        assert_true(isa_use(set));
        canvas b = take(list, true);
        expect_pictures_alike(&a, &b);
        expect_light(list, &b);
        canvas_free(&b);
    }
    canvas_free(&a);
    isa_use(before);
}

static void test_both_ways_give_the_same_picture(void **state) {
    (void)state;
    NEEDS_GL();
    static float heap[GRAINS][3], value[GRAINS];
    fixture_heap(heap, value, GRAINS, 0.5f, 0.8f, 7);
    mesh ball = fixture_sphere(0.5f, 24), box = fixture_box(0.7f, 0.7f, 0.7f),
         hills = fixture_hills(5, 0.6f, 40), pool = fixture_box(1.6f, 0.6f, 1.2f);
    float(*rest)[4] = test_malloc(hills.vertices * sizeof *rest);
    for (size_t i = 0; i < hills.vertices; i++) {
        memcpy(rest[i], hills.position[i], sizeof hills.position[i]);
        rest[i][3] = 9 / 15.0f;
    }
    for (int wet = 0; wet < 2; wet++)
        for (int hazy = 0; hazy < 2; hazy++) {
            draw_list list = stage();
            list.light.haze = hazy ? 30 : 0;
            list.light.clear = 0.7f;
            add(&list, &hills, 0, 0, 0, hazy ? DRAW_COVER : DRAW_FIELD);
            if (!hazy) list.meshes[0].rest = (const float(*)[4])rest; // drafts keep it in sixteenths
            assert_ok(
                draw_list_plane(&list, (draw_plane){{0, 0.1f, 0}, {0, 1, 0}, {0.9f, 0.92f, 0.95f}, hazy}));
            add(&list, &ball, -1.1f, 1, 0.5f, DRAW_SOFT);
            assert_ok(draw_list_lamp(&list, (draw_lamp){{0.4f, 1.6f, 1}, 0.1f, {30, 20, 10}}));
            add(&list, &ball, 1.4f, 0.9f, 0, DRAW_BODY);
            add(&list, &box, 0.6f, 0.5f, -1, DRAW_PACKED);
            if (wet) add(&list, &pool, 0.2f, 0.5f, 1.2f, DRAW_WATER);
            assert_ok(draw_list_points(&list, (draw_points){(const float(*)[3])heap,
                                                            GRAINS,
                                                            0.03f,
                                                            {0.9f, 0.9f, 0.9f},
                                                            hazy ? value : NULL,
                                                            0,
                                                            1,
                                                            false,
                                                            NULL,
                                                            NULL,
                                                            0}));
            expect_alike(&list);
            draw_list_free(&list);
        }
    test_free(rest);
    mesh_free(&ball);
    mesh_free(&box);
    mesh_free(&hills);
    mesh_free(&pool);
}

// Far brighter than those around it.
static bool is_glint(const canvas *c, int x, int y) {
    const uint8_t *p = c->rgba + 4 * (y * WIDTH + x);
    return 2 * p[1] > p[1 - 4] + p[1 + 4] + 16 && 2 * p[1] > p[1 - 4 * WIDTH] + p[1 + 4 * WIDTH] + 16;
}

// Pixels of the near half that glint; also: in another picture as well, or NULL.
static size_t glints(const canvas *c, const canvas *also) {
    size_t count = 0;
    for (int y = HEIGHT / 2; y < HEIGHT - 1; y++)
        for (int x = 1; x < WIDTH - 1; x++) count += is_glint(c, x, y) && (!also || is_glint(also, x, y));
    return count;
}

// Snow sparkles in the sun: a few crystals in a thousand, others when the eye has moved; a body of the same
// colour does not.
static void test_snow_sparkles(void **state) {
    (void)state;
    NEEDS_GL();
    mesh hills = fixture_hills(5, 0.6f, 40);
    for (int on_cpu = 0; on_cpu < 2; on_cpu++) {
        size_t count[2];
        for (int snow = 0; snow < 2; snow++) {
            draw_list list = stage();
            add(&list, &hills, 0, 0, 0, snow ? DRAW_SNOW : DRAW_PACKED);
            canvas c = take(&list, on_cpu);
            count[snow] = glints(&c, NULL);
            canvas_free(&c);
            draw_list_free(&list);
        }
        print_message("           %zu glints, %zu without sparkle\n", count[1], count[0]);
        assert_in_range(count[1], 10, WIDTH * HEIGHT / 100);
        assert_true(count[0] < count[1] / 5);
    }
    mesh_free(&hills);
}

// No spark stays where it is when the sun moves on by some twenty degrees; while nothing moves all stay.
static void test_sparkle_follows_the_sun(void **state) {
    (void)state;
    NEEDS_GL();
    mesh hills = fixture_hills(5, 0.6f, 40);
    canvas c[3];
    for (int i = 0; i < 3; i++) {
        draw_list list = stage();
        if (i == 2) list.light.sun[0] += 0.4f;
        add(&list, &hills, 0, 0, 0, DRAW_SNOW);
        c[i] = take(&list, true);
        draw_list_free(&list);
    }
    size_t first = glints(&c[0], NULL), same = glints(&c[0], &c[1]), moved = glints(&c[0], &c[2]);
    print_message("           %zu glints, %zu of them a moment later, %zu under another sun\n", first, same,
                  moved);
    assert_int_equal(first, same);
    assert_true(moved < first / 3);
    for (int i = 0; i < 3; i++) canvas_free(&c[i]);
    mesh_free(&hills);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways_give_the_same_picture),
        cmocka_unit_test(test_snow_sparkles),
        cmocka_unit_test(test_sparkle_follows_the_sun),
    };
    return cmocka_run_group_tests(tests, open_renderer, close_renderer);
}
