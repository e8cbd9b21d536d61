// What a picture of wind, flakes and cover is made of; nothing is drawn here.
#include "draw/collect.h"
#include "support.h"

#include <math.h>

#include "scene/scene.h"

static const char breeze[] =
    "firn: 1\nduration: 1 s\nfps: 10\nmax_step: 100 ms\n"
    "bodies: {ground: {shape: plane}, post: {shape: {box: {size: [60 cm, 60 cm, 60 cm]}}, at: [0, 0.3, 0]}}\n"
    "wind: {grid: [16, 10, 12], cell: 20 cm, shown: 1, inflow: {side: west, speed: 5 m/s, profile: "
    "uniform, turbulence: 0}}\n"
    "flakes: {snowfall: 3000 mm/h, shown: 500}\ncover: {}\n";

typedef struct looker {
    scene *scene;
    firn_world *world;
    collector collector;
} looker;

// Not by value: the list points into the collector.
static void look(const char *picture, looker *l) {
    char words[1200];
    snprintf(words, sizeof words, "%spicture: %s\n", breeze, picture);
    assert_ok(scene_parse(words, strlen(words), "breeze", (firn_overrides){0}, &l->scene));
    assert_ok(firn_world_create(&l->scene->def.world, &l->world));
    for (int i = 0; i < 3; i++) assert_ok(firn_world_step(l->world));
    assert_ok(collect_start(&l->collector, &l->scene->def, l->world));
    assert_ok(collect_measure(&l->collector));
    collect_settle(&l->collector, 1.5);
    l->collector.pixel = 1e-3f;
    assert_ok(collect_list(&l->collector));
}

static void done(looker *l) {
    collect_free(&l->collector);
    firn_world_close(l->world);
    scene_close(l->scene);
}

static const draw_mesh *plain_mesh(const collector *g, bool colored) {
    for (size_t i = 0; i < g->list.mesh_count; i++)
        if (g->list.meshes[i].material == DRAW_PLAIN && !!g->list.meshes[i].colors == colored)
            return &g->list.meshes[i];
    return NULL;
}

// Upright across z and flat across y: all of it in its plane, colours of the speeds there.
static void test_slice(void **state) {
    (void)state;
    for (int axis = 1; axis < 3; axis++) {
        looker l;
        look(axis == 1 ? "{wind: slice, slice: y, slice_at: 0.9 m, color_low: 0, color_high: 8}"
                       : "{wind: slice, slice_at: 100 m, color_low: 0, color_high: 8}",
             &l);
        const draw_mesh *slice = plain_mesh(&l.collector, true), *arrows = plain_mesh(&l.collector, false);
        assert_non_null(slice);
        assert_non_null(arrows);
        assert_string_equal(l.collector.unit, "m/s");
        assert_true(l.collector.low == 0 && l.collector.high == 8);
        for (size_t v = 0; v < slice->mesh->vertices; v++) {
            const float *p = slice->mesh->position[v];
            assert_near((double)p[axis], axis == 1 ? 0.9 : 1.1, 1e-5); // the last middle of a cell
            float expected[3];
            if (p[0] > -1.2f || p[0] < -1.45f) continue; // before the post the wind is as it came
            draw_color_map(DRAW_COLORS_SEQUENTIAL, 5.0f / 8, expected);
            for (int k = 0; k < 3; k++) assert_near((double)slice->colors[v][k], (double)expected[k], 0.12);
        }
        // Arrows go with the wind: the tip is east of the foot.
        for (size_t a = 0; a + 5 <= arrows->mesh->vertices; a += 5) {
            const float(*p)[3] = (const float(*)[3])(arrows->mesh->position + a);
            if (p[4][0] < -1.0f) assert_true(p[4][0] > p[0][0]);
            assert_near((double)p[4][axis], axis == 1 ? 0.9 : 1.1, 1e-5);
        }
        done(&l);
    }
}

static void test_lines(void **state) {
    (void)state;
    looker l;
    look("{flakes: none, wind: lines}", &l);
    assert_int_equal(l.collector.list.sprite_count, 0);
    assert_int_equal(l.collector.list.point_count, 1);
    const draw_points *beads = &l.collector.list.points[0];
    assert_true(beads->drawing && beads->value && beads->count > 1000);
    assert_string_equal(l.collector.legend, "speed of the air");
    // Thin: two pixels at most, where the camera looks.
    const draw_camera *c = &l.collector.list.camera;
    float away = hypotf(hypotf(c->to[0] - c->from[0], c->to[1] - c->from[1]), c->to[2] - c->from[2]);
    assert_true(beads->radius <= 1.01f * l.collector.pixel * away);
    done(&l);
    look("{}", &l); // where flakes show the wind there are none
    assert_int_equal(l.collector.list.point_count, 0);
    done(&l);
}

// Other numbers of the air: the pressure before the post is that of the air it stops, and what is left of the
// divergence is below the tolerance.
static void test_slices_of_other_numbers(void **state) {
    (void)state;
    static const char *const asked[] = {"vorticity", "pressure", "divergence"}, *const units[] = {"1/s", "Pa",
                                                                                                  "1/s"};
    for (int n = 0; n < 3; n++) {
        char words[80];
        looker l;
        snprintf(words, sizeof words, "{wind: slice, slice_of: %s}", asked[n]);
        look(words, &l);
        assert_non_null(plain_mesh(&l.collector, true));
        assert_string_equal(l.collector.legend, asked[n]);
        assert_string_equal(l.collector.unit, units[n]);
        print_message("%s: %g .. %g %s\n", asked[n], l.collector.low, l.collector.high, units[n]);
        if (n == 0) assert_true(l.collector.low >= 0 && l.collector.high > 5); // 5 m/s over a cell of 20 cm
        if (n == 1) assert_true(l.collector.high > 5 && l.collector.high < 40 && l.collector.low < -2);
        if (n == 2) assert_true(fmax(-l.collector.low, l.collector.high) < 4e-3 * 5 / 0.2);
        done(&l);
    }
}

static void test_flakes_and_cover(void **state) {
    (void)state;
    looker l;
    look("{wind: none, flake_size: 2, shutter: 20 ms, haze: 80 m}", &l);
    const draw_list *list = &l.collector.list;
    firn_field at = firn_world_field(l.world, "wind.position"),
               v = firn_world_field(l.world, "wind.velocity"),
               radius = firn_world_field(l.world, "wind.radius");
    assert_int_equal(list->sprite_count, 1);
    assert_int_equal(list->point_count, 0);
    assert_true(list->sprites[0].at == at.data && list->sprites[0].count == at.count);
    assert_true(list->sprites[0].velocity == v.data);
    assert_near((double)list->sprites[0].radius, 2 * (double)*(float *)radius.data, 1e-6);
    assert_near((double)list->sprites[0].shutter, 0.02, 1e-7);
    assert_near((double)list->light.haze, 80, 1e-4);
    bool cover = false;
    for (size_t i = 0; i < list->mesh_count; i++) cover = cover || list->meshes[i].material == DRAW_COVER;
    assert_true(cover);
    done(&l);
    look("{wind: none, flakes: points}", &l);
    assert_int_equal(l.collector.list.sprite_count, 0);
    assert_int_equal(l.collector.list.point_count, 1);
    done(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slice), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_slices_of_other_numbers),
                                       cmocka_unit_test(test_flakes_and_cover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
