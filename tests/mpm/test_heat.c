// firn-test: threaded
// Heat of snow at rest against closed forms: a slab, calorimetry, air and radiation, melting and freezing.
#include "mpm/snow.h"

#include "bits.h"

static const double DENSITY = 400, CAPACITY = 2090, LATENT = 334e3, CONDUCTIVITY = 0.5;

typedef struct heat_world {
    snow_world w;
    firn_mpm_heat_def heat;
    firn_mpm_snow_def snow[2];
    firn_body_def bodies[5];
} heat_world;

// A floating box of soft snow, with long steps, that nothing moves.
static void heat_box(heat_world *h, firn_vec3 size, firn_vec3 at, double cell, double temperature) {
    snow_box(&h->w, size, at, cell);
    h->w.world.gravity = (firn_vec3){0, 0, 0};
    h->w.world.air.temperature = -5;
    h->w.snow.density = DENSITY;
    h->w.snow.young = 2e3;
    h->w.snow.poisson = 0;
    h->w.snow.temperature = temperature;
    h->snow[0] = h->snow[1] = h->w.snow;
    h->w.mpm.snow.items = h->snow;
    h->heat = firn_mpm_heat_def_default();
    h->heat.snow_conductivity = CONDUCTIVITY;
    h->heat.exchange = 0;
    h->heat.weakening = 0;
    h->w.mpm.heat = &h->heat;
    h->w.world.bodies.items = h->bodies;
    h->w.world.bodies.count = 0;
}

static void add_plate(heat_world *h, firn_vec3 size, firn_vec3 at, double temperature) {
    firn_body_def *b = &h->bodies[h->w.world.bodies.count++];
    *b = firn_body_def_default();
    static const char *const names[] = {"first", "second", "third", "fourth", "fifth"};
    b->name = names[h->w.world.bodies.count - 1];
    b->shape.kind = FIRN_SHAPE_BOX;
    b->shape.size = size;
    b->at = at;
    b->contact = FIRN_CONTACT_SLIP;
    b->temperature = temperature;
}

static const float *temperatures(const firn_world *world, size_t *count) {
    firn_field f = firn_world_field(world, "mpm.temperature");
    assert_non_null(f.data);
    if (count) *count = f.count;
    return f.data;
}

static double heat_from(const firn_world *world, const char *name) {
    return series_value(world, "mpm", "heat so far from", name);
}

static double mean_temperature(const firn_world *world) {
    return series_value(world, "mpm", "mean temperature", "");
}

// 1 at x = 0, 0 at x = 1 and at the start: 1 - x - sum of 2 sin(n pi x) exp(-n^2 pi^2 t) / (n pi).
static double slab(double x, double t) {
    double sum = 1 - x;
    for (int n = 1; n < 100; n++) sum -= 2 * sin(n * M_PI * x) * exp(-n * n * M_PI * M_PI * t) / (n * M_PI);
    return sum;
}

// Slab of snow at -10 degrees between plates at -2 and -10, the surface at any place in the grid. Largest
// error of a particle over the step of 8 degrees; *flux: heat from both plates over the closed form's.
static double slab_error(double cell, firn_mpm_kernel kernel, double shift, double diffused, double *flux) {
    heat_world h;
    const double length = 0.4, wide = 0.08;
    heat_box(&h, (firn_vec3){wide, length, wide}, (firn_vec3){0, length / 2 + shift, 0}, cell, -10);
    add_plate(&h, (firn_vec3){1, 0.2, 1}, (firn_vec3){0, -0.1 + shift, 0}, -2);
    add_plate(&h, (firn_vec3){1, 0.2, 1}, (firn_vec3){0, length + 0.1 + shift, 0}, -10);
    h.w.mpm.kernel = kernel;
    double time = diffused * length * length * DENSITY * CAPACITY / CONDUCTIVITY;
    h.heat.time_lapse = time;
    firn_world *world = snow_open(&h.w);
    assert_ok(firn_world_advance(world, 1));
    size_t count;
    const float *t = temperatures(world, &count);
    const double *x = snow_positions(world, NULL);
    double worst = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(((double)t[i] + 10) / 8 - slab((x[3 * i + 1] - shift) / length, diffused)));
    for (int n = 0; n < 1000; n++) sum += slab((n + 0.5) / 1000, diffused) / 1000;
    *flux = (mean_temperature(world) + 10) / 8 / sum;
    firn_world_close(world);
    return worst;
}

