// A ball of ice in warm water without weight melts as conduction alone says, by a resolved radial solution.
#include "phase/snowy.h"

static const double RADIUS = 0.03, WARM = 20; // m, C
static const double ICE = 917, WATER = 1000, LATENT = 334e3, CAPACITY = 4182, CONDUCTIVITY = 0.6;

// ---- reference: shells of equal thickness, enthalpy method, explicit steps

enum { SHELLS = 240 };

static double shell_volume(double inner, double outer) {
    return 4 * M_PI / 3 * (pow(outer, 3) - pow(inner, 3));
}

// Melted share of a ball at 0 C after `time`, in a sphere of water that has the volume of the box.
static double reference(double volume, double time) {
    double enthalpy[SHELLS], temperature[SHELLS], outer = cbrt(3 * volume / (4 * M_PI));
    // Masses do not move: ice is taken as water of the same mass.
    double radius = RADIUS * cbrt(ICE / WATER), d = outer / SHELLS;
    double total = shell_volume(0, radius), melted = 0;
    for (int k = 0; k < SHELLS; k++) {
        double inside = fmin(fmax((radius / d) - k, 0), 1);
        enthalpy[k] = inside > 0.5 ? 0 : LATENT + CAPACITY * WARM;
    }
    double dt = 0.2 * d * d * WATER * CAPACITY / CONDUCTIVITY;
    int steps = (int)ceil(time / dt);
    dt = time / steps;
    for (int n = 0; n < steps; n++) {
        for (int k = 0; k < SHELLS; k++) temperature[k] = fmax(0, (enthalpy[k] - LATENT) / CAPACITY);
        for (int k = 0; k + 1 < SHELLS; k++) {
            double edge = d * (k + 1), flow = CONDUCTIVITY * 4 * M_PI * edge * edge *
                                              (temperature[k + 1] - temperature[k]) / d * dt;
            enthalpy[k] += flow / (WATER * shell_volume(d * k, d * (k + 1)));
            enthalpy[k + 1] -= flow / (WATER * shell_volume(d * (k + 1), d * (k + 2)));
        }
    }
    for (int k = 0; k < SHELLS; k++) {
        double whole = fmin(fmax((radius / d) - k, 0), 1) > 0.5;
        melted += whole * fmin(enthalpy[k] / LATENT, 1) * shell_volume(d * k, d * (k + 1));
    }
    return melted / total;
}

// Melted share over that of the reference: after `time`, with particles of `spacing` m, in `duration` s of
// motion.
static double melted_part(double spacing, double time, double duration) {
    char words[1200];
    const double wide = 0.12;
    snprintf(words, sizeof words,
             "firn: 1\nduration: 60 s\ngravity: [0, 0, 0]\n"
             "phase:\n  mass: %.9g g\n"
             "  box: {walls: [{low: [%g, %g, %g], high: [%g, %g, %g]}]}\n"
             "  heat: {exchange: 0, time_lapse: %.9g, snow_conductivity: 2.2 W/mK, water_conductivity: %g "
             "W/mK, water_capacity: %g J/kgK}\n"
             "  snow: {ball: {shape: {sphere: {radius: %g}}, temperature: 0 C, density: 917 kg/m3}}\n"
             "  water: {bath: {shape: {box: {size: [%g, %g, %g]}}, temperature: %g C}}\n",
             1000 * WATER * pow(spacing, 3), -wide / 2, -wide / 2, -wide / 2, wide / 2, wide / 2, wide / 2,
             time / duration, CONDUCTIVITY, CAPACITY, RADIUS, wide, wide, wide, WARM);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    double ice[2] = {0, 0};
    for (int end = 0; end < 2; end++) {
        if (end == 1) snowy_run(world, (size_t)lround(duration / 1.25e-3));
        for (size_t i = 0; i < m->s->p.count; i++) ice[end] += 1 - (double)phase_melted(m, i);
    }
    double melted = 1 - ice[1] / ice[0], exact = reference(wide * wide * wide, time);
    print_message("%zu particles, %.0f of ice, %g s in %g s: %.3f melted, %.2f of the reference\n",
                  m->s->p.count, ice[0], time, duration, melted, melted / exact);
    firn_world_close(world);
    return melted / exact;
}

static void test_ball(void **state) {
    (void)state;
    assert_near(melted_part(0.01, 2500, 2), 1, 0.15);
    assert_near(melted_part(0.006, 900, 0.4), 1, 0.15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
