// Dynamic bodies in the snow: they stop, turn the right way, are pushed, and never gain energy from it.
#include "snowfield/snowfield_world.h"

#include "snowfield/snowfield_inside.h"

static firn_body_def dynamic(const char *name, firn_shape_def form, firn_vec3 at, double density) {
    firn_body_def b = firn_body_def_default();
    b.name = name;
    b.shape = form;
    b.at = at;
    b.density = density;
    b.motion.kind = FIRN_MOTION_DYNAMIC;
    return b;
}

static firn_body_def ball(double radius, double height, double density) {
    return dynamic("ball", (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = radius},
                   (firn_vec3){0.01, height, 0.003}, density);
}

static double energy_of(const firn_world *world) {
    firn_ledger l = firn_world_ledger(world, 0);
    return l.kinetic + l.potential;
}

// How deep a ball sinks that falls from `height` above the snow; checks that it comes to rest and gains
// nothing.
static double sinks(const char *snow, double density, double height) {
    snowfield_world w;
    snowfield_setup(&w, 96);
    w.field.snow = snow;
    w.field.depth = 0.4;
    w.body[0] = ball(0.15, 0.55 + height, density);
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    double energy = energy_of(world), mass = firn_world_body_state(world, 0).mass;
    while (firn_world_time(world) < 1.5) {
        assert_ok(firn_world_step(world));
        double now = energy_of(world);
        // Free fall is exact to rounding; a step that starts touching may differ by the step's own error.
        assert_true(now <= energy + 1e-3 * mass);
        energy = fmin(energy, now);
    }
    firn_body_state at_rest = firn_world_body_state(world, 0);
    assert_true(fabs(at_rest.velocity.x) < 0.01 && fabs(at_rest.velocity.y) < 0.01 &&
                fabs(at_rest.velocity.z) < 0.01);
    double y = at_rest.position.y;
    assert_ok(firn_world_advance(world, 1));
    assert_near(firn_world_body_state(world, 0).position.y, y, 2e-3); // and stays there
    firn_world_close(world);
    return 0.55 - y;
}

static void test_balls_come_to_rest(void **state) {
    (void)state;
    double fresh = sinks("fresh", 300, 0.3), packed = sinks("packed", 300, 0.3),
           heavy = sinks("fresh", 600, 0.3);
    double high = sinks("fresh", 300, 0.6);
    print_message("fresh %.3f, packed %.3f, twice the mass %.3f, twice the height %.3f m\n", fresh, packed,
                  heavy, high);
    assert_true(fresh > 3 * packed && packed > 0 && heavy > 1.1 * fresh && high > fresh);
}

// Weight over bearing strength: the area of the cap that is sunk in, once all is still.
static void test_slowly_laid_down_it_sinks_until_borne(void **state) {
    (void)state;
    double density = 800, r = 0.15, mass = density * 4.0 / 3 * 3.14159265 * r * r * r;
    snowfield_world w;
    snowfield_setup(&w, 96);
    w.field.snow = "packed";
    w.field.bearing = 3e4;
    w.field.bearing_power = 0; // the same strength at any density
    w.body[0] = ball(r, 0.3 + r, density);
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    assert_ok(firn_world_advance(world, 1.5));
    double depth = 0.3 + r - firn_world_body_state(world, 0).position.y,
           expected = mass * 9.81 / (3e4 * 2 * 3.14159265 * r);
    print_message("sinks %.4f m; weight over strength gives %.4f m\n", depth, expected);
    assert_true(depth > 0.5 * expected &&
                depth < 4 * expected); // it arrives with some speed, on cells of 2 cm
    firn_world_close(world);
}

// The track of a ball does not depend on how often the caller steps.
static void test_frame_time_does_not_matter(void **state) {
    (void)state;
    const double rates[] = {30, 60, 240};
    double depth[3], way[3];
    for (int k = 0; k < 3; k++) {
        snowfield_world w;
        snowfield_setup(&w, 160);
        w.field.depth = 0.3;
        w.body[0] = ball(0.15, 0.5, 400);
        w.body[0].at.x = -0.8;
        w.body[0].velocity = (firn_vec3){2, 0, 0};
        w.world.bodies.count = 1;
        w.world.fps = rates[k];
        w.world.max_step = 1;
        firn_world *world = snowfield_open(&w);
        for (int i = 0; i < rates[k] * 1.5; i++) assert_ok(firn_world_advance(world, 1 / rates[k]));
        depth[k] = 0.45 - firn_world_body_state(world, 0).position.y;
        way[k] = firn_world_body_state(world, 0).position.x + 0.8;
        firn_world_close(world);
    }
    print_message("depth %.4f %.4f %.4f, way %.4f %.4f %.4f\n", depth[0], depth[1], depth[2], way[0], way[1],
                  way[2]);
    for (int k = 0; k < 2; k++) {
        assert_near(depth[k], depth[2], 0.03 * depth[2]);
        assert_near(way[k], way[2], 0.03 * way[2]);
    }
}

