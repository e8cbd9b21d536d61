// Both renderers over one list: the same camera, light and exposure.
// firn-test: slow
#include "draw/collect.h"
#include "draw/final.h"
#include "draw/fixture.h"
#include "draw/gl.h"
#include "geom/tessellate.h"

enum { WIDTH = 160, HEIGHT = 90 };

static void fill_square(mesh *out) {
    assert_ok(mesh_alloc(4, 2, true, out));
    for (int i = 0; i < 4; i++) {
        memcpy(out->position[i], (float[]){i & 1 ? 8 : -8, 0, i & 2 ? -8 : 8}, 12);
        memcpy(out->normal[i], (float[]){0, 1, 0}, 12);
    }
    memcpy(out->triangle, (uint32_t[2][3]){{0, 1, 2}, {2, 1, 3}}, sizeof(uint32_t[2][3]));
}

static void draw_both(const draw_list *list, canvas *draft, canvas *final) {
    renderer *r;
    trace_options o = trace_options_default();
    o.noise = 0.02f;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0}, draft));
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0}, final));
    assert_ok(renderer_create(WIDTH, HEIGHT, 4, &r));
    assert_ok(renderer_draw(r, list, draft));
    renderer_destroy(r);
    assert_ok(final_draw(list, &o, final, NULL));
}

// Mean colour of a patch of 6 x 6 pixels.
static double patch(const canvas *c, int x, int y, int channel) {
    double sum = 0;
    for (int i = 0; i < 36; i++) sum += c->rgba[4 * ((y + i / 6) * c->width + x + i % 6) + channel];
    return sum / 36;
}

// Matte ground with a ball on it: open ground, the shade of the ball, and the sky.
static void test_matte_things_look_the_same(void **state) {
    (void)state;
    NEEDS_GL();
    if (trace_check() != FIRN_OK) skip();
    mesh square;
    fill_square(&square);
    draw_list list = draw_list_default();
    list.camera = list.before = (draw_camera){{0, 3, 8}, {0, 0.5f, 0}, 1};
    memcpy(list.light.sun, (float[]){-0.7f, 0.6f, 0}, sizeof list.light.sun);
    list.radius = 6;
    draw_mesh ground = {.mesh = &square, .color = {0.3f, 0.3f, 0.3f}, .material = DRAW_PACKED};
    memcpy(ground.rotation, fixture_upright, sizeof ground.rotation);
    assert_ok(draw_list_mesh(&list, ground));
    const float ball[1][3] = {{0, 0.8f, 0}};
    assert_ok(draw_list_points(
        &list, (draw_points){.at = ball, .count = 1, .radius = 0.8f, .color = {0.3f, 0.2f, 0.1f}}));
    canvas draft, final;
    draw_both(&list, &draft, &final);
    static const int places[][2] = {{30, 60}, {120, 75}, {10, 5}, {150, 5}, {60, 80}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (int k = 0; k < 3; k++) {
            double a = patch(&draft, places[i][0], places[i][1], k),
                   b = patch(&final, places[i][0], places[i][1], k);
            print_message("%d, %d: draft %.1f, final %.1f\n", places[i][0], places[i][1], a, b);
            assert_true(fabs(a - b) < 8);
        }
    // The shadow falls to the right of the ball in both.
    assert_true(patch(&draft, 98, 52, 1) < 0.75 * patch(&draft, 30, 52, 1));
    assert_true(patch(&final, 98, 52, 1) < 0.75 * patch(&final, 30, 52, 1));
    canvas_free(&draft);
    canvas_free(&final);
    draw_list_free(&list);
    mesh_free(&square);
}

// A wall of each material from near: the formulas in C and in GLSL put the same bricks at the same places.
static void test_materials_look_the_same(void **state) {
    (void)state;
    NEEDS_GL();
    if (trace_check() != FIRN_OK) skip();
    mesh box;
    assert_ok(tessellate_primitive(&(shape_primitive){FIRN_SHAPE_BOX, {1, 1, 0.1f}}, &box));
    for (int kind = PATTERN_PAINT; kind <= PATTERN_NEEDLES; kind++) {
        draw_list list = draw_list_default();
        list.camera = list.before = (draw_camera){{0, 0, 2}, {0, 0, 0}, 1};
        memcpy(list.light.sun, (float[]){-0.4f, 0.5f, 0.8f}, sizeof list.light.sun);
        list.radius = 2;
        draw_mesh wall = {.mesh = &box, .color = {0.3f, 0.2f, 0.1f}, .pattern = (pattern_kind)kind};
        memcpy(wall.rotation, fixture_upright, sizeof wall.rotation);
        assert_ok(draw_list_mesh(&list, wall));
        canvas draft, final;
        draw_both(&list, &draft, &final);
        double off = 0, relief = 0, mean = 0;
        enum { PATCHES = 20 };
        for (int i = 0; i < PATCHES; i++) mean += patch(&draft, 30 + 5 * i, 30 + 2 * i, 0) / PATCHES;
        for (int i = 0; i < PATCHES; i++) { // along a diagonal: boards run one way
            double a = patch(&draft, 30 + 5 * i, 30 + 2 * i, 0), b = patch(&final, 30 + 5 * i, 30 + 2 * i, 0);
            off = fmax(off, fabs(a - b));
            relief = fmax(relief, fabs(a - mean));
        }
        print_message("material %d: differs by %.1f, varies by %.1f\n", kind, off, relief);
        assert_true(off < 14);
        assert_true(kind == PATTERN_PAINT || kind >= PATTERN_CLOTH || relief > 4);
        canvas_free(&draft);
        canvas_free(&final);
        draw_list_free(&list);
    }
    mesh_free(&box);
}

// Snow in the shade is pale and a little blue; snow in the sun is neither blue nor brown.
static void test_shade_on_snow_is_pale(void **state) {
    (void)state;
    if (trace_check() != FIRN_OK) skip();
    draw_list list = draw_list_default();
    list.camera = list.before = (draw_camera){{0, 3, 8}, {0, 0.5f, 0}, 1};
    memcpy(list.light.sun, (float[]){-0.7f, 0.6f, 0}, sizeof list.light.sun);
    list.radius = 6;
    assert_ok(draw_list_plane(&list, (draw_plane){{0, 0, 0}, {0, 1, 0}, {0.9f, 0.92f, 0.95f}, false}));
    const float ball[1][3] = {{0, 0.8f, 0}};
    assert_ok(draw_list_points(
        &list, (draw_points){.at = ball, .count = 1, .radius = 0.8f, .color = {0.3f, 0.2f, 0.1f}}));
    light_picture light;
    canvas picture;
    trace_options o = trace_options_default();
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0}, &picture));
    assert_ok(light_create(WIDTH, HEIGHT, false, &light));
    assert_ok(final_draw(&list, &o, &picture, &light));
    const float *sunny = light.rgba[55 * WIDTH + 30], *shade = light.rgba[55 * WIDTH + 101];
    double in_sun = (double)(sunny[2] / sunny[0]), in_shade = (double)(shade[2] / shade[0]),
           dark = (double)(shade[1] / sunny[1]);
    print_message("blue over red: sun %.2f, shade %.2f; shade %.2f of the sun\n", in_sun, in_shade, dark);
    assert_true(in_sun > 0.65 && in_sun < 1.1);
    assert_true(in_shade > 1 && in_shade < 1.9); // 2 was cobalt: 3.5 before
    assert_true(dark > 0.1 && dark < 0.6);
    canvas_free(&picture);
    light_free(&light);
    draw_list_free(&list);
}

