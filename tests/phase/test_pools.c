// firn-test: slow
// Water of phase at rest stays at rest, and snow that falls does not bounce.
#include "phase/snowy.h"
#include "pools.h"

static pool_motion run(pool_tank tank, double spacing, double more, int frames) {
    char words[2400];
    double depth = 4 * spacing;
    pool_scene p = pool_in(tank, 6 * spacing, depth, more);
    snprintf(
        words, sizeof words,
        "firn: 1\nfps: 20\nduration: 10 s\n%sphase:\n  mass: %g\n%s  water: {pool: %s, temperature: 5 C}}\n",
        p.bodies, 1000 * spacing * spacing * spacing, p.box, p.fill);
    pool_motion m = pool_watch(words, depth, frames, 20);
    print_message("%s, %g m, %+g mm: gain %.2g of %.3g J, %.3f m/s, sinks %.2g mm\n", pool_tank_names[tank],
                  spacing, 1000 * more, m.gain, m.weight, m.speed, 1000 * m.sunk);
    return m;
}

static void test_water_stays_in_every_tank(void **state) {
    (void)state;
    const double spacing[] = {0.1, 0.05, 0.025};
    for (int tank = POOL_BOX; tank <= POOL_WALLS; tank++)
        for (int k = 0; k < 3; k++) {
            pool_motion m = run((pool_tank)tank, spacing[k], -1e-4, 40);
            assert_true(m.gain <= 1e-4 * m.weight);
            assert_true(m.speed < 0.05);
            assert_true(fabs(m.sunk) < 0.01 * 4 * spacing[k]);
        }
}

static void test_overlap_adds_no_energy(void **state) {
    (void)state;
    pool_motion m = run(POOL_PLANE_AND_BOX, 0.05, 0.001, 30);
    assert_true(m.gain <= 1e-4 * m.weight);
}

// A block of 20 cm falls by 70 cm: the root of how far its middle then rises, over the fall. Counted from its
// lowest point, so that what was squashed on impact and comes back is a part of it.
static double rebound(const char *pattern, double temperature, bool box) {
    char words[600];
    snprintf(
        words, sizeof words,
        "firn: 1\nfps: 50\nduration: 2 s\n%sphase:\n%s  snow: {block: {shape: {box: {size: [20 cm, 20 cm, "
        "20 cm]}}, at: [0, 80 cm, 0], temperature: %g C, pattern: %s}}\n",
        box ? "" : "bodies: {floor: {shape: plane}}\n",
        box ? "  box: {walls: [{low: [-1, 0, -1], high: [1, 2, 1]}]}\n" : "", temperature, pattern);
    firn_world *world = snowy_open(words);
    double lowest = INFINITY, highest = 0, start = 0, middle = 0;
    for (int k = 0; k < 50; k++) {
        firn_ledger l = pool_ledger(world);
        middle = l.potential / (9.81 * l.mass);
        if (k == 0) start = middle;
        if (middle < lowest) lowest = highest = middle;
        highest = fmax(highest, middle);
        assert_ok(firn_world_advance_frame(world));
    }
    firn_world_close(world);
    double restitution = sqrt((highest - lowest) / (start - lowest));
    print_message("%s, %g C, on a %s: lowest %.1f, then at most %.1f, at rest %.1f mm, restitution %.3f\n",
                  pattern, temperature, box ? "wall" : "body", 1000 * lowest, 1000 * highest, 1000 * middle,
                  restitution);
    return restitution;
}

static void test_snow_does_not_bounce(void **state) {
    (void)state;
    const char *const patterns[] = {"regular", "jittered", "blue_noise"};
    double worst = 0;
    for (int k = 0; k < 3; k++) {
        for (int t = 0; t < 3; t++)
            worst = fmax(worst, rebound(patterns[k], (double[]){-1, -10, -30}[t], false));
        worst = fmax(worst, rebound(patterns[k], -30, true));
    }
    assert_true(worst <= 0.1);
}

// Cold snow at random places holds together and does not stir: links must not fight contacts.
static void test_random_packing_is_still(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        char words[500];
        snprintf(
            words, sizeof words,
            "firn: 1\nfps: 50\nduration: 1 s\nbodies: {floor: {shape: plane}}\nphase:\n  mass: 60 g\n  "
            "snow: {block: {shape: {box: {size: [30 cm, 30 cm, 30 cm]}}, at: [0, 15 cm, 0], temperature: %d "
            "C, pattern: %s}}\n",
            k % 2 ? -10 : -30, k / 2 ? "jittered" : "blue_noise");
        firn_world *world = snowy_open(words);
        const phase *m = snowy_model(world);
        double before = pool_ledger(world).potential, fastest = 0;
        for (int n = 0; n < 40; n++) {
            assert_ok(firn_world_advance_frame(world));
            for (size_t i = 0; n >= 25 && i < m->s->p.count; i++)
                fastest = fmax(fastest, dvec_length(dvec_of_floats(m->s->p.v[i])));
        }
        firn_ledger l = pool_ledger(world);
        double sunk = (before - l.potential) / (9.81 * l.mass);
        print_message("fastest %.3f m/s, sinks by %.2g mm\n", fastest, 1000 * sunk);
        assert_true(fastest < 0.05 && fabs(sunk) < 1e-3);
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_water_stays_in_every_tank),
        cmocka_unit_test(test_overlap_adds_no_energy),
        cmocka_unit_test(test_snow_does_not_bounce),
        cmocka_unit_test(test_random_packing_is_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
