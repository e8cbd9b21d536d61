// What the wind moves: particles, cloth and bodies against closed forms; what passes is counted.
// firn-test: threaded
#include "support.h"

#include <math.h>

#include "world/couple_wind.h"
#include "world/world.h"

#define PI 3.14159265358979
#define RHO 1.3
#define HEAD "firn: 1\nfps: 50\nduration: 9 s\n"
#define FREE HEAD "gravity: [0, 0, 0]\n"
#define AIR                                                                                                  \
    "wind: {cell: 1 m, grid: [12, 8, 12], roughness: 0, inflow: {profile: uniform, turbulence: 0, speed: "

static firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

static firn_coupling coupling_of(const firn_world *world, const char *name) {
    for (size_t i = 0; i < firn_world_coupling_count(world); i++)
        if (strcmp(firn_world_coupling(world, i).name, name) == 0) return firn_world_coupling(world, i);
    fail_msg("there is no coupling %s", name);
    return (firn_coupling){0};
}

static firn_ledger ledger_of(const firn_world *world, const char *model) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++)
        if (strcmp(firn_world_ledger(world, i).model, model) == 0) return firn_world_ledger(world, i);
    fail_msg("there is no model %s", model);
    return (firn_ledger){0};
}

// Mean position of the particles of a model.
static firn_vec3 middle_of(const firn_world *world, const char *field) {
    firn_field f = firn_world_field(world, field);
    firn_vec3 sum = {0};
    assert_true(f.count > 0);
    for (size_t i = 0; i < f.count; i++) {
        firn_vec3 at = field_position(&f, i);
        sum.x += at.x / (double)f.count, sum.y += at.y / (double)f.count, sum.z += at.z / (double)f.count;
    }
    return sum;
}

static double terminal_speed(double radius, double density) {
    double low = 0, high = 1000;
    for (int i = 0; i < 100; i++) {
        double v = 0.5 * (low + high), c = air_sphere_drag(air_reynolds(RHO, v, 2 * radius));
        double net = 4.0 / 3 * PI * radius * radius * radius * density * 9.81 -
                     0.5 * RHO * c * PI * radius * radius * v * v;
        *(net > 0 ? &low : &high) = v;
    }
    return low;
}

// The speed with which particles fall once they fall evenly, by their places.
static double falls(const char *words, const char *field, double start) {
    firn_world *world = open_world(words);
    assert_ok(firn_world_advance(world, start));
    double before = middle_of(world, field).y;
    assert_ok(firn_world_advance(world, 0.4));
    double speed = (before - middle_of(world, field).y) / 0.4;
    firn_world_close(world);
    return speed;
}

static void test_powder_falls_with_its_terminal_speed(void **state) {
    (void)state;
    static const struct {
        const char *words, *field;
        double radius, density;
    } cases[] = {
        {HEAD AIR "0}}\ngrains: {radius: 0.5 mm, density: 100, fill: {p: {shape: {box: {size: [3, 0.1, 3]}}, "
                  "at: [0, 6, 0], spacing: 50 cm}}}\n",
         "grains.position", 0.5e-3, 100},
        {HEAD "max_step: 20 ms\n" AIR "0}}\ngrains: {radius: 0.5 mm, density: 100, fill: {p: {shape: {box: "
              "{size: [3, 0.1, 3]}}, at: [0, 6, 0], spacing: 50 cm}}}\n",
         "grains.position", 0.5e-3, 100},
    };
    for (size_t k = 0; k < 2; k++) {
        double expected = terminal_speed(cases[k].radius, cases[k].density);
        double found = falls(cases[k].words, cases[k].field, 1);
        print_message("%zu: falls with %.4f m/s, expected %.4f\n", k, found, expected);
        assert_near(found / expected, 1, 0.03);
    }
}