// Mean of linear light over 8 x 4 pixels.
static void light_of(const light_picture *light, int x, int y, double out[3]) {
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 3; k++) out[k] += (double)light->rgba[(y + i / 8) * WIDTH + x + i % 8][k] / 32;
}

// Light of a square with a ball on it, of one renderer: in the sun and in the ball's shade.
static void measure(draw_material material, const float color[3], bool final, float stops, double out[2][3]) {
    mesh square;
    fill_square(&square);
    draw_list list = draw_list_default();
    list.camera = list.before = (draw_camera){{0, 3, 8}, {0, 0.5f, 0}, 1};
    memcpy(list.light.sun, (float[]){-0.7f, 0.6f, 0}, sizeof list.light.sun);
    list.light.haze = 0;
    list.light.stops = stops;
    list.radius = 6;
    draw_mesh ground = {.mesh = &square, .material = material};
    memcpy(ground.color, color, sizeof ground.color);
    memcpy(ground.rotation, fixture_upright, sizeof ground.rotation);
    assert_ok(draw_list_mesh(&list, ground));
    const float ball[1][3] = {{0, 0.8f, 0}};
    assert_ok(draw_list_points(
        &list, (draw_points){.at = ball, .count = 1, .radius = 0.8f, .color = {0.2f, 0.2f, 0.2f}}));
    light_picture light;
    canvas picture;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0}, &picture));
    assert_ok(light_create(WIDTH, HEIGHT, false, &light));
    if (final) {
        trace_options o = trace_options_default();
        o.noise = 0.03f;
        assert_ok(final_draw(&list, &o, &picture, &light));
    } else {
        renderer *r;
        assert_ok(renderer_create(WIDTH, HEIGHT, 4, &r));
        assert_ok(renderer_keep_light(r, &light));
        assert_ok(renderer_draw(r, &list, &picture));
        renderer_destroy(r);
    }
    light_of(&light, 28, 56, out[0]);
    light_of(&light, 98, 52, out[1]);
    canvas_free(&picture);
    light_free(&light);
    draw_list_free(&list);
    mesh_free(&square);
}

