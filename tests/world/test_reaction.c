// firn-test: threaded
// Forces of the models on bodies that do not move by them: what rests on a plate weighs on it, momentum is
// accounted for, and a plate that is pushed into snow is pushed back.
#include "worlds.h"

#include <math.h>

enum { PLATE = 0, GRAVITY = 10 };

#define WORLD "firn: 1\ngravity: [0, -10, 0]\nmax_step: 10 ms\nduration: 10 s\n"
#define FIXED                                                                                                \
    WORLD "bodies: {plate: {shape: {box: {size: [2 m, 20 cm, 2 m]}}, at: [0, -0.1, 0], restitution: 0}}\n"
#define KINEMATIC                                                                                            \
    WORLD "bodies: {plate: {shape: {box: {size: [2 m, 20 cm, 2 m]}}, at: [0, -0.1, 0], restitution: 0, "     \
          "motion: kinematic}}\n"

typedef struct resting {
    const char *name, *scene;
    double settle;   // s
    double weight;   // largest error of the mean force over a second, against the weight
    double momentum; // of the balance of momentum in that second, against the weight
} resting;

static const resting cases[] = {
    {"grains",
     FIXED "grains: {radius: 1 cm, drag: 0, restitution: 0, fill: {all: {shape: {box: {size: [30 cm, 10 cm, "
           "30 cm]}}, at: [0, 0.1, 0], spacing: 4 cm}}}\n",
     0.5, 1e-3, 1e-5},
    {"mpm, explicit",
     KINEMATIC "mpm: {cell: 4 cm, snow: {block: {shape: {box: {size: [24 cm, 16 cm, 24 cm]}}, at: "
               "[0, 0.08, 0]}}}\n",
     0.5, 0.02, 1e-3},
    {"mpm, semi-implicit",
     FIXED "mpm: {cell: 4 cm, implicit: 1, snow: {block: {shape: {box: {size: [24 cm, 16 cm, 24 "
           "cm]}}, at: [0, 0.08, 0]}}}\n",
     0.5, 0.02, 1e-2}, // the solve ends at 1 % of its residual
    {"pbd, solid",
     KINEMATIC "pbd: {solids: {jelly: {lattice: [6, 5, 6], spacing: 4 cm, at: [0, 0.11, 0], links: "
               "neighbours, stiffness: 20 kN/m}}}\n",
     2, 0.01, 1e-3},
    {"pbd, liquid",
     FIXED
     "pbd: {box: {friction: 0, walls: [{low: [-0.2, -1, -0.2], high: [0.2, 2, 0.2]}]}, fluid: "
     "{spacing: 5 cm, pools: {tub: {shape: {box: {size: [40 cm, 30 cm, 40 cm]}}, at: [0, 0.15, 0]}}}}\n",
     2, 0.01, 1e-3},
    {"pbd, liquid, Jacobi",
     KINEMATIC "pbd: {solver: jacobi, box: {friction: 0, walls: [{low: [-0.2, -1, -0.2], high: [0.2, 2, "
               "0.2]}]}, fluid: {spacing: 5 cm, pools: {tub: {shape: {box: {size: [40 cm, 30 cm, 40 cm]}}, "
               "at: [0, 0.15, 0]}}}}\n",
     2, 0.01, 1e-3},
    {"phase, snow",
     FIXED "air: {temperature: -5 C}\nphase: {snow: {block: {shape: {box: {size: [16 cm, 12 cm, 16 cm]}}, "
           "at: [0, 0.06, 0], temperature: -5 C}}}\n",
     1, 0.01, 1e-3},
    {"phase, water",
     KINEMATIC "air: {temperature: 20 C}\nphase: {box: {friction: 0, walls: [{low: [-0.11, -1, -0.11], high: "
               "[0.11, 2, 0.11]}]}, water: {pool: {shape: {box: {size: [22 cm, 12 cm, 22 cm]}}, at: [0, "
               "0.06, 0], temperature: 20 C}}}\n",
     2, 0.01, 1e-3},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void test_what_rests_weighs_on_a_plate(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const resting *c = &cases[i];
        firn_world *world = open_text(c->scene);
        assert_ok(firn_world_advance(world, c->settle));
        firn_ledger before = firn_world_ledger(world, 1);
        assert_ok(firn_world_advance(world, 1));
        firn_ledger after = firn_world_ledger(world, 1);
        firn_impulse felt = firn_world_body_reaction(world, PLATE);
        double weight = after.mass * GRAVITY;
        double missing = before.momentum.y - weight - felt.impulse.y - after.momentum.y;
        print_message("%s: weight %.5g N, plate %.5g N, sideways %.2g %.2g N, momentum %.2g\n", c->name,
                      weight, -felt.impulse.y, felt.impulse.x, felt.impulse.z, missing / weight);
        assert_near(-felt.impulse.y / weight, 1, c->weight);
        assert_near(missing / weight, 0, c->momentum);
        assert_near(felt.impulse.x / weight, 0, c->weight);
        assert_near(felt.impulse.z / weight, 0, c->weight);
        firn_world_close(world);
    }
}