static void test_grains_take_on_the_wind_once(void **state) {
    (void)state;
    static const char words[] = FREE AIR "8 m/s}}\ngrains: {radius: 0.2 mm, density: 100, drag: 5, fill: {p: "
                                         "{shape: {box: {size: [1, 1, 1]}}, at: [-20, 4, 0], spacing: 25 "
                                         "cm}}}\n"; // beside the domain, too
    firn_world *world = open_world(words);
    assert_ok(firn_world_advance(world, 1.5));
    firn_ledger l = ledger_of(world, "grains");
    assert_near(l.momentum.x / l.mass, 8, 0.02);
    firn_world_close(world);
}

static void test_what_passes_is_counted(void **state) {
    (void)state;
    firn_world *world = open_world(FREE AIR "8 m/s}}\ngrains: {radius: 3 mm, fill: {p: {shape: {box: {size: "
                                            "[1, 1, 1]}}, at: [0, 4, 0], spacing: 12 cm}}}\n");
    assert_ok(firn_world_advance(world, 0.3));
    firn_coupling c = coupling_of(world, "wind_grains");
    firn_ledger l = ledger_of(world, "grains");
    print_message("impulse %.9g N s, momentum %.9g kg m/s\n", c.impulse.x, l.momentum.x);
    assert_true(c.impulse.x > 0);
    assert_near(c.impulse.x / l.momentum.x, 1, 1e-5);
    firn_world_close(world);
}

// v = u - u / (1 + k u t), k = rho C A / (2 m).
static double blown(double u, double c, double area, double mass, double t) {
    double k = 0.5 * RHO * c * area / mass;
    return u - u / (1 + k * u * t);
}

static void test_drag_of_a_ball(void **state) {
    (void)state;
    static const double radius[] = {0.1, 0.3};
    for (int i = 0; i < 2; i++) {
        char words[600];
        snprintf(words, sizeof words,
                 FREE AIR "20 m/s}}\nbodies: {ball: {shape: {sphere: {radius: %g}}, at: [0.13, 4.2, 0.1], "
                          "motion: dynamic, density: 30}}\n",
                 radius[i]);
        firn_world *world = open_world(words);
        size_t ball = firn_world_body_find(world, "ball");
        assert_ok(firn_world_advance(world, 0.2));
        firn_body_state s = firn_world_body_state(world, ball);
        double c = air_sphere_drag(air_reynolds(RHO, 20, 2 * radius[i]));
        double expected = blown(20, c, PI * radius[i] * radius[i], s.mass, 0.2);
        print_message("ball of %g m: %.4f m/s, expected %.4f\n", radius[i], s.velocity.x, expected);
        assert_near(s.velocity.x / expected, 1, 0.03);
        firn_coupling k = coupling_of(world, "wind_bodies");
        assert_near(k.impulse.x / (s.mass * s.velocity.x), 1, 0.05); // the last push still acts
        firn_world_close(world);
    }
}

static void test_drag_of_a_sheet_across_the_wind(void **state) {
    (void)state;
    firn_world *world = open_world(FREE AIR "10 m/s}}\npbd: {solids: {flag: {material: cotton, density: "
                                            "4000, lattice: [1, 21, 31], spacing: 5 cm, at: [0, 4, 0]}}}\n");
    assert_ok(firn_world_advance(world, 0.02));
    firn_ledger l = ledger_of(world, "pbd");
    double expected = blown(10, AIR_PLATE_DRAG, 1.0 * 1.5, l.mass, 0.02);
    print_message("sheet: %.4f m/s, expected %.4f\n", l.momentum.x / l.mass, expected);
    assert_near(l.momentum.x / l.mass / expected, 1, 0.03);
    firn_world_close(world);
}

// Held in the wind, after the air around it has found its way: the force over rho u^2 A / 2.
static double held_sheet(double cell, int nx, int ny) {
    char words[900];
    snprintf(words, sizeof words,
             FREE
             "wind: {cell: %g, grid: [%d, %d, %d], at: [0, 0, 0], roughness: 0, inflow: {profile: uniform, "
             "turbulence: 0, speed: 10 m/s}}\npbd: {solids: {sheet: {material: cotton, lattice: [1, 11, "
             "11], spacing: 10 cm, at: [-0.1, 3, 0]}}, pins: {all: {shape: {box: {size: [2, 2, 2]}}, at: "
             "[0, 3, 0]}}}\n",
             cell, nx, ny, ny);
    firn_world *world = open_world(words);
    assert_ok(firn_world_advance(world, 1));
    double before = coupling_of(world, "wind_pbd").impulse.x;
    assert_ok(firn_world_advance(world, 0.5));
    double force = (coupling_of(world, "wind_pbd").impulse.x - before) / 0.5;
    firn_world_close(world);
    return force / (0.5 * RHO * 100 * 1.0);
}

