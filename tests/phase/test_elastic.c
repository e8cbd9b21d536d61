// Links in Pa: linked snow has its Young's modulus at any size of grains, step and number of iterations.
#include "phase/snowy.h"

static const double DENSITY = 400, YOUNG = 15e3;

typedef struct mean {
    double sum, count;
} mean;

static void add(mean *m, double value) { m->sum += value, m->count++; }

// Of a column of 4 x 8 x 4 spacings of 10 g under its weight: how far it is compressed, of what E says.
static double column(double mass, double step, int iterations, double young) {
    char words[700];
    const double spacing = cbrt(mass / DENSITY), wide = 4 * cbrt(0.01 / DENSITY), high = 2 * wide;
    snprintf(
        words, sizeof words,
        "firn: 1\nduration: 2 s\nbodies: {floor: {shape: plane}}\nphase:\n  mass: %g\n  max_step: %g\n"
        "  iterations: %d\n  heat: {exchange: 0}\n  links: {mode: all, young: %g}\n  snow: {column: {shape: "
        "{box: {size: [%.9g, %.9g, %.9g]}}, at: [0, %.9g, 0], temperature: -30 C, density: %g}}\n",
        mass, step, iterations, young, wide, high, wide, high / 2, DENSITY);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    mean layer[2][2] = {{{0}}}; // lowest and highest, at the start and at the end
    for (int end = 0; end < 2; end++) {
        for (size_t i = 0; i < m->s->p.count; i++) {
            double y = m->s->p.at[i][1];
            if (y < spacing) add(&layer[end][0], y);
            if (y > high - 1.5 * spacing) add(&layer[end][1], y);
        }
        if (end == 0) snowy_run(world, (size_t)lround(1 / step));
    }
    double length[2], rows = round(high / spacing);
    for (int end = 0; end < 2; end++)
        length[end] = layer[end][1].sum / layer[end][1].count - layer[end][0].sum / layer[end][0].count;
    double expected = mass * 9.81 * rows * (rows - 1) / 2 / (young * spacing);
    firn_world_close(world);
    print_message("%g g, %g ms, %d iterations: %.2f mm shorter, E says %.2f mm\n", 1e3 * mass, 1e3 * step,
                  iterations, 1e3 * (length[0] - length[1]), 1e3 * expected);
    return (length[0] - length[1]) / expected;
}

static void test_column(void **state) {
    (void)state;
    assert_near(column(0.01, 1.25e-3, 3, YOUNG), 1, 0.1);
    assert_near(column(0.01, 0.6e-3, 6, YOUNG), 1, 0.1);
    assert_near(column(0.00125, 0.6e-3, 3, YOUNG), 1, 0.1);
    assert_near(column(0.01, 1.25e-3, 3, 10 * YOUNG), 1, 0.1);
}

// A bar that spins is stretched as E says, and keeps its momentum and its angular momentum.
static void test_spinning_bar(void **state) {
    (void)state;
    char words[600];
    const double mass = 0.01, spacing = cbrt(mass / DENSITY);
    snprintf(
        words, sizeof words,
        "firn: 1\nduration: 2 s\ngravity: [0, 0, 0]\nphase:\n  snow_viscosity: 0\n  heat: {exchange: 0}\n"
        "  links: {mode: all, young: %g}\n  snow: {bar: {shape: {box: {size: [%.9g, %.9g, %.9g]}}, spin: [0, "
        "12, 0], velocity: [1, 0, 0], temperature: -30 C, density: %g}}\n",
        YOUNG, 10 * spacing, 2 * spacing, 2 * spacing, DENSITY);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    size_t n = m->s->p.count;
    double turning[2], speed[2], rate = 0, longest = 0;
    for (int end = 0; end < 2; end++) {
        firn_vec3 middle = {0}, v = {0}, spin = {0};
        double inertia = 0;
        for (size_t i = 0; i < n; i++) {
            middle = dvec_add_scaled(middle, pbd_place(m->s, i), 1 / (double)n);
            v = dvec_add_scaled(v, dvec_of_floats(m->s->p.v[i]), 1 / (double)n);
        }
        longest = 0;
        for (size_t i = 0; i < n; i++) {
            firn_vec3 arm = dvec_sub(pbd_place(m->s, i), middle);
            spin = dvec_add(spin, dvec_cross(arm, dvec_sub(dvec_of_floats(m->s->p.v[i]), v)));
            inertia += arm.x * arm.x + arm.z * arm.z;
            longest = fmax(longest, hypot(arm.x, arm.z));
        }
        turning[end] = spin.y, speed[end] = v.x, rate = spin.y / inertia;
        if (end == 0) snowy_run(world, 800);
    }
    double expected = 0, outer = 0; // of half of the bar: links carry what is farther out
    for (double x = 4.5; x > 0; x--) {
        outer += mass * rate * rate * x * spacing;
        expected += (x > 0.6 ? 1 : 0.5) * outer / (YOUNG * spacing);
    }
    double stretched = longest - hypot(4.5 * spacing, 0.5 * spacing);
    print_message("%zu grains: angular momentum %.5f of the start, %.2f mm longer, E says %.2f mm\n", n,
                  turning[1] / turning[0], 1e3 * stretched, 1e3 * expected);
    assert_near(speed[1], speed[0], 3e-4); // forces are added to 32-bit positions: 1e-4 by gcc and clang
    assert_near(turning[1] / turning[0], 1, 0.01);
    assert_near(stretched / expected, 1, 0.1);
    firn_world_close(world);
}

// Restitution of a block of 8 x 8 x 8 grains that falls by 70 cm: of its speed, by how far its middle rises
// above where it comes to rest.
static double restitution(double young, double cold, const char *pattern) {
    char words[700];
    const double wide = 8 * cbrt(0.01 / DENSITY), drop = 0.7;
    snprintf(words, sizeof words,
             "firn: 1\nduration: 9 s\nbodies: {floor: {shape: plane}}\nphase:\n  heat: {exchange: 0}\n"
             "  links: {young: %g}\n  snow: {block: {shape: {box: {size: [%.9g, %.9g, %.9g]}}, at: [0, %.9g, "
             "0], temperature: %g C, density: %g, pattern: %s}}\n",
             young, wide, wide, wide, drop + wide / 2, cold, DENSITY, pattern);
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    double low = INFINITY, high = 0, last = 0, fastest = 0;
    for (int k = 0; k < 800; k++) {
        double middle = 0;
        snowy_run(world, 1);
        for (size_t i = 0; i < m->s->p.count; i++) middle += m->s->p.at[i][1] / (double)m->s->p.count;
        if (middle < low) low = high = middle;
        if (k > 0) fastest = fmax(fastest, (middle - last) / 1.25e-3);
        high = fmax(high, middle);
        last = middle;
    }
    double rise = fmax(high - last, 0);
    print_message("%g kPa, %g C, %s: from %.1f to %.1f, at most %.1f cm, with %.2f m/s: restitution %.3f\n",
                  young / 1e3, cold, pattern, 100 * low, 100 * last, 100 * high, fastest, sqrt(rise / drop));
    firn_world_close(world);
    return sqrt(rise / drop);
}

static void test_no_bounce(void **state) {
    (void)state;
    double most = 0;
    most = fmax(most, restitution(15e3, -10, "regular"));
    most = fmax(most, restitution(150e3, -30, "blue_noise"));
    most = fmax(most, restitution(1e6, -10, "jittered"));
    most = fmax(most, restitution(1e6, -30, "regular"));
    assert_true(most < 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_column), cmocka_unit_test(test_spinning_bar),
                                       cmocka_unit_test(test_no_bounce)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
