// A boot comes down in MPM snow as deep as in the snow field, for each snow type. firn-test: slow
#include "couples.h"

// 80 kg on one sole of 28 cm x 12 cm, from 10 cm above 30 cm of snow.
#define BOOT                                                                                                 \
    "firn: 1\nfps: 50\nduration: 9 s\nbodies:\n"                                                             \
    "  boot: {shape: {box: {size: [28 cm, 24 cm, 12 cm]}}, at: [0, 52 cm, 0], motion: dynamic, density: "    \
    "9921}\n"
#define FIELD BOOT "field: {width: 1.2 m, length: 1.2 m, cell: 2 cm, depth: 30 cm, snow: %s}\n"
#define WALLS                                                                                                \
    "  floor: {shape: plane, friction: 0.5}\n"                                                               \
    "  left: {shape: {box: {size: [0.2, 1, 2]}}, at: [-0.38, 0.4, 0], friction: 0}\n"                        \
    "  right: {shape: {box: {size: [0.2, 1, 2]}}, at: [0.38, 0.4, 0], friction: 0}\n"                        \
    "  back: {shape: {box: {size: [2, 1, 0.2]}}, at: [0, 0.4, -0.38], friction: 0}\n"                        \
    "  front: {shape: {box: {size: [2, 1, 0.2]}}, at: [0, 0.4, 0.38], friction: 0}\n"
#define MPM                                                                                                  \
    BOOT WALLS                                                                                               \
        "mpm: {cell: 4 cm, snow: {bed: {shape: {box: {size: [56 cm, 30 cm, 56 cm]}}, at: [0, 15 cm, 0], "    \
        "type: %s}}}\n"

static double sinks(const char *scene, const char *type) {
    char words[2000];
    snprintf(words, sizeof words, scene, type);
    firn_world *world = open_world(words);
    advance(world, 0.6);
    firn_body_state boot = firn_world_body_state(world, 0);
    assert_true(fabs(boot.velocity.y) < 0.05);
    firn_world_close(world);
    return 0.3 - (boot.position.y - 0.12);
}

static void test_a_boot_sinks_as_deep_in_both(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "powder", "granular", "wet", "packed"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        double field = sinks(FIELD, types[i]), mpm = sinks(MPM, types[i]);
        print_message("%s: field %.1f mm, mpm %.1f mm, %.2f of it\n", types[i], 1e3 * field, 1e3 * mpm,
                      mpm / field);
        assert_true(field > 0.005);
        assert_near(mpm, field, 0.2 * field);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_boot_sinks_as_deep_in_both)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
