// Constraints of registered kinds that are added and removed while a world runs.
#include "world/changes.h"

#include <string.h>

static const firn_constraint_class classes[] = {
    {"tether", "m", "two particles keep their distance", 2, 1, tether, tether_rest},
    {"bound", "m", "two particles are so far apart", 2, 1, tether, NULL},
};

// Two ropes that hang side by side on pins; one link between them from the start on.
static const char scene[] =
    "firn: 1\n"
    "fps: 50\n"
    "bodies: {ground: {shape: plane}}\n"
    "pbd:\n"
    "  iterations: 8\n"
    "  solids:\n"
    "    left: {lattice: [1, 10, 1], spacing: 5 cm, at: [-0.1, 2, 0], links: neighbours, neighbours: 2}\n"
    "    right: {lattice: [1, 10, 1], spacing: 5 cm, at: [0.1, 2, 0], links: neighbours, neighbours: 2,\n"
    "            velocity: [1, 0, 0]}\n"
    "  pins:\n"
    "    left: {shape: {sphere: {radius: 2 cm}}, at: [-0.1, 2.225, 0]}\n"
    "    right: {shape: {sphere: {radius: 2 cm}}, at: [0.1, 2.225, 0]}\n"
    "  constraints:\n"
    "    first: {kind: tether, particles: [{solid: left, number: 8}, {solid: right, number: 8}]}\n";

static double distance(const firn_world *world, size_t i, size_t j) {
    const double(*x)[3] = firn_world_field(world, "pbd.position").data;
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += pow(x[i][a] - x[j][a], 2);
    return sqrt(sum);
}

static size_t constraint_count(const firn_world *world) {
    return firn_world_field(world, "pbd.constraint_number").count;
}

static firn_status bind(firn_world *world, const char *name, const char *kind, int32_t number, double value,
                        int32_t repeat) {
    firn_pbd_particle_def ends[2] = {firn_pbd_particle_def_default(), firn_pbd_particle_def_default()};
    firn_pbd_value_def far = firn_pbd_value_def_default();
    firn_pbd_constraint_def def = firn_pbd_constraint_def_default();
    ends[0].solid = "left", ends[1].solid = "right";
    ends[0].number = ends[1].number = number;
    far.value = value;
    def.name = name;
    def.kind = kind;
    def.particles.items = ends, def.particles.count = 2;
    def.values.items = &far, def.values.count = value > 0;
    def.repeat = repeat;
    return firn_world_add_constraint(world, &def);
}

static void test_comes_and_goes(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 5);
    assert_int_equal(constraint_count(world), 1);
    double before = distance(world, 0, 10);
    assert_ok(bind(world, "tie", "tether", 0, 0, 3)); // as far apart as they are
    assert_int_equal(constraint_count(world), 4);
    assert_ok(bind(world, "pull", "bound", 4, 0.05, 1));
    for (int i = 0; i < 10; i++) {
        frames(world, 1);
        assert_near(distance(world, 0, 10), before, 0.01);
    }
    assert_near(distance(world, 4, 14), 0.05, 0.01);
    assert_near(distance(world, 8, 18), 0.2, 0.01); // that of the scene still holds
    assert_ok(firn_world_remove(world, "pbd.constraints.tie"));
    assert_ok(firn_world_remove(world, "pbd.constraints.pull"));
    assert_ok(firn_world_remove(world, "pbd.constraints.first"));
    assert_int_equal(constraint_count(world), 0);
    double farthest = 0;
    for (int i = 0; i < 40; i++) {
        frames(world, 1);
        farthest = fmax(farthest, fabs(distance(world, 0, 10) - before));
    }
    assert_true(farthest > 0.03);
    assert_ok(bind(world, "tie", "bound", 0, 0.1, 1)); // the name is free
    frames(world, 20);
    assert_near(distance(world, 0, 10), 0.1, 0.01);
    firn_world_close(world);
}

static void act(firn_world *world, int part) {
    if (part == 0) {
        frames(world, 3);
        assert_ok(bind(world, "tie", "tether", 0, 0, 5));
        assert_ok(bind(world, "short", "bound", 6, 0.1, 2));
        return;
    }
    if (part == 1) {
        frames(world, 3);
        assert_ok(firn_world_remove(world, "pbd.constraints.first"));
        assert_ok(firn_world_set_text(world, "pbd.elasticity", "plain")); // which they know as well
        frames(world, 2);
        return;
    }
    assert_ok(firn_world_remove(world, "pbd.constraints.tie"));
    assert_ok(firn_world_set_text(world, "pbd.elasticity", "compliance"));
    assert_ok(bind(world, "tie", "tether", 3, 0, 2));
    frames(world, 3);
}

static void test_same_bits(void **state) {
    (void)state;
    assert_same_play(scene, act, 3);
}

// The compliance of a registered constraint follows a live change of elasticity, as that of links does.
static void test_elasticity_may_change(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    assert_ok(firn_world_set_text(world, "pbd.elasticity", "plain"));
    for (int i = 0; i < 20; i++) {
        frames(world, 1);
        assert_near(distance(world, 8, 18), 0.2, 0.01); // compliance 0 would be a share of nothing
    }
    firn_world_close(world);
}

static void test_what_cannot_be(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 2);
    uint64_t before = firn_world_hash(world);
    assert_int_equal(bind(world, "tie", "tether", 8, 0, 5), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), "pbd.constraints.tie: solid 'left' has no particle 10, only 10");
    assert_int_equal(bind(world, "tie", "bound", 1, 0, 1), FIRN_BAD_INPUT); // a kind that needs its value
    assert_int_equal(bind(world, "tie", "nothing", 1, 0, 1), FIRN_BAD_INPUT);
    assert_int_equal(bind(world, "tie", NULL, 1, 0, 1), FIRN_BAD_INPUT);
    assert_int_equal(bind(world, "first", "tether", 1, 0, 1), FIRN_BAD_INPUT); // there is one of that name
    assert_int_equal(firn_world_remove(world, "pbd.constraints.tie"), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(world) == before);
    frames(world, 1);
    firn_world_close(world);
}

static firn_status add_tether(firn_world *world, const char *name) {
    return bind(world, name, "tether", 0, 0, 8);
}
static firn_status add_bound(firn_world *world, const char *name) {
    return bind(world, name, "bound", 0, 0.1, 3);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    frames(world, 1);
    assert_all_or_nothing(world, add_tether, "tie");
    assert_all_or_nothing(world, add_bound, "pull");
    assert_all_or_nothing(world, firn_world_remove, "pbd.constraints.first");
    frames(world, 1);
    firn_world_close(world);
}

static int set_up(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++)
        assert_ok(firn_register_constraint(&classes[k]));
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comes_and_goes),        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_elasticity_may_change), cmocka_unit_test(test_what_cannot_be),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