static void test_slab(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        double flux,
            error = slab_error(0.02, k % 2 ? FIRN_MPM_QUADRATIC : FIRN_MPM_CUBIC, 0.0037 * k, 0.05, &flux);
        assert_true(error < 0.02);
        assert_near(flux, 1, 0.02);
    }
}

// Two pieces of snow, one wet, in contact and insulated: the end of calorimetry, and heat stays.
static void test_mixing_temperature(void **state) {
    (void)state;
    heat_world h;
    heat_box(&h, (firn_vec3){0.1, 0.1, 0.1}, (firn_vec3){-0.05, 0, 0}, 0.025, -4);
    h.snow[1].fill.at.x = 0.05;
    h.snow[1].name = "other";
    h.snow[1].temperature = -16;
    h.snow[1].density = 200;
    h.w.mpm.snow.count = 2;
    h.heat.time_lapse = 4e5;
    firn_world *world = snow_open(&h.w);
    double before = snow_ledger(world).heat;
    assert_ok(firn_world_advance(world, 0.5));
    size_t count;
    const float *t = temperatures(world, &count);
    double worst = 0;
    for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)t[i] + 8));
    assert_true(worst < 0.08);
    assert_near(snow_ledger(world).heat / before, 1, 1e-6);
    firn_world_close(world);
}

// Wet snow freezes in contact with cold snow: latent heat of the water warms both.
static void test_freezing(void **state) {
    (void)state;
    heat_world h;
    heat_box(&h, (firn_vec3){0.1, 0.1, 0.1}, (firn_vec3){-0.05, 0, 0}, 0.025, 0);
    h.snow[0].wetness = 0.05;
    h.snow[1].fill.at.x = 0.05;
    h.snow[1].name = "cold";
    h.snow[1].temperature = -20;
    h.w.mpm.snow.count = 2;
    h.heat.time_lapse = 4e5;
    firn_world *world = snow_open(&h.w);
    double before = snow_ledger(world).heat, end = (0.05 * LATENT - 20 * CAPACITY) / 2 / CAPACITY;
    assert_ok(firn_world_advance(world, 0.5));
    assert_near(mean_temperature(world), end, 0.01 * -end);
    assert_near(series_value(world, "mpm", "melted", ""), 0, 1e-9);
    assert_near(snow_ledger(world).heat / before, 1, 1e-6);
    firn_world_close(world);
}

// A hot plate melts cold snow: what it gave is latent and sensible heat.
static void test_hot_plate(void **state) {
    (void)state;
    heat_world h;
    heat_box(&h, (firn_vec3){0.12, 0.2, 0.12}, (firn_vec3){0, 0.1, 0}, 0.02, -6);
    add_plate(&h, (firn_vec3){1, 0.2, 1}, (firn_vec3){0, -0.1, 0}, 40);
    h.heat.time_lapse = 4e4;
    firn_world *world = snow_open(&h.w);
    double before = snow_ledger(world).heat, mass = snow_ledger(world).mass;
    assert_ok(firn_world_advance(world, 0.5));
    firn_field wetness = firn_world_field(world, "mpm.wetness");
    size_t count;
    const float *t = temperatures(world, &count), *wet = wetness.data;
    double heat = 0, melted = 0, low = 0, high = 0;
    for (size_t i = 0; i < count; i++) {
        heat += t[i] < 0   ? CAPACITY * (double)t[i]
                : t[i] > 0 ? LATENT + 4182 * (double)t[i]
                           : LATENT * (double)wet[i];
        melted += (double)wet[i] / (double)count;
        low = fmin(low, (double)t[i]), high = fmax(high, (double)t[i]);
    }
    heat *= mass / (double)count;
    assert_near((heat - before) / heat_from(world, "bodies"), 1, 1e-3);
    assert_near((snow_ledger(world).heat - before) / heat_from(world, "bodies"), 1, 1e-6);
    assert_true(melted > 0.05 && high < 40 && low > -6.01);
    firn_world_close(world);
}

