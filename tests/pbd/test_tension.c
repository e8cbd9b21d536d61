// firn-test: slow
// Surface tension of liquids, N/m: the period of a drop (Rayleigh 1879), rest, cubes, drops that join, angles
// on walls, the same bits.
#include "pbd/pbd_tension.h"
#include "pbd/wet.h"

#include <stdlib.h>

static const double D = 0.001, SIGMA = 0.072; // m, N/m: drops of water

// A ball of so many spacings around a place that is no node of anything.
static void add_ball(wet_world *w, int k, firn_vec3 at, double radius) {
    w->pool[k] = firn_pbd_pool_def_default();
    w->pool[k].name = k == 0 ? "water" : "more";
    w->pool[k].fill.shape.kind = FIRN_SHAPE_SPHERE;
    w->pool[k].fill.shape.radius = radius * D;
    w->pool[k].fill.at = dvec_add(dvec_scale(at, D), dvec(0.3 * D, 0.2 * D, 0.1 * D));
}

static void weightless(wet_world *w, double radius) {
    wet_pool(w, dvec(0, 0, 0), dvec(D, D, D), D);
    add_ball(w, 0, dvec(0, 0, 0), radius);
    w->world.gravity = dvec(0, 0, 0);
    w->fluid.surface_tension = SIGMA;
}

typedef struct drop {
    double count, at[3], speed, drift, spin; // m, m/s r.m.s., m/s, m2/s of a kg
    double stretch;                          // along x, over the size
    double size, far; // r.m.s. and largest distance from the middle, over those of a ball
} drop;

static drop look(const pbd *s) {
    drop o = {.count = (double)s->p.count};
    double p[3] = {0}, q[3] = {0}, spin[3] = {0}, far2 = 0, v2 = 0;
    for (size_t i = 0; i < s->p.count; i++)
        for (int a = 0; a < 3; a++)
            o.at[a] += s->p.at[i][a] / o.count, p[a] += (double)s->p.v[i][a] / o.count;
    for (size_t i = 0; i < s->p.count; i++) {
        double r[3], r2 = 0;
        for (int a = 0; a < 3; a++)
            r[a] = s->p.at[i][a] - o.at[a], q[a] += r[a] * r[a] / o.count, r2 += r[a] * r[a];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            spin[a] += (r[b] * (double)s->p.v[i][c] - r[c] * (double)s->p.v[i][b]) / o.count;
        }
        far2 = fmax(far2, r2), v2 += dvec_length2(pbd_at(s->p.v[i])) / o.count;
    }
    double radius = cbrt(3 * o.count / (4 * M_PI)) * D;
    o.drift = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), o.speed = sqrt(v2);
    o.spin = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
    o.stretch = (q[0] - (q[1] + q[2]) / 2) / (q[0] + q[1] + q[2]);
    o.size = sqrt((q[0] + q[1] + q[2]) / 0.6) / radius, o.far = sqrt(far2) / radius;
    return o;
}

static double rayleigh(double radius) { return 2 * M_PI / sqrt(8 * SIGMA / (1000 * pow(radius * D, 3))); }

// Time from the first to the third passage through the ball, over Rayleigh's period.
static double period(double radius) {
    wet_world w;
    double whole = rayleigh(radius), omega = 2 * M_PI / whole, before = 0, first = 0;
    weightless(&w, radius);
    w.world.max_step = whole / 60;
    firn_world *world = soft_open(&w);
    pbd *s = soft_model(world);
    drop start = look(s);
    for (size_t i = 0; i < s->p.count; i++)
        for (int a = 0; a < 3; a++)
            s->p.v[i][a] = (float)((a == 0 ? 0.1 : -0.05) * omega * (s->p.at[i][a] - start.at[a]));
    double kick = look(s).speed;
    for (int k = 1, passed = 0; k < 100 && passed < 2; k++) {
        assert_ok(firn_world_step(world));
        drop now = look(s);
        if (now.stretch * before < 0) {
            double at = (k - now.stretch / (now.stretch - before)) / 60;
            first = passed == 0 ? at : (at - first) * 2;
            passed++;
        }
        before = now.stretch;
    }
    drop end = look(s);
    print_message("radius %g spacings: period %.3f, drift %.1e and spin %.1e of %.2e\n", radius, first,
                  end.drift, end.spin / (radius * D), kick);
    assert_true(end.drift < start.drift + 1e-3 * kick);
    assert_true(end.spin / (radius * D) < 2e-2 * kick);
    firn_world_close(world);
    return first;
}

static void test_drop_swings_as_rayleigh_says(void **state) {
    (void)state;
    assert_near(period(5), 1, 0.15);
    assert_near(period(8), 1, 0.1);
}

static void test_drop_at_rest_stays_still_and_round(void **state) {
    (void)state;
    wet_world w;
    weightless(&w, 6);
    w.world.max_step = rayleigh(6) / 60;
    firn_world *world = soft_open(&w);
    soft_run(world, 3 * rayleigh(6));
    drop o = look(soft_model(world));
    print_message("speed %.4f, size %.3f, far %.3f, stretch %.3f\n", o.speed, o.size, o.far, o.stretch);
    assert_true(o.speed < 0.002); // a wave of a spacing would run at 0.27 m/s
    assert_near(o.size, 1, 0.02);
    assert_true(o.far < 1.1);
    assert_near(o.stretch, 0, 0.02);
    firn_world_close(world);
}

