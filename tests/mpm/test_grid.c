// Contact does not depend on where the surface lies in the grid: a small part of tools/measure_rest, measured
// on positions, and what adhesion does at a gap. firn-test: slow
#include "worlds.h"

#include <math.h>

#include "mpm/snow.h"

enum { PLACES = 3 };
static const double places[PLACES] = {0, 0.35, 0.9}; // of a cell
#define CELL 0.1

// The space that snow takes up, by positions: half cells with a particle in them, on grids with eight
// origins.
static double occupied(const firn_world *world) {
    enum { N = 64 };
    static uint8_t cubes[N * N * N];
    size_t count, sum = 0;
    const double *x = snow_positions(world, &count);
    for (int origin = 0; origin < 8; origin++) {
        memset(cubes, 0, sizeof cubes);
        for (size_t i = 0; i < count; i++) {
            size_t at = 0;
            for (int a = 0; a < 3; a++)
                at = at * N +
                     (size_t)floor(x[3 * i + (size_t)a] / (0.5 * CELL) + 0.5 * (origin >> a & 1) + N / 2.0);
            sum += !cubes[at];
            cubes[at] = 1;
        }
    }
    return (double)sum / 8 * pow(0.5 * CELL, 3);
}

static double speed_of(const firn_world *world) { // r.m.s.
    firn_ledger l = snow_ledger(world);
    return sqrt(2 * l.kinetic / l.mass);
}

static firn_world *resting(const char *type, double implicit, double floor) {
    char yaml[600];
    snprintf(yaml, sizeof yaml,
             "firn: 1\nbodies: {floor: {shape: plane, at: [0, %g, 0]}}\nmpm: {cell: %g, implicit: %g, snow: "
             "{block: "
             "{shape: {box: {size: [0.4, 0.3, 0.4]}}, at: [0, %g, 0], type: %s}}}\n",
             floor, CELL, implicit, floor + 0.15, type);
    return open_text(yaml);
}

// Snow that bears its weight rests as high, wherever the floor lies.
static void test_rest_does_not_depend_on_the_grid(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "packed", "wet", "slab"};
    for (int i = 0; i < 8; i++) {
        double low = 1, high = 0, fastest = 0, change = 0;
        for (int k = 0; k < PLACES; k++) {
            double floor = CELL * places[k];
            firn_world *world = resting(types[i / 2], i % 2, floor);
            assert_ok(firn_world_advance(world, 0.5));
            double volume = occupied(world);
            for (int t = 0; t < 10; t++) {
                assert_ok(firn_world_advance(world, 0.05));
                if (t >= 5) fastest = fmax(fastest, speed_of(world));
            }
            double height = snow_mean(world, "mpm.position").y - floor;
            low = fmin(low, height);
            high = fmax(high, height);
            change = fmax(change, fabs(occupied(world) / volume - 1));
            assert_true(snow_inside(world) == 0);
            firn_world_close(world);
        }
        print_message("%s, implicit %d: %.1f to %.1f mm high, volume changes by %.1f %%, %.2f mm/s\n",
                      types[i / 2], i % 2, 1e3 * low, 1e3 * high, 1e2 * change, 1e3 * fastest);
        assert_true(high - low < 0.1 * CELL && low > 0.145);
        assert_true(change < 0.03);
        assert_true(fastest < 5e-3); // a slab with the least mass of its cells' nodes: 1 cm/s
    }
}

// Slush slumps flat, as far wherever the floor lies.
static void test_slush_slumps_alike(void **state) {
    (void)state;
    for (int implicit = 0; implicit < 2; implicit++) {
        double low = 1, high = 0;
        for (int k = 0; k < PLACES; k++) {
            double floor = CELL * places[k];
            firn_world *world = resting("slush", implicit, floor);
            assert_ok(firn_world_advance(world, 5));
            double height = snow_mean(world, "mpm.position").y - floor;
            low = fmin(low, height);
            high = fmax(high, height);
            assert_true(snow_inside(world) == 0);
            firn_world_close(world);
        }
        print_message("slush, implicit %d: %.1f to %.1f mm high\n", implicit, 1e3 * low, 1e3 * high);
        assert_true(high - low < 0.1 * CELL && high < 0.1);
    }
}

// A minute: what has settled keeps its volume, also slush, which goes on flowing apart.
static void test_volume_stays_for_a_minute(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "slush", "mud", "wet"};
    for (int i = 0; i < 4; i++) {
        firn_world *world = resting(types[i], 0, 0.35 * CELL);
        assert_ok(firn_world_advance(world, 5));
        double volume = occupied(world), height = snow_mean(world, "mpm.position").y;
        assert_ok(firn_world_advance(world, 55));
        double change = occupied(world) / volume - 1, sank = height - snow_mean(world, "mpm.position").y;
        print_message("%s from 5 to 60 s: volume %+.2f %%, middle %.1f mm lower, %.2g mm/s\n", types[i],
                      1e2 * change, 1e3 * sank, 1e3 * speed_of(world));
        assert_true(fabs(change) < 0.03 && snow_inside(world) == 0);
        firn_world_close(world);
    }
}

// Thrown at a wall: where the snow is then, and whether anything got into it.
static void test_a_blow_does_not_depend_on_the_grid(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "packed", "wet", "slab"};
    for (int i = 0; i < 8; i++) {
        double low = 1, high = -1;
        for (int k = 0; k < PLACES; k++) {
            double wall = CELL * places[k];
            char yaml[600];
            snprintf(
                yaml, sizeof yaml,
                "firn: 1\nbodies: {wall: {shape: {box: {size: [1, 3, 3]}}, at: [%g, 0, 0]}}\nmpm: {cell: %g, "
                "implicit: %d, snow: {block: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [%g, 0, 0], "
                "velocity: [4, 0, 0], type: %s}}}\n",
                wall + 0.5, CELL, i % 2, wall - 0.25, types[i / 2]);
            firn_world *world = open_text(yaml);
            assert_ok(firn_world_advance(world, 0.2));
            double middle = snow_mean(world, "mpm.position").x - wall;
            low = fmin(low, middle);
            high = fmax(high, middle);
            assert_true(snow_inside(world) == 0);
            firn_world_close(world);
        }
        print_message("%s, implicit %d: %.1f to %.1f mm from the wall\n", types[i / 2], i % 2, -1e3 * high,
                      -1e3 * low);
        assert_true(high - low < 0.1 * CELL);
    }
}

// Snow sticks where it touches; a body does not draw it near.
static void test_adhesion_does_not_close_gaps(void **state) {
    (void)state;
    firn_world *world = open_text(
        "firn: 1\ngravity: [0, 0, 0]\nbodies: {floor: {shape: plane}}\nmpm: {cell: 10 cm, snow: {block: "
        "{shape: {box: {size: [0.4, 0.3, 0.4]}}, at: [0, 0.155, 0], type: wet}}}\n");
    assert_ok(firn_world_advance(world, 0.2));
    double speed = speed_of(world);
    print_message("wet snow beside a floor: %.3g m/s\n", speed);
    assert_true(speed < 1e-6);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_does_not_depend_on_the_grid),
        cmocka_unit_test(test_slush_slumps_alike),
        cmocka_unit_test(test_volume_stays_for_a_minute),
        cmocka_unit_test(test_a_blow_does_not_depend_on_the_grid),
        cmocka_unit_test(test_adhesion_does_not_close_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
