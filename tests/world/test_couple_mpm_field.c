// MPM snow and the snow field: contact, snow that comes to rest in the field, and snow that leaves it.
// firn-test: threaded
#include "mpm_field.h"

#define FIELD(more) "field: {width: 2 m, length: 2 m, cell: 5 cm, depth: 20 cm, " more "}\n"
// On the field, which is 20 cm deep.
#define BLOCK(more)                                                                                          \
    "mpm: {cell: 6 cm, snow: {block: {type: packed, shape: {box: {size: [0.4, 0.24, 0.4]}}, at: [0, 0.33, "  \
    "0]}}" more "}\n"
#define ONLY_TOUCH "coupling: {mpm_field: {settle: no, release: no}}\n"

// ---- contact

static void check_rest(const char *words) {
    firn_world *world = open_world(words);
    read_heights(world, heights[0]);
    double mass = ledger_of(world, "mpm").mass, before = mass_of(world);
    extent start = extent_of(world);
    assert_ok(firn_world_advance(world, 0.8));
    extent then = extent_of(world);
    assert_ok(firn_world_advance(world, 0.4));
    extent end = extent_of(world);
    firn_ledger l = ledger_of(world, "mpm");
    double time = firn_world_time(world), pushed = coupling_of(world).impulse.y;
    print_message("middle %.4f m, then %.4f m, %.4f m; lowest %.4f m; %.3g m/s; impulse %.6f N s of %.6f\n",
                  start.middle[1], then.middle[1], end.middle[1], end.low[1], l.max_speed, pushed,
                  -mass * 9.81 * time - l.momentum.y);
    assert_true(end.low[1] > 0.2);
    assert_near(end.middle[1], start.middle[1], 0.01);
    assert_near(end.middle[1], then.middle[1], 5e-4);
    assert_near(end.middle[0], start.middle[0], 1e-3);
    assert_true(l.max_speed < 0.02);
    assert_near(pushed, -mass * 9.81 * time - l.momentum.y, 1e-5 * mass * 9.81 * time);
    assert_near(mass_of(world), before, 1e-12 * before);
    size_t cells = read_heights(world, heights[1]);
    for (size_t i = 0; i < cells; i++) assert_near(heights[1][i], heights[0][i], 1e-6); // it bears the block
    firn_world_close(world);
}

static void test_snow_rests_on_the_field(void **state) {
    (void)state;
    check_rest(HEAD FIELD("snow: packed") BLOCK("") ONLY_TOUCH);
}

static void test_snow_rests_on_the_field_in_semi_implicit_steps(void **state) {
    (void)state;
    check_rest(HEAD FIELD("snow: packed") BLOCK(", implicit: 0.5") ONLY_TOUCH);
}

// A block on a slope of 25 degrees goes down with g (sin - mu cos), or stays.
static double slide(const char *friction) {
    char words[1024];
    snprintf(words, sizeof words,
             HEAD "field: {width: 6 m, length: 2 m, cell: 5 cm, depth: 20 cm, snow: packed, ground: {shape: "
                  "plane, rotate: [0, 0, -25 deg]}}\n"
                  "mpm: {cell: 8 cm, snow: {block: {type: packed, shape: {box: {size: [0.48, 0.24, 0.4]}}, "
                  "rotate: [0, 0, -25 deg], at: [%.5f, %.5f, 0]}}}\n"
                  "coupling: {mpm_field: {settle: no, release: no, friction: %s}}\n",
             -1 + 0.14 * sin(25 * 0.0174533), 0.2 + tan(25 * 0.0174533) + 0.14 * cos(25 * 0.0174533),
             friction);
    firn_world *world = open_world(words);
    assert_ok(firn_world_advance(world, 0.2)); // it comes to lie on the slope
    firn_ledger a = ledger_of(world, "mpm");
    assert_ok(firn_world_advance(world, 0.5));
    firn_ledger b = ledger_of(world, "mpm");
    firn_world_close(world);
    return ((b.momentum.x - a.momentum.x) * cos(25 * 0.0174533) -
            (b.momentum.y - a.momentum.y) * sin(25 * 0.0174533)) /
           a.mass / 0.5;
}

static void test_friction_on_a_slope(void **state) {
    (void)state;
    double g = 9.81, c = cos(25 * 0.0174533), s = sin(25 * 0.0174533);
    double free = slide("0"), some = slide("0.2"), held = slide("0.6");
    print_message("%.4f m/s2 without friction, %.4f with 0.2, %.4f with 0.6\n", free, some, held);
    assert_near(free, g * s, 0.03 * g * s);
    assert_near(some, g * (s - 0.2 * c), 0.05 * g * s);
    assert_near(held, 0, 0.002);
}

