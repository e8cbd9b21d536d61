// Bodies that the program moves, places, and asks for their reactions.
#include "support.h"

#include <math.h>

#include "world/world.h"

static const firn_quat straight = {1, 0, 0, 0};

static firn_body_def body(const char *name, firn_motion_kind motion, double x, double y) {
    firn_body_def def = firn_body_def_default();
    def.name = name;
    def.shape.kind = FIRN_SHAPE_BOX;
    def.shape.size = (firn_vec3){0.2, 0.2, 0.2};
    def.motion.kind = motion;
    def.at = (firn_vec3){x, y, 0};
    return def;
}

enum { FOOT, BALL, POST };

static firn_world *open_world(void) {
    firn_body_def bodies[] = {body("foot", FIRN_MOTION_KINEMATIC, 0, 1),
                              body("ball", FIRN_MOTION_DYNAMIC, 5, 1), body("post", FIRN_MOTION_FIXED, 9, 0)};
    firn_world_def def = firn_world_def_default();
    def.gravity = (firn_vec3){0};
    def.bodies.items = bodies;
    def.bodies.count = 3;
    firn_world *world;
    assert_ok(firn_world_create(&def, &world));
    return world;
}

static firn_quat about_y(double angle) { return (firn_quat){cos(angle / 2), 0, sin(angle / 2), 0}; }

static void test_even_way(void **state) {
    (void)state;
    firn_world *world = open_world();
    assert_ok(firn_world_body_set_target(world, FOOT, (firn_vec3){0.6, 1.3, 0}, about_y(1), 0.1));
    assert_ok(firn_world_advance(world, 0.05));
    firn_body_state half = firn_world_body_state(world, FOOT);
    assert_near(half.position.x, 0.3, 1e-9);
    assert_near(half.position.y, 1.15, 1e-9);
    assert_near(half.rotation.y, sin(0.25), 1e-9);
    assert_near(half.velocity.x, 6, 1e-9);
    assert_near(half.spin.y, 10, 1e-9);
    assert_ok(firn_world_advance(world, 0.05));
    firn_body_state there = firn_world_body_state(world, FOOT);
    assert_true(there.position.x == 0.6 && there.position.y == 1.3);
    assert_near(there.rotation.y, sin(0.5), 1e-12);
    assert_near(there.velocity.x, 6, 1e-6);
    assert_ok(firn_world_advance(world, 0.05)); // and stays
    there = firn_world_body_state(world, FOOT);
    assert_true(there.position.x == 0.6 && there.velocity.x == 0 && there.spin.y == 0);
    firn_world_close(world);
}

static void test_pushes_what_is_dynamic(void **state) {
    (void)state;
    firn_world *world = open_world();
    for (int i = 1; i <= 50; i++) {
        assert_ok(firn_world_body_set_target(world, FOOT, (firn_vec3){0.1 * i, 1, 0}, straight, 0.02));
        assert_ok(firn_world_advance(world, 0.02));
    }
    firn_body_state ball = firn_world_body_state(world, BALL);
    assert_true(ball.velocity.x > 4.9 && ball.position.x > 5.1); // pushed at 5 m/s
    firn_world_close(world);
}