static void test_cube_becomes_ball(void **state) {
    (void)state;
    wet_world w;
    weightless(&w, 1);
    w.pool[0].fill.shape.kind = FIRN_SHAPE_BOX;
    w.pool[0].fill.shape.size = dvec(10 * D, 10 * D, 10 * D);
    w.fluid.viscosity = 0.01; // Pa s: swings die out
    w.world.max_step = rayleigh(6) / 60;
    firn_world *world = soft_open(&w);
    drop start = look(soft_model(world));
    double fastest = 0;
    for (int k = 0; k < 120; k++) {
        assert_ok(firn_world_step(world));
        fastest = fmax(fastest, look(soft_model(world)).speed);
    }
    drop o = look(soft_model(world));
    // What its surface has more than a ball's.
    double released = (6 * 100 - 4 * M_PI * pow(3 * 1000 / (4 * M_PI), 2.0 / 3)) * D * D * SIGMA;
    double most = sqrt(2 * released / (1000 * 1000 * D * D * D));
    print_message("cube: far %.3f, then %.3f; size %.3f; speed %.3f, all its energy would be %.3f\n",
                  start.far, o.far, o.size, fastest, most);
    assert_true(fastest < most);
    assert_near(o.size, 1, 0.03);
    assert_true(o.far < 1.15);
    firn_world_close(world);
}

static void test_drops_join(void **state) {
    (void)state;
    wet_world w;
    weightless(&w, 4);
    add_ball(&w, 1, dvec(8.5, 0, 0), 4);
    w.fluid.pools.count = 2;
    w.fluid.viscosity = 0.01;
    w.world.max_step = rayleigh(5) / 60;
    firn_world *world = soft_open(&w);
    soft_run(world, 2.5 * rayleigh(5));
    drop o = look(soft_model(world));
    print_message("two drops: far %.3f, stretch %.3f, drift %.1e\n", o.far, o.stretch, o.drift);
    assert_true(o.far < 1.25);
    assert_near(o.stretch, 0, 0.1);
    assert_true(o.drift < 1e-4);
    firn_world_close(world);
}

// Height of a drop on a floor over that of a cap with this angle.
static double cap(double angle) {
    wet_world w;
    weightless(&w, 6);
    w.pool[0].fill.at = dvec(0, 6 * D, 0);
    w.fluid.contact_angle = angle;
    w.fluid.viscosity = 0.04;
    w.world.max_step = rayleigh(6) / 60;
    wet_box(&w, dvec(-40 * D, 0, -40 * D), dvec(40 * D, 80 * D, 40 * D));
    firn_world *world = soft_open(&w);
    soft_run(world, 5 * rayleigh(6));
    const pbd *s = soft_model(world);
    double n = (double)s->p.count, mean = 0, spread = 0;
    for (size_t i = 0; i < s->p.count; i++) mean += s->p.at[i][1] / n;
    for (size_t i = 0; i < s->p.count; i++)
        spread += (s->p.at[i][0] * s->p.at[i][0] + s->p.at[i][2] * s->p.at[i][2]) / n;
    // The middle of a cap of radius 1 that begins at c = cos(angle), and its volume.
    double c = cos(angle), volume = M_PI * (2.0 / 3 - c + c * c * c / 3);
    double middle = M_PI / 4 * (1 - c * c) * (1 - c * c) / volume - c;
    double radius = cbrt(n / volume) * D;
    print_message("angle %.0f deg: middle at %.2f of %.2f mm, r.m.s. radius %.2f mm\n", angle * 180 / M_PI,
                  mean * 1000, middle * radius * 1000, sqrt(spread) * 1000);
    firn_world_close(world);
    return mean / (middle * radius);
}

static void test_drops_on_a_floor(void **state) {
    (void)state;
    assert_near(cap(M_PI / 3), 1, 0.1);
    assert_near(cap(M_PI / 2), 1, 0.1);
    assert_near(cap(2 * M_PI / 3), 1, 0.1);
}

static firn_world *small(void) {
    wet_world w;
    weightless(&w, 4);
    w.pool[0].fill.at = dvec(0, 4 * D, 0);
    w.world.gravity = dvec(0, -9.81, 0);
    wet_box(&w, dvec(-20 * D, 0, -20 * D), dvec(20 * D, 40 * D, 20 * D));
    return soft_open(&w);
}

static void test_same_bits(void **state) {
    (void)state;
    assert_true(soft_hash(small(), 1, 3) == soft_hash(small(), 2, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop_swings_as_rayleigh_says),
        cmocka_unit_test(test_drop_at_rest_stays_still_and_round),
        cmocka_unit_test(test_cube_becomes_ball),
        cmocka_unit_test(test_drops_join),
        cmocka_unit_test(test_drops_on_a_floor),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
