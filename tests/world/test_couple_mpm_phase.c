// Melt water leaves MPM snow as drops of phase: mass, momentum and heat are kept, bits hold, and where
// nothing melts or it is switched off all is as without it. firn-test: threaded
#include "couples.h"

#include "base/random.h"
#include "phase/phase.h"
#include "world/world_state.h"

#define HEAD "firn: 1\nfps: 50\nduration: 9 s\n"
#define WEIGHTLESS HEAD "gravity: [0, 0, 0]\n"
#define BLOCK(temperature, more)                                                                             \
    "mpm: {cell: 5 cm, heat: {exchange: 100, time_lapse: 2000}, snow: {block: {type: packed, shape: {box: "  \
    "{size: [10 cm, 20 cm, 10 cm]}}, at: [0, 0.5, 0], temperature: " temperature more "}}}\n"
#define PHASE(mass) "phase: {mass: " mass ", heat: {exchange: 0, time_lapse: 2000}}\n"
#define WARM "air: {temperature: 20 C}\n"

typedef struct all_sums {
    double mass, momentum[3], heat;
} all_sums;

static all_sums sums_of(const firn_world *world) {
    firn_ledger a = ledger_of(world, "mpm"), b = ledger_of(world, "phase");
    return (all_sums){a.mass + b.mass,
                      {a.momentum.x + b.momentum.x, a.momentum.y + b.momentum.y, a.momentum.z + b.momentum.z},
                      a.heat + b.heat};
}

static double field_value(const firn_world *world, const char *name, size_t k) {
    firn_field f = firn_world_field(world, name);
    assert_true(f.count > k);
    return component(&f, k, 0);
}

// J, from the air and from what else is not one of both.
static double heat_from_outside(const firn_world *world) {
    return field_value(world, "mpm.heat_totals", 0) + field_value(world, "phase.heat_totals", 0);
}

// What is handed over, to the last digits: of any mass, velocity and heat.
static void test_parcels_keep_mass_momentum_and_heat(void **state) {
    (void)state;
    firn_world *world = open_world(WEIGHTLESS BLOCK("-2 C", "") PHASE("1 g"));
    firn_world_step(world);
    void *phase = world->couplings[0].b;
    phase_parcel sum = {.mass = 0};
    size_t taken_in = 0;
    for (uint32_t k = 0; k < 400; k++) {
        random4 r = random_bits(7, k, 0, 0), q = random_bits(7, k, 1, 0);
        phase_parcel p = {.at = {2 + 0.04 * (k % 20), 0.04 * (k / 20), 0}, .edge = 0.025};
        bool taken;
        p.mass = 1e-3 * (0.05 + 7 * (double)random_unit(r, 0) * (double)random_unit(r, 0));
        p.heat = p.mass * 334e3 * (0.5 + 0.7 * (double)random_unit(r, 1));
        for (int a = 0; a < 3; a++) p.momentum[a] = p.mass * 4 * ((double)random_unit(q, a) - 0.5);
        assert_ok(phase_take_in(phase, 1, &p, &taken));
        taken_in += taken;
        if (!taken) continue;
        sum.mass += p.mass, sum.heat += p.heat;
        for (int a = 0; a < 3; a++) sum.momentum[a] += p.momentum[a];
    }
    firn_ledger l = ledger_of(world, "phase");
    print_message("%zu parcels: mass off by %.2g kg, momentum by %.2g N s, heat by %.2g J\n", taken_in,
                  l.mass - sum.mass, l.momentum.x - sum.momentum[0], l.heat - sum.heat);
    assert_true(taken_in > 390);
    assert_near(l.mass, sum.mass, 1e-12 * sum.mass);
    assert_near(l.mass, l.mass_in, 1e-12 * sum.mass);
    assert_near(l.heat, sum.heat, 1e-10 * sum.heat);
    assert_near(l.momentum.x, sum.momentum[0], 1e-9 * sum.mass);
    assert_near(l.momentum.y, sum.momentum[1], 1e-9 * sum.mass);
    assert_near(l.momentum.z, sum.momentum[2], 1e-9 * sum.mass);
    firn_world_close(world);
}