// The other way, within one frame: what is refused leaves no trace.
static void test_bad_poses(void **state) {
    (void)state;
    firn_world *world = open_world();
    assert_ok(firn_world_body_set_target(world, FOOT, (firn_vec3){1, 1, 0}, straight, 1));
    uint64_t hash = firn_world_hash(world);
    const firn_vec3 here = {0, 1, 0}, bad[] = {{NAN, 1, 0}, {0, INFINITY, 0}, {0, 0, 1e8}};
    const firn_quat turns[] = {{NAN, 0, 0, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(firn_world_body_set_target(world, FOOT, bad[i], straight, 0.1), FIRN_BAD_INPUT);
        assert_int_equal(firn_world_body_set_target(world, FOOT, here, turns[i], 0.1), FIRN_BAD_INPUT);
        firn_body_state to = firn_world_body_state(world, BALL);
        to.position = bad[i];
        assert_int_equal(firn_world_body_place(world, BALL, &to), FIRN_BAD_INPUT);
        to = firn_world_body_state(world, BALL);
        to.rotation = turns[i];
        assert_int_equal(firn_world_body_place(world, BALL, &to), FIRN_BAD_INPUT);
    }
    firn_body_state to = firn_world_body_state(world, BALL);
    to.velocity.y = NAN;
    assert_int_equal(firn_world_body_place(world, BALL, &to), FIRN_BAD_INPUT);
    to.velocity.y = 1e9;
    assert_int_equal(firn_world_body_place(world, BALL, &to), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_set_target(world, FOOT, here, straight, NAN), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_set_target(world, FOOT, here, straight, -1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_set_target(world, BALL, here, straight, 1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_set_target(world, POST, here, straight, 1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_set_target(world, 3, here, straight, 1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_place(world, FOOT, &to), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(world) == hash);
    firn_world_close(world);
}

static void test_at_once(void **state) {
    (void)state;
    firn_world *world = open_world();
    assert_ok(firn_world_body_set_target(world, FOOT, (firn_vec3){-3, 2, 1}, about_y(0.5), 0));
    firn_body_state there = firn_world_body_state(world, FOOT);
    assert_true(there.position.x == -3 && there.velocity.x == 0);
    firn_body_state to = {.position = {2, 2, 2}, .rotation = straight, .velocity = {0, 3, 0}};
    assert_ok(firn_world_body_place(world, BALL, &to));
    assert_ok(firn_world_advance(world, 0.5));
    assert_near(firn_world_body_state(world, BALL).position.y, 3.5, 1e-9); // no gravity here
    assert_near(firn_world_body_state(world, FOOT).position.x, -3, 0);
    firn_world_close(world);
}

// All state is in the fields: a copy of them goes on with the same bits.
static void test_target_is_state(void **state) {
    (void)state;
    firn_world *a = open_world(), *b = open_world();
    assert_ok(firn_world_body_set_target(a, FOOT, (firn_vec3){1, 1, 1}, about_y(2), 0.3));
    assert_ok(firn_world_advance(a, 0.1));
    for (size_t i = 0; i < firn_world_field_count(a); i++) {
        firn_field from = firn_world_field_at(a, i), to = firn_world_field_at(b, i);
        if (from.flags & FIRN_FIELD_STATE)
            memcpy((void *)to.data, from.data, from.count * from.components * 8);
    }
    world_clock_set(b, world_clock_get(a));
    assert_ok(world_loaded(b));
    for (int i = 0; i < 4; i++) {
        assert_ok(firn_world_advance(a, 0.07));
        assert_ok(firn_world_advance(b, 0.07));
        assert_true(firn_world_hash(a) == firn_world_hash(b));
    }
    assert_true(firn_world_body_state(b, FOOT).position.z == 1);
    firn_world_close(a);
    firn_world_close(b);
}

// Grains that come to rest on a box give it their momentum.
static void test_reaction(void **state) {
    (void)state;
    firn_body_def box = body("box", FIRN_MOTION_DYNAMIC, 0, 0);
    box.shape.size = (firn_vec3){2, 0.2, 2};
    box.density = 3e4;
    box.restitution = 0;
    firn_grains_fill_def fill = firn_grains_fill_def_default();
    fill.name = "cloud";
    fill.fill.shape.kind = FIRN_SHAPE_BOX;
    fill.fill.shape.size = (firn_vec3){0.5, 0.2, 0.5};
    fill.fill.at = (firn_vec3){0, 0.6, 0};
    fill.spacing = 0.05;
    fill.velocity = (firn_vec3){0, -2, 0};
    firn_grains_def grains = firn_grains_def_default();
    grains.restitution = grains.drag = 0;
    grains.fill.items = &fill;
    grains.fill.count = 1;
    firn_world_def def = firn_world_def_default();
    def.gravity = (firn_vec3){0};
    def.bodies.items = &box;
    def.bodies.count = 1;
    def.grains = &grains;
    firn_world *world;
    assert_ok(firn_world_create(&def, &world));
    double mass = firn_world_ledger(world, 1).mass;
    assert_ok(firn_world_advance(world, 0.5));
    assert_near(firn_world_body_reaction(world, 0).impulse.y, -2 * mass, 0.02 * mass);
    assert_ok(firn_world_advance(world, 0.01)); // only of the last call
    assert_near(firn_world_body_reaction(world, 0).impulse.y, 0, 0.01 * mass);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_way),        cmocka_unit_test(test_pushes_what_is_dynamic),
        cmocka_unit_test(test_bad_poses),       cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_target_is_state), cmocka_unit_test(test_reaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
