// firn-test: threaded
// Pins pull at the bodies that hold them: with the weight of what hangs on them, and with what its motion
// takes.
#include "worlds.h"

#include <math.h>

enum { HOOK = 0, OTHER = 1 };

#define WORLD "firn: 1\ngravity: [0, -10, 0]\nmax_step: 10 ms\nduration: 10 s\n"
#define TWO                                                                                                  \
    "bodies: {hook: {shape: {sphere: {radius: 2 cm}}, at: [-0.95, 2, 0], motion: kinematic}, "               \
    "other: {shape: {sphere: {radius: 2 cm}}, at: [0.95, 2, 0]}}\n"
#define AT_HOOK "hook: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [-0.95, 2, 0], body: hook}"
#define AT_OTHER "other: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [0.95, 2, 0], body: other}"

typedef struct hanging {
    const char *name, *scene;
    double settle; // s
    bool both;     // bodies hold it, half of it each
    double close;  // largest error against the weight
} hanging;

static const hanging cases[] = {
    {"rope by one end",
     WORLD TWO
     "pbd: {damping: 2 Hz, solids: {rope: {lattice: [20, 1, 1], spacing: 10 cm, at: [0, 2, 0], links: "
     "neighbours, stiffness: 50 kN/m}}, pins: {" AT_HOOK "}}\n",
     8, false, 0.005},
    {"rope by two ends",
     WORLD TWO
     "pbd: {damping: 2 Hz, solids: {rope: {lattice: [20, 1, 1], spacing: 10 cm, at: [0, 2, 0], links: "
     "neighbours, stiffness: 5 kN/m}}, pins: {" AT_HOOK ", " AT_OTHER "}}\n",
     4, true, 0.02},
    {"rope on soft pins, Jacobi",
     WORLD TWO
     "pbd: {solver: jacobi, damping: 2 Hz, solids: {rope: {lattice: [20, 1, 1], spacing: 10 cm, at: [0, 2, "
     "0], "
     "links: neighbours, stiffness: 5 kN/m}}, pins: {hook: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: "
     "[-0.95, 2, 0], body: hook, stiffness: 1 kN/m}, other: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, "
     "at: [0.95, 2, 0], body: other, stiffness: 1 kN/m}}}\n",
     4, true, 0.02},
    {"block that keeps its shape",
     WORLD TWO "pbd: {damping: 2 Hz, solids: {block: {lattice: [20, 4, 4], spacing: 10 cm, at: [0, 1.85, 0], "
               "links: shape, "
               "stiffness: 5 kN/m}}, pins: {" AT_HOOK ", " AT_OTHER "}}\n",
     4, true, 0.05},
    {"block that keeps its volume",
     WORLD TWO "pbd: {damping: 2 Hz, solids: {block: {lattice: [20, 4, 4], spacing: 10 cm, at: [0, 1.85, 0], "
               "links: neighbours, stiffness: 50 kN/m, volume_stiffness: 100 kPa}}, pins: {" AT_HOOK
               ", " AT_OTHER "}}\n",
     4, true, 0.01},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void test_what_hangs_weighs(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const hanging *c = &cases[i];
        firn_world *world = open_text(c->scene);
        assert_ok(firn_world_advance(world, c->settle));
        firn_ledger before = firn_world_ledger(world, 1);
        assert_ok(firn_world_advance(world, 1));
        firn_ledger after = firn_world_ledger(world, 1);
        firn_impulse left = firn_world_body_reaction(world, HOOK),
                     right = firn_world_body_reaction(world, OTHER);
        double weight = after.mass * 10, held = -left.impulse.y - right.impulse.y;
        double missing = before.momentum.y - weight + held - after.momentum.y;
        print_message("%s: weight %.5g N, bodies %.5g + %.5g N, sideways %.3g %.3g N, momentum %.2g\n",
                      c->name, weight, -left.impulse.y, -right.impulse.y, left.impulse.x, right.impulse.x,
                      missing / weight);
        assert_near(held / weight, 1, c->close);
        assert_near(missing / weight, 0, c->close);
        assert_near(-left.impulse.y / weight, c->both ? 0.5 : 1, c->close);
        assert_near(left.impulse.x, -right.impulse.x, c->close * weight);
        if (c->both && i < 3) assert_true(left.impulse.x > 0.1 * weight); // the rope sags and pulls inwards
        // The weight hangs at the middle of the body that holds it alone.
        if (!c->both) assert_near(left.angular.z, 0, 0.001 * weight);
        firn_world_close(world);
    }
}

// Pulled up: the body carries the weight and gives the rope its momentum. Put down again it gets it back.
static void test_a_hook_that_moves(void **state) {
    (void)state;
    firn_world *world = open_text(cases[0].scene);
    const firn_quat straight = {1, 0, 0, 0};
    assert_ok(firn_world_advance(world, 8));
    assert_ok(firn_world_set(world, "pbd.damping", 0)); // it would take momentum as well
    double start = firn_world_time(world), impulse = 0, mass = firn_world_ledger(world, 1).mass;
    double before = firn_world_ledger(world, 1).momentum.y;
    assert_ok(firn_world_body_set_target(world, HOOK, (firn_vec3){-0.95, 4, 0}, straight, 1));
    for (int i = 0; i < 5; i++) {
        assert_ok(firn_world_advance(world, 0.1));
        impulse += firn_world_body_reaction(world, HOOK).impulse.y;
    }
    double time = firn_world_time(world) - start, now = firn_world_ledger(world, 1).momentum.y;
    print_message("pulled up: %.5g N s, weight %.5g N s, momentum %.4g N s\n", -impulse, 10 * mass * time,
                  now - before);
    assert_true(now - before > mass); // 2 m/s
    assert_near(-impulse, 10 * mass * time + now - before, 0.02 * 10 * mass * time);
    firn_world_close(world);
}

// Other numbers of threads give the same bits.
static void test_threads(void **state) {
    (void)state;
    for (size_t i = 1; i < CASES; i++) assert_same_reaction(cases[i].scene, HOOK, 0.05);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_hangs_weighs),
        cmocka_unit_test(test_a_hook_that_moves),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
