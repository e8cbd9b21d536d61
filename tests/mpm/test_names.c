// Snow does what its name says: dry snow flows into a heap, wet snow sticks, none gets denser than ice;
// thrown snow is in test_thrown.c. firn-test: slow
#include "worlds.h"

#include <math.h>

static firn_world *open_kind(const char *format, const char *type) {
    char yaml[1200];
    snprintf(yaml, sizeof yaml, format, type);
    return open_text(yaml);
}

static const double *positions(const firn_world *world, size_t *count) {
    firn_field f = firn_world_field(world, "mpm.position");
    *count = f.count;
    return f.data;
}

// Radius within which a share of the snow lies, about the y axis.
static double spread(const firn_world *world, double share) {
    size_t count, inside;
    const double *x = positions(world, &count);
    double low = 0, high = 10;
    for (int k = 0; k < 40; k++) {
        double r = (low + high) / 2;
        inside = 0;
        for (size_t i = 0; i < count; i++) inside += hypot(x[3 * i], x[3 * i + 2]) < r;
        if ((double)inside < share * (double)count)
            low = r;
        else
            high = r;
    }
    return high;
}

// A column as high as twice its radius: dry snow runs out by at least three quarters of the radius and stops,
// bonded snow stays.
static void test_a_column_of_dry_snow_collapses(void **state) {
    (void)state;
    static const char scene[] =
        "firn: 1\nduration: 1 s\nbodies: {floor: {shape: plane, friction: 0.5}}\n"
        "mpm: {cell: 4 cm, snow: {column: {shape: {cylinder: {radius: 20 cm, length: 40 "
        "cm}}, at: [0, 0.2, 0], type: %s}}}\n";
    static const struct {
        const char *type;
        double low, high; // m, run-out
    } cases[] = {{"sand", 0.15, 0.5},
                 {"powder", 0.15, 0.5},
                 {"granular", 0.15, 0.5},
                 {"packed", -0.02, 0.03},
                 {"wet", -0.02, 0.03}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        firn_world *world = open_kind(scene, cases[i].type);
        assert_ok(firn_world_advance(world, 1));
        double run_out = spread(world, 0.998) - 0.2;
        print_message("%s: run-out %.3f m, largest speed %.3f m/s\n", cases[i].type, run_out,
                      ledger_of(world, "mpm").max_speed);
        assert_true(run_out > cases[i].low && run_out < cases[i].high);
        firn_world_close(world);
    }
}

// Half a second after it touched a wall: wet snow hangs there, the others have fallen.
static void test_wet_snow_sticks_to_a_wall(void **state) {
    (void)state;
    static const char scene[] = "firn: 1\nduration: 1 s\nbodies: {wall: {shape: {box: {size: [20 cm, 2 m, 2 "
                                "m]}}, at: [10 cm, 0, 0]}}\n"
                                "mpm: {cell: 4 cm, snow: {patch: {shape: {box: {size: [12 cm, 24 cm, 24 "
                                "cm]}}, at: [-6 cm, 0, 0], type: "
                                "%s}}}\n";
    static const char *const types[] = {"wet", "powder", "packed"};
    for (size_t i = 0; i < 3; i++) {
        firn_world *world = open_kind(scene, types[i]);
        assert_ok(firn_world_advance(world, 0.5));
        size_t count;
        const double *x = positions(world, &count);
        double middle = 0;
        for (size_t k = 0; k < count; k++) middle += x[3 * k + 1] / (double)count;
        print_message("%s: sank by %.3f m\n", types[i], -middle);
        assert_true(i == 0 ? middle > -0.02 : middle < -0.5);
        firn_world_close(world);
    }
}

// A slab of mud, 30 cm thick, keeps its shape.
static void test_mud_keeps_its_shape(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\nduration: 2 s\nbodies: {floor: {shape: plane}}\n"
                                  "mpm: {cell: 5 cm, snow: {slab: {shape: {box: {size: [60 cm, 30 cm, 60 "
                                  "cm]}}, at: [0, 15 cm, 0], type: mud}}}\n");
    assert_ok(firn_world_advance(world, 1));
    size_t count;
    const double *x = positions(world, &count);
    double middle = 0;
    for (size_t k = 0; k < count; k++) middle += x[3 * k + 1] / (double)count;
    print_message("mud: middle at %.1f of 150 mm, %.2f m/s\n", 1e3 * middle,
                  ledger_of(world, "mpm").max_speed);
    assert_true(middle > 0.14);
    firn_world_close(world);
}

// Against the floor with 10 and 40 m/s.
static void test_no_snow_is_denser_than_ice(void **state) {
    (void)state;
    static const double speeds[] = {10, 40};
    for (int i = 0; i < 2; i++) {
        char yaml[600];
        snprintf(yaml, sizeof yaml,
                 "firn: 1\nduration: 1 s\nbodies: {floor: {shape: plane}}\n"
                 "mpm: {cell: 8 cm, snow: {ball: {shape: {sphere: {radius: 30 cm}}, at: [0, 0.35, 0], type: "
                 "packed, "
                 "velocity: [0, %g, 0]}}}\n",
                 -speeds[i]);
        firn_world *world = open_text(yaml);
        double most = 0;
        for (int k = 0; k < 20; k++) {
            assert_ok(firn_world_advance(world, 0.05 / speeds[i]));
            firn_field density = firn_world_field(world, "mpm.density");
            for (size_t n = 0; n < density.count; n++) most = fmax(most, ((const float *)density.data)[n]);
        }
        print_message("%g m/s: at most %.0f kg/m3\n", speeds[i], most);
        assert_true(most > 500 && most < 917);
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_column_of_dry_snow_collapses),
        cmocka_unit_test(test_wet_snow_sticks_to_a_wall),
        cmocka_unit_test(test_mud_keeps_its_shape),
        cmocka_unit_test(test_no_snow_is_denser_than_ice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
