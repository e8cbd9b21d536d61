// Drucker-Prager and Cam clay against their yield surfaces, closed forms and plain arithmetic in double.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "snow/granular_law.h"

// open: the grid is dense
static const granular_yield dry = {
    .limit = 0.05f, .shear = 1.5f, .friction = 1.2f, .stretch = 0.01f, .open = -9};
static const granular_yield clay = {
    .limit = 0.05f, .shear = 1.5f, .friction = 1.2f, .cohesion = 0.3f, .stretch = 0.01f, .cohesive = ~0};

static float between(uint32_t item, uint32_t stream, float low, float high) {
    return low + (high - low) * random_unit(random_bits(5, item, 0, stream), 0);
}

// log(1 + e) / 2 and back, by series and by eigenvectors, against double.
static void test_logarithms(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        float size = powf(10, between(i, 9, -7, -1.3f)), e[6];
        for (uint32_t a = 0; a < 6; a++) e[a] = between(i, a, -size, size);
        sym3 strain = sym3_of(e[0], e[1], e[2], e[3], e[4], e[5]);
        assert_true(snow_small(strain));
        eigen3 d = eigen3_of(strain);
        sym3 series = granular_small_log(strain), exact = sym3_from_eigen(d.u, granular_logs(d.value));
        assert_near(series.xx, exact.xx, 3e-6 * size);
        assert_near(series.xy, exact.xy, 3e-6 * size);
        assert_near(series.zz, exact.zz, 3e-6 * size);
        sym3 back = granular_small_exp(series);
        assert_near(back.xx, e[0], 3e-6 * size);
        assert_near(back.yz, e[4], 3e-6 * size);
        assert_near(granular_log1p(e[0]), log1p((double)e[0]), 3e-7 * fabs((double)e[0]));
        assert_near(granular_expm1(e[1]), expm1((double)e[1]), 6e-7 * fabs((double)e[1]));
    }
}

static void test_dry_snow_stays_below_its_friction(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        granular_state s = {between(i, 0, -0.2f, 0.1f), between(i, 1, 0, 0.2f), between(i, 2, -0.5f, 0.05f)};
        granular_state before = s;
        float share = granular_return_map(&s, &dry, -3);
        float p = -s.volume, q = dry.shear * share * s.shear;
        assert_true(p >= 0 && p <= dry.limit);
        assert_true(q <= dry.friction * p + 1e-6f);
        assert_near(s.volume + s.plastic, before.volume + before.plastic, 1e-6); // no volume appears
        granular_state again = s;
        again.shear *= share;
        assert_near(granular_return_map(&again, &dry, -3), 1, 1e-5);
    }
}

// Slow slip bears the friction of rest, fast slip that of motion; in between it falls steadily.
static void test_friction_falls_in_fast_flow(void **state) {
    (void)state;
    granular_yield y = dry;
    y.kinetic = 0.6f;
    y.inertia = 1e3f;
    float last = 2;
    for (int i = 0; i < 60; i++) {
        float slip = powf(10, -7 + 0.1f * (float)i), rest = y.friction * 0.01f / y.shear;
        granular_state s = {-0.01f, rest + slip, 0};
        float left = granular_return_map(&s, &y, -3) * s.shear / rest; // of the friction at rest
        float number2 = y.inertia * y.inertia * slip * slip / 0.01f;
        assert_near(left, 1 - 0.4 * (double)(number2 / (1 + number2)), 1e-4);
        assert_true(left < last + 1e-5f);
        last = left;
        if (i == 0) assert_near(left, 1, 1e-4);
    }
    assert_near(last, 0.6, 1e-3);
}

