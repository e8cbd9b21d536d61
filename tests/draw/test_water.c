// Water that one sees through, against what optics says. Skipped, with a line that says so, without EGL.
#include "support.h"

#include "base/hash.h"
#include "draw/fixture.h"
#include "draw/collect.h"

enum { WIDTH = 320, HEIGHT = 180 };
static renderer *shared;
static const float red[3] = {0.8f, 0.03f, 0.02f}, white[3] = {0.85f, 0.85f, 0.85f},
                   deep[3] = {0.03f, 0.16f, 0.24f};

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

// Seen along -z from 6 m, the sun behind the camera.
static draw_list stage(float clear) {
    draw_list list = draw_list_default();
    draw_list_camera(&list, (draw_camera){{0, 1, 6}, {0, 1, 0}, 1});
    memcpy(list.light.sun, (float[]){-0.3f, 0.6f, 0.7f}, sizeof list.light.sun);
    list.light.clear = clear;
    list.centre[1] = 1;
    list.radius = 4;
    return list;
}

static void add(draw_list *list, const mesh *m, const float at[3], const float color[3],
                draw_material material) {
    draw_mesh item = {.mesh = m, .rotation = {1, 0, 0, 0}, .material = material};
    memcpy(item.at, at, sizeof item.at);
    memcpy(item.color, color, sizeof item.color);
    assert_ok(draw_list_mesh(list, item));
}

static canvas take(draw_list *list) {
    canvas c;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){1, 2, 3, 4}, &c));
    renderer_forget(shared);
    assert_ok(renderer_draw(shared, list, &c));
    draw_list_free(list);
    return c;
}

static const uint8_t *at(const canvas *c, int x, int y) { return c->rgba + 4 * (y * c->width + x); }
static int redness(const uint8_t *p) { return p[0] - (p[1] + p[2]) / 2; }

// A red ball behind a pane of water; wall: a white wall instead.
static canvas pane(float thickness, float clear, bool ball) {
    mesh water = fixture_box(3, 3, thickness),
         body = ball ? fixture_sphere(0.5f, 24) : fixture_box(4, 4, 0.1f);
    draw_list list = stage(clear);
    add(&list, &body, (float[]){0, 1, -0.6f}, ball ? red : white, DRAW_BODY);
    if (thickness > 0) add(&list, &water, (float[]){0, 1, thickness / 2}, deep, DRAW_WATER);
    canvas c = take(&list);
    mesh_free(&water);
    mesh_free(&body);
    return c;
}

static void test_a_body_is_seen_through_thin_water_and_not_through_murk(void **state) {
    (void)state;
    NEEDS_GL();
    canvas bare = pane(0, 3, true), thin = pane(0.05f, 3, true), murk = pane(1, 0.1f, true),
           murk_alone = pane(1, 0.1f, false);
    int full = redness(at(&bare, WIDTH / 2, HEIGHT / 2));
    assert_true(full > 80);
    assert_true(redness(at(&thin, WIDTH / 2, HEIGHT / 2)) > 0.6 * full);
    for (int k = 0; k < 3; k++)
        assert_in_range(at(&murk, WIDTH / 2, HEIGHT / 2)[k] + 2 - at(&murk_alone, WIDTH / 2, HEIGHT / 2)[k],
                        0, 4);
    assert_true(redness(at(&murk, WIDTH / 2, HEIGHT / 2)) < 0);
    canvas_free(&bare);
    canvas_free(&thin);
    canvas_free(&murk);
    canvas_free(&murk_alone);
}

// Beer and Lambert: the deeper the darker, red first.
static void test_deeper_water_takes_more_light_and_red_first(void **state) {
    (void)state;
    NEEDS_GL();
    int before[3] = {256, 256, 256};
    for (float thickness = 0.2f; thickness < 2; thickness *= 2) {
        canvas c = pane(thickness, 3, false);
        const uint8_t *p = at(&c, WIDTH / 2 + 20, HEIGHT / 2);
        for (int k = 0; k < 3; k++) {
            assert_true(p[k] < before[k]);
            before[k] = p[k];
        }
        assert_true(p[0] + 4 < p[1] && p[1] < p[2] + 8);
        canvas_free(&c);
    }
}

// Twice the clearness and twice the water look the same.
static void test_only_depth_over_clearness_counts(void **state) {
    (void)state;
    NEEDS_GL();
    canvas a = pane(0.3f, 1, false), b = pane(0.6f, 2, false);
    for (int k = 0; k < 3; k++)
        assert_in_range(at(&a, WIDTH / 2 + 20, HEIGHT / 2)[k] + 5 - at(&b, WIDTH / 2 + 20, HEIGHT / 2)[k], 0,
                        10);
    canvas_free(&a);
    canvas_free(&b);
}

static double red_middle(const canvas *c) {
    double sum = 0, x_sum = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = WIDTH / 2 - 30; x < WIDTH / 2 + 30; x++) { // not what the pane's edge mirrors
            double w = redness(at(c, x, y)) > 25;
            sum += w;
            x_sum += w * (x + 0.5);
        }
    assert_true(sum > 100);
    return x_sum / sum;
}

