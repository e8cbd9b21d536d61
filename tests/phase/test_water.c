// firn-test: slow
// Snow and water together: floating, melting, freezing.
#include "phase/snowy.h"

// A block of ice, 7 grains wide, in a tank of 17 x 17 particles, from `start` (m) on, that of its middle: the
// share of it that is above the water in the end. Archimedes: the water stands as high as if all of it were
// water.
static double above_water(double start, size_t steps) {
    char words[800];
    snprintf(
        words, sizeof words,
        "firn: 1\n"
        "phase:\n"
        "  heat: {exchange: 0}\n"
        "  links: {mode: all}\n"
        "  box: {friction: 0, walls: [{low: [-18.313 cm, 0, -18.313 cm], high: [18.313 cm, 2, 18.313 cm]}]}\n"
        "  snow: {ice: {shape: {box: {size: [15.52 cm, 15.52 cm, 15.52 cm]}}, at: [0, %g, 0],\n"
        "               density: 917 kg/m3, temperature: -1 C}}\n"
        "  water: {pool: {shape: {box: {size: [36.62 cm, 23.69 cm, 36.62 cm]}}, at: [0, 11.85 cm, 0],\n"
        "                 temperature: 0 C}}\n",
        start);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    snowy_run(world, steps);
    double y = 0, grains = 0, edge = 7 * cbrt(0.01 / 917), rounds = 0;
    for (int k = 0; k < 5; k++, rounds++) {
        snowy_run(world, 20);
        for (size_t i = 0; i < m->s->p.count; i++)
            if (phase_is_snow(m, i)) y += m->s->p.at[i][1], grains++;
    }
    double level = (double)m->s->p.count * 1e-5 / (0.36626 * 0.36626);
    assert_true(grains == 343 * rounds);
    firn_world_close(world);
    return (y / grains + edge / 2 - level) / edge;
}

// It is pushed under and let go, in water that was never stirred, and is up after two seconds.
static void test_ice_floats(void **state) {
    (void)state;
    double above = above_water(0.11, 1600);
    print_message("above water: %.3f\n", above);
    assert_true(above > 0.05 && above < 0.13);
}

typedef struct curve {
    double snow[12], liquid[12]; // particles; kg
    double count;
} curve;

static curve watch(const char *words, size_t steps) {
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    size_t n = m->s->p.count;
    curve c = {.count = (double)n};
    double start = 0;
    for (int k = 0; k < 12; k++) {
        if (k > 0) snowy_run(world, steps);
        firn_ledger ledger = firn_world_ledger(world, firn_world_ledger_count(world) - 1);
        if (k == 0) start = ledger.heat;
        double water = series_value(world, "phase", "number of particles", "water");
        c.snow[k] = series_value(world, "phase", "number of particles", "snow");
        c.liquid[k] = series_value(world, "phase", "liquid water", "all");
        assert_true(c.snow[k] + water == c.count && m->s->p.count == n); // none lost
        assert_near(ledger.mass, c.count * 0.01, 1e-9);
        assert_near(ledger.heat, start, 1e-9 * ledger.mass * 334e3); // nothing comes from outside
    }
    assert_true(m->counters.jump < 0.2);
    firn_world_close(world);
    return c;
}

// As in PHASE21.
#define HEAT                                                                                                 \
    "smoothing: 3.62783 cm\n  heat: {snow_conductivity: 2500 W/mK, water_conductivity: 600 W/mK, exchange: " \
    "0}\n"

static const char *const melting =
    "firn: 1\n"
    "phase:\n"
    "  change: %s\n"
    "  " HEAT
    "  box: {friction: 0.1, walls: [{low: [-10.772 cm, 0, -10.772 cm], high: [10.772 cm, 4, 10.772 cm]}]}\n"
    "  snow: {block: {shape: {box: {size: [14.6 cm, 14.6 cm, 14.6 cm]}}, at: [0, %g cm, 0], temperature: %g "
    "C}}\n"
    "  water: {pool: {shape: {box: {size: [21.54 cm, %g cm, 21.54 cm]}}, at: [0, %g cm, 0], temperature: %g "
    "C}}\n";

static void test_snow_melts(void **state) {
    (void)state;
    char words[800];
    snprintf(words, sizeof words, melting, "blending", 27.0, -10.0, 19.38, 9.7, 50.0);
    curve c = watch(words, 60);
    for (int k = 1; k < 12; k++) assert_true(c.snow[k] <= c.snow[k - 1] + 1);
    assert_true(c.snow[0] == 125 && c.snow[11] < 20);
    snprintf(words, sizeof words, melting, "latent", 27.0, -10.0, 19.38, 9.7, 90.0);
    c = watch(words, 60);
    for (int k = 1; k < 12; k++) assert_true(c.snow[k] <= c.snow[k - 1]);
    for (int k = 2; k < 12; k++) assert_true(c.liquid[k] >= c.liquid[k - 1] - 1e-3);
    assert_true(c.snow[11] < 120 && c.liquid[11] > c.liquid[0] + 0.2);
}

static void test_water_freezes(void **state) {
    (void)state;
    char words[800];
    snprintf(words, sizeof words, melting, "latent", 16.0, -100.0, 8.6, 4.31, 0.5);
    curve c = watch(words, 60);
    for (int k = 1; k < 12; k++) assert_true(c.snow[k] >= c.snow[k - 1]);
    assert_true(c.snow[11] > 135);
}

// Hot water first melts the snow it falls on, then what is left of the cold freezes it (PHASE21 figure 8.15).
static void test_hot_water_on_snow(void **state) {
    (void)state;
    static const char *const pour =
        "firn: 1\n"
        "phase:\n"
        "  change: %s\n"
        "  " HEAT
        "  box: {friction: 0.5, walls: [{low: [-11.7 cm, 0, -11.7 cm], high: [11.7 cm, 4, 11.7 cm]}]}\n"
        "  snow: {bed: {shape: {box: {size: [23.3 cm, 17.5 cm, 23.3 cm]}}, at: [0, 8.8 cm, 0], temperature: "
        "-30 "
        "C}}\n"
        "  water: {drop: {shape: {box: {size: [6.4 cm, 8.6 cm, 6.4 cm]}}, at: [0, 24 cm, 0], temperature: "
        "100 C}}\n";
    char words[800];
    for (int c = 0; c < 2; c++) {
        snprintf(words, sizeof words, pour, c ? "blending" : "latent");
        curve got = watch(words, 90);
        double most = 0;
        for (int k = 0; k < 12; k++) most = fmax(most, got.liquid[k]);
        assert_true(most > 1.05 * got.liquid[0]);
        assert_true(got.liquid[11] < 0.995 * most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ice_floats),
        cmocka_unit_test(test_snow_melts),
        cmocka_unit_test(test_water_freezes),
        cmocka_unit_test(test_hot_water_on_snow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
