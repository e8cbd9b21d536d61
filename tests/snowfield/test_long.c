// firn-test: slow
// Ten thousand steps of bodies on random ways: the mass is what it was, to the last bit.
#include "snowfield/snowfield_world.h"

static double random_in(uint32_t *seed, double low, double high) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

enum { KEYS = 60 };

// Three bodies that go and turn at random through 3.2 m x 3.2 m, at times below the ground and over the
// border.
static void random_ways(snowfield_world *w, firn_keyframe keys[3][KEYS], uint32_t seed) {
    const firn_shape_def shapes[3] = {{.kind = FIRN_SHAPE_SPHERE, .radius = 0.25},
                                      {.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.2, 0.3}},
                                      {.kind = FIRN_SHAPE_CYLINDER, .radius = 0.15, .length = 0.4}};
    for (int b = 0; b < 3; b++) {
        for (int k = 0; k < KEYS; k++)
            keys[b][k] = (firn_keyframe){
                k * 0.8,
                {random_in(&seed, -1.7, 1.7), random_in(&seed, 0.1, 0.6), random_in(&seed, -1.7, 1.7)},
                {random_in(&seed, -2, 2), random_in(&seed, -2, 2), random_in(&seed, -2, 2)}};
        w->body[b] = firn_body_def_default();
        w->body[b].name = (const char *[]){"a", "b", "c"}[b];
        w->body[b].shape = shapes[b];
        w->body[b].motion.kind = FIRN_MOTION_KEYFRAMES;
        w->body[b].motion.keyframes.items = keys[b];
        w->body[b].motion.keyframes.count = KEYS;
    }
    w->world.bodies.count = 3;
}

static void walk(const char *snow, firn_snowfield_spread spread, firn_snowfield_border border, int steps) {
    static firn_keyframe keys[3][KEYS];
    snowfield_world w;
    snowfield_setup(&w, 64);
    w.field.cell = 0.05;
    w.field.width = w.field.length = 3.2;
    w.field.spread = spread;
    w.field.snow = snow;
    w.field.border = border;
    w.field.fall.rate = 1e-5;
    random_ways(&w, keys, 4711);
    firn_world *world = snowfield_open(&w);
    for (int i = 0; i < steps; i++) {
        assert_ok(firn_world_step(world));
        if (i % 100 && i < steps - 1) continue;
        firn_ledger l = snowfield_ledger_of(world);
        if (fabs(l.mass + l.mass_out - l.mass_in) > 1e-12 * l.mass_in)
            fail_msg("%s, step %d: %.12g + %.12g of %.12g kg", snow, i, l.mass, l.mass_out, l.mass_in);
    }
    firn_world_close(world);
}

static void test_ten_thousand_steps(void **state) {
    (void)state;
    walk("powder", FIRN_SNOWFIELD_CONTOUR, FIRN_SNOWFIELD_WALL, 10000);
}

static void test_all_snow_both_ways(void **state) {
    (void)state;
    static const char *const snows[] = {"fresh", "powder", "packed", "wet",  "granular",
                                        "firn",  "icy",    "slush",  "sand", "mud"};
    for (size_t k = 0; k < sizeof snows / sizeof *snows; k++) {
        walk(snows[k], FIRN_SNOWFIELD_CONTOUR, FIRN_SNOWFIELD_OPEN, 250);
        walk(snows[k], FIRN_SNOWFIELD_DISTANCE, FIRN_SNOWFIELD_OPEN, 250);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ten_thousand_steps),
                                       cmocka_unit_test(test_all_snow_both_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
