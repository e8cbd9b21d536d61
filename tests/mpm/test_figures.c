// What the figures of MPM15 show, in coarse hares: dry snow breaks into more and smaller pieces than wet snow
// (figure 14), stiffer snow keeps its shape better (figure 12). firn-test: slow
#include "mpm/scenes.h"

// Snow that is torn holds nothing together: its stiffness has fallen to e^(-xi/20), 0.6 of what it was.
static const double TORN = 1.05;

// Pieces of at least one particle that still hold together at the end, at half a cell, the mean distance of
// particles. Over seeds 1 and 2 dry snow gives 28, 25 pieces, the largest with a share of 0.11; wet snow 5, 6
// pieces, the largest with a share of 0.80.
static scene_pieces pieces_after(const char *name) {
    scene_run run = scene_run_open(name, "mpm.cell=15cm");
    scene_advance(&run, 1.8);
    scene_pieces pieces = scene_count_pieces(&run, 0.5 * run.cell, TORN);
    scene_run_close(&run);
    return pieces;
}

static void test_dry_breaks_into_more_and_smaller_pieces(void **state) {
    (void)state;
    scene_pieces dry = pieces_after("hare-drop-dry"), wet = pieces_after("hare-drop-wet");
    if (!(dry.count > 2 * wet.count)) fail_msg("%zu pieces dry, %zu wet", dry.count, wet.count);
    if (!(dry.largest < 0.4 && wet.largest > 0.6))
        fail_msg("the largest piece: %.2f of the dry hare, %.2f of the wet", dry.largest, wet.largest);
}

// Height under which 95 % of the hare are, over that at the start: its feet are 0.6 m above the floor then.
static double kept_height(const char *name) {
    scene_run run = scene_run_open(name, "mpm.cell=20cm");
    double start = scene_height(&run, 0.95) - 0.6;
    scene_advance(&run, 0.9);
    double end = scene_height(&run, 0.95);
    scene_run_close(&run);
    return end / start;
}

static void test_stiffer_deforms_less(void **state) {
    (void)state;
    double softer = kept_height("hare-drop-softer"), reference = kept_height("hare-drop"),
           stiffer = kept_height("hare-drop-stiffer");
    print_message("kept height: softer %.3f, reference %.3f, stiffer %.3f\n", softer, reference, stiffer);
    assert_true(softer < reference - 0.1);
    assert_true(reference < stiffer - 0.01);
    assert_true(stiffer < 1.02);
}

// Figure 12, higher Poisson number: pressed snow is pushed outward, and once nu theta_c is more than theta_s
// it is torn: it bursts.
static void test_squeezed_snow_bursts_sideways(void **state) {
    (void)state;
    double bursting = kept_height("hare-drop-bursting"), springy = kept_height("hare-drop-springy");
    print_message("kept height: bursting %.3f, springy %.3f\n", bursting, springy);
    assert_true(bursting < 0.35);
    assert_true(springy > 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dry_breaks_into_more_and_smaller_pieces),
        cmocka_unit_test(test_stiffer_deforms_less),
        cmocka_unit_test(test_squeezed_snow_bursts_sideways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
