// Pins that are added and removed while a world runs.
#include "world/changes.h"

#include <string.h>

// A cloth that hangs on two corners, a kinematic hand beside its lower edge, and water that particles of the
// cloth are numbered before.
static const char scene[] =
    "firn: 1\n"
    "fps: 50\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  hand: {shape: {sphere: {radius: 5 cm}}, at: [0, 1.0, 0.6], motion: kinematic}\n"
    "pbd:\n"
    "  iterations: 8\n"
    "  solids: {cloth: {lattice: [11, 11, 1], spacing: 8 cm, at: [0, 1.4, 0], links: neighbours, "
    "density: 20 kg/m3}}\n"
    "  pins:\n"
    "    left: {shape: {sphere: {radius: 5 cm}}, at: [-0.4, 1.8, 0]}\n"
    "    right: {shape: {sphere: {radius: 5 cm}}, at: [0.4, 1.8, 0], stiffness: 500 N/m}\n"
    "  fluid: {spacing: 8 cm, pools: {pool: {shape: {box: {size: [0.4, 0.4, 0.4]}}, at: [2, 0.3, 0]}}}\n";

static firn_pbd_pin_def pin_at(const char *name, firn_vec3 at, double radius, const char *body) {
    firn_pbd_pin_def def = firn_pbd_pin_def_default();
    def.name = name;
    def.where.shape.kind = FIRN_SHAPE_SPHERE;
    def.where.shape.radius = radius;
    def.where.at = at;
    def.body = body;
    return def;
}

static firn_vec3 particle(const firn_world *world, size_t i) {
    firn_field f = firn_world_field(world, "pbd.position");
    const double *x = (const double *)f.data + 3 * i;
    return (firn_vec3){x[0], x[1], x[2]};
}

enum { LOWER_LEFT = 0, LOWER_RIGHT = 10, UPPER_LEFT = 110, UPPER_RIGHT = 120 };

static size_t pinned(const firn_world *world) { return firn_world_field(world, "pbd.pin_number").count; }

// Takes hold of the lower edge with the hand.
static firn_status grab(firn_world *world, const char *name) {
    firn_vec3 middle = particle(world, 5);
    firn_pbd_pin_def def = pin_at(name, middle, 0.1, "hand");
    return firn_world_add_pin(world, &def);
}

static void move_hand(firn_world *world, firn_vec3 to) {
    size_t hand = firn_world_body_find(world, "hand");
    assert_ok(firn_world_body_set_target(world, hand, to, (firn_quat){1, 0, 0, 0}, 0.1));
}

static void test_lets_go(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 5);
    assert_int_equal(pinned(world), 2);
    assert_near(particle(world, UPPER_LEFT).y, 1.8, 1e-6);
    assert_ok(firn_world_remove(world, "pbd.pins.left"));
    assert_int_equal(pinned(world), 1);
    frames(world, 25);
    assert_true(particle(world, UPPER_LEFT).y < 1.4);
    assert_true(particle(world, UPPER_RIGHT).y > 1.7); // the other still holds
    assert_ok(firn_world_remove(world, "pbd.pins.right"));
    assert_int_equal(pinned(world), 0);
    frames(world, 60);
    for (size_t i = 0; i < 121; i++) assert_true(particle(world, i).y < 1);
    firn_pbd_pin_def left = pin_at("left", particle(world, UPPER_LEFT), 0.02, NULL); // the name is free
    firn_vec3 before = particle(world, UPPER_LEFT);
    assert_ok(firn_world_add_pin(world, &left));
    frames(world, 5);
    assert_near(particle(world, UPPER_LEFT).y, before.y, 1e-6);
    firn_world_close(world);
}

static void test_hand_takes_it_along(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 10);
    assert_ok(grab(world, "grip"));
    size_t held = pinned(world) - 2;
    assert_true(held >= 1 && held <= 9);
    firn_vec3 before = particle(world, 5);
    move_hand(world, (firn_vec3){0, 1.1, 0.9});
    frames(world, 10);
    firn_vec3 after = particle(world, 5);
    assert_near(after.y - before.y, 0.1, 1e-4);
    assert_near(after.z - before.z, 0.3, 1e-4);
    firn_impulse pull = firn_world_body_reaction(world, firn_world_body_find(world, "hand"));
    assert_true(pull.impulse.z < 0); // the cloth pulls back
    assert_int_equal(firn_world_remove(world, "bodies.hand"), FIRN_BAD_INPUT);
    assert_ok(firn_world_remove(world, "pbd.pins.grip"));
    frames(world, 20);
    assert_true(particle(world, 5).z < 0.2);            // swings back
    assert_ok(firn_world_remove(world, "bodies.hand")); // nothing holds on to it
    frames(world, 1);
    assert_near(particle(world, UPPER_LEFT).y, 1.8, 1e-6);
    firn_world_close(world);
}

