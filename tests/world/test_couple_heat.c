// Heat between snow of other models and the snow field where they touch.
// firn-test: threaded
#include "couples.h"

#include "snow/snow_column.h"
#include "world/couple_heat.h"

#define HEAD "firn: 1\nfps: 50\nduration: 9 s\nair: {temperature: -10 C, exchange: 0, time_lapse: 1e4}\n"
#define FLOOR "bodies:\n  floor: {shape: plane}\n"
#define FIELD                                                                                                \
    "field: {width: 0.4 m, length: 0.4 m, cell: 4 cm, depth: 20 cm, snow: packed, heat: {on: yes, "          \
    "temperature: -10 C}}\n"
#define LUMP                                                                                                 \
    "phase: {mass: 20 g, heat: {exchange: 0, time_lapse: 1e4}, snow: {lump: {shape: {box: {size: [12 cm, "   \
    "12 cm, 12 cm]}}, at: [0, 0.265, 0], temperature: -2 C, type: packed}}}\n"
#define BLOCK                                                                                                \
    "mpm: {cell: 4 cm, heat: {exchange: 0, time_lapse: 1e4}, snow: {block: {shape: {box: {size: [12 cm, 12 " \
    "cm, 12 cm]}}, at: [0, 0.265, 0], temperature: -2 C, type: packed}}}\n"

static double field_heat(const firn_world *world) { // J
    firn_field h = firn_world_field(world, "field.heat");
    double sum = 0;
    for (size_t i = 0; i < h.count; i++) sum += component(&h, i, 0) * 0.04 * 0.04;
    return sum;
}

// Two bodies in contact for long: (m1 c1 T1 + m2 c2 T2) / (m1 c1 + m2 c2), and the melting plateau.
static void test_a_pair_comes_to_its_equilibrium(void **state) {
    (void)state;
    const heat_law law = snow_column_law;
    offer_heat a = {.law = &law, .mass = 2, .enthalpy = -2 * 2100.0}, b = a;
    b.mass = 3, b.enthalpy = -12 * 2100.0;
    for (double flow = 1; flow < 1e14; flow *= 10) {
        double q = couple_heat_between(&a, &b, flow), q_back = couple_heat_between(&b, &a, flow);
        double warm = -2 - q / (2 * 2100.0), cold = -12 + q / (3 * 2100.0);
        assert_true(q > 0 && warm >= cold - 1e-9);
        assert_near(q, flow * (warm - cold), 1e-6 * q + 1e-14 * flow * 12);
        assert_near(q, -q_back, 1e-12 * q);
    }
    assert_near(-2 - couple_heat_between(&a, &b, 1e14) / 4200, -8, 1e-9);
    a.enthalpy = 334e3 + 4186 * 10; // 2 kg of water of 10 C on 3 kg of snow of -12 C: both end at 0 C
    double q = couple_heat_between(&a, &b, 1e14);
    assert_true(q >= 3 * 12 * 2100.0 - 1e-3 && a.enthalpy - q / 2 <= 334e3 + 1e-3);
}

static void check_conserved(const char *words, const char *name) {
    firn_world *world = open_world(words);
    firn_world_step(world);
    double start = field_heat(world) - coupling_of(world, name).heat, last = -1;
    for (int i = 0; i < 5; i++) {
        advance(world, 0.1);
        double passed = coupling_of(world, name).heat, now = field_heat(world);
        if (i == 4)
            print_message("%s: %.6g J passed, field off by %.2g J\n", name, passed, now - start - passed);
        assert_true(passed > last);
        assert_near(now - start, passed, 1e-6 * passed);
        last = passed;
    }
    firn_world_close(world);
}

static void test_the_field_gets_what_a_lump_gives(void **state) {
    (void)state;
    check_conserved(HEAD FLOOR FIELD LUMP, "phase_field");
}

