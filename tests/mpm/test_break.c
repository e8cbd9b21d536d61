// How bonded snow breaks: a cornice, a slab; and what is hit too hard ends the run.
// Pieces are counted by position: particles in the same or in touching cubes of half a cell belong together;
// of intact snow only those that are not torn. firn-test: slow
#include "mpm/scenes.h"
#include "worlds.h"

static const double TORN = 1.05;

static scene_run open_run(const char *yaml, double cell) {
    return (scene_run){.name = "text", .world = open_text(yaml), .cell = cell};
}

static scene_pieces pieces_of(const scene_run *run) {
    size_t count;
    const double *x = snow_positions(run->world, &count);
    return piece_count(x, count, 0.5 * run->cell);
}

// Share of the snow below a height.
static double share_below(const scene_run *run, double height) {
    size_t count, below = 0;
    const double *x = snow_positions(run->world, &count);
    for (size_t i = 0; i < count; i++) below += x[3 * i + 1] < height;
    return (double)below / (double)count;
}

// An overhang 40 cm thick beyond the edge of a cliff; behind it 1.6 times as much lies on the rock.
static scene_run open_cornice(double overhang) {
    char yaml[600];
    snprintf(
        yaml, sizeof yaml,
        "firn: 1\nduration: 3 s\nbodies: {cliff: {shape: {box: {size: [8, 6, 4]}}, at: [-4, -3, 0], "
        "friction: "
        "0.6}, floor: {shape: plane, at: [0, -3, 0]}}\n"
        "mpm: {cell: 10 cm, snow: {cornice: {shape: {box: {size: [%g, 0.4, 0.4]}}, at: [%g, 0.2, 0], type: "
        "cornice}}}\n",
        2.6 * overhang, -0.3 * overhang);
    return open_run(yaml, 0.1);
}

static void test_a_cornice_holds_its_weight(void **state) {
    (void)state;
    scene_run run = open_cornice(0.6);
    assert_ok(firn_world_advance(run.world, 1));
    double before = snow_mean(run.world, "mpm.position").y;
    assert_ok(firn_world_advance(run.world, 1));
    scene_pieces intact = scene_count_pieces(&run, 0.5 * run.cell, TORN);
    double sank = before - snow_mean(run.world, "mpm.position").y;
    print_message("60 cm: largest intact piece %.3f, sinks by %.2g mm/s\n", intact.largest, 1e3 * sank);
    assert_true(intact.largest > 0.99 && fabs(sank) < 1e-4 && share_below(&run, -0.05) == 0);
    firn_world_close(run.world);
}

static void test_a_long_cornice_breaks_off(void **state) {
    (void)state;
    scene_run run = open_cornice(2.5);
    assert_ok(firn_world_advance(run.world, 1.5));
    scene_pieces pieces = pieces_of(&run);
    double fallen = share_below(&run, -1);
    print_message("2.5 m: %.2f have fallen, the largest of %zu pieces with %.2f\n", fallen, pieces.count,
                  pieces.largest);
    assert_true(fallen > 0.25 && pieces.largest > 0.5 && pieces.largest < 0.8);
    firn_world_close(run.world);
}

// A slab of 3 m on a slope of 20 degrees whose lower third has lost its support: it breaks off as one plate.
static void test_a_slab_breaks_off_as_plates(void **state) {
    (void)state;
    scene_run run =
        open_run("firn: 1\nduration: 3 s\nbodies: {slope: {shape: {box: {size: [8, 2, 2]}}, at: [-4, -1, "
                 "0], friction: 0.1}, floor: {shape: plane, at: [0, -1.5, 0], friction: 0.6}}\n"
                 "gravity: [3.4, -9.2, 0]\n"
                 "mpm: {cell: 5 cm, snow: {slab: {shape: {box: {size: [3, 0.2, 0.2]}}, at: [-0.5, 0.1, "
                 "0], type: slab}}}\n",
                 0.05);
    assert_ok(firn_world_advance(run.world, 0.4));
    scene_pieces intact = scene_count_pieces(&run, 0.5 * run.cell, TORN);
    print_message("%zu intact pieces, the largest with %.2f\n", intact.count, intact.largest);
    assert_true(intact.largest > 0.5 && intact.largest < 0.75);
    assert_ok(firn_world_advance(run.world, 0.4));
    scene_pieces pieces = pieces_of(&run);
    print_message("apart: the largest with %.2f\n", pieces.largest);
    assert_true(pieces.largest < 0.75);
    firn_world_close(run.world);
}

static firn_world *open_impact(double speed) {
    char yaml[400];
    snprintf(
        yaml, sizeof yaml,
        "firn: 1\nduration: 1 s\nbodies: {floor: {shape: plane}}\n"
        "mpm: {cell: 8 cm, snow: {ball: {shape: {sphere: {radius: 30 cm}}, at: [0, 0.35, 0], type: packed, "
        "velocity: [0, %g, 0]}}}\n",
        -speed);
    return open_text(yaml);
}

// Up to 60 m/s snow ends at the density of ice; beyond what the model describes the run ends, and says why.
static void test_no_impact_exceeds_ice(void **state) {
    (void)state;
    static const double speeds[] = {40, 60};
    for (int i = 0; i < 2; i++) {
        firn_world *world = open_impact(speeds[i]);
        double most = 0, closed = 0; // particles without pores, as firn info counts them
        for (int k = 0; k < 60; k++) {
            assert_ok(firn_world_advance(world, 0.02 / speeds[i]));
            closed = fmax(closed, series_value(world, "mpm", "items at the largest density", ""));
            firn_field density = firn_world_field(world, "mpm.density");
            for (size_t n = 0; n < density.count; n++)
                most = fmax(most, (double)((const float *)density.data)[n]);
        }
        print_message("%g m/s: at most %.0f kg/m3, %.0f particles at the largest density\n", speeds[i], most,
                      closed);
        assert_true(most > 500 && most < 1.01 * 917 && closed > 0);
        firn_world_close(world);
    }
    firn_world *world = open_impact(500);
    firn_status status = FIRN_OK;
    for (int k = 0; k < 40 && status == FIRN_OK; k++) {
        firn_field density = firn_world_field(world, "mpm.density");
        for (size_t n = 0; n < density.count; n++)
            assert_true((double)((const float *)density.data)[n] < 1.01 * 917);
        status = firn_world_step(world);
    }
    assert_int_equal(status, FIRN_UNSTABLE);
    assert_non_null(strstr(firn_last_error(), "snow of 'ball'"));
    assert_non_null(strstr(firn_last_error(), "largest density"));
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cornice_holds_its_weight),
        cmocka_unit_test(test_a_long_cornice_breaks_off),
        cmocka_unit_test(test_a_slab_breaks_off_as_plates),
        cmocka_unit_test(test_no_impact_exceeds_ice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