// Grabs, throws, lets go, with a body and water that come in between.
static void act(firn_world *world, int part) {
    if (part == 0) {
        frames(world, 3);
        assert_ok(grab(world, "grip"));
        move_hand(world, (firn_vec3){0.1, 1.2, 0.9});
        return;
    }
    if (part == 1) {
        frames(world, 3);
        firn_body_def stone = firn_body_def_default();
        stone.name = "stone";
        stone.shape.kind = FIRN_SHAPE_SPHERE;
        stone.shape.radius = 0.2;
        stone.at = (firn_vec3){0, 1.3, -0.3};
        assert_ok(firn_world_add_body(world, &stone, NULL));
        assert_ok(firn_world_remove(world, "pbd.pins.left"));
        frames(world, 3);
        return;
    }
    assert_ok(firn_world_remove(world, "pbd.pins.grip"));
    firn_pbd_pin_def nail = pin_at("left", particle(world, 60), 0.09, NULL);
    nail.stiffness = 2e3;
    assert_ok(firn_world_add_pin(world, &nail));
    assert_ok(firn_world_set(world, "pbd.pins.left.stiffness", 4e3));
    frames(world, 3);
}

static void test_same_bits(void **state) {
    (void)state;
    assert_same_play(scene, act, 3);
}

// Into a scene that has no pins.
static void test_first_pin(void **state) {
    (void)state;
    static const char rope[] = "firn: 1\n"
                               "bodies: {ground: {shape: plane}}\n"
                               "pbd: {solids: {rope: {lattice: [8, 1, 1], spacing: 5 cm, at: [0, 1, 0], "
                               "links: neighbours, neighbours: 2}}}\n";
    firn_world *a = open_text(rope), *b = open_text(rope);
    void *data;
    size_t bytes;
    firn_pbd_pin_def nail = pin_at("nail", particle(a, 0), 0.01, NULL);
    assert_ok(firn_world_add_pin(a, &nail));
    frames(a, 4);
    assert_near(particle(a, 0).y, 1, 1e-6);
    assert_true(particle(a, 7).y < 0.99);
    assert_ok(firn_world_save(a, &data, &bytes));
    assert_ok(firn_world_load(b, data, bytes));
    frames(a, 2);
    frames(b, 2);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_data_free(data);
    assert_ok(firn_world_remove(a, "pbd.pins.nail"));
    assert_ok(firn_world_save(a, &data, &bytes)); // none is left
    assert_ok(firn_world_load(b, data, bytes));
    frames(a, 2);
    frames(b, 2);
    assert_true(particle(a, 0).y < 0.999);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
}

static void test_what_cannot_be(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 2);
    uint64_t before = firn_world_hash(world);
    firn_pbd_pin_def def = pin_at("far", (firn_vec3){5, 5, 5}, 0.1, NULL);
    assert_int_equal(firn_world_add_pin(world, &def), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), "pbd.pins.far: no particle of a solid is inside its shape");
    def = pin_at("twice", particle(world, UPPER_LEFT), 0.1, NULL);
    assert_int_equal(firn_world_add_pin(world, &def), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), "pbd.pins: a particle is inside the shapes of two pins");
    def = pin_at("left", particle(world, 0), 0.1, NULL);
    assert_int_equal(firn_world_add_pin(world, &def), FIRN_BAD_INPUT); // there is one of that name
    def = pin_at("nobody", particle(world, 0), 0.1, "nobody");
    assert_int_equal(firn_world_add_pin(world, &def), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), "pbd.pins.nobody: there is no body 'nobody'");
    assert_int_equal(firn_world_remove(world, "pbd.pins.nobody"), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(world) == before);
    frames(world, 1);
    firn_world_close(world);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 1);
    assert_all_or_nothing(world, grab, "grip");
    assert_all_or_nothing(world, firn_world_remove, "pbd.pins.left");
    frames(world, 1);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lets_go),        cmocka_unit_test(test_hand_takes_it_along),
        cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_first_pin),
        cmocka_unit_test(test_what_cannot_be), cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
