// firn-test: threaded
// Heat between particles that do not move and do not melt, against closed forms.
#include "phase/lattice.h"

#include "phase/phase_heat_state.h"

static const heat_law ICE = {2.2, 2.2, 2100, 2100, 0, 0};

// Slab of thickness 1 at 100 degrees, held at 0 at x = 0, insulated at x = 1:
// T = 400/pi sum over odd n of sin(n pi x / 2) exp(-(n pi / 2)^2 D t) / n.
static double slab(double x, double diffused) {
    double sum = 0;
    for (int n = 1; n < 400; n += 2)
        sum += sin(n * M_PI / 2 * x) * exp(-n * n * M_PI * M_PI / 4 * diffused) / n;
    return 400 / M_PI * sum;
}

// `larger`: particles of other sizes than the kernel was made for, and lists that end after the nearest.
static double slab_error(size_t layers, double courant, bool larger) {
    lattice l;
    const heat_body cold = {0, INFINITY};
    double spacing = 1.0 / (double)layers, diffusivity = 2.2 / (1000 * 2100.0);
    lattice_make(&l, layers, 5, 5, spacing, 0, larger ? 1.3 : 1.9);
    lattice_wall(&l, &cold);
    heat_def def = lattice_def(&l, ICE);
    if (larger) {
        def.h /= 1.4, def.spacing /= 1.4;
        lattice_volume(&l, spacing * spacing * spacing);
    }
    assert_ok(heat_create(&def, &l.heat));
    if (larger) heat_set_search_radius(l.heat, l.reach);
    for (size_t i = 0; i < l.parts.count; i++) l.enthalpy[i] = heat_enthalpy(&ICE, 100, 0);
    double time = 0.2 / diffusivity;
    size_t steps = (size_t)ceil(time * diffusivity / (courant * spacing * spacing));
    column_step(&l, time / (double)steps, steps);
    double worst = 0;
    for (size_t x = 0; x < layers; x++) {
        double t = lattice_temperature(&l, ICE, column_middle(&l, x));
        worst = fmax(worst, fabs(t - slab(((double)x + 0.5) * spacing, 0.2)));
    }
    lattice_free(&l);
    return worst;
}

static void test_slab(void **state) {
    (void)state;
    double coarse = slab_error(10, 0.1, false), fine = slab_error(20, 0.1, false);
    assert_true(coarse < 0.2 && fine < 0.1); // of 100
    assert_true(slab_error(10, 0.1, true) < 0.2);
}

// A lump warms towards the air: T = T_air + (T_0 - T_air) exp(-t A u / (m c)). Cube of 6: open area of its
// 152 outer particles within 15 % of the cube's; a flat surface exactly.
static void test_air(void **state) {
    (void)state;
    lattice l;
    double edge = 0.06;
    const heat_law copper = {400, 400, 2100, 2100, 0, 0};
    const heat_air_row air[] = {{0, 30}};
    lattice_make(&l, 6, 6, 6, edge / 6, 0, 1.9);
    heat_def def = lattice_def(&l, copper);
    def.air = air, def.air_rows = 1, def.exchange = 10;
    assert_ok(heat_create(&def, &l.heat));
    for (size_t i = 0; i < l.parts.count; i++) l.enthalpy[i] = heat_enthalpy(&copper, -10, 0);
    for (int k = 0; k < 200; k++) assert_ok(heat_step(l.heat, &l.parts, k * 10.0, 10));
    double area = 0, mean = 0;
    for (size_t i = 0; i < l.parts.count; i++) {
        area += (double)l.heat->open_area[i];
        mean += lattice_temperature(&l, copper, i) / 216;
    }
    assert_near(area, 6 * edge * edge, 0.15 * 6 * edge * edge);
    double rate = area * 10 / (1000 * edge * edge * edge * 2100);
    assert_near(mean, 30 - 40 * exp(-rate * 2000), 0.01 * 40);
    assert_near(heat_total(&l.parts) - 1000 * edge * edge * edge * 2100 * -10, heat_totals_of(l.heat)->air,
                1e-6 * heat_totals_of(l.heat)->air);
    // Layer in the middle of a face.
    assert_near((double)l.heat->open_area[2 + 6 * (2 + 6 * 0)], 1e-4, 1e-8);
    assert_near((double)l.heat->open_area[2 + 6 * (2 + 6 * 2)], 0, 1e-12);
    lattice_free(&l);
}