// A box that lands on its left edge turns clockwise seen along -z: its right side comes down.
static void test_box_turns_the_right_way(void **state) {
    (void)state;
    for (int side = 0; side < 2; side++) {
        snowfield_world w;
        snowfield_setup(&w, 96);
        w.body[0] = dynamic("box", (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.15, 0.3}},
                            (firn_vec3){0, 0.7, 0}, 300);
        w.body[0].rotate.z = side ? -0.4 : 0.4; // the left, the right edge is lower
        w.world.bodies.count = 1;
        firn_world *world = snowfield_open(&w);
        double most = 0;
        for (int i = 0; i < 160; i++) {
            assert_ok(firn_world_advance(world, 1.0 / 240));
            double spin = firn_world_body_state(world, 0).spin.z;
            if (fabs(spin) > fabs(most)) most = spin;
        }
        assert_true(side ? most > 0.3 : most < -0.3);
        firn_world_close(world);
    }
}

// A ball that falls onto the snow is felt before it has come deep, whatever the frames are.
static void test_landing_is_resolved(void **state) {
    (void)state;
    const double rates[3] = {20, 25, 48}, radius = 0.2;
    for (int k = 0; k < 3; k++) {
        snowfield_world w;
        snowfield_setup(&w, 96);
        w.field.cell = 0.05;
        w.field.width = w.field.length = 3;
        w.body[0] = dynamic("ball", (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = radius},
                            (firn_vec3){0.1, w.field.depth + radius + 0.3, 0.05}, 300);
        w.world.bodies.count = 1;
        w.world.fps = rates[k];
        w.world.max_step = 0.004;
        firn_world *world = snowfield_open(&w);
        double deep = -1;
        for (int i = 0; i < 200 && deep < 0; i++) {
            assert_ok(firn_world_step(world));
            deep = w.field.depth - (firn_world_body_state(world, 0).position.y - radius);
        }
        print_message("%g frames/s: %.2f mm deep at first\n", rates[k], deep * 1e3);
        assert_true(deep >= 0 && deep < 1.05 * FIELD_LANDING * w.field.cell);
        firn_world_close(world);
    }
}

// A boot and a sledge of the same weight: one sinks, the other stays on top.
static void test_sledge_stays_on_top(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 128);
    w.field.depth = 0.4;
    w.field.density = 140;
    w.field.density_max = 350;
    w.body[0] = dynamic("boot", (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.3, 0.2, 0.11}},
                        (firn_vec3){0, 0.51, 0.7}, 6000);
    w.body[1] = dynamic("sledge", (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {1.2, 0.1, 0.5}},
                        (firn_vec3){0, 0.46, -0.4}, 660);
    w.world.bodies.count = 2;
    firn_world *world = snowfield_open(&w);
    assert_ok(firn_world_advance(world, 1));
    double boot = 0.5 - firn_world_body_state(world, 0).position.y,
           sledge = 0.45 - firn_world_body_state(world, 1).position.y;
    print_message("boot sinks %.3f m, sledge %.3f m\n", boot, sledge);
    assert_true(boot > 0.15 && sledge < 0.03);
    firn_world_close(world);
}

// A plough's heap moves a light box before the blade is there.
static void test_bow_wave_pushes(void **state) {
    (void)state;
    const firn_keyframe keys[] = {{0, {-1, 0.31, 0}, {0, 0, 0}}, {2, {0.6, 0.31, 0}, {0, 0, 0}}};
    snowfield_world w;
    snowfield_setup(&w, 120);
    w.field.depth = 0.15;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "blade";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.1, 0.6, 0.9}};
    w.body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    w.body[0].motion.keyframes.items = keys;
    w.body[0].motion.keyframes.count = 2;
    w.body[1] = dynamic("box", (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.3, 0.3, 0.3}},
                        (firn_vec3){0.1, 0.16, 0}, 60);
    w.world.bodies.count = 2;
    firn_world *world = snowfield_open(&w);
    double moved = 0;
    for (int i = 0; i < 1000 && moved == 0; i++) {
        assert_ok(firn_world_step(world));
        double blade = firn_world_body_state(world, 0).position.x + 0.05;
        firn_body_state box = firn_world_body_state(world, 1);
        if (blade > box.position.x - 0.16) break; // it touches
        if (box.velocity.x > 0.2) moved = box.position.x - 0.15 - blade;
    }
    print_message("the box moves %.3f m ahead of the blade\n", moved);
    assert_true(moved > 0.02);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balls_come_to_rest),
                                       cmocka_unit_test(test_slowly_laid_down_it_sinks_until_borne),
                                       cmocka_unit_test(test_frame_time_does_not_matter),
                                       cmocka_unit_test(test_box_turns_the_right_way),
                                       cmocka_unit_test(test_landing_is_resolved),
                                       cmocka_unit_test(test_sledge_stays_on_top),
                                       cmocka_unit_test(test_bow_wave_pushes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