// Of a block that moves without weight. In a step both models round their own momentum, too (phase by up to
// 1e-6 m/s times the mass here); what is handed over is looked at above.
static void check_melting(const char *words, double seconds, double grain) {
    firn_world *world = open_world(words);
    firn_world_step(world);
    all_sums start = sums_of(world), before = start;
    double outside = heat_from_outside(world), moved = 0, jump = 0, speed = 0;
    while (firn_world_time(world) < seconds) {
        if (firn_world_step(world) != FIRN_OK) fail_msg("%s", firn_last_error());
        all_sums now = sums_of(world);
        assert_near(now.mass, start.mass, 1e-12 * start.mass);
        bool passed = coupling_of(world, "mpm_phase").mass > moved;
        for (int a = 0; a < 3 && passed; a++) jump = fmax(jump, fabs(now.momentum[a] - before.momentum[a]));
        moved = coupling_of(world, "mpm_phase").mass;
        speed = fmax(speed, fmax(ledger_of(world, "phase").max_speed, ledger_of(world, "mpm").max_speed));
        before = now;
    }
    firn_ledger snow = ledger_of(world, "mpm"), water = ledger_of(world, "phase");
    double came = heat_from_outside(world) - outside, heat = before.heat - start.heat;
    size_t particles = flock_of(world, "phase").count;
    print_message(
        "%.6g kg of %.6g kg left the snow as %zu particles, %.3g kg wait; momentum jumps by %.2g N s; "
        "fastest %.3g m/s; %.6g J came in, off by %.2g J\n",
        moved, start.mass, particles, water.mass - grain * (double)particles, jump, speed, came, heat - came);
    assert_true(moved > 0.1 * start.mass);
    assert_true(jump < 2e-6 * start.mass && speed < 0.5);
    assert_near(snow.mass, start.mass - moved, 1e-12 * start.mass);
    assert_near(water.mass, moved, 1e-12 * start.mass);
    assert_near(water.mass_in - water.mass_out, water.mass, 1e-12 * start.mass);
    assert_true(fabs(water.mass - grain * (double)particles) < grain);
    assert_near(heat, came, 1e-6 * came);
    firn_world_close(world);
}

static void test_what_melts_is_kept(void **state) {
    (void)state;
    check_melting(WEIGHTLESS WARM BLOCK("-2 C", ", velocity: [0.2, 0, -0.1]") PHASE("1 g"), 1.5, 1e-3);
    check_melting(WEIGHTLESS WARM BLOCK("0 C", ", wetness: 0.5") PHASE("3 g"), 2, 3e-3);
    check_melting(WEIGHTLESS WARM BLOCK("0 C", ", wetness: 0.5") PHASE("15 g"), 1,
                  15e-3); // larger than those of the snow
}

// Water falls, and the snow that it leaves holds no more than it can.
static void test_drops_fall(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD "bodies: {nail: {shape: {box: {size: [30 cm, 2 cm, 30 cm]}}, at: [0, "
                        "0.61, 0], contact: sticky}}\n" BLOCK(
                            "0 C", ", wetness: 0.3, "
                                   "young: 5 MPa, law: stomakhin, hardening: 10, critical_compression: "
                                   "0.02, critical_stretch: 0.1, poisson: 0.2") PHASE("1 g"));
    double before = ledger_of(world, "mpm").mass;
    advance(world, 0.5);
    firn_coupling c = coupling_of(world, "mpm_phase");
    flock drops = flock_of(world, "phase");
    firn_field wet = firn_world_field(world, "mpm.wetness");
    double water = 0;
    for (size_t i = 0; i < wet.count; i++) water += component(&wet, i, 0) / (double)wet.count;
    print_message("%.4g kg of %.4g kg dripped, drops from %.3f to %.3f m; the snow holds %.4f\n", c.mass,
                  before, drops.lowest, drops.highest, water);
    assert_true(drops.lowest < -0.5 && c.mass > 0.1 * before && c.mass < 0.3 * before);
    assert_true(water < 0.15);
    firn_world_close(world);
}

// ---- grains at rest become snow, and snow water again

#define LUMP(mass, more)                                                                                     \
    "phase: {mass: " mass                                                                                    \
    ", links: {mode: all}, heat: {exchange: 100, time_lapse: 1000}, snow: {lump: {shape: {box: {size: "      \
    "[12 cm, 8 cm, 12 cm]}}, at: [0, 0.04, 0], temperature: -3 C, type: packed}}}\n"                         \
    "coupling: {mpm_phase: {settle: yes, rest_time: 0.2 s" more "}}\n"
#define FLOOR "bodies: {floor: {shape: plane}}\n"
#define NO_SNOW "mpm: {cell: 5 cm, heat: {exchange: 100, time_lapse: 1000}}\n"

// The air is cold first, then warm.
static void check_there_and_back(const char *words, double most) {
    firn_world *world = open_world(words);
    firn_world_step(world);
    all_sums start = sums_of(world);
    double outside = heat_from_outside(world), lowest = flock_of(world, "phase").mean;
    size_t grains = flock_of(world, "phase").count;
    while (flock_of(world, "phase").count > 0 && firn_world_time(world) < 2) {
        if (flock_of(world, "phase").count == grains) lowest = flock_of(world, "phase").mean;
        advance(world, 0.02);
        assert_near(sums_of(world).mass, start.mass, 1e-12 * start.mass);
    }
    flock snow = flock_of(world, "mpm");
    double heat = sums_of(world).heat - start.heat, came = heat_from_outside(world) - outside;
    print_message(
        "after %.2f s %zu grains are %zu particles of snow, whose middle has moved by %.2g m; %.4g kg wait; "
        "heat off by %.2g of %.4g J\n",
        firn_world_time(world), grains, snow.count, snow.mean - lowest, ledger_of(world, "phase").mass,
        heat - came, start.heat);
    assert_int_equal(flock_of(world, "phase").count, 0);
    assert_near(snow.mean, lowest, most);
    assert_near(heat, came, 1e-6 * fabs(start.heat));
    assert_near(-coupling_of(world, "mpm_phase").mass, ledger_of(world, "mpm").mass, 1e-12 * start.mass);
    advance(world, 0.3);
    assert_true(flock_of(world, "mpm").count == snow.count && flock_of(world, "mpm").fastest < 0.1);
    assert_near(flock_of(world, "mpm").mean, snow.mean, 5 * most);
    assert_ok(firn_world_set(world, "air.temperature", 30));
    while (flock_of(world, "phase").count < grains / 4 && firn_world_time(world) < 6) {
        advance(world, 0.02);
        assert_near(sums_of(world).mass, start.mass, 1e-12 * start.mass);
    }
    heat = sums_of(world).heat - start.heat, came = heat_from_outside(world) - outside;
    print_message("after %.2f s %zu of them are drops again; heat off by %.2g J of %.4g J\n",
                  firn_world_time(world), flock_of(world, "phase").count, heat - came, came);
    assert_true(flock_of(world, "phase").count >= grains / 4);
    assert_near(heat, came, 1e-6 * came);
    firn_world_close(world);
}