// The centre of pressure is where the snow is: 25 cm from the body's origin.
static void test_torque_about_the_origin(void **state) {
    (void)state;
    static const char scene[] =
        FIXED "grains: {radius: 1 cm, drag: 0, restitution: 0, fill: {all: {shape: {box: {size: [10 cm, 4 "
              "cm, 10 cm]}}, at: [0.25, 0.04, -0.5], spacing: 4 cm}}}\n";
    firn_world *world;
    assert_ok(firn_world_open_text(scene, "aside", &world));
    assert_ok(firn_world_advance(world, 0.5));
    assert_ok(firn_world_advance(world, 1));
    firn_impulse felt = firn_world_body_reaction(world, PLATE);
    assert_near(felt.angular.z / felt.impulse.y, 0.25, 0.02);
    assert_near(felt.angular.x / felt.impulse.y, 0.5, 0.02);
    firn_world_close(world);
}

// Pressed down into a block of snow, explicit and semi-implicit: the snow pushes up, more the deeper it is.
static void test_a_plate_pressed_into_snow(void **state) {
    (void)state;
    static const char *const how[] = {"0", "1"};
    for (int k = 0; k < 2; k++) {
        char scene[1000];
        snprintf(scene, sizeof scene,
                 WORLD "bodies: {foot: {shape: {box: {size: [12 cm, 10 cm, 12 cm]}}, at: [0, 0.38, 0], "
                       "motion: kinematic}, ground: {shape: plane}}\n"
                       "mpm: {cell: 4 cm, implicit: %s, snow: {block: {shape: {box: {size: [40 cm, 32 "
                       "cm, 40 cm]}}, at: [0, 0.16, 0]}}}\n",
                 how[k]);
        firn_world *world;
        assert_ok(firn_world_open_text(scene, "foot", &world));
        const firn_quat straight = {1, 0, 0, 0};
        assert_ok(firn_world_body_set_target(world, PLATE, (firn_vec3){0, 0.34, 0}, straight, 0.1));
        assert_ok(firn_world_advance(world, 0.1));
        double first = firn_world_body_reaction(world, PLATE).impulse.y / 0.1;
        assert_ok(firn_world_body_set_target(world, PLATE, (firn_vec3){0, 0.28, 0}, straight, 0.1));
        assert_ok(firn_world_advance(world, 0.1));
        double second = firn_world_body_reaction(world, PLATE).impulse.y / 0.1;
        print_message("implicit %s: %.4g N, then %.4g N\n", how[k], first, second);
        assert_true(first > 1 && second > first);
        firn_world_close(world);
    }
}

// Same bits on any number of threads.
static void test_threads(void **state) {
    (void)state;
    for (size_t i = 0; i < CASES; i += 2) assert_same_reaction(cases[i].scene, PLATE, 0.05);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_rests_weighs_on_a_plate),
        cmocka_unit_test(test_torque_about_the_origin),
        cmocka_unit_test(test_a_plate_pressed_into_snow),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
