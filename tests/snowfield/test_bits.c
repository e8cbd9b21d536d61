// Loose bits fall at their terminal speed, drift with the wind, and come in all sizes; their mass is never
// lost.
#include "snowfield/snowfield_inside.h"
#include "snowfield/snowfield_world.h"

// A field over which one bit of a size is set into the air.
static firn_world *open_bit(snowfield_world *w, double size, double height) {
    snowfield_setup(w, 200);
    firn_world *world = snowfield_open(w);
    snowfield_state *s = state_of(world);
    s->bits.count = 1;
    s->bits.position[0][1] = (float)height;
    s->bits.mass[0] = 1000;
    s->bits.density[0] = 100;
    s->bits.size[0] = (float)size;
    s->counters[COUNTER_IN] += 1000;
    return world;
}

// Stokes' drag and that of a lump together: b w^2 + a w = g.
static void test_terminal_speed(void **state) {
    (void)state;
    const double sizes[] = {3e-4, 1e-3, 1e-2, 3e-2}, rho = 100, air = 1.3, mu = 1.7e-5;
    for (int k = 0; k < 4; k++) {
        snowfield_world w;
        firn_world *world = open_bit(&w, sizes[k], 60);
        assert_ok(firn_world_advance(world, 4));
        double a = 18 * mu / (rho * sizes[k] * sizes[k]), b = 0.375 * air / (rho * sizes[k]),
               expected = (sqrt(a * a + 4 * b * 9.81) - a) / (2 * b),
               falls = -(double)state_of(world)->bits.velocity[0][1];
        print_message("%.1f mm: %.3f m/s, %.3f by the law\n", 1000 * sizes[k], falls, expected);
        assert_near(falls, expected, 0.01 * expected);
        firn_world_close(world);
    }
}

static void blow(const void *model, const float at[3], float velocity[3]) {
    (void)model, (void)at;
    velocity[0] = 4, velocity[1] = 0, velocity[2] = 0;
}

// Powder goes with the wind, a lump hardly; both land, with their mass.
static void test_wind_takes_powder_along(void **state) {
    (void)state;
    double way[2];
    for (int k = 0; k < 2; k++) {
        snowfield_world w;
        firn_world *world = open_bit(&w, k ? 3e-2 : 3e-4, 0.36);
        snowfield_state *s = state_of(world);
        double mass = snowfield_ledger_of(world).mass;
        snowfield_set_air(s, (snowfield_air){NULL, blow, NULL});
        way[k] = 0;
        for (int i = 0; i < 300 && s->bits.count > 0; i++) {
            way[k] = (double)s->bits.position[0][0];
            step_field(world, 1);
        }
        assert_int_equal(s->bits.count, 0);
        assert_near(snowfield_ledger_of(world).mass, mass, 1e-9 * mass);
        firn_world_close(world);
    }
    print_message("powder drifts %.2f m, a lump %.3f m\n", way[0], way[1]);
    assert_true(way[0] > 0.6 && way[1] < 0.03);
}

// A fast box throws up lumps and powder; the powder stays up longer.
static void test_sizes(void **state) {
    (void)state;
    const firn_keyframe keys[] = {
        {0, {-1.6, 0.5, 0}, {0, 0, 0}}, {0.5, {1.4, 0.5, 0}, {0, 0, 0}}, {1, {1.4, 2, 0}, {0, 0, 0}}};
    snowfield_world w;
    snowfield_setup(&w, 220);
    w.body[0] = firn_body_def_default();
    w.body[0].name = "box";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    w.body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    w.body[0].motion.keyframes.items = keys;
    w.body[0].motion.keyframes.count = 3;
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    snowfield_state *s = state_of(world);
    double mean[2];
    for (int k = 0; k < 2; k++) {
        assert_ok(firn_world_advance(world, k ? 0.5 : 0.4));
        float low = 1, high = 0;
        mean[k] = 0;
        for (size_t i = 0; i < s->bits.count; i++) {
            low = fminf(low, s->bits.size[i]), high = fmaxf(high, s->bits.size[i]);
            mean[k] += (double)s->bits.size[i] / (double)s->bits.count;
        }
        print_message("%zu bits of %.2f to %.1f mm, mean %.2f mm\n", s->bits.count, 1000 * (double)low,
                      1000 * (double)high, 1000 * mean[k]);
        if (k == 0) assert_true(s->bits.count > 50 && low < 1e-3f && high > 1e-2f);
    }
    assert_true(s->bits.count > 0 && mean[1] < 0.5 * mean[0]);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in - l.mass_out, 1e-9 * l.mass);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_terminal_speed),
                                       cmocka_unit_test(test_wind_takes_powder_along),
                                       cmocka_unit_test(test_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
