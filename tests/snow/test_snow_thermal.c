// What temperature and water do to snow, against the numbers of the papers.
#include "support.h"

#include <math.h>

#include "snow/heat_law.h"
#include "snow/snow_thermal.h"

static void test_conductivity(void **state) {
    (void)state;
    assert_near((double)snow_conductivity(100), 0.0367, 1e-4);
    assert_near((double)snow_conductivity(300), 0.2121, 1e-4);
    assert_near((double)snow_conductivity(917), 2.01, 0.01); // ice 2.2
    assert_near((double)snow_conductivity(2000), 2.2, 1e-6);
}

// 1 for dry snow at -5 C, half of it at 0 C, never beyond 1.5; e^(-0.235 percent of water).
static void test_strength(void **state) {
    (void)state;
    assert_near((double)snow_thermal_strength(-5, 0, 1), 1, 1e-6);
    assert_near((double)snow_thermal_strength(0, 0, 1), 0.5, 1e-6);
    assert_near((double)snow_thermal_strength(-10, 0, 1), 1.25, 1e-6);
    assert_near((double)snow_thermal_strength(-80, 0, 1), 1.5, 1e-4);
    assert_near((double)snow_thermal_strength(0, 0.03f, 1), 0.5 * exp(-0.705), 1e-6);
    assert_near((double)snow_thermal_strength(0, 0.9f, 1), (double)SNOW_SLUSH_STRENGTH, 1e-6);
    assert_near((double)snow_thermal_strength(0, 0, 2), 0.25, 1e-6);
    assert_near((double)snow_thermal_strength(-3, 0.1f, 0), 1, 1e-6);
    for (float t = -40; t < 0; t++) assert_true(snow_cold_strength(t) > snow_cold_strength(t + 1));
    assert_near((double)snow_thermal_friction(0.5f), 1, 0);
    assert_true(snow_thermal_friction(SNOW_SLUSH_STRENGTH) < 0.2f);
}

// Dry snow does not stick, moist snow does most, slush no more.
static void test_stickiness(void **state) {
    (void)state;
    assert_near((double)snow_wet_stickiness(0), 0, 0);
    assert_near((double)snow_wet_stickiness(0.04f), 1, 1e-6);
    assert_true(snow_wet_stickiness(0.03f) < 1 && snow_wet_stickiness(0.05f) < 1);
    assert_true(snow_wet_stickiness(0.4f) < 0.01f);
}

// Arrhenius: minutes at 0 C are hours at -10 C.
static void test_sintering(void **state) {
    (void)state;
    assert_near((double)snow_sintering(0, 0), 1, 1e-6);
    double expected = exp(-134e3 / 8.314 * (1 / 263.15 - 1 / 273.15));
    assert_near((double)snow_sintering(-10, 0) / expected, 1, 0.01);
    assert_true(snow_sintering(0, 0.04f) > 5 && snow_sintering(0, 0.3f) == 0);
    assert_near((double)snow_at_rest(0), 1, 0);
    assert_true(snow_at_rest(1) < 0.01f);
    assert_near((double)snow_bonded(1.2f, 1), (double)1.2f, 0);
    assert_near((double)snow_bonded(1.2f, 0.9f), 1.08, 1e-6);
    assert_near((double)snow_bonded(1.2f, 0.5f), 1, 0);
    assert_near((double)snow_bonded(0.8f, 0.5f), (double)0.8f, 0);
}

// Temperature and melted share from the enthalpy, and back.
static void test_enthalpy(void **state) {
    (void)state;
    const heat_law law = {0.5, 0.6, 2090, 4182, 334e3, 0};
    for (double t = -50; t <= 50; t += 10) {
        double h = heat_enthalpy(&law, t, 0.3);
        assert_near(heat_temperature(&law, h), t, 1e-9);
        assert_near(heat_melted(&law, h), t < 0 ? 0 : t > 0 ? 1 : 0.3, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conductivity), cmocka_unit_test(test_strength),
                                       cmocka_unit_test(test_stickiness), cmocka_unit_test(test_sintering),
                                       cmocka_unit_test(test_enthalpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
