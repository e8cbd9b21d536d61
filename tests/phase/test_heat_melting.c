// Melting and freezing on lattices that do not move, against closed forms.
#include "phase/lattice.h"

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

// Matter at 0 degrees, all frozen (or all liquid), and a wall at `wall` degrees: how far the front is off,
// as a share.
static double stefan_error(double wall, size_t layers, double dt) {
    heat_law law = test_law();
    lattice l;
    const heat_body plate = {wall, INFINITY};
    double k = wall > 0 ? law.water_conductivity : law.snow_conductivity,
           c = wall > 0 ? law.water_capacity : law.snow_capacity;
    double diffusivity = k / (1000 * c), lambda = front_of(c * fabs(wall) / law.latent), depth = 0.1;
    double time = pow(0.6 * depth / (2 * lambda), 2) / diffusivity;
    lattice_make(&l, layers, 5, 5, depth / (double)layers, 0, 1.9);
    lattice_wall(&l, &plate);
    heat_def def = lattice_def(&l, law);
    assert_ok(heat_create(&def, &l.heat));
    for (size_t i = 0; i < l.parts.count; i++) l.enthalpy[i] = wall > 0 ? 0 : law.latent;
    size_t steps = (size_t)ceil(time / dt);
    column_step(&l, time / (double)steps, steps);
    double front = 0;
    for (size_t x = 0; x < layers; x++) {
        double melted = heat_melted(&law, l.enthalpy[column_middle(&l, x)]);
        front += (wall > 0 ? melted : 1 - melted) * l.spacing;
    }
    lattice_free(&l);
    return fabs(front / (0.6 * depth) - 1);
}

static void test_stefan(void **state) {
    (void)state;
    double coarse = stefan_error(40, 10, 40), fine = stefan_error(40, 20, 20);
    assert_true(coarse < 0.05);
    assert_true(fine < 0.6 * coarse);
    assert_true(stefan_error(-20, 20, 10) < 0.05);
}

// ---- calorimetry

// A cube of `cold` in the middle of a box of `hot`; both in degrees Celsius.
static void cube_in_box(lattice *l, heat_law law, double cold, double hot, size_t edge, heat_method method) {
    size_t n = 12, low = (n - edge) / 2;
    lattice_make(l, n, n, n, 0.01, 0, 1.9);
    heat_def def = lattice_def(l, law);
    def.method = method;
    assert_ok(heat_create(&def, &l->heat));
    for (size_t i = 0; i < l->parts.count; i++) {
        size_t c[3] = {i % n, i / n % n, i / n / n};
        bool in = true;
        for (int a = 0; a < 3; a++) in &= c[a] >= low && c[a] < low + edge;
        l->enthalpy[i] = heat_enthalpy(&law, in ? cold : hot, 0);
    }
}

typedef struct ending {
    double temperature, melted; // means over all
} ending;

static ending settle(lattice *l, heat_law law, double dt, int steps) {
    double before = heat_total(&l->parts);
    for (int k = 0; k < steps; k++) assert_ok(heat_step(l->heat, &l->parts, k * dt, dt));
    assert_near(heat_total(&l->parts), before, 1e-6 * fabs(before));
    ending end = {0};
    for (size_t i = 0; i < l->parts.count; i++) {
        end.temperature += lattice_temperature(l, law, i) / (double)l->parts.count;
        end.melted += heat_melted(&law, l->enthalpy[i]) / (double)l->parts.count;
    }
    return end;
}

// All melts: c_w (T - 0) (m_s + m_w) = c_w 50 m_w - m_s (10 c_s + L).
static void test_melting_in_hot_water(void **state) {
    (void)state;
    heat_law law = test_law();
    lattice l;
    cube_in_box(&l, law, -10, 50, 5, HEAT_AUTO);
    double snow = 125, water = 1728 - snow;
    double expected = (50 * 4186 * water - snow * (10 * 2100 + 334e3)) / (4186.0 * 1728);
    ending end = settle(&l, law, 6000, 40);
    assert_near(end.melted, 1, 1e-9);
    assert_near(end.temperature, expected, 0.01 * expected);
    lattice_free(&l);
}