// A slanted pane shifts what is behind it aside by t sin(a - b) / cos(b), sin(a) = 1.33 sin(b) (Snell).
static void test_a_slanted_pane_shifts_the_picture_as_snell_says(void **state) {
    (void)state;
    NEEDS_GL();
    const double angle = 0.7, thickness = 0.5;
    mesh water = fixture_box(3, 3, (float)thickness), ball = fixture_sphere(0.25f, 24);
    draw_list list = stage(30);
    add(&list, &ball, (float[]){0, 1, -1}, red, DRAW_BODY);
    add(&list, &water, (float[]){0, 1, 1.5f}, deep, DRAW_WATER);
    list.meshes[1].rotation[0] = (float)cos(angle / 2);
    list.meshes[1].rotation[2] = (float)sin(angle / 2);
    canvas c = take(&list);
    double inner = asin(sin(angle) / 1.33), shift = thickness * sin(angle - inner) / cos(inner);
    double pixels = shift * WIDTH / 7; // the ball is 7 m away
    assert_true(pixels > 4);
    // The pane's normal points to +x: the ray into it turns towards -x, so the ball is seen farther to +x.
    assert_near(red_middle(&c) - WIDTH / 2.0, pixels, 0.2 * pixels);
    canvas_free(&c);
    mesh_free(&water);
    mesh_free(&ball);
}

// Over still water a ball has its image as far below the surface as it is above it.
static void test_still_water_mirrors_what_stands_over_it(void **state) {
    (void)state;
    NEEDS_GL();
    mesh water = fixture_box(8, 0.5f, 10), ball = fixture_sphere(0.3f, 24);
    draw_list list = stage(0.5f);
    draw_list_camera(&list, (draw_camera){{0, 0.9f, 6}, {0, 0.5f, 0}, 1});
    add(&list, &ball, (float[]){0, 0.9f, -2}, red, DRAW_BODY);
    add(&list, &water, (float[]){0, 0.25f, 0}, deep, DRAW_WATER);
    canvas c = take(&list);
    // The image of the ball's middle is at (0, 0.1, -2); the view is tilted down by atan(0.4 / 6).
    double tilt = atan2(0.4, 6), down = atan2(0.9 - 0.1, 8) - tilt;
    int y = (int)(HEIGHT / 2.0 + tan(down) * WIDTH), x = WIDTH / 2;
    assert_true(redness(at(&c, x, y)) > redness(at(&c, x + 60, y)) + 15);
    canvas_free(&c);
    mesh_free(&water);
    mesh_free(&ball);
}

static void test_the_same_list_gives_the_same_bits(void **state) {
    (void)state;
    NEEDS_GL();
    canvas a = pane(0.4f, 1, true), b = pane(0.4f, 1, true);
    assert_true(hash64(a.rgba, WIDTH * HEIGHT * 4, 0) == hash64(b.rgba, WIDTH * HEIGHT * 4, 0));
    canvas_free(&a);
    canvas_free(&b);
}

// A pool that fills its box up to 30 cm, and a drop above it.
static const char pool_scene[] = "firn: 1\n"
                                 "duration: 1 s\n"
                                 "pbd:\n"
                                 "  box: {walls: [{low: [-0.3, 0, -0.2], high: [0.3, 2, 0.2]}]}\n"
                                 "  fluid:\n"
                                 "    spacing: 4 cm\n"
                                 "    pools:\n"
                                 "      pool: {shape: {box: {size: [0.6, 0.3, 0.4]}}, at: [0, 0.15, 0]}\n"
                                 "      drop: {shape: {sphere: {radius: 2 cm}}, at: [0, 1, 0]}\n";

// What is collected of a scene; needs no OpenGL.
typedef struct collected {
    scene *scene;
    firn_world *world;
    collector g;
} collected;

static void collect_scene(collected *all, const char *words, firn_overrides set) {
    assert_ok(scene_parse(words, strlen(words), "test.yaml", set, &all->scene));
    assert_ok(firn_world_create(&all->scene->def.world, &all->world));
    assert_ok(collect_start(&all->g, &all->scene->def, all->world));
    assert_ok(collect_list(&all->g));
}

static void collected_end(collected *all) {
    collect_free(&all->g);
    firn_world_close(all->world);
    scene_close(all->scene);
}

static void expect_to_survive_failing_memory(collected *all) {
    failing_allocator f;
    for (size_t n = 1;; n++) {
        collect_free(&all->g);
        assert_ok(collect_start(&all->g, &all->scene->def, all->world));
        fail_allocation(&f, n);
        firn_status status = collect_list(&all->g);
        firn_set_allocator(NULL);
        if (f.calls < n) break;
        if (status != FIRN_OK) assert_int_equal(status, FIRN_NO_MEMORY);
    }
}