// M in compression, plane shear and extension: as of Matsuoka and Nakai in the first and the last (Sheng
// 2000).
static void test_friction_by_lode_angle(void **state) {
    (void)state;
    const double sine = 0.6, ratio = pow((3 - sine) / (3 + sine), 4);
    const float k = (float)((1 - ratio) / (1 + ratio));
    const struct {
        sym3 dev;
        double s;
    } cases[] = {{sym3_of(-2e-3f, 0, 0, 1e-3f, 0, 1e-3f), 1},
                 {sym3_of(0, 3e-3f, 0, 0, 0, 0), 0},
                 {sym3_of(-1e-5f, 0, 0, 2e-5f, 0, -1e-5f), -1},
                 {sym3_of(0, 0, 0, 0, 0, 0), 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float norm = sqrtf(sym3_norm2(cases[i].dev));
        assert_near(granular_lode(cases[i].dev, norm, k), pow(1 - (double)k * cases[i].s, -0.25), 1e-5);
    }
    double compressed = granular_lode(cases[0].dev, sqrtf(sym3_norm2(cases[0].dev)), k),
           extended = granular_lode(cases[2].dev, sqrtf(sym3_norm2(cases[2].dev)), k);
    assert_near(extended / compressed, (3 - sine) / (3 + sine), 1e-5);
}

// What has come apart stays so until the grid is dense enough; what is closed does not open by it.
static void test_loose_snow_stays_apart(void **state) {
    (void)state;
    granular_yield y = dry;
    vec3 flat = vec3_of(0, 0, 0), surface = vec3_of(0, -0.98f, 0);
    y.open = granular_open(0.3f, flat); // deep inside, at a third of its density
    assert_near(y.open, -log(0.3) - (double)GRANULAR_TOLERANCE, 1e-5);
    assert_true(granular_open(0.5f, surface) < 0); // at the surface the kernel reaches out by half
    granular_state s = {-0.1f, 0, 0.2f};
    granular_return_map(&s, &y, -3);
    assert_true(s.volume == 0);
    assert_near(s.plastic, y.open, 1e-6);
    granular_state closed = {-0.01f, 0, 0.02f};
    granular_return_map(&closed, &y, -3);
    assert_near(closed.plastic + closed.volume, 0.01, 1e-6);
}

// Pulled apart by 3 % and pressed back: it bears nothing until it has closed.
static void test_a_gap_closes_before_it_bears(void **state) {
    (void)state;
    granular_state s = {0.03f, 0, 0};
    assert_true(granular_return_map(&s, &dry, -3) < 1 || s.volume == 0);
    assert_near(s.plastic, 0.03, 1e-7);
    s.volume = -0.02f;
    granular_return_map(&s, &dry, -3);
    assert_true(s.volume == 0);
    assert_near(s.plastic, 0.01, 1e-7);
    s.volume = -0.02f;
    granular_return_map(&s, &dry, -3);
    assert_near(s.volume, -0.01, 1e-7);
    assert_true(s.plastic == 0);
}

static float clay_surface(const granular_state *s, float share) { // below 0: inside, by p0^2
    float bonds = fminf(fmaxf(1 - s->plastic / clay.stretch, 0), 1), p0 = clay.limit * bonds;
    float p = -s->volume, q = clay.shear * share * s->shear;
    return (1 + 2 * clay.cohesion) * q * q +
           clay.friction * clay.friction * (p + clay.cohesion * p0) * (p - p0);
}

static void test_clay_ends_on_its_ellipse(void **state) {
    (void)state;
    int yielded = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        granular_state s = {between(i, 0, -0.1f, 0.05f), between(i, 1, 0, 0.1f),
                            between(i, 2, -0.5f, 0.012f)};
        granular_state before = s;
        float share = granular_return_map(&s, &clay, -3), scale = clay.limit * clay.limit;
        granular_state after = s;
        after.plastic = before.plastic; // the surface as it was before the step
        if (share < 1) {
            yielded++;
            assert_near(clay_surface(&after, share), 0, 1e-5 * scale);
            assert_true(clay_surface(&before, 1) > 0);
        } else {
            assert_true(clay_surface(&before, 1) <= 1e-6f * scale && s.volume == before.volume);
        }
        assert_near(s.volume + s.plastic, before.volume + before.plastic, 1e-6);
    }
    assert_true(yielded > 100 && yielded < 1000);
}

// Compression compacts, tension and shear at low pressure loosen; without bonds nothing is left.
static void test_clay_hardens_and_softens(void **state) {
    (void)state;
    granular_state pressed = {-0.2f, 0, 0}, pulled = {0.2f, 0, 0}, sheared = {-0.001f, 0.1f, 0};
    granular_return_map(&pressed, &clay, -3);
    assert_near(pressed.volume, -clay.limit, 1e-6);
    assert_true(pressed.plastic < 0);
    granular_return_map(&pulled, &clay, -3);
    assert_near(pulled.volume, clay.cohesion * clay.limit, 1e-6);
    assert_true(pulled.plastic > 0);
    granular_return_map(&sheared, &clay, -3);
    assert_true(sheared.plastic > 0);
    granular_state broken = {0.001f, 0.01f, 0.02f};
    assert_true(granular_return_map(&broken, &clay, -3) == 0);
    assert_true(broken.volume == 0);
}

// Stiffness and strength grow as a power of the density, then without bound towards that of ice.
static void test_pores_close(void **state) {
    (void)state;
    const float closed = 0.2f, xi = 3.5f;
    assert_near(granular_hardness(0, 1, xi, closed), 1, 1e-6);
    assert_near(granular_hardness(logf(0.5f), 0.5f, xi, closed), pow(2, 3.5), 1e-4);
    float jp = snow_densest(closed), last = 0;
    assert_near(closed / jp, SNOW_CLOSED, 1e-6);
    assert_near(snow_closing(jp, closed), 0.05 / 0.005, 0.01);
    for (float j = 1; j > jp; j *= 0.99f) {
        assert_true(snow_closing(j, closed) >= last);
        last = snow_closing(j, closed);
    }
    assert_near(snow_closing(1, 0.93f), 1, 1e-6); // snow that is nearly ice when it is laid down
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_dry_snow_stays_below_its_friction),
        cmocka_unit_test(test_friction_falls_in_fast_flow),
        cmocka_unit_test(test_friction_by_lode_angle),
        cmocka_unit_test(test_loose_snow_stays_apart),
        cmocka_unit_test(test_a_gap_closes_before_it_bears),
        cmocka_unit_test(test_clay_ends_on_its_ellipse),
        cmocka_unit_test(test_clay_hardens_and_softens),
        cmocka_unit_test(test_pores_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