static void test_grains_at_rest_become_snow_and_water_again(void **state) {
    (void)state;
    check_there_and_back(HEAD "air: {temperature: -5 C}\n" FLOOR NO_SNOW LUMP("10 g", ""), 1e-3);
    check_there_and_back(HEAD "air: {temperature: -5 C}\n" FLOOR NO_SNOW LUMP("50 g", ", snow: firn"), 1e-3);
}

static void test_off_is_as_apart(void **state) {
    (void)state;
#define TWO HEAD "max_step: 1 ms\n" WARM BLOCK("0 C", ", wetness: 0.5")
#define POOL                                                                                                 \
    "phase: {mass: 4 g, heat: {exchange: 0, time_lapse: 100}, water: {drop: {shape: {box: {size: [6 cm, 4 "  \
    "cm, 6 cm]}}, at: [3, 0.36, 0], temperature: 2 C}}}\n"
    firn_world *off = open_world(TWO POOL "coupling: {mpm_phase: {on: no}}\n"),
               *dry = open_world(TWO POOL "coupling: {mpm_phase: {drip: no}}\n"), *snow = open_world(TWO),
               *water = open_world(HEAD "max_step: 1 ms\n" WARM POOL), *on = open_world(TWO POOL);
    firn_world *all[] = {off, dry, snow, water, on};
    for (int i = 0; i < 5; i++) advance(all[i], 0.03);
    assert_same_fields(off, snow, "mpm.");
    assert_same_fields(dry, snow, "mpm.");
    const char *const names[] = {"phase.position", "phase.velocity", "phase.enthalpy", "phase.group"};
    for (int k = 0; k < 4; k++) {
        firn_field a = firn_world_field(off, names[k]), b = firn_world_field(water, names[k]);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.data, b.data, a.count * a.components * (a.type == FIRN_F64 ? 8 : 4));
    }
    assert_true(coupling_of(off, "mpm_phase").mass == 0 && coupling_of(dry, "mpm_phase").mass == 0);
    assert_true(coupling_of(on, "mpm_phase").mass > 0);
    for (int i = 0; i < 5; i++) firn_world_close(all[i]);
}

// Restarts just before and just after the first drops.
static void test_threads_and_restarts_keep_the_bits(void **state) {
    (void)state;
    const char *words = HEAD WARM BLOCK("0 C", ", wetness: 0.5") PHASE("1 g");
    firn_world *world = open_world(words);
    int first = 0;
    while (coupling_of(world, "mpm_phase").mass == 0 && first < 200) firn_world_step(world), first++;
    print_message("drops come in step %d\n", first);
    assert_true(first > 1 && first < 200);
    firn_world_close(world);
    assert_bits_hold(words, first + 12, (const int[]){first - 2, first - 1, first, first + 5});
    words = HEAD FLOOR NO_SNOW "air: {temperature: -5 C}\n" LUMP("50 g", "");
    world = open_world(words);
    size_t grains = flock_of(world, "phase").count;
    for (first = 0; flock_of(world, "phase").count == grains && first < 800; first++) firn_world_step(world);
    print_message("grains become snow in step %d\n", first);
    assert_true(first > 1 && first < 800);
    firn_world_close(world);
    assert_bits_hold(words, first + 8, (const int[]){first - 2, first - 1, first, first + 3});
}

static void test_nothing_can_come_without_heat(void **state) {
    (void)state;
    firn_world *world;
    assert_int_equal(firn_world_open_text(HEAD "mpm: {cell: 5 cm}\nphase: {mass: 1 g}\n", "test", &world),
                     FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "there are no particles"));
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parcels_keep_mass_momentum_and_heat),
        cmocka_unit_test(test_what_melts_is_kept),
        cmocka_unit_test(test_drops_fall),
        cmocka_unit_test(test_grains_at_rest_become_snow_and_water_again),
        cmocka_unit_test(test_off_is_as_apart),
        cmocka_unit_test(test_nothing_can_come_without_heat),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