// Six liquids of six colours: once all beyond the fourth were drawn as points.
static void test_every_liquid_has_its_surface(void **state) {
    (void)state;
    static const char liquids[] =
        "firn: 1\n"
        "pbd:\n"
        "  fluid:\n"
        "    spacing: 4 cm\n"
        "    pools:\n"
        "      a: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [0, 0.1, 0], color: red}\n"
        "      b: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [1, 0.1, 0], color: green}\n"
        "      c: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [2, 0.1, 0], color: blue}\n"
        "      d: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [3, 0.1, 0], color: white}\n"
        "      e: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [4, 0.1, 0], color: black}\n"
        "      f: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [5, 0.1, 0], color: pink}\n";
    size_t before = mem_in_use();
    collected all;
    collect_scene(&all, liquids, (firn_overrides){0});
    assert_int_equal(all.g.list.mesh_count, 6);
    assert_int_equal(all.g.list.point_count, 0);
    collected_end(&all);
    assert_int_equal(mem_in_use(), before);
}

// The surface ends flat at the walls, holds the volume of the water, and the drop is one.
static void test_a_pool_fills_its_box(void **state) {
    (void)state;
    size_t before = mem_in_use();
    collected all;
    collect_scene(&all, pool_scene, (firn_overrides){0});
    assert_int_equal(all.g.list.mesh_count, 2);
    const mesh *pool = all.g.list.meshes[0].mesh, *drop = all.g.list.meshes[1].mesh;
    float low[3], high[3];
    mesh_bounds(pool, low, high);
    const double expected[2][3] = {{-0.3, 0, -0.2}, {0.3, 0.3, 0.2}};
    for (int k = 0; k < 3; k++) {
        assert_near((double)low[k], expected[0][k], 1e-6);
        assert_near((double)high[k], expected[1][k], k == 1 ? 0.02 : 1e-6);
    }
    assert_near(mesh_volume(pool), 0.6 * 0.3 * 0.4, 0.05 * 0.6 * 0.3 * 0.4);
    assert_true(mesh_volume(drop) > 0 && mesh_volume(drop) < 0.04 * 0.04 * 0.04);
    expect_to_survive_failing_memory(&all);
    collected_end(&all);
    assert_int_equal(mem_in_use(), before);
}

static const char thaw_scene[] =
    "firn: 1\n"
    "duration: 1 s\n"
    "bodies: {plate: {shape: {box: {size: [1, 0.1, 1]}}, at: [0, -0.05, 0], temperature: 20 C}}\n"
    "phase:\n"
    "  mass: 0.1 kg\n"
    "  snow: {block: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [-0.3, 0.2, 0], temperature: -10 C}}\n"
    "  water: {pool: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [0.3, 0.2, 0], temperature: 50 C}}\n";

static const draw_mesh *of_material(const draw_list *list, draw_material material, size_t wanted) {
    const draw_mesh *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < list->mesh_count; i++)
        if (list->meshes[i].material == material && count++ == 0) found = &list->meshes[i];
    assert_int_equal(count, wanted);
    return found;
}

// Snow is snow and water is water; a thermograph shows both, and the plate that is kept warm, by one scale.
static void test_snow_and_water_of_a_thaw(void **state) {
    (void)state;
    size_t before = mem_in_use();
    collected all;
    collect_scene(&all, thaw_scene, (firn_overrides){0});
    const draw_mesh *snow = of_material(&all.g.list, DRAW_SOFT, 1),
                    *pool = of_material(&all.g.list, DRAW_WATER, 1);
    assert_near(mesh_volume(snow->mesh), 0.064, 0.01);
    assert_near(mesh_volume(pool->mesh), 0.064, 0.01);
    assert_non_null(snow->colors); // by wetness
    of_material(&all.g.list, DRAW_BODY, 1);
    expect_to_survive_failing_memory(&all);
    collected_end(&all);
    const char *set[] = {"picture.color=phase.temperature", "picture.color_low=-10", "picture.color_high=50"};
    collect_scene(&all, thaw_scene, (firn_overrides){set, 3});
    of_material(&all.g.list, DRAW_MARKED, 3);
    assert_string_equal(all.g.legend, "temperature");
    const float *plate = all.g.list.meshes[all.g.list.mesh_count - 1].color;
    float half[3];
    draw_color_paint(DRAW_COLORS_SEQUENTIAL, 0.5f, half); // 20 C of -10 .. 50
    for (int k = 0; k < 3; k++) assert_near((double)plate[k], (double)half[k], 1e-5);
    collected_end(&all);
    assert_int_equal(mem_in_use(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_body_is_seen_through_thin_water_and_not_through_murk),
        cmocka_unit_test(test_deeper_water_takes_more_light_and_red_first),
        cmocka_unit_test(test_only_depth_over_clearness_counts),
        cmocka_unit_test(test_a_slanted_pane_shifts_the_picture_as_snell_says),
        cmocka_unit_test(test_still_water_mirrors_what_stands_over_it),
        cmocka_unit_test(test_every_liquid_has_its_surface),
        cmocka_unit_test(test_a_pool_fills_its_box),
        cmocka_unit_test(test_snow_and_water_of_a_thaw),
        cmocka_unit_test(test_the_same_list_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_renderer, close_renderer);
}
