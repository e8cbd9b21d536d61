// firn-test: slow
// Ten thousand steps of bodies on random ways: the mass is what it was, to the last bit.
#include "field/field_world.h"

static double random_in(uint32_t *seed, double low, double high) {
    *seed = *seed * 1664525u + 1013904223u;
    return low + (high - low) * (*seed >> 8) / 16777216.0;
}

static void test_ten_thousand_steps(void **state) {
    (void)state;
    enum { KEYS = 60 };
    static firn_keyframe keys[3][KEYS];
    const firn_shape_def shapes[3] = {{.kind = FIRN_SHAPE_SPHERE, .radius = 0.25},
                                      {.kind = FIRN_SHAPE_BOX, .size = {0.5, 0.2, 0.3}},
                                      {.kind = FIRN_SHAPE_CYLINDER, .radius = 0.15, .length = 0.4}};
    for (int way = 0; way < 2; way++) {
        uint32_t seed = 4711;
        field_world w;
        field_setup(&w, 64);
        w.field.cell = 0.05;
        w.field.width = w.field.length = 3.2;
        w.field.spread = way ? FIRN_FIELD_DISTANCE : FIRN_FIELD_CONTOUR;
        w.field.snow = way ? "wet" : "powder";
        w.field.border = way ? FIRN_FIELD_OPEN : FIRN_FIELD_WALL;
        w.field.fall.rate = 1e-5;
        for (int b = 0; b < 3; b++) {
            for (int k = 0; k < KEYS; k++)
                keys[b][k] = (firn_keyframe){
                    k * 0.8,
                    {random_in(&seed, -1.7, 1.7), random_in(&seed, 0.1, 0.6), random_in(&seed, -1.7, 1.7)},
                    {random_in(&seed, -2, 2), random_in(&seed, -2, 2), random_in(&seed, -2, 2)}};
            w.body[b] = firn_body_def_default();
            w.body[b].name = (const char *[]){"a", "b", "c"}[b];
            w.body[b].shape = shapes[b];
            w.body[b].motion.kind = FIRN_MOTION_KEYFRAMES;
            w.body[b].motion.keyframes.items = keys[b];
            w.body[b].motion.keyframes.count = KEYS;
        }
        w.world.bodies.count = 3;
        firn_world *world = field_open(&w);
        for (int i = 0; i < 10000; i++) {
            assert_ok(firn_world_step(world));
            if (i % 100) continue;
            firn_ledger l = field_ledger_of(world);
            if (fabs(l.mass + l.mass_out - l.mass_in) > 1e-6 * l.mass_in)
                fail_msg("step %d: %.12g + %.12g of %.12g kg", i, l.mass, l.mass_out, l.mass_in);
        }
        firn_ledger l = field_ledger_of(world);
        print_message("%g s, off by %.3g of the mass\n", firn_world_time(world),
                      fabs(l.mass + l.mass_out - l.mass_in) / l.mass_in);
        assert_true(fabs(l.mass + l.mass_out - l.mass_in) < 1e-12 * l.mass_in);
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ten_thousand_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
