// firn-test: threaded
// The whole step against conservation and closed forms.
#include "mpm/snow.h"

#include "base/memory.h"

static void test_free_flight_is_ballistic(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.5, 0.4, 0.3}, (firn_vec3){0, 10, 0}, 0.05);
    w.snow.velocity = (firn_vec3){3, 2, -1};
    firn_world *world = snow_open(&w);
    firn_vec3 start = snow_mean(world, "mpm.position");
    double mass = snow_ledger(world).mass, t = 0.4;
    assert_ok(firn_world_advance(world, t));
    firn_vec3 end = snow_mean(world, "mpm.position"), v = snow_mean(world, "mpm.velocity");
    assert_near(end.x - start.x, 3 * t, 1e-4 * 3 * t);
    assert_near(v.y, 2 - 9.81 * t, 1e-4 * 4);
    assert_near(end.z - start.z, -t, 1e-4 * t);
    assert_near(end.y - start.y, 2 * t - 0.5 * 9.81 * t * t, 2e-5);
    assert_true(snow_ledger(world).mass == mass);
    firn_world_close(world);
}

static void angular_momentum(const firn_world *world, double mass, double out[3]) {
    firn_field x = firn_world_field(world, "mpm.position"), v = firn_world_field(world, "mpm.velocity");
    firn_field c = firn_world_field(world, "mpm.affine");
    firn_vec3 middle = snow_mean(world, "mpm.position");
    const double *p = x.data;
    const float *q = v.data, *b = c.data;
    double m = mass / (double)x.count, spread = 0.05 * 0.05 / 3; // D of the cubic kernel: h^2/3
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < x.count; i++, p += 3, q += 3, b += 9) {
        double r[3] = {p[0] - middle.x, p[1] - middle.y, p[2] - middle.z};
        for (int a = 0; a < 3; a++) {
            int s = (a + 1) % 3, t = (a + 2) % 3;
            out[a] += m * (r[s] * q[t] - r[t] * q[s]);
            out[a] +=
                m * spread * (b[3 * s + t] - b[3 * t + s]); // the part that APIC keeps in C, columns first
        }
    }
}

static void test_apic_keeps_angular_momentum(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.6, 0.4, 0.5}, (firn_vec3){0, 0, 0}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.spin = (firn_vec3){1, 2, -0.5};
    w.snow.critical_stretch = 0.2; // elastic: nothing breaks
    w.snow.critical_compression = 0.2;
    firn_world *world = snow_open(&w);
    double mass = snow_ledger(world).mass, before[3], after[3];
    angular_momentum(world, mass, before);
    assert_ok(firn_world_advance(world, 0.2));
    angular_momentum(world, mass, after);
    double size = sqrt(before[0] * before[0] + before[1] * before[1] + before[2] * before[2]);
    for (int a = 0; a < 3; a++) assert_near(after[a], before[a], 1e-4 * size);
    firn_ledger l = snow_ledger(world);
    assert_near(l.momentum.x / mass, 0, 1e-5);
    assert_near(l.momentum.y / mass, 0, 1e-5);
    firn_world_close(world);
}

// Linear velocity fields are reproduced by APIC: without stress and gravity v stays a + B x after one step.
static void test_apic_reproduces_linear_velocity(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.5, 0.5, 0.5}, (firn_vec3){0.03, 0.01, 0.02}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.velocity = (firn_vec3){1, -2, 0.5};
    w.snow.spin = (firn_vec3){0.4, -0.3, 0.6};
    firn_world *world = snow_open(&w);
    firn_field x = firn_world_field(world, "mpm.position");
    firn_vec3 middle = snow_mean(world, "mpm.position");
    assert_ok(firn_world_step(world));
    firn_field v = firn_world_field(world, "mpm.velocity");
    x = firn_world_field(world, "mpm.position");
    double dt = firn_world_time(world);
    const double *p = x.data;
    const float *q = v.data;
    for (size_t i = 0; i < x.count; i++, p += 3, q += 3) {
        double r[3] = {p[0] - dt * q[0] - middle.x, p[1] - dt * q[1] - middle.y, p[2] - dt * q[2] - middle.z};
        assert_near(q[0], 1 + (-0.3 * r[2] - 0.6 * r[1]), 2e-5);
        assert_near(q[1], -2 + (0.6 * r[0] - 0.4 * r[2]), 2e-5);
        assert_near(q[2], 0.5 + (0.4 * r[1] + 0.3 * r[0]), 2e-5);
    }
    firn_world_close(world);
}

// Above the friction angle a block slides with g (sin - mu cos); below it stays.
static double slide_of(double slope, double friction, double seconds) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.6, 0.2, 0.4}, (firn_vec3){0, 0, 0}, 0.05);
    w.snow.fill.rotate.z = -slope;
    w.snow.fill.at = (firn_vec3){0.1 * sin(slope), 0.1 * cos(slope), 0};
    w.snow.young = 1e6;
    snow_floor(&w, friction, slope);
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.1)); // settle
    firn_vec3 a = snow_mean(world, "mpm.velocity");
    assert_ok(firn_world_advance(world, seconds));
    firn_vec3 b = snow_mean(world, "mpm.velocity");
    firn_world_close(world);
    return ((b.x - a.x) * cos(slope) - (b.y - a.y) * sin(slope)) / seconds;
}

static void test_block_on_an_incline(void **state) {
    (void)state;
    double slope = 0.6, friction = 0.3; // tan 0.6 = 0.684
    double expected = 9.81 * (sin(slope) - friction * cos(slope));
    assert_near(slide_of(slope, friction, 0.3), expected, 0.03 * expected);
    assert_near(slide_of(0.2, 0.5, 0.3), 0, 0.03); // tan 0.2 = 0.203 < 0.5
}

static void test_hash_over_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
        firn_set_threads(threads);
        snow_world w;
        snow_box(&w, (firn_vec3){0.4, 0.3, 0.4}, (firn_vec3){0, 0.2, 0}, 0.05);
        w.snow.velocity = (firn_vec3){1, -3, 0};
        snow_floor(&w, 0.4, 0);
        firn_world *world = snow_open(&w);
        for (int i = 0; i < 80; i++) assert_ok(firn_world_step(world));
        if (threads == 1) first = firn_world_hash(world);
        assert_true(firn_world_hash(world) == first);
        firn_world_close(world);
    }
    firn_set_threads(0);
}

static void test_every_failing_allocation(void **state) {
    (void)state;
    snow_may_lack_memory(0, 5);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flight_is_ballistic),
        cmocka_unit_test(test_apic_keeps_angular_momentum),
        cmocka_unit_test(test_apic_reproduces_linear_velocity),
        cmocka_unit_test(test_block_on_an_incline),
        cmocka_unit_test(test_hash_over_threads),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
