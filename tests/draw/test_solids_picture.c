// What a picture of solids made of particles, of their box and of foam is made of, and the panes of glass.
#include "draw/collect.h"
#include "support.h"

#include <math.h>

#include "draw/sprites.h"
#include "scene/scene.h"

static const char things[] =
    "firn: 1\nduration: 1 s\nfps: 60\nmax_step: 16 ms\ngravity: [0, 0, 0]\n"
    "pbd:\n"
    "  box: {walls: [{low: [-3, 0, -1], high: [3, 2, 1]}]}\n"
    "  solids:\n"
    "    cloth: {lattice: [9, 1, 7], spacing: 5 cm, at: [-2, 1, 0], links: neighbours, neighbours: 8}\n"
    "    rope: {lattice: [20, 1, 1], spacing: 5 cm, at: [0, 1, 0], links: neighbours, neighbours: 2}\n"
    "    ball: {shape: {sphere: {radius: 25 cm}}, spacing: 6 cm, at: [1, 1, 0]}\n"
    "    shell: {shape: {sphere: {radius: 25 cm}}, from: surface, spacing: 6 cm, at: [2, 1, 0]}\n"
    "    sand: {lattice: [4, 4, 4], spacing: 5 cm, at: [1.5, 0.3, 0], links: loose}\n";
enum { SOLIDS = 4 };

typedef struct looker {
    scene *scene;
    firn_world *world;
    collector collector;
} looker;

// Not by value: the list points into the collector.
static void look(const char *picture, looker *l) {
    char words[1600];
    snprintf(words, sizeof words, "%spicture: %s\n", things, picture);
    assert_ok(scene_parse(words, strlen(words), "things", (firn_overrides){0}, &l->scene));
    assert_ok(firn_world_create(&l->scene->def.world, &l->world));
    assert_ok(collect_start(&l->collector, &l->scene->def, l->world));
    assert_ok(collect_measure(&l->collector));
    collect_settle(&l->collector, 1.5);
    assert_ok(collect_list(&l->collector));
}

static void done(looker *l) {
    collect_free(&l->collector);
    firn_world_close(l->world);
    scene_close(l->scene);
}

static void test_surfaces(void **state) {
    (void)state;
    looker l;
    look("{}", &l);
    const draw_list *list = &l.collector.list;
    assert_int_equal(list->mesh_count, SOLIDS);
    assert_int_equal(list->point_count, 1); // sand
    assert_int_equal(list->points[0].count, 64);
    for (int k = 2; k < 4; k++) { // both are the same ball
        const mesh *ball = list->meshes[k].mesh;
        for (size_t v = 0; v < ball->vertices; v++) {
            const float *p = ball->position[v];
            double x = (double)p[0] - (k - 1), y = (double)p[1] - 1, z = (double)p[2];
            assert_near(sqrt(x * x + y * y + z * z), 0.25, 0.002);
        }
    }
    assert_near(mesh_volume(list->meshes[0].mesh), 8 * 6 * 0.05 * 0.05 * 0.005, 1e-6);
    done(&l);
    look("{color: pbd.speed}", &l);
    for (size_t i = 0; i < SOLIDS; i++) assert_true(l.collector.list.meshes[i].material == DRAW_MARKED);
    done(&l);
}

static void test_points_and_links(void **state) {
    (void)state;
    looker l;
    look("{snow: points}", &l);
    assert_int_equal(l.collector.list.mesh_count, 0);
    assert_int_equal(l.collector.list.point_count, SOLIDS + 1);
    done(&l);
    look("{links: true}", &l);
    assert_int_equal(l.collector.list.mesh_count, 1);
    assert_int_equal(l.collector.list.point_count, SOLIDS + 1);
    done(&l);
}

static void test_box(void **state) {
    (void)state;
    looker l;
    look("{box: edges}", &l);
    assert_int_equal(l.collector.list.mesh_count, SOLIDS + 1);
    assert_int_equal(l.collector.list.glass_count, 0);
    draw_box box = draw_mesh_bounds(&l.collector.list.meshes[SOLIDS]);
    assert_near((double)box.low[0], -3, 0.05);
    assert_near((double)box.high[1], 2, 0.05);
    done(&l);
    look("{box: glass}", &l);
    assert_int_equal(l.collector.list.glass_count, 1);
    assert_near((double)l.collector.list.glass[0].high[2], 1, 0);
    done(&l);
}

// A pane before a dark wall is lighter than the wall; what stands before the pane is as it was.
static void test_glass(void **state) {
    (void)state;
    enum { WIDE = 40, HIGH = 30 };
    static float depth[WIDE * HIGH];
    canvas picture;
    draw_list list = draw_list_default();
    assert_ok(canvas_create(WIDE, HIGH, (draw_color){40, 40, 40, 255}, &picture));
    draw_list_camera(&list, (draw_camera){{0, 0, 10}, {0, 0, 0}, 1});
    assert_ok(draw_list_glass(&list, (draw_box){{-1, -1, -1}, {1, 1, 1}}));
    for (int i = 0; i < WIDE * HIGH; i++) depth[i] = i % WIDE < WIDE / 2 ? 100.0f : 5.0f;
    const sprite_scene behind = {
        .depth = depth, .stride = WIDE, .wide = WIDE, .high = HIGH, .nearest = 0.1f, .white = {1, 1, 1}};
    glass_draw(&list, &behind, &picture);
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            bool pane = abs(2 * y + 1 - HIGH) < 2 * WIDE / 9 && x >= WIDE / 2 - WIDE / 9 && x < WIDE / 2;
            uint8_t red = picture.rgba[4 * (y * WIDE + x)];
            if (pane != (red > 42)) fail_msg("pixel %d, %d is %d", x, y, red);
        }
    canvas_free(&picture);
    draw_list_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_surfaces),
                                       cmocka_unit_test(test_points_and_links), cmocka_unit_test(test_box),
                                       cmocka_unit_test(test_glass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