static void test_drag_of_a_held_sheet(void **state) {
    (void)state;
    static const double cell[] = {2, 1, 0.5, 0.25};
    static const int nx[] = {10, 14, 28, 40}, ny[] = {6, 8, 20, 28};
    for (int i = 0; i < 4; i++) {
        double c = held_sheet(cell[i], nx[i], ny[i]);
        print_message("c_d %.3f with cells of %g m\n", c, cell[i]);
        assert_near(c / AIR_PLATE_DRAG, 1, i < 3 ? 0.03 : 0.05); // many cells: it has a wake
    }
}

// A block catches the wind with its side, not with each of its particles.
static void test_inside_a_block_there_is_no_wind(void **state) {
    (void)state;
    firn_world *world = open_world(FREE AIR "10 m/s}}\nmpm: {cell: 10 cm, snow: {block: {shape: {box: {size: "
                                            "[0.8, 0.8, 0.8]}}, at: [0, 4, 0], type: packed}}}\n");
    assert_ok(firn_world_advance(world, 0.02));
    firn_ledger l = ledger_of(world, "mpm");
    double force = l.momentum.x / 0.02, area = force / (0.5 * RHO * 100 * 0.44);
    print_message("block of 0.64 m2: the wind meets %.3f m2\n", area);
    assert_true(area > 0.4 && area < 1.2);
    firn_world_close(world);
}

#define FLOOR "  floor: {shape: plane}\n"
#define STORM(speed)                                                                                         \
    "wind: {cell: 25 cm, grid: [32, 16, 24], inflow: {height: 1 m, turbulence: 0, speed: " speed "}}\n"

static double slides(const char *storm) {
    char words[900];
    snprintf(words, sizeof words,
             HEAD "bodies:\n" FLOOR "  crate: {shape: {box: {size: [1, 1, 1]}}, at: [0, 0.5, 0], motion: "
                  "dynamic, density: 60, friction: 0.5}\n%s",
             storm);
    firn_world *world = open_world(words);
    assert_ok(firn_world_advance(world, 0.6));
    double x = firn_world_body_state(world, firn_world_body_find(world, "crate")).position.x;
    firn_world_close(world);
    return x;
}

static void test_a_crate_slides_in_a_storm_and_stands_in_a_breeze(void **state) {
    (void)state;
    double storm = slides(STORM("40 m/s")), breeze = slides(STORM("8 m/s"));
    print_message("slid %.3f m in a storm, %.2g m in a breeze\n", storm, breeze);
    assert_true(storm > 0.2 && storm < 5);
    assert_true(fabs(breeze) < 1e-3);
}

static void test_a_light_box_is_overturned(void **state) {
    (void)state;
    firn_world *world = open_world(
        HEAD "bodies:\n" FLOOR "  box: {shape: {box: {size: [0.5, 2, 1]}}, at: [0, 1, 0], motion: dynamic, "
             "density: 25, friction: 1}\n" STORM("30 m/s"));
    assert_ok(firn_world_advance(world, 1.5));
    firn_body_state s = firn_world_body_state(world, firn_world_body_find(world, "box"));
    print_message("its middle is at %.3f m\n", s.position.y);
    assert_true(s.position.y < 0.8);
    firn_world_close(world);
}

// ---- Bits