// Stefan's front in snow at 0 degrees whose melt stays: X = 2 l sqrt(a t), l e^(l^2) erf(l) = c T / (L
// sqrt(pi)).
static void test_melting_front(void **state) {
    (void)state;
    heat_world h;
    const double hot = 40, time = 4e4, water = 4182;
    heat_box(&h, (firn_vec3){0.08, 0.24, 0.08}, (firn_vec3){0, 0.12, 0}, 0.02, 0);
    add_plate(&h, (firn_vec3){1, 0.2, 1}, (firn_vec3){0, -0.1, 0}, hot);
    h.heat.water_conductivity = CONDUCTIVITY;
    h.heat.time_lapse = time;
    firn_world *world = snow_open(&h.w);
    assert_ok(firn_world_advance(world, 1));
    double low = 0, high = 2;
    for (int k = 0; k < 60; k++) {
        double l = (low + high) / 2;
        *(l * exp(l * l) * erf(l) < water * hot / (LATENT * sqrt(M_PI)) ? &low : &high) = l;
    }
    double front = 2 * low * sqrt(CONDUCTIVITY / (DENSITY * water) * time);
    double melted = series_value(world, "mpm", "melted", "") / (DENSITY * 0.08 * 0.08);
    assert_near(melted / front, 1, 0.05);
    firn_world_close(world);
}

// Snow in a tub that insulates it meets the air through its flat top alone, wherever that lies in the grid; a
// free cube is a little rounder for the grid than it is. Area over the true one.
static double open_area(double edge, double at, bool tub, double exchange, double radiation) {
    heat_world h;
    heat_box(&h, (firn_vec3){edge, edge, edge}, (firn_vec3){at, at, at}, 0.02, -10);
    h.heat.snow_conductivity = 50;
    h.heat.exchange = exchange;
    h.heat.radiation = radiation;
    h.w.world.air.temperature = 0;
    for (int k = 0; k < 5 && tub; k++) {
        double out[3] = {0, 0, 0}, size[3] = {1, 1, 1};
        out[k / 2] = (k % 2 ? 1 : -1) * (edge / 2 + 0.1);
        size[k / 2] = 0.2;
        add_plate(&h, (firn_vec3){size[0], size[2], size[1]},
                  (firn_vec3){at + out[0], at + out[2], at + out[1]}, FIRN_AUTO);
    }
    double mass = DENSITY * edge * edge * edge, area = (tub ? 1 : 6) * edge * edge,
           time = 0.3 * mass * CAPACITY / (20 * area);
    h.heat.time_lapse = time / 0.1;
    firn_world *world = snow_open(&h.w);
    assert_ok(firn_world_advance(world, 0.1));
    double t = mean_temperature(world), heat = mass * CAPACITY;
    firn_world_close(world);
    return (exchange > 0 ? log(-10 / t) * heat / exchange : (t + 10) * heat / radiation) / time / area;
}

static void test_air(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        double flat = open_area(0.2, 0.0063 * k, true, k == 2 ? 0 : 20, k == 2 ? 100 : 0);
        assert_near(flat, 1, 0.05);
    }
    double cube = open_area(0.3, 0.004, false, 20, 0);
    assert_near(cube, 1, 0.1);
}

// Any step: a thousand years in one second make no new extremes and lose nothing.
static void test_any_step(void **state) {
    (void)state;
    heat_world h;
    heat_box(&h, (firn_vec3){0.2, 0.2, 0.2}, (firn_vec3){0, 0.1, 0}, 0.02, 0);
    h.snow[0].wetness = 0.001;
    add_plate(&h, (firn_vec3){1, 0.2, 1}, (firn_vec3){0, -0.1, 0}, -30);
    h.heat.time_lapse = 1e6;
    firn_world *world = snow_open(&h.w);
    double before = snow_ledger(world).heat;
    for (int k = 0; k < 20; k++) {
        assert_ok(firn_world_advance(world, 0.01));
        size_t count;
        const float *t = temperatures(world, &count);
        for (size_t i = 0; i < count; i++) assert_true(t[i] > -30.01f && t[i] <= 0);
    }
    assert_near(mean_temperature(world), -30, 0.3);
    assert_near((snow_ledger(world).heat - before) / heat_from(world, "bodies"), 1, 1e-6);
    firn_world_close(world);
}