// Too much snow: all ends at 0 degrees, with as much melted as the water's heat pays for.
static void test_melting_in_part(void **state) {
    (void)state;
    heat_law law = test_law();
    lattice l;
    cube_in_box(&l, law, -10, 20, 8, HEAT_AUTO);
    double snow = 512, water = 1728 - snow;
    double melted = (water * 20 * 4186 - snow * 10 * 2100) / 334e3;
    assert_true(melted > 0 && melted < snow);
    ending end = settle(&l, law, 6000, 40);
    assert_near(end.melted * 1728, water + melted, 0.01 * melted);
    assert_near(end.temperature, 0, 0.05);
    lattice_free(&l);
}

// Snow at -100 degrees freezes some of the water at 1 degree.
static void test_freezing(void **state) {
    (void)state;
    heat_law law = test_law();
    lattice l;
    cube_in_box(&l, law, -100, 1, 7, HEAT_AUTO);
    double snow = 343, water = 1728 - snow;
    double frozen = (snow * 100 * 2100 - water * 1 * 4186) / 334e3;
    assert_true(frozen > 0 && frozen < water);
    ending end = settle(&l, law, 6000, 40);
    assert_near(end.melted * 1728, water - frozen, 0.01 * frozen);
    assert_near(end.temperature, 0, 0.05);
    lattice_free(&l);
}

// On the way, explicit and implicit steps agree.
static void test_methods_agree(void **state) {
    (void)state;
    heat_law law = test_law();
    lattice a, b;
    cube_in_box(&a, law, -10, 50, 6, HEAT_EXPLICIT);
    cube_in_box(&b, law, -10, 50, 6, HEAT_IMPLICIT);
    ending x = settle(&a, law, 25, 80), y = settle(&b, law, 25, 80);
    double apart = 0, most = 0;
    for (size_t i = 0; i < a.parts.count; i++) {
        double d = lattice_temperature(&a, law, i) - lattice_temperature(&b, law, i);
        apart += fabs(d) / 1728, most = fmax(most, fabs(d));
    }
    assert_near(x.melted, y.melted, 0.01 * (1 - x.melted));
    assert_true(apart < 0.01 * 60 && most < 0.02 * 60);
    lattice_free(&a);
    lattice_free(&b);
}

// Without latent heat temperatures pass through 0.
static void test_no_latent_heat(void **state) {
    (void)state;
    heat_law law = test_law();
    law.latent = 0;
    lattice l;
    cube_in_box(&l, law, -10, 50, 8, HEAT_AUTO);
    double expected = (50 * 4186 * 1216 - 512 * 10 * 2100) / (4186.0 * 1728);
    ending end = settle(&l, law, 6000, 40);
    assert_near(end.temperature, expected, 0.01 * expected);
    lattice_free(&l);
}

// Heat that waits for four steps and then catches up: the same, but for those steps' length.
static void test_waiting(void **state) {
    (void)state;
    heat_law law = test_law();
    lattice a, b;
    cube_in_box(&a, law, -10, 50, 6, HEAT_EXPLICIT);
    cube_in_box(&b, law, -10, 50, 6, HEAT_EXPLICIT);
    heat_destroy(b.heat);
    heat_def def = lattice_def(&b, law);
    def.every = 8;
    assert_ok(heat_create(&def, &b.heat));
    for (int k = 0; k < 50; k++) assert_ok(heat_step(b.heat, &b.parts, k * 2.0, 2));
    assert_near(heat_totals_of(b.heat)->waiting, 4, 1e-12);
    for (int k = 0; k < 12; k++) assert_ok(heat_step(a.heat, &a.parts, k * 8.0, 8));
    assert_memory_equal(a.enthalpy, b.enthalpy, a.parts.count * sizeof *a.enthalpy);
    lattice_free(&a);
    lattice_free(&b);
}

// Enthalpy and temperature are each other's inverse.
static void test_law_inverse(void **state) {
    (void)state;
    heat_law law = test_law();
    law.freeze = -2;
    for (double t = -40; t < 60; t += 0.5) {
        double h = heat_enthalpy(&law, t, 0.3);
        assert_near(heat_temperature(&law, h), t, 1e-9);
        assert_near(heat_melted(&law, h), t < -2 ? 0 : t > -2 ? 1 : 0.3, 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stefan),          cmocka_unit_test(test_melting_in_hot_water),
        cmocka_unit_test(test_melting_in_part), cmocka_unit_test(test_freezing),
        cmocka_unit_test(test_methods_agree),   cmocka_unit_test(test_no_latent_heat),
        cmocka_unit_test(test_law_inverse),     cmocka_unit_test(test_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