// What hits harder than the field bears goes into it; the field gets denser and keeps its mass.
static void test_a_lump_presses_the_field(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD FIELD("snow: powder") "mpm: {cell: 6 cm, snow: {ball: {type: packed, shape: {sphere: "
                                              "{radius: 15 cm}}, at: [0, 0.4, "
                                              "0], velocity: [0, -3, 0]}}}\n" ONLY_TOUCH);
    double field = ledger_of(world, "field").mass, mass = ledger_of(world, "mpm").mass;
    read_heights(world, heights[0]);
    double energy = ledger_of(world, "mpm").kinetic + ledger_of(world, "mpm").potential;
    for (int k = 0; k < 40; k++) {
        assert_ok(firn_world_advance_frame(world));
        firn_ledger l = ledger_of(world, "mpm");
        assert_true(l.kinetic + l.potential <= energy);
    }
    size_t cells = read_heights(world, heights[1]);
    double deepest = 0, risen = 0, time = firn_world_time(world);
    for (size_t i = 0; i < cells; i++) {
        deepest = fmax(deepest, (double)(heights[0][i] - heights[1][i]));
        risen = fmax(risen, (double)(heights[1][i] - heights[0][i]));
    }
    firn_ledger l = ledger_of(world, "mpm");
    double pushed = coupling_of(world).impulse.y;
    print_message("crater %.4f m deep, rim %.4f m; snow from %.4f m; %.3g m/s; impulse %.6f of %.6f N s\n",
                  deepest, risen, extent_of(world).low[1], l.max_speed, pushed,
                  -mass * (9.81 * time + 3) - l.momentum.y);
    assert_near(pushed, -mass * (9.81 * time + 3) - l.momentum.y, 1e-5 * fabs(pushed));
    assert_true(deepest > 0.01 && deepest < 0.13 && risen < 1e-3); // powder gets as dense as 550 kg/m3
    assert_true(extent_of(world).low[1] < 0.2 && extent_of(world).low[1] > 0.1 && l.max_speed < 0.05);
    assert_near(ledger_of(world, "field").mass, field, 1e-12 * field);
    firn_world_close(world);
}

// ---- there and back

static void test_snow_at_rest_becomes_part_of_the_field(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD FIELD("snow: packed") "mpm: {cell: 5 cm, snow: {layer: {type: packed, shape: {box: "
                                              "{size: [2, 0.1, 2]}}, at: [0, 0.25, "
                                              "0]}}}\n");
    double before = mass_of(world), field = ledger_of(world, "field").mass,
           moved = ledger_of(world, "mpm").mass;
    double most = 0;
    size_t cells = read_heights(world, heights[0]);
    while (particles_of(world) > 0 && firn_world_time(world) < 3) {
        assert_ok(firn_world_advance_frame(world));
        assert_near(mass_of(world), before, 1e-12 * before);
    }
    read_heights(world, heights[1]);
    double sum = 0, square = 0;
    for (size_t i = 0; i < cells; i++) {
        double off = (double)heights[1][i] - 0.3;
        most = fmax(most, fabs(off));
        sum += off, square += off * off;
    }
    double spread = sqrt(square / (double)cells);
    print_message("after %.2f s %zu particles left; heights differ from 30 cm by %.2g m (rms %.2g m), in the "
                  "mean by %.2g m\n",
                  firn_world_time(world), particles_of(world), most, spread, sum / (double)cells);
    assert_int_equal(particles_of(world), 0);
    assert_near(ledger_of(world, "field").mass, field + moved, 1e-12 * field);
    assert_near(coupling_of(world).mass, moved, 1e-12 * moved);
    assert_true(spread < 0.0075 && most < 0.025); // a tenth of a cell and a bit; particles lie at random
    firn_world_close(world);
}

#define THERE                                                                                                \
    "mpm: {cell: 5 cm}\ncoupling: {mpm_field: {fail: {part: {start: 0.1 s, radius: 60 cm, depth: 12 "        \
    "cm}}}}\n"
static void check_there_and_back(const char *words) {
    firn_world *world = open_world(words);
    double before = mass_of(world), most = 0;
    size_t cells = read_heights(world, heights[0]), released = 0;
    while (firn_world_time(world) < 0.3 || (particles_of(world) > 0 && firn_world_time(world) < 2.5)) {
        assert_ok(firn_world_advance_frame(world));
        assert_near(mass_of(world), before, 1e-12 * before);
        released = particles_of(world) > released ? particles_of(world) : released;
    }
    read_heights(world, heights[1]);
    for (size_t i = 0; i < cells; i++) most = fmax(most, fabs((double)heights[1][i] - (double)heights[0][i]));
    print_message("%zu particles, %zu left; heights differ by %.2g m\n", released, particles_of(world), most);
    assert_true(released > 500);
    assert_int_equal(particles_of(world), 0);
    assert_true(most < 1e-3);
    firn_world_close(world);
}