// In motion, melting, with contacts: the scene of the instruction sets.
static firn_world *moving(void) {
    firn_world *world;
    assert_ok(firn_world_open(FIRN_TEST_DATA "/scenes/mpm-heat.yaml", &world));
    return world;
}

static void test_threads_and_restart_give_the_same_bits(void **state) {
    (void)state;
    assert_threads_do_not_show(moving, 100);
    firn_world *whole = moving(), *cut = moving();
    for (int i = 0; i < 75; i++) assert_ok(firn_world_step(whole));
    assert_restarts(whole, cut, 60);
    firn_world_close(whole);
    firn_world_close(cut);
}

// A scene far away, or turned by 90 degrees, gives the same: heat, and where it went.
static double melted_at(firn_vec3 at, bool turned) {
    heat_world h;
    firn_vec3 up = turned ? (firn_vec3){1, 0, 0} : (firn_vec3){0, 1, 0};
    firn_vec3 size = turned ? (firn_vec3){0.16, 0.24, 0.24} : (firn_vec3){0.24, 0.16, 0.24};
    heat_box(&h, size, (firn_vec3){at.x + 0.08 * up.x, at.y + 0.08 * up.y, at.z}, 0.03, -3);
    add_plate(&h, (firn_vec3){1 - 0.8 * up.x, 1 - 0.8 * up.y, 1},
              (firn_vec3){at.x - 0.1 * up.x, at.y - 0.1 * up.y, at.z}, 30);
    h.heat.exchange = 20;
    h.heat.time_lapse = 4e4;
    firn_world *world = snow_open(&h.w);
    assert_ok(firn_world_advance(world, 0.2));
    double melted = series_value(world, "mpm", "melted", "");
    firn_world_close(world);
    return melted;
}

static void test_anywhere(void **state) {
    (void)state;
    double here = melted_at((firn_vec3){0, 0, 0}, false);
    assert_true(here > 0.1);
    assert_near(melted_at((firn_vec3){7200, 3600, -2400}, false) / here, 1, 1e-3);
    assert_near(melted_at((firn_vec3){0.013, 0.021, 0.005}, false) / here, 1, 0.03);
    assert_near(melted_at((firn_vec3){0, 0, 0}, true) / here, 1, 0.03);
}

static void test_wrong(void **state) {
    (void)state;
    heat_world h;
    firn_world *world;
    heat_box(&h, (firn_vec3){0.2, 0.2, 0.2}, (firn_vec3){0, 0, 0}, 0.05, -3);
    h.snow[0].wetness = 0.1;
    assert_int_equal(firn_world_create(&h.w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "colder snow holds no water"));
    h.w.mpm.heat = NULL;
    assert_int_equal(firn_world_create(&h.w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "wetness needs heat"));
    h.snow[0].wetness = 0;
    h.snow[0].temperature = -300;
    assert_int_equal(firn_world_create(&h.w.world, &world), FIRN_BAD_INPUT);
    h.snow[0].temperature = 1;
    assert_int_equal(firn_world_create(&h.w.world, &world), FIRN_BAD_INPUT);
    h.snow[0].temperature = -3;
    h.heat.snow_capacity = 0;
    h.w.mpm.heat = &h.heat;
    assert_int_equal(firn_world_create(&h.w.world, &world), FIRN_BAD_INPUT);
    h.heat = firn_mpm_heat_def_default();
    world_may_lack_memory(&h.w.world, 3);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slab),          cmocka_unit_test(test_mixing_temperature),
        cmocka_unit_test(test_freezing),      cmocka_unit_test(test_hot_plate),
        cmocka_unit_test(test_melting_front), cmocka_unit_test(test_air),
        cmocka_unit_test(test_any_step),      cmocka_unit_test(test_threads_and_restart_give_the_same_bits),
        cmocka_unit_test(test_anywhere),      cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