static void test_air_over_time(void **state) {
    (void)state;
    const heat_air_row air[] = {{0, -5}, {3600, 10}, {7200, 4}};
    const heat_def def = {
        .law = ICE, .h = 2, .spacing = 1, .time_lapse = 3600, .exchange = 1, .air = air, .air_rows = 3};
    heat *h;
    assert_ok(heat_create(&def, &h));
    assert_near(heat_air_at(h, -1), -5, 0);
    assert_near(heat_air_at(h, 0.5), 2.5, 1e-9);
    assert_near(heat_air_at(h, 1.5), 7, 1e-9);
    assert_near(heat_air_at(h, 9), 4, 0);
    heat_destroy(h);
}

// A plate behind a poor contact warms a column that conducts well: T = T_b - (T_b - T_0) exp(-u t / (rho c
// L)).
static void test_body(void **state) {
    (void)state;
    const heat_law copper = {400, 400, 2100, 2100, 0, 0};
    const heat_body plate = {80, 50};
    lattice l;
    lattice_make(&l, 10, 3, 3, 0.01, 0, 1.9);
    lattice_wall(&l, &plate);
    heat_def def = lattice_def(&l, copper);
    assert_ok(heat_create(&def, &l.heat));
    for (size_t i = 0; i < l.parts.count; i++) l.enthalpy[i] = heat_enthalpy(&copper, -20, 0);
    for (int k = 0; k < 400; k++) assert_ok(heat_step(l.heat, &l.parts, k * 10.0, 10));
    double mean = 0;
    for (size_t i = 0; i < l.parts.count; i++) mean += lattice_temperature(&l, copper, i) / 90;
    assert_near(mean, 80 - 100 * exp(-50 * 4000 / (1000 * 2100 * 0.1)), 1);
    double grown = heat_total(&l.parts) - 0.09 * copper.snow_capacity * 1000 * 1e-3 * -20;
    assert_near(grown, heat_totals_of(l.heat)->bodies, 1e-6 * grown);
    lattice_free(&l);
}

// Random places, materials, volumes and temperatures: plain sums in double agree with the lanes, nothing
// leaves the range it started in, and all heat stays.
static void test_disorder(void **state) {
    (void)state;
    heat_law law = test_law();
    for (int method = HEAT_EXPLICIT; method <= HEAT_IMPLICIT; method++) {
        lattice l;
        lattice_make(&l, 10, 10, 10, 0.01, 0.3, 1.9);
        lattice_volume(&l, 1e-6);
        heat_def def = lattice_def(&l, law);
        def.method = (heat_method)method;
        assert_ok(heat_create(&def, &l.heat));
        for (size_t i = 0; i < l.parts.count; i++) {
            l.volume[i] = (float)(1e-6 * (0.5 + (double)random_unit(random_bits(3, i, 0, 0), 0)));
            l.mass[i] = 1000 * l.volume[i];
            l.enthalpy[i] = heat_enthalpy(&law, 60 * (double)random_unit(random_bits(3, i, 0, 1), 0) - 20, 0);
        }
        double before = heat_total(&l.parts), size = 0;
        for (size_t i = 0; i < l.parts.count; i++) size += (double)l.mass[i] * fabs(l.enthalpy[i]);
        for (int k = 0; k < 20; k++) {
            assert_ok(heat_step(l.heat, &l.parts, 0, k < 10 ? 5 : 100));
            for (size_t i = 0; i < l.parts.count; i++) {
                double t = lattice_temperature(&l, law, i);
                assert_true(t > -20.001 && t < 40.001);
            }
            assert_near(heat_total(&l.parts), before, 1e-6 * size);
        }
        lattice_free(&l);
    }
}

