// Grains, solids, cloth, liquids and lumps on the snow field: it bears them by the law by which it bears
// bodies.
// firn-test: threaded
#include "couples.h"

#define HEAD "firn: 1\nfps: 50\nduration: 9 s\n"
#define FLOOR "bodies:\n  floor: {shape: plane}\n"
#define FIELD "field: {width: 1.6 m, length: 1.6 m, cell: 4 cm, depth: 40 cm, snow: fresh}\n"
#define FINE "field: {width: 1 m, length: 1 m, cell: 2 cm, depth: 40 cm, snow: fresh}\n"
#define PACKED "field: {width: 2 m, length: 2 m, cell: 4 cm, depth: 40 cm, snow: packed}\n"
#define CUBE(density)                                                                                        \
    "pbd: {solids: {cube: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [0, 0.5, 0], spacing: 4 cm, "    \
    "density: " density "}}}\n"

static void test_what_lies_on_the_field_stays_still(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD FLOOR FIELD
                   "pbd: {solids: {\n"
                   "  cube: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [-0.5, 0.5, -0.4], spacing: "
                   "4 cm, density: 800},\n"
                   "  rope: {lattice: [30, 1, 1], at: [0.3, 0.5, -0.4], spacing: 2 cm, density: 1000},\n"
                   "  cloth: {lattice: [20, 1, 20], at: [0.3, 0.6, 0.3], spacing: 2 cm, density: 300}}}\n"
                   "grains: {fill: {heap: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [-0.4, 0.6, 0.4], "
                   "spacing: 2 cm}}}\n");
    advance(world, 1);
    for (int i = 0; i < 10; i++) {
        advance(world, 0.02);
        flock pbd = flock_of(world, "pbd"), grains = flock_of(world, "grains");
        if (i == 0)
            print_message("pbd from %.3f m, %.2g m/s; grains from %.3f m, %.2g m/s\n", pbd.lowest,
                          pbd.fastest, grains.lowest, grains.fastest);
        assert_true(pbd.fastest < 0.05 && grains.fastest < 0.05);
        assert_true(pbd.lowest > 0.05 && grains.lowest > 0.38);
    }
    assert_near(ledger_of(world, "field").mass, 1.6 * 1.6 * 0.4 * 100, 1e-2);
    assert_true(ledger_of(world, "field").mass_out == 0);
    firn_world_close(world);
}

static void test_a_pool_lies_on_packed_snow(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD FLOOR PACKED "pbd: {fluid: {spacing: 5 cm, pools: {pool: {shape: {box: "
                                     "{size: [30 cm, 20 cm, 30 cm]}}, at: [0, 0.5, 0]}}}}\n");
    advance(world, 1.5);
    flock water = flock_of(world, "pbd");
    print_message("water from %.4f to %.4f m, %.2g m/s\n", water.lowest, water.highest, water.fastest);
    assert_true(water.lowest > 0.4 && water.highest < 0.5 && water.fastest < 0.05);
    firn_world_close(world);
}

// Snow that melts never lies quite still; but no worse than on the floor.
static void test_a_lump_lies_on_packed_snow_as_on_the_floor(void **state) {
    (void)state;
#define LUMP(y)                                                                                              \
    "phase: {mass: 20 g, snow: {lump: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [0, " y              \
    ", 0], temperature: -5 C, type: packed}}}\n"
    firn_world *snow = open_world(HEAD FLOOR PACKED LUMP("0.5")), *floor = open_world(HEAD FLOOR LUMP("0.1"));
    advance(snow, 0.4);
    advance(floor, 0.4);
    flock on_snow = flock_of(snow, "phase"), on_floor = flock_of(floor, "phase");
    print_message("on snow %.4f m, mean %.2g m/s; on the floor %.4f m, %.2g m/s\n", on_snow.lowest - 0.4,
                  on_snow.mean_speed, on_floor.lowest, on_floor.mean_speed);
    assert_near(on_snow.mean - 0.4, on_floor.mean, 0.02);
    assert_true(on_snow.lowest > 0.4 && on_snow.mean_speed < 0.05);
    firn_world_close(snow);
    firn_world_close(floor);
}

static double rest_bottom(const char *words) {
    firn_world *world = open_world(words);
    advance(world, 1.2);
    double bottom = flock_of(world, "pbd").lowest - 0.02;
    firn_world_close(world);
    return bottom;
}

// 0.5 kPa on snow that bears 1 kPa lies on it; 2 kPa sinks as a rigid cube does.
static void test_a_print_fits_the_weight(void **state) {
    (void)state;
    double light = rest_bottom(HEAD FLOOR FINE CUBE("250")),
           heavy = rest_bottom(HEAD FLOOR FINE CUBE("1000"));
    firn_world *world =
        open_world(HEAD FLOOR "  cube: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [0, 0.5, 0], "
                              "motion: dynamic, density: 1000}\n" FINE);
    advance(world, 1.2);
    double rigid = firn_world_body_state(world, firn_world_body_find(world, "cube")).position.y - 0.1;
    firn_world_close(world);
    print_message("0.5 kPa rests at %.4f m, 2 kPa at %.4f m, the rigid cube at %.4f m\n", light, heavy,
                  rigid);
    assert_near(light, 0.4, 1e-3);
    assert_near(0.4 - heavy, 0.4 - rigid, 0.1 * (0.4 - rigid));
}