static void test_the_field_gets_what_mpm_snow_gives(void **state) {
    (void)state;
    check_conserved(HEAD FLOOR FIELD BLOCK "coupling: {mpm_field: {settle: no, release: no}}\n", "mpm_field");
}

// Water on MPM snow: what the one loses the other gets, and both keep their heat otherwise.
#define PUDDLE                                                                                               \
    "phase: {mass: 4 g, heat: {exchange: 0, time_lapse: 100}, water: {drop: {shape: {box: {size: [6 cm, 4 "  \
    "cm, "                                                                                                   \
    "6 cm]}}, at: [0, 0.36, 0], temperature: 20 C}}}\n"

static void test_mpm_snow_and_water_conduct(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD FLOOR BLOCK PUDDLE);
    firn_world_step(world);
    double sum = ledger_of(world, "mpm").heat + ledger_of(world, "phase").heat,
           snow = ledger_of(world, "mpm").heat + coupling_of(world, "mpm_phase").heat;
    advance(world, 0.4);
    double passed = -coupling_of(world, "mpm_phase").heat;
    print_message("mpm_phase: %.6g J passed to the snow, sum off by %.2g J\n", passed,
                  ledger_of(world, "mpm").heat + ledger_of(world, "phase").heat - sum);
    assert_true(passed > 100);
    assert_near(ledger_of(world, "mpm").heat + ledger_of(world, "phase").heat, sum, 1e-6 * passed);
    assert_near(ledger_of(world, "mpm").heat - snow, passed, 1e-6 * passed);
    firn_world_close(world);
}

static void test_threads_and_restarts_keep_the_bits(void **state) {
    (void)state;
    assert_bits_hold(HEAD FLOOR FIELD LUMP, 12, (const int[]){3, 5, 6, 9});
    assert_bits_hold(HEAD FLOOR BLOCK PUDDLE, 12, (const int[]){3, 5, 6, 9});
    assert_bits_hold(HEAD FLOOR FIELD BLOCK, 12, (const int[]){3, 5, 6, 9});
}

// All clocks are equal here, so that two worlds differ only by what the two models do to each other.
#define EQUAL "max_step: 1 ms\n" HEAD FLOOR

static void test_switched_off_as_apart(void **state) {
    (void)state;
    firn_world *on = open_world(EQUAL "gravity: [0, 0, 0]\n" FIELD LUMP);
    firn_world *off =
        open_world(EQUAL "gravity: [0, 0, 0]\n" FIELD LUMP "coupling: {phase_field: {on: no}}\n");
    firn_world *cut =
        open_world(EQUAL "gravity: [0, 0, 0]\n" FIELD LUMP "coupling: {phase_field: {heat_contact: 0}}\n");
    firn_world *field = open_world(EQUAL "gravity: [0, 0, 0]\n" FIELD),
               *lump = open_world(EQUAL "gravity: [0, 0, 0]\n" LUMP);
    firn_world *all[] = {on, off, cut, field, lump};
    for (int i = 0; i < 5; i++) advance(all[i], 0.02);
    assert_same_fields(off, field, "field.");
    assert_same_fields(off, lump, "phase.");
    firn_field kept = firn_world_field(cut, "phase.enthalpy"),
               alone = firn_world_field(lump, "phase.enthalpy");
    assert_memory_equal(kept.data, alone.data, alone.count * sizeof(double));
    assert_true(coupling_of(on, "phase_field").heat > 1);
    assert_true(coupling_of(off, "phase_field").heat == 0 && coupling_of(cut, "phase_field").heat == 0);
    for (int i = 0; i < 5; i++) firn_world_close(all[i]);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_pair_comes_to_its_equilibrium),
        cmocka_unit_test(test_the_field_gets_what_a_lump_gives),
        cmocka_unit_test(test_the_field_gets_what_mpm_snow_gives),
        cmocka_unit_test(test_mpm_snow_and_water_conduct),
        cmocka_unit_test(test_switched_off_as_apart),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
