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

// The hare at the end of a run: the height under which 95 % of it lie, over that at the start, when its feet
// are 0.6 m above the floor; mean J_P.
typedef struct hare_end {
    double kept, plastic;
} hare_end;
static hare_end end_of(const char *name, const char *set, double seconds) {
    scene_run run = scene_run_open(name, set);
    double start = scene_height(&run, 0.95) - 0.6;
    scene_advance(&run, seconds);
    size_t count;
    const float *jp = scene_field(&run, "mpm.plastic", &count);
    hare_end end = {scene_height(&run, 0.95) / start, 0};
    for (size_t i = 0; i < count; i++) end.plastic += (double)jp[i] / (double)count;
    scene_run_close(&run);
    print_message("%s %s: %.3f of its height, mean J_P %.3f\n", name, set, end.kept, end.plastic);
    return end;
}

// Figure 12: the softer, the more the hare deforms, in coarse and finer cells.
static void test_stiffer_deforms_less(void **state) {
    (void)state;
    static const char *const cells[] = {"mpm.cell=20cm", "mpm.cell=15cm"};
    for (int i = 0; i < 2; i++) {
        hare_end softer = end_of("hare-drop-softer", cells[i], 0.9),
                 reference = end_of("hare-drop", cells[i], 0.9),
                 stiffer = end_of("hare-drop-stiffer", cells[i], 0.9);
        assert_true(softer.kept < reference.kept - 0.1);
        assert_true(reference.kept < stiffer.kept - 0.05);
        assert_true(reference.plastic < stiffer.plastic - 0.05);
        assert_true(stiffer.kept < 1.05);
    }
}

// Figure 13: a larger theta_c lets the hare return farther towards its shape, xi makes plastic deformation
// count more.
static void test_elasticity_and_hardening(void **state) {
    (void)state;
    hare_end reference = end_of("hare-drop", "mpm.cell=20cm", 0.9),
             springy = end_of("hare-drop-springy", "mpm.cell=20cm", 0.9),
             brittle = end_of("hare-drop-brittle", "mpm.cell=20cm", 0.9),
             doughy = end_of("hare-drop", "mpm.cell=20cm;mpm.snow.hare.hardening=5", 0.9);
    assert_true(springy.plastic > reference.plastic + 0.01);
    assert_true(doughy.plastic < reference.plastic - 0.02 && reference.plastic < brittle.plastic - 0.02);
}

// Figure 12, higher Poisson number: pressed snow is pushed outward, and once nu theta_c is more than theta_s
// it is torn: it bursts.
static void test_squeezed_snow_bursts_sideways(void **state) {
    (void)state;
    hare_end bursting = end_of("hare-drop-bursting", "mpm.cell=20cm", 0.9),
             crumbly = end_of("hare-drop-crumbly", "mpm.cell=20cm", 0.9);
    assert_true(bursting.kept < 0.35);
    assert_true(crumbly.kept < 0.35);
}

// Softening has a length and tearing a time: finer cells tear neither more nor elsewhere. Mean J_P and height
// just after the blow, and how much is torn; 20 cm are as coarse as an ear is thick.
static void test_the_hare_breaks_alike_in_all_cells(void **state) {
    (void)state;
    static const char *const cells[] = {"mpm.cell=20cm", "mpm.cell=14cm", "mpm.cell=10cm"};
    double plastic[3], height[3], torn[3], largest[3];
    for (int i = 0; i < 3; i++) {
        scene_run run = scene_run_open("hare-drop", cells[i]);
        scene_advance(&run, 0.4);
        size_t count;
        const float *jp = scene_field(&run, "mpm.plastic", &count);
        plastic[i] = torn[i] = 0;
        for (size_t k = 0; k < count; k++) {
            plastic[i] += (double)jp[k] / (double)count;
            torn[i] += (double)jp[k] > TORN ? 1 / (double)count : 0;
        }
        height[i] = scene_height(&run, 0.95);
        largest[i] = scene_count_pieces(&run, 0.5 * run.cell, TORN).largest;
        scene_run_close(&run);
        print_message("%s: mean J_P %.4f, %.3f m high, %.3f torn, the largest piece %.3f\n", cells[i],
                      plastic[i], height[i], torn[i], largest[i]);
        assert_true(torn[i] < 0.05 && largest[i] > 0.93);
    }
    assert_near(plastic[2] / plastic[1], 1, 0.03);
    assert_near(plastic[1] / plastic[0], 1, 0.03);
    assert_near(height[2] / height[1], 1, 0.03);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dry_breaks_into_more_and_smaller_pieces),
        cmocka_unit_test(test_stiffer_deforms_less),
        cmocka_unit_test(test_elasticity_and_hardening),
        cmocka_unit_test(test_the_hare_breaks_alike_in_all_cells),
        cmocka_unit_test(test_squeezed_snow_bursts_sideways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