static void test_a_fast_ball_leaves_a_crater(void **state) {
    (void)state;
    double low[2];
    for (int k = 0; k < 2; k++) {
        char words[600];
        snprintf(words, sizeof words,
                 HEAD FLOOR FINE
                 "grains: {radius: 1 cm, density: 900, drag: 0, fill: {one: {shape: {box: {size: "
                 "[2.5 cm, 2.5 cm, 2.5 cm]}}, at: [0, 0.6, 0], spacing: 2.5 cm, velocity: [0, %d, 0]}}}\n",
                 k == 0 ? -1 : -20);
        firn_world *world = open_world(words);
        advance(world, 0.5);
        flock ball = flock_of(world, "grains");
        assert_int_equal(ball.count, 1);
        assert_true(ball.fastest < 0.05);
        low[k] = ball.lowest - 0.01;
        firn_world_close(world);
    }
    print_message("at 1 m/s down to %.4f m, at 20 m/s to %.4f m\n", low[0], low[1]);
    assert_true(low[0] > 0.37 && low[1] < low[0] - 0.05 && low[1] > 0);
}

// The law of a block on an incline: at 15 degrees friction of 0.4 holds, with 0.1 it slides with
// g (sin - 0.1 cos).
static void test_grains_on_a_slope_slide_or_stay(void **state) {
    (void)state;
    double speed[2], moved[2];
    for (int k = 0; k < 2; k++) {
        char words[700];
        snprintf(words, sizeof words,
                 HEAD
                 "bodies:\n  ramp: {shape: {box: {size: [6, 1, 6]}}, rotate: [0, 0, 15 deg]}\n"
                 "field: {width: 3 m, length: 1 m, cell: 4 cm, depth: 20 cm, snow: packed, ground: {body: "
                 "ramp}}\n"
                 "coupling: {grains_field: {friction: %s}}\n"
                 "grains: {drag: 0, fill: {g: {shape: {box: {size: [0.2, 0.1, 0.2]}}, at: [0, 0.85, 0], "
                 "spacing: 4 cm}}}\n",
                 k == 0 ? "0.4" : "0.1");
        firn_world *world = open_world(words);
        advance(world, 0.6);
        flock before = flock_of(world, "grains");
        advance(world, 0.4);
        flock after = flock_of(world, "grains");
        speed[k] = (after.mean_speed - before.mean_speed) / 0.4, moved[k] = before.mean - after.mean;
        firn_world_close(world);
    }
    double angle = 0.261799388, law = 9.81 * (sin(angle) - 0.1 * cos(angle));
    print_message("held: %.2g m/s2, %.2g m lower; sliding: %.4f m/s2, law %.4f\n", speed[0], moved[0],
                  speed[1], law);
    assert_true(fabs(speed[0]) < 1e-3 && fabs(moved[0]) < 1e-4);
    assert_near(speed[1], law, 0.03 * law);
}

static void test_momentum_goes_to_the_ground(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD FLOOR FIELD CUBE("1000"));
    for (int i = 0; i < 4; i++) {
        advance(world, 0.1);
        firn_ledger l = ledger_of(world, "pbd");
        firn_coupling c = coupling_of(world, "pbd_field");
        double fell = -9.81 * l.mass * firn_world_time(world);
        if (i == 0) print_message("momentum %.9g N s, to the field %.9g N s\n", l.momentum.y, c.impulse.y);
        assert_near(l.momentum.y + c.impulse.y, fell, 1e-6 * fabs(fell));
    }
    firn_world_close(world);
}

static void test_off_is_as_without(void **state) {
    (void)state;
    firn_world *off = open_world(HEAD FLOOR FIELD CUBE("1000") "coupling: {pbd_field: {on: no}}\n");
    firn_world *alone = open_world(HEAD FLOOR CUBE("1000")), *snow = open_world(HEAD FLOOR FIELD);
    advance(off, 0.3);
    advance(alone, 0.3);
    advance(snow, 0.3);
    assert_same_fields(alone, off, "pbd.");
    assert_same_fields(snow, off, "field.");
    firn_world_close(off);
    firn_world_close(alone);
    firn_world_close(snow);
}

static void test_a_kilometre_away_is_the_same(void **state) {
    (void)state;
    double near = rest_bottom(HEAD FLOOR FINE CUBE("1000"));
    double far = rest_bottom(
        HEAD FLOOR "field: {width: 1 m, length: 1 m, cell: 2 cm, depth: 40 cm, snow: fresh, at: [1000, "
                   "0, 1000]}\n"
                   "pbd: {solids: {cube: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [1000, 0.5, "
                   "1000], spacing: 4 cm, density: 1000}}}\n");
    print_message("here %.5f m, there %.5f m\n", near, far);
    assert_near(near, far, 1e-3);
}

static const char busy[] = HEAD FLOOR FIELD CUBE(
    "1000") "grains: {fill: {hail: {shape: {box: {size: [0.2, 0.1, 0.2]}}, at: [0.3, 0.5, 0], spacing: 2 cm, "
            "velocity: [0, -8, 0]}}}\n"
            "phase: {mass: 20 g, snow: {lump: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [-0.4, 0.46, "
            "0], "
            "temperature: -5 C, type: packed}}}\n";

static void test_threads_and_restarts_keep_the_bits(void **state) {
    (void)state;
    assert_bits_hold(busy, 40, (const int[]){5, 12, 13, 30});
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_lies_on_the_field_stays_still),
        cmocka_unit_test(test_a_pool_lies_on_packed_snow),
        cmocka_unit_test(test_a_lump_lies_on_packed_snow_as_on_the_floor),
        cmocka_unit_test(test_a_print_fits_the_weight),
        cmocka_unit_test(test_a_fast_ball_leaves_a_crater),
        cmocka_unit_test(test_grains_on_a_slope_slide_or_stay),
        cmocka_unit_test(test_momentum_goes_to_the_ground),
        cmocka_unit_test(test_off_is_as_without),
        cmocka_unit_test(test_a_kilometre_away_is_the_same),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