// A block stands steeper than snow of the field can: what can be seen of it stays a block. It became a heap.
static void test_a_block_stays_a_block(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD FIELD("snow: packed") "mpm: {cell: 6 cm, snow: {block: {type: packed, shape: {box: "
                                              "{size: [0.3, 0.3, 0.3]}}, at: [0, 0.36, 0]}}}\n");
    double moved = ledger_of(world, "mpm").mass;
    extent start = extent_of(world);
    assert_ok(firn_world_advance(world, 1.5));
    extent end = extent_of(world);
    print_message("%.3g of %.3g kg became field\n", coupling_of(world).mass, moved);
    for (int a = 0; a < 3; a++) {
        print_message("from %.3f to %.3f m, then from %.3f to %.3f m\n", start.low[a], start.high[a],
                      end.low[a], end.high[a]);
        assert_near(end.high[a], start.high[a], 0.02);
        if (a != 1) assert_near(end.low[a], start.low[a], 0.02);
    }
    assert_true(coupling_of(world).mass < 0.4 * moved); // what could stand by itself, within
    firn_world_close(world);
}

static void test_there_and_back(void **state) {
    (void)state;
    check_there_and_back(HEAD FIELD("snow: packed") THERE);
    check_there_and_back(HEAD FIELD("snow: fresh") THERE);
}

// ---- all of it

#define LUMP                                                                                                 \
    HEAD FIELD("snow: powder") "mpm: {cell: 6 cm, snow: {ball: {type: powder, density: 150, shape: "         \
                               "{sphere: {radius: 12 cm}}, at: "                                             \
                               "[0.1, 0.4, 0], velocity: [1, -4, 0]}}}\n"

// A lump that is thrown hits faster than impact_speed: snow of the field comes up, and all comes to rest.
static void test_a_crater_keeps_all_mass(void **state) {
    (void)state;
    firn_world *world = open_world(LUMP "coupling: {mpm_field: {rest_time: 0.2 s}}\n");
    double before = mass_of(world), lump = ledger_of(world, "mpm").mass, given = 0;
    double energy = ledger_of(world, "mpm").kinetic;
    size_t cells = read_heights(world, heights[0]);
    while (firn_world_time(world) < 3 && (particles_of(world) > 0 || firn_world_time(world) < 0.1)) {
        assert_ok(firn_world_advance_frame(world));
        assert_near(mass_of(world), before, 1e-12 * before);
        given = fmin(given, coupling_of(world).mass);
        assert_true(ledger_of(world, "mpm").kinetic < 1.5 * energy);
    }
    read_heights(world, heights[1]);
    double low = 0, high = 0;
    for (size_t i = 0; i < cells; i++) {
        low = fmin(low, (double)(heights[1][i] - heights[0][i]));
        high = fmax(high, (double)(heights[1][i] - heights[0][i]));
    }
    print_message("lump %.3f kg, %.3f kg came out of the field; %zu particles left after %.2f s; heights "
                  "%+.3f to %+.3f m\n",
                  lump, -given, particles_of(world), firn_world_time(world), low, high);
    assert_true(given < -0.1 * lump);                       // some was set in motion
    assert_true(ledger_of(world, "mpm").mass < 0.2 * lump); // a few grains roll on
    assert_near(coupling_of(world).mass + ledger_of(world, "mpm").mass, lump, 1e-9 * lump);
    assert_true(high > 0.01);
    firn_world_close(world);
}

#define SLOPE                                                                                                \
    "field: {width: 3 m, length: 1 m, cell: 5 cm, depth: 20 cm, snow: powder, ground: {shape: plane, "       \
    "rotate: [0, 0, -28 deg]}}\n"
#define AVALANCHE                                                                                            \
    HEAD SLOPE "mpm: {cell: 8 cm}\n"                                                                         \
               "coupling: {mpm_field: {rest_time: 0.1 s, friction: 0.3, fail: {slab: {at: [-0.6, 0, 0], "    \
               "radius: 0.45 m, depth: 16 cm, start: 0.05 s}}}}\n"

static void test_threads_and_restarts_do_not_change_it(void **state) {
    (void)state;
    const double moments[] = {0.04, 0.1, 0.5}; // just before and after it fails, and while it runs
    uint64_t hash = 0;
    for (int k = 0; k < THREAD_COUNTS; k++) {
        firn_set_threads(thread_counts[k]);
        firn_world *world = open_world(AVALANCHE);
        assert_ok(firn_world_advance(world, 0.8));
        if (k == 0) hash = firn_world_hash(world);
        assert_true(firn_world_hash(world) == hash);
        firn_world_close(world);
    }
    firn_set_threads(0);
    for (size_t k = 0; k < sizeof moments / sizeof moments[0]; k++) {
        firn_world *world = open_world(AVALANCHE), *other = open_world(AVALANCHE);
        void *data;
        size_t bytes;
        assert_ok(firn_world_advance(world, moments[k]));
        assert_ok(firn_world_save(world, &data, &bytes));
        assert_ok(firn_world_load(other, data, bytes));
        firn_data_free(data);
        assert_ok(firn_world_advance(world, 0.8 - moments[k]));
        assert_ok(firn_world_advance(other, 0.8 - moments[k]));
        assert_true(firn_world_hash(world) == firn_world_hash(other));
        firn_world_close(world);
        firn_world_close(other);
    }
}