// Against matte ground of albedo 0.5 in the same light: snow reflects what was measured on snow (0.8 to
// 0.95), in the sun and in the shade, hardly more of blue than of red; and its shade is bluer than its sun,
// but no cobalt.
static void test_snow_is_as_white_as_measured(void **state) {
    (void)state;
    NEEDS_GL();
    if (trace_check() != FIRN_OK) skip();
    static const struct {
        const char *name;
        draw_material material;
        float color[3];
    } snow[] = {{"ground", DRAW_SNOW, {0.9f, 0.92f, 0.95f}},
                {"cover", DRAW_COVER, COVER_WHITE},
                {"particles", DRAW_SOFT, {0.81f, 0.83f, 0.855f}}};
    for (int final = 0; final < 2; final++) {
        double grey[2][3];
        measure(DRAW_PACKED, (float[]){0.5f, 0.5f, 0.5f}, final, 0, grey);
        for (size_t n = 0; n < sizeof snow / sizeof *snow; n++) {
            double seen[2][3], blue[2];
            measure(snow[n].material, snow[n].color, final, 0, seen);
            for (int shade = 0; shade < 2; shade++) {
                double albedo = 0.5 * seen[shade][1] / grey[shade][1];
                blue[shade] = seen[shade][2] / seen[shade][0];
                double hue = blue[shade] / (grey[shade][2] / grey[shade][0]);
                print_message("%s, %s, %s: albedo %.3f, blue over red %.3f (%.3f of grey's)\n",
                              final ? "final" : "draft", snow[n].name, shade ? "shade" : "sun", albedo,
                              blue[shade], hue);
                assert_true(albedo > 0.8 &&
                            albedo < (shade ? 1 : 0.95)); // snow lights the ball, which lights its shade
                assert_true(hue > 0.95 && hue < 1.2);
            }
            assert_true(blue[1] > blue[0] && blue[1] < 2); // 3.5 is cobalt
        }
    }
}

// At night the ground is bright under a lamp and dark elsewhere, in both.
static void test_lamps_give_light(void **state) {
    (void)state;
    NEEDS_GL();
    if (trace_check() != FIRN_OK) skip();
    mesh square;
    fill_square(&square);
    draw_list list = draw_list_default();
    list.camera = list.before = (draw_camera){{0, 3, 8}, {0, 0.5f, 0}, 1};
    list.light.sun_strength = list.light.sky_strength = 0.02f;
    list.radius = 6;
    draw_mesh ground = {.mesh = &square, .color = {0.3f, 0.3f, 0.3f}, .material = DRAW_PACKED};
    memcpy(ground.rotation, fixture_upright, sizeof ground.rotation);
    assert_ok(draw_list_mesh(&list, ground));
    assert_ok(draw_list_lamp(&list, (draw_lamp){{-2, 1.5f, 2}, 0.1f, {40, 30, 20}}));
    canvas picture[2];
    draw_both(&list, &picture[0], &picture[1]);
    for (int i = 0; i < 2; i++) {
        double under = patch(&picture[i], 32, 60, 1), far = patch(&picture[i], 140, 60, 1);
        print_message("under the lamp %.1f, far from it %.1f\n", under, far);
        assert_true(under > 1.5 * far); // of sRGB: thrice the light
        assert_true(patch(&picture[i], 32, 60, 0) > patch(&picture[i], 32, 60, 2));
        assert_true(fabs(under - patch(&picture[0], 32, 60, 1)) < 10);
    }
    for (int i = 0; i < 2; i++) canvas_free(&picture[i]);
    draw_list_free(&list);
    mesh_free(&square);
}

