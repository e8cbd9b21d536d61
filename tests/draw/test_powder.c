// Powder: born where snow breaks and lands, carried by drag and wind, the same whichever frames are looked
// at.
#include <math.h>
#include <string.h>

#include "draw/powder.h"
#include "draw/sprites.h"
#include "scene/build.h"
#include "support.h"

static const char falling[] = "firn: 1\n"
                              "duration: 1 s\n"
                              "bodies: {floor: {shape: plane}}\n"
                              "mpm:\n"
                              "  cell: 8 cm\n"
                              "  snow:\n"
                              "    ball:\n"
                              "      shape: {sphere: {radius: 25 cm}}\n"
                              "      at: [0, 0.8, 0]\n"
                              "      velocity: [1, -6, 0]\n"
                              "      critical_stretch: 0.002\n";
enum { FRAMES = 12, FROM = 4 };

static void test_born_where_snow_lands(void **state) {
    (void)state;
    scene *parsed;
    firn_world *world;
    powder all = {0}, late = {0};
    assert_ok(scene_parse(falling, strlen(falling), "falling", (firn_overrides){0}, &parsed));
    assert_ok(firn_world_create(&parsed->def.world, &world));
    powder_begin(&all);
    powder_begin(&late);
    size_t first = 0, in_flight = 0;
    double first_time = 0;
    const firn_vec3 origin = {0, 0, 0};
    for (int frame = 0; frame < FRAMES; frame++) {
        if (frame == FROM) first = all.count, first_time = firn_world_time(world);
        assert_ok(powder_take(&all, world, origin, 0.04, true));
        if (frame >= FROM - 1) assert_ok(powder_take(&late, world, origin, 0.04, frame >= FROM));
        if (frame < 2) in_flight = all.count;
        double next = firn_world_time(world) + 1 / 30.0;
        while (firn_world_time(world) < next) assert_ok(firn_world_step(world));
    }
    print_message("%zu puffs in flight, %zu later, %zu from %.2f s on\n", in_flight, all.count,
                  all.count - first, first_time);
    assert_true(in_flight == 0 && all.count > 20);
    assert_int_equal(late.count, all.count - first);
    for (size_t i = 0; i < late.count; i++) { // not what lies between the members
        const powder_puff *a = &late.puff[i], *b = &all.puff[first + i];
        assert_memory_equal(a->at, b->at, sizeof a->at);
        assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
        assert_memory_equal(a->wind, b->wind, sizeof a->wind);
        assert_true(a->born == b->born && a->size == b->size && a->seed == b->seed);
    }
    for (size_t i = 0; i < all.count; i++)
        assert_true(fabsf(all.puff[i].at[0]) < 1.5f && all.puff[i].at[1] > -0.1f && all.puff[i].at[1] < 1.2f);
    powder_free(&all);
    powder_free(&late);
    firn_world_close(world);
    scene_close(parsed);
}

static void test_drag_and_wind(void **state) {
    (void)state;
    const powder_puff puff = {.velocity = {6, 0, 0}, .wind = {0, 0, 3}, .size = 0.05f, .seed = 5};
    float at[3], later[3], opacity, faint;
    float size = powder_place(&puff, 0, at, &opacity);
    assert_near(size, 0.05, 1e-6);
    assert_true(at[0] == 0 && at[1] == 0 && at[2] == 0 && opacity > 0);
    powder_place(&puff, 0.01, at, &opacity);
    assert_near(at[0], 0.06, 0.003); // as it was thrown
    float wide = powder_place(&puff, 1.0, at, &opacity);
    powder_place(&puff, 1.1, later, &faint);
    assert_near((later[2] - at[2]) / 0.1, 3, 0.35); // as the wind blows, and what was its own has gone
    assert_true(fabsf(later[0] - at[0]) < 0.05f && at[0] < 6 * 0.3f);
    assert_true(later[1] < at[1] && wide > size && faint < opacity);
    powder_place(&puff, POWDER_LIFE, at, &opacity);
    assert_near(opacity, 0, 1e-6);
}

static void light_of(const void *context, float through, float light[2][3], float srgb[2][3]) {
    (void)context;
    (void)through;
    for (int k = 0; k < 3; k++) {
        light[0][k] = srgb[0][k] = 0.6f;
        light[1][k] = srgb[1][k] = 1;
    }
}

// Mean of the red of the picture's left and right half over a cloud before a wall.
static void paint(float wall, double half[2]) {
    enum { WIDE = 120, HIGH = 60 };
    static float depth[WIDE * HIGH];
    const float at[1][3] = {{0, 0, 0}}, radius[1] = {1.5f}, opacity[1] = {0.8f};
    const uint32_t seed[1] = {77};
    canvas c;
    draw_list list = draw_list_default();
    draw_list_camera(&list, (draw_camera){{0, 0, 10}, {0, 0, 0}, 1});
    list.powder = (draw_puffs){at, radius, opacity, seed, 1};
    for (int i = 0; i < WIDE * HIGH; i++) depth[i] = wall;
    assert_ok(canvas_create(WIDE, HIGH, (draw_color){50, 50, 50, 255}, &c));
    const sprite_scene behind = {.depth = depth,
                                 .stride = WIDE,
                                 .wide = WIDE,
                                 .high = HIGH,
                                 .nearest = 0.1f,
                                 .cloud_sun = {-1, 0, 0},
                                 .cloud_light = light_of};
    assert_ok(clouds_draw(&list, &behind, &c));
    half[0] = half[1] = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++)
            half[x >= WIDE / 2] += c.rgba[4 * (y * WIDE + x)] / (0.5 * WIDE * HIGH);
    canvas_free(&c);
    draw_list_free(&list);
}

static void test_clouds_are_lit_and_soft(void **state) {
    (void)state;
    double open[2], middle[2], hidden[2];
    paint(100, open);
    paint(10, middle);
    paint(8, hidden);
    print_message("open %.2f %.2f, half in a wall %.2f, behind it %.2f\n", open[0], open[1], middle[0],
                  hidden[0]);
    assert_true(open[0] > open[1] + 1 && open[1] > 51); // the sun stands to the left
    assert_near((middle[0] - 50) / (open[0] - 50), 0.5, 0.05);
    assert_near(hidden[0], 50, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_born_where_snow_lands),
        cmocka_unit_test(test_drag_and_wind),
        cmocka_unit_test(test_clouds_are_lit_and_soft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