// Of what melts or freezes that part which is on the side of the other.
static double conductivity_towards(const heat_law *law, double own, double other) {
    bool melts = own >= 0 && own <= law->latent;
    return (melts ? other : own) < 0 ? law->snow_conductivity : law->water_conductivity;
}

// The same as the lanes do, in double.
static void test_plain(void **state) {
    (void)state;
    heat_law law = test_law();
    lattice l;
    lattice_make(&l, 6, 6, 6, 0.01, 0.3, 1.9);
    heat_def def = lattice_def(&l, law);
    def.method = HEAT_EXPLICIT;
    assert_ok(heat_create(&def, &l.heat));
    double before[216];
    for (size_t i = 0; i < 216; i++)
        l.enthalpy[i] = before[i] =
            heat_enthalpy(&law, 60 * (double)random_unit(random_bits(3, i, 0, 1), 0) - 20, 0);
    assert_ok(heat_step(l.heat, &l.parts, 0, 1));
    double moment = 0, support = (double)CONDUCT_SUPPORT;
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = -1; z <= 1; z++)
                moment += pow(fmax(0, 1 - sqrt(x * x + y * y + z * z) / support), 3) * x * x;
    for (size_t i = 0; i < 216; i++) // of a lattice, at most twice that
        assert_true((double)l.heat->matter[i].scale < 2.001 * 2 / moment * 0.01);
    for (size_t i = 0; i < 216; i++) {
        double flow = 0;
        for (size_t j = 0; j < 216; j++) {
            double r = 0;
            for (int a = 0; a < 3; a++) r += pow((double)l.at[i][a] - (double)l.at[j][a], 2);
            r = sqrt(r);
            if (j == i || r >= l.reach) continue;
            double ki = conductivity_towards(&law, before[i], before[j]),
                   kj = conductivity_towards(&law, before[j], before[i]);
            double scale = (double)l.heat->matter[i].scale + (double)l.heat->matter[j].scale;
            flow += ki * kj / (ki + kj) * scale * pow(fmax(0, 1 - r / (support * 0.01)), 3) *
                    (heat_temperature(&law, before[j]) - heat_temperature(&law, before[i]));
        }
        assert_near(l.enthalpy[i] - before[i], flow / 1e-3, 1e-5 * fabs(flow / 1e-3) + 1e-3);
    }
    lattice_free(&l);
}

static void run(heat_method method, int threads, double *out) {
    heat_law law = test_law();
    lattice l;
    const heat_body plate = {50, 100};
    const heat_air_row air[] = {{0, 10}};
    firn_set_threads(threads);
    lattice_make(&l, 12, 9, 10, 0.01, 0.3, 1.9);
    lattice_wall(&l, &plate);
    heat_def def = lattice_def(&l, law);
    def.method = method, def.air = air, def.air_rows = 1, def.exchange = 20;
    assert_ok(heat_create(&def, &l.heat));
    for (size_t i = 0; i < l.parts.count; i++) l.enthalpy[i] = heat_enthalpy(&law, i % 2 ? -20 : 30, 0);
    for (int k = 0; k < 3; k++) assert_ok(heat_step(l.heat, &l.parts, k, 100));
    memcpy(out, l.enthalpy, l.parts.count * sizeof *out);
    out[1080] = heat_totals_of(l.heat)->air, out[1081] = heat_totals_of(l.heat)->bodies;
    lattice_free(&l);
    firn_set_threads(0);
}

static void test_threads(void **state) {
    (void)state;
    static double one[1082], other[1082];
    for (int method = HEAT_EXPLICIT; method <= HEAT_IMPLICIT; method++) {
        run((heat_method)method, 1, one);
        for (int threads = 2; threads <= 8; threads += threads == 3 ? 5 : 1) {
            run((heat_method)method, threads, other);
            assert_memory_equal(one, other, sizeof one);
        }
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slab),    cmocka_unit_test(test_air),      cmocka_unit_test(test_air_over_time),
        cmocka_unit_test(test_body),    cmocka_unit_test(test_disorder), cmocka_unit_test(test_plain),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