// Snow that moves, against a low sun and with the sun beside it, dry and wet: only the film of water on the
// wet one mirrors the sun, and wet snow is the darker one.
static void test_wet_snow_shines(void **state) {
    (void)state;
    NEEDS_GL();
    if (trace_check() != FIRN_OK) skip();
    static const float color[2][3] = {{0.81f, 0.83f, 0.855f}, {0.47f, 0.58f, 0.70f}},
                       sun[2][3] = {{0, 0.33f, -0.94f}, {0.94f, 0.33f, 0}};
    mesh square;
    fill_square(&square);
    double seen[2][2][2]; // wet, sun, renderer
    for (int wet = 0; wet < 2; wet++)
        for (int side = 0; side < 2; side++) {
            draw_list list = draw_list_default();
            list.camera = list.before = (draw_camera){{0, 3, 8}, {0, 0.5f, 0}, 1};
            memcpy(list.light.sun, sun[side], sizeof list.light.sun);
            list.radius = 6;
            draw_mesh snow = {.mesh = &square, .material = DRAW_SOFT};
            memcpy(snow.color, color[wet], sizeof snow.color);
            memcpy(snow.rotation, fixture_upright, sizeof snow.rotation);
            assert_ok(draw_list_mesh(&list, snow));
            canvas picture[2];
            draw_both(&list, &picture[0], &picture[1]);
            for (int i = 0; i < 2; i++) {
                seen[wet][side][i] = 0;
                for (int x = 50; x < 110; x += 6) seen[wet][side][i] += patch(&picture[i], x, 55, 0) / 10;
                canvas_free(&picture[i]);
            }
            draw_list_free(&list);
        }
    for (int i = 0; i < 2; i++) {
        double dry = seen[0][0][i] / seen[0][1][i], wet = seen[1][0][i] / seen[1][1][i];
        print_message("against the sun over beside it: dry %.3f, wet %.3f; wet over dry %.3f\n", dry, wet,
                      seen[1][1][i] / seen[0][1][i]);
        assert_true(wet > dry + 0.02);
        assert_true(seen[1][1][i] < 0.95 * seen[0][1][i]);
    }
    mesh_free(&square);
}

// A stop less is half the light, of ground and of sky, in both.
static void test_exposure_by_hand(void **state) {
    (void)state;
    NEEDS_GL();
    if (trace_check() != FIRN_OK) skip();
    const float grey[3] = {0.4f, 0.4f, 0.4f};
    for (int final = 0; final < 2; final++) {
        double seen[2][2][3];
        for (int stops = 0; stops < 2; stops++) measure(DRAW_PACKED, grey, final, -(float)stops, seen[stops]);
        for (int i = 0; i < 6; i++)
            assert_true(fabs(seen[1][i / 3][i % 3] / seen[0][i / 3][i % 3] - 0.5) < 0.02);
    }
}

// Bright pixels that stand out from those around them.
static bool is_spark(const light_picture *l, int x, int y, float by) {
    float own = l->rgba[y * WIDTH + x][1], most = 0;
    for (int k = 0; k < 9; k++)
        if (k != 4) most = fmaxf(most, l->rgba[(y + k / 3 - 1) * WIDTH + x + k % 3 - 1][1]);
    return own > by * most;
}

// Sparks of snow in final quality are crystals, not noise: the same with other random numbers, gone under
// another sun.
static void test_sparks_are_crystals(void **state) {
    (void)state;
    if (trace_check() != FIRN_OK) skip();
    bool spark[3][WIDTH * HEIGHT] = {0};
    size_t count[3] = {0};
    for (int i = 0; i < 3; i++) {
        draw_list list = draw_list_default();
        list.camera = list.before = (draw_camera){{0, 0.2f, 0.35f}, {0, 0, 0}, 1};
        memcpy(list.light.sun, (float[]){-0.5f, 0.5f, i == 2 ? 0.3f : -0.3f}, sizeof list.light.sun);
        list.radius = 1;
        assert_ok(draw_list_plane(&list, (draw_plane){{0, 0, 0}, {0, 1, 0}, {0.9f, 0.92f, 0.95f}, false}));
        light_picture light;
        canvas picture;
        trace_options o = trace_options_default();
        o.least = o.most = 32;
        o.seed = i == 1 ? 7 : 1;
        assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0}, &picture));
        assert_ok(light_create(WIDTH, HEIGHT, false, &light));
        assert_ok(final_draw(&list, &o, &picture, &light));
        for (int y = 1; y < HEIGHT - 1; y++)
            for (int x = 1; x < WIDTH - 1; x++) {
                spark[i][y * WIDTH + x] = is_spark(&light, x, y, i == 0 ? 1.12f : 1.05f);
                count[i] += spark[0][y * WIDTH + x] && spark[i][y * WIDTH + x];
            }
        canvas_free(&picture);
        light_free(&light);
        draw_list_free(&list);
    }
    print_message("%zu sparks, %zu with other numbers, %zu under another sun\n", count[0], count[1],
                  count[2]);
    assert_true(count[0] >= 5 && count[0] < WIDTH * HEIGHT / 50);
    assert_true(count[1] > count[0] * 6 / 10);
    assert_true(count[2] < count[0] / 10 + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_matte_things_look_the_same),
                                       cmocka_unit_test(test_materials_look_the_same),
                                       cmocka_unit_test(test_shade_on_snow_is_pale),
                                       cmocka_unit_test(test_snow_is_as_white_as_measured),
                                       cmocka_unit_test(test_lamps_give_light),
                                       cmocka_unit_test(test_wet_snow_shines),
                                       cmocka_unit_test(test_exposure_by_hand),
                                       cmocka_unit_test(test_sparks_are_crystals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