#define ALL                                                                                                  \
    HEAD "bodies:\n" FLOOR "  ball: {shape: {sphere: {radius: 20 cm}}, at: [1, 1.5, 1], motion: dynamic, "   \
         "density: 50}\n  crate: {shape: {box: {size: [1, 1, 1]}}, at: [-1.5, 0.5, 0], motion: dynamic, "    \
         "density: 60}\n"                                                                                    \
         "wind: {cell: 25 cm, grid: [24, 16, 24], inflow: {speed: 15 m/s, gusts: 0.3}}\n"                    \
         "grains: {radius: 2 mm, fill: {p: {shape: {box: {size: [1, 0.5, 1]}}, at: [0, 2, 1], spacing: 8 "   \
         "cm}}}\n"                                                                                           \
         "mpm: {cell: 10 cm, snow: {ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 3, -1]}}}\n"            \
         "pbd: {solids: {flag: {material: cotton, lattice: [1, 8, 12], spacing: 5 cm, at: [1, 3, 0]},\n"     \
         "  rope: {material: hemp, lattice: [1, 20, 1], spacing: 5 cm, at: [0, 3, 2]}}}\n"                   \
         "phase: {mass: 20 g, snow: {lump: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [2, 2, -1], type: "   \
         "packed}}}\n"

static void test_same_bits_over_threads_and_a_restart(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int k = 0; k < THREAD_COUNTS; k++) {
        assert_ok(firn_set_threads(thread_counts[k]));
        firn_world *world = open_world(ALL);
        assert_ok(firn_world_advance(world, 0.05));
        void *data;
        size_t bytes;
        assert_ok(firn_world_save(world, &data, &bytes));
        assert_ok(firn_world_advance(world, 0.05));
        uint64_t hash = firn_world_hash(world);
        if (k == 0) first = hash;
        assert_int_equal(hash, first);
        firn_world *again = open_world(ALL);
        assert_ok(firn_world_load(again, data, bytes));
        assert_ok(firn_world_advance(again, 0.05));
        assert_int_equal(firn_world_hash(again), first);
        firn_data_free(data);
        firn_world_close(again);
        firn_world_close(world);
    }
    assert_ok(firn_set_threads(0));
}

// Switched off, wind and grains are what they are alone.
static void test_off_restores_the_uncoupled_bits(void **state) {
    (void)state;
    static const char grains[] =
        "grains: {radius: 2 mm, fill: {p: {shape: {box: {size: [1, 0.5, 1]}}, at: [0, "
        "2, 1], spacing: 20 cm}}}\n";
    char words[900];
    snprintf(words, sizeof words, HEAD AIR "9 m/s}}\n%scoupling: {wind_grains: {on: no}}\n", grains);
    firn_world *off = open_world(words);
    firn_world *wind = open_world(HEAD AIR "9 m/s}}\n");
    snprintf(words, sizeof words, HEAD "%s", grains);
    firn_world *alone = open_world(words);
    firn_world *const all[] = {off, wind, alone};
    for (int k = 0; k < 3; k++) assert_ok(firn_world_advance(all[k], 0.1));
    static const char *const fields[] = {"wind.u", "wind.v", "wind.w", "grains.position", "grains.velocity"};
    for (int k = 0; k < 5; k++) {
        firn_field a = firn_world_field(off, fields[k]),
                   b = firn_world_field(k < 3 ? wind : alone, fields[k]);
        assert_int_equal(a.count, b.count);
        assert_true(a.count > 0);
        assert_memory_equal(a.data, b.data, a.count * a.components * sizeof(float));
    }
    for (int k = 0; k < 3; k++) firn_world_close(all[k]);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powder_falls_with_its_terminal_speed),
        cmocka_unit_test(test_grains_take_on_the_wind_once),
        cmocka_unit_test(test_what_passes_is_counted),
        cmocka_unit_test(test_drag_of_a_ball),
        cmocka_unit_test(test_drag_of_a_sheet_across_the_wind),
        cmocka_unit_test(test_drag_of_a_held_sheet),
        cmocka_unit_test(test_inside_a_block_there_is_no_wind),
        cmocka_unit_test(test_a_crate_slides_in_a_storm_and_stands_in_a_breeze),
        cmocka_unit_test(test_a_light_box_is_overturned),
        cmocka_unit_test(test_same_bits_over_threads_and_a_restart),
        cmocka_unit_test(test_off_restores_the_uncoupled_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
