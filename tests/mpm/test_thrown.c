// Each snow type does at a wall what people know, by its name alone: a sphere of 15 cm, thrown with 12 m/s,
// cells of 2 cm; of 3 cm where it turns to dust, which takes long. Pieces are counted by position: particles
// in the same or in touching cubes of half a cell belong together; of hard pieces only snow counts that is
// not torn. firn-test: slow
#include "mpm/scenes.h"
#include "worlds.h"

static const double WALL = 0.2, TORN = 1.05;

static scene_run thrown(const char *type, int seed, double cell, double seconds) {
    char yaml[600];
    snprintf(yaml, sizeof yaml,
             "firn: 1\nduration: 2 s\nseed: %d\n"
             "bodies: {wall: {shape: {box: {size: [20 cm, 6 m, 6 m]}}, at: [30 cm, 0, 0]}}\n"
             "mpm: {cell: %g, snow: {ball: {shape: {sphere: {radius: 15 cm}}, at: [0, 0, 0], type: %s, "
             "velocity: [12, 0, 0]}}}\n",
             seed, cell, type);
    scene_run run = {.name = type, .world = open_text(yaml), .cell = cell};
    assert_ok(firn_world_advance(run.world, seconds));
    assert_true(snow_inside(run.world) == 0);
    return run;
}

// Standard deviation along the wall, m.
static double spread_of(const scene_run *run) {
    size_t count;
    const double *x = snow_positions(run->world, &count);
    double sum = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        sum += x[3 * i + 2] / (double)count;
        square += x[3 * i + 2] * x[3 * i + 2] / (double)count;
    }
    return sqrt(square - sum * sum);
}

// Share that is within `reach` of the wall, where it was hit, and does not fall.
static double stuck(const scene_run *run, double reach) {
    size_t count, stays = 0;
    const double *x = snow_positions(run->world, &count);
    const float *v = scene_field(run, "mpm.velocity", NULL);
    for (size_t i = 0; i < count; i++)
        stays += x[3 * i] > WALL - reach && fabs(x[3 * i + 1]) < 0.5 && fabsf(v[3 * i + 1]) < 0.2f;
    return (double)stays / (double)count;
}

static double back_of(const scene_run *run) { // m/s, away from the wall
    size_t count;
    snow_positions(run->world, &count);
    const float *v = scene_field(run, "mpm.velocity", NULL);
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum -= (double)v[3 * i] / (double)count;
    return sum;
}

static scene_pieces apart(const scene_run *run) {
    size_t count;
    const double *x = snow_positions(run->world, &count);
    return piece_count(x, count, 0.5 * run->cell);
}

// Dust and grains along the wall; nothing stays.
static void test_dry_snow_sprays(void **state) {
    (void)state;
    static const char *const types[] = {"powder", "granular"};
    for (int i = 0; i < 2; i++) {
        scene_run run = thrown(types[i], 1, 0.03, 0.3);
        scene_pieces pieces = apart(&run);
        double spread = spread_of(&run), on_wall = stuck(&run, 0.04);
        print_message("%s: spread along the wall %.2f m, %zu pieces, the largest %.2f; %.3f stay\n", types[i],
                      spread, pieces.count, pieces.largest, on_wall);
        assert_true(spread > 0.35 && pieces.count > 500 && pieces.largest < 0.4 && on_wall < 0.01);
        firn_world_close(run.world);
    }
}

static void test_fresh_snow_bursts_and_leaves_a_patch(void **state) {
    (void)state;
    scene_run run = thrown("fresh", 1, 0.02, 0.4);
    scene_pieces pieces = apart(&run);
    double on_wall = stuck(&run, 0.04);
    print_message("fresh: %.3f stay on the wall, the largest of %zu pieces %.2f\n", on_wall, pieces.count,
                  pieces.largest);
    assert_true(on_wall > 0.01 && on_wall < 0.1 && pieces.largest < 0.2);
    firn_world_close(run.world);
}

static void test_packed_snow_breaks_into_pieces(void **state) {
    (void)state;
    static const struct {
        const char *type;
        double cell, time, largest;
    } cases[] = {{"packed", 0.02, 0.1, 0.5}, {"snowball", 0.03, 0.2, 0.25}};
    for (int i = 0; i < 2; i++) {
        scene_run run = thrown(cases[i].type, 1, cases[i].cell, cases[i].time);
        scene_pieces pieces = apart(&run);
        print_message("%s: %zu pieces, the largest %.2f\n", cases[i].type, pieces.count, pieces.largest);
        assert_true(pieces.count > 10 && pieces.largest < cases[i].largest);
        firn_world_close(run.world);
    }
}

static void test_wet_snow_sticks(void **state) {
    (void)state;
    scene_run run = thrown("wet", 1, 0.02, 1);
    double on_wall = stuck(&run, 0.06), spread = spread_of(&run);
    print_message("wet: %.2f on the wall after 1 s, spread along it %.2f m\n", on_wall, spread);
    assert_true(on_wall > 0.3 && spread < 0.15);
    firn_world_close(run.world);
}

// Few hard pieces that bounce, whatever the seed of the seams between them.
static void test_ice_breaks_into_few_hard_pieces(void **state) {
    (void)state;
    for (int seed = 1; seed <= 2; seed++) {
        scene_run run = thrown("icy", seed, 0.02, 0.06);
        scene_pieces hard = scene_count_pieces(&run, 0.5 * run.cell, TORN);
        double back = back_of(&run);
        print_message("icy, seed %d: %zu hard pieces, the largest %.2f, bounce with %.1f m/s\n", seed,
                      hard.count, hard.largest, back);
        assert_true(hard.count >= 4 && hard.count <= 20 && hard.largest < 0.4);
        assert_true(back > 1.5);
        firn_world_close(run.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dry_snow_sprays),
        cmocka_unit_test(test_fresh_snow_bursts_and_leaves_a_patch),
        cmocka_unit_test(test_packed_snow_breaks_into_pieces),
        cmocka_unit_test(test_wet_snow_sticks),
        cmocka_unit_test(test_ice_breaks_into_few_hard_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
