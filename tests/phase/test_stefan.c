// Stefan's melting front above a warm plate, in the whole model.
#include "phase/snowy.h"

// lambda exp(lambda^2) erf(lambda) = stefan / sqrt(pi): front at 2 lambda sqrt(D t).
static double front_of(double stefan) {
    double low = 0, high = 3;
    for (int i = 0; i < 60; i++) {
        double x = (low + high) / 2;
        if (x * exp(x * x) * erf(x) > stefan / sqrt(M_PI))
            high = x;
        else
            low = x;
    }
    return low;
}

// Melted mass over that of the exact solution, when the front is at `layers` of 16. With weight grains are
// loose: a solid block, as wide as the box, would press the water out.
static double melted_part(bool weight, double density, double layers) {
    char words[1200];
    const double spacing = 0.005, wide = 8 * spacing, high = 16 * spacing, mass = density * pow(spacing, 3);
    const double warm = 20, diffusivity = 0.6 / (1000 * 4182.0), lambda = front_of(4182 * warm / 334e3);
    const double depth = layers * spacing * density / 1000, duration = 4.5; // of water: shorter ones stir it
    const double time = pow(depth / (2 * lambda), 2) / diffusivity;
    snprintf(
        words, sizeof words,
        "firn: 1\nduration: 9 s\ngravity: [0, %g, 0]\n"
        "bodies: {plate: {shape: {box: {size: [1, 1, 1]}}, at: [0, -50 cm, 0], temperature: %g C}}\n"
        "phase:\n  mass: %.9g g\n  links: {mode: %s}\n"
        "  box: {walls: [{low: [%g, -1, %g], high: [%g, 1, %g]}]}\n"
        "  heat: {exchange: 0, time_lapse: %.9g, snow_conductivity: 0.6 W/mK, water_conductivity: 0.6 W/mK}\n"
        "  snow: {block: {shape: {box: {size: [%.9g, %.9g, %.9g]}}, at: [0, %.9g, 0], temperature: 0 C, "
        "density: %g kg/m3}}\n",
        weight ? -9.81 : 0, warm, 1000 * mass, weight ? "none" : "dynamic", -wide / 2, -wide / 2, wide / 2,
        wide / 2, time / duration, wide, high, wide, high / 2, density);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    double melted = 0;
    snowy_run(world, (size_t)lround(duration / 1.25e-3));
    for (size_t i = 0; i < m->s->p.count; i++) melted += mass * (double)phase_melted(m, i);
    firn_world_close(world);
    print_message("%g kg/m3, weight %d: %.3f of the exact melt\n", density, weight,
                  melted / (1000 * wide * wide * depth));
    return melted / (1000 * wide * wide * depth);
}

static void test_stefan(void **state) {
    (void)state;
    assert_near(melted_part(true, 917, 10), 1, 0.05);
    // Snow takes water into its pores: less lies below it. 1.06 and 1.10, by instruction set.
    assert_near(melted_part(true, 400, 10), 1, 0.12);
    assert_near(melted_part(false, 917, 10), 1, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stefan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