#define POWDER(more)                                                                                         \
    HEAD "field: {width: 3 m, length: 1 m, cell: 5 cm, depth: 20 cm, snow: powder, bits: {most: 4000}, "     \
         "ground: "                                                                                          \
         "{shape: plane, rotate: [0, 0, -28 deg]}}\n"                                                        \
         "mpm: {cell: 8 cm, snow: {slab: {type: powder, shape: {box: {size: [0.6, 0.16, 0.4]}}, at: [-0.6, " \
         "0.65, 0], rotate: [0, 0, -28 deg], velocity: [4, -2.1, 0]}}}\n"                                    \
         "coupling: {mpm_field: {rest_time: 10 s, release: no" more "}}\n"

// The surface of fast snow wears off: it is powder in the air, then snow of the field, of the same mass.
static void test_fast_snow_makes_powder(void **state) {
    (void)state;
    firn_world *world = open_world(POWDER(", powder: 0.05, powder_speed: 1 m/s")),
               *off = open_world(POWDER(""));
    double before = mass_of(world), start = ledger_of(world, "mpm").mass;
    size_t most = 0;
    for (int k = 0; k < 15; k++) {
        firn_ledger a = ledger_of(world, "mpm"), l = a;
        double energy = a.kinetic + a.potential;
        assert_ok(firn_world_advance_frame(world));
        assert_near(mass_of(world), before, 1e-12 * before);
        l = ledger_of(world, "mpm");
        assert_true(l.kinetic + l.potential <= energy * (1 + 1e-6));
        size_t bits = firn_world_field(world, "field.bit_position").count;
        most = bits > most ? bits : most;
    }
    double lost = start - ledger_of(world, "mpm").mass;
    print_message("%.3f of %.3f kg became powder, up to %zu bits\n", lost, start, most);
    assert_true(most > 100 && lost > 0.02 * start && lost < 0.8 * start);
    assert_near(coupling_of(world).mass, lost, 1e-12 * start);
    assert_ok(firn_world_advance(off, 0.3));
    assert_near(ledger_of(off, "mpm").mass, start, 0);
    uint64_t hash = firn_world_hash(world);
    firn_world_close(world);
    firn_set_threads(3);
    world = open_world(POWDER(", powder: 0.05, powder_speed: 1 m/s"));
    assert_ok(firn_world_advance(world, 0.2));
    void *data;
    size_t bytes;
    assert_ok(firn_world_save(world, &data, &bytes));
    firn_world_close(world);
    firn_set_threads(0);
    world = open_world(POWDER(", powder: 0.05, powder_speed: 1 m/s"));
    assert_ok(firn_world_load(world, data, bytes));
    firn_data_free(data);
    assert_ok(firn_world_advance(world, 0.1));
    assert_true(firn_world_hash(world) == hash);
    firn_world_close(world);
    firn_world_close(off);
}

// Switched off, each goes on as if the other were not there.
static void test_switched_off(void **state) {
    (void)state;
    firn_world *off = open_world(LUMP "coupling: {mpm_field: {on: no}}\n"), *on = open_world(LUMP);
    assert_ok(firn_world_advance(off, 0.3));
    assert_ok(firn_world_advance(on, 0.3));
    double fallen = 0.4 - 4 * 0.3 - 0.5 * 9.81 * 0.09;
    assert_near(extent_of(off).middle[1], fallen, 0.01);
    assert_true(extent_of(on).middle[1] > 0);
    assert_near(coupling_of(off).mass, 0, 0);
    size_t cells = read_heights(off, heights[0]);
    for (size_t i = 0; i < cells; i++) assert_near(heights[0][i], 0.2, 1e-6);
    firn_world_close(off);
    firn_world_close(on);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snow_rests_on_the_field),
        cmocka_unit_test(test_snow_rests_on_the_field_in_semi_implicit_steps),
        cmocka_unit_test(test_friction_on_a_slope),
        cmocka_unit_test(test_a_lump_presses_the_field),
        cmocka_unit_test(test_snow_at_rest_becomes_part_of_the_field),
        cmocka_unit_test(test_a_block_stays_a_block),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_a_crater_keeps_all_mass),
        cmocka_unit_test(test_threads_and_restarts_do_not_change_it),
        cmocka_unit_test(test_fast_snow_makes_powder),
        cmocka_unit_test(test_switched_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
