// Large things: a box that pushes a heap, blades that clear a lane.
#include "snowfield/snowfield_world.h"

#include <stdio.h>

#include "snowfield/snowfield_inside.h"

#define DEG (3.14159265358979 / 180)

static firn_world *open_text(const char *scene) {
    firn_world *world;
    assert_ok(firn_world_open_text(scene, "large", &world));
    return world;
}

static bool under_body(const snowfield_state *s, int x, int z) {
    if (snowfield_tile_at(s, x >> s->shift, z >> s->shift) == TILE_NONE) return false;
    size_t covered = snowfield_covered(s, snowfield_cell(s, x, z));
    return covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF;
}

// Degrees by which the steepest cell is steeper than `limit`; no fall is counted towards a body.
static double excess(const firn_world *world, double limit) {
    const snowfield_state *s = state_of(world);
    snowfield_map m = map_of(world);
    double worst = 0;
    for (int z = 1; z < m.nz - 1; z++) {
        for (int x = 1; x < m.nx - 1; x++) {
            if (m.depth[z * m.nx + x] < 1e-4 || under_body(s, x, z)) continue;
            double f[9];
            for (int k = 0; k < 9; k++) {
                int nx = x + k % 3 - 1, nz = z + k / 3 - 1;
                f[k] = under_body(s, nx, nz) ? 0 : fmax(map_top(&m, x, z) - map_top(&m, nx, nz), 0);
            }
            double sides = hypot(fmax(f[3], f[5]), fmax(f[1], f[7]));
            double across = fmax(fmax(f[0], f[2]), fmax(f[6], f[8])) / sqrt(2);
            worst = fmax(worst, atan(fmax(sides, across) / m.cell) - limit);
        }
    }
    map_free(&m);
    return worst / DEG;
}

static const char box_scene[] =
    "firn: 1\nduration: 10 s\nfps: 60\nbodies:\n"
    "  ground: {shape: plane}\n"
    "  box:\n    shape: {box: {size: [1.2 m, 1.2 m, 1.2 m]}}\n    motion:\n"
    "      - {time: 0, at: [-4.2, 0.62, 0]}\n"
    "      - {time: 0.1 s, at: [-4, 0.62, 0]}\n"
    "      - {time: 0.2 s, at: [-3.6, 0.62, 0]}\n"
    "      - {time: 2 s, at: [3.6, 0.62, 0]}\n"
    "      - {time: 2.1 s, at: [4, 0.62, 0]}\n"
    "field: {width: 10 m, length: 10 m, cell: 78.125 mm, snow: fresh, depth: 60 cm,\n"
    "        slope_loose: 31 deg, slope_packed: 31 deg, border: wall, bits: {most: 0}}\n";

// FIELD11 5.1, 4 m/s: no wall of snow stands before the box after any frame, no unit of mass is lost, and
// threads do not show.
static void test_heap_before_a_box_keeps_its_slope(void **state) {
    (void)state;
    firn_set_threads(1);
    firn_world *one = open_text(box_scene);
    firn_set_threads(3);
    firn_world *three = open_text(box_scene);
    double before = snowfield_ledger_of(one).mass, steepest = 0;
    for (int frame = 0; frame < 90; frame++) {
        firn_set_threads(1);
        assert_ok(firn_world_advance(one, 1.0 / 60));
        firn_set_threads(3);
        assert_ok(firn_world_advance(three, 1.0 / 60));
        double over = excess(one, 31 * DEG);
        if (over > 3) fail_msg("frame %d: %.2f degrees too steep", frame, over);
        steepest = fmax(steepest, over);
    }
    assert_true(snowfield_ledger_of(one).mass == before);
    snowfield_map a = map_of(one), b = map_of(three);
    assert_memory_equal(a.depth, b.depth, (size_t)(a.nx * a.nz) * sizeof *a.depth);
    int front = (int)((1.6 + 0.6 + 0.15 - a.x0) / a.cell), middle = a.nz / 2;
    double heap = map_top(&a, front, middle);
    print_message("heap %.3f m, slopes at most %.2f degrees too steep\n", heap, steepest);
    assert_true(heap > 0.7); // snow lay 60 cm high
    map_free(&a), map_free(&b);
    firn_world_close(one);
    firn_world_close(three);
    firn_set_threads(0);
}

typedef enum blade { STRAIGHT, ANGLED, V_SHAPED } blade;

static void write_plough(char *scene, size_t room, blade kind, double speed, const char *snow) {
    static const char *const shapes[] = {
        "{box: {size: [10 cm, 80 cm, 2 m]}}", "{box: {size: [10 cm, 80 cm, 2.3 m]}}",
        "{union: {parts: {a: {shape: {box: {size: [10 cm, 80 cm, 1.3 m]}}, at: [-0.36, 0, 0.5], rotate: [0, "
        "-35 deg, 0]}, b: {shape: {box: {size: [10 cm, 80 cm, 1.3 m]}}, at: [-0.36, 0, -0.5], rotate: [0, 35 "
        "deg, 0]}}}}"};
    double turn = kind == ANGLED ? -30 : 0, way = 4;
    snprintf(scene, room,
             "firn: 1\nduration: 100 s\nfps: 60\nbodies:\n  ground: {shape: plane}\n  board:\n    shape: %s\n"
             "    motion:\n      - {time: 0, at: [-2.2, 0.42, 0], rotate: [0, %g deg, 0]}\n"
             "      - {time: %g s, at: [%g, 0.42, 0], rotate: [0, %g deg, 0]}\n"
             "field: {width: 7 m, length: 6 m, cell: 5 cm, depth: 25 cm, snow: %s}\n",
             shapes[kind], turn, way / speed, way - 2.2, turn, snow);
}

// Mean depth in the middle of the cleared lane, and snow above the first depth on both sides, in m3.
static void look_behind(const firn_world *world, double *left, double bank[2]) {
    snowfield_map m = map_of(world);
    double sum = 0, n = 0;
    bank[0] = bank[1] = 0;
    for (int z = 0; z < m.nz; z++) {
        for (int x = 0; x < m.nx; x++) {
            double px = m.x0 + (x + 0.5) * m.cell, pz = m.z0 + (z + 0.5) * m.cell, d = m.depth[z * m.nx + x];
            if (px < -1.2 || px > 0.6) continue;
            if (fabs(pz) < 0.4) sum += d, n++;
            bank[pz > 0] += fmax(d - 0.25, 0) * m.cell * m.cell;
        }
    }
    *left = sum / n;
    map_free(&m);
}

static void check_plough(blade kind, double speed, const char *snow) {
    char scene[1200];
    write_plough(scene, sizeof scene, kind, speed, snow);
    firn_world *world = open_text(scene);
    assert_ok(firn_world_advance(world, 4 / speed));
    double left, bank[2];
    look_behind(world, &left, bank);
    print_message("blade %d, %g m/s, %s: %.3f m left, banks %.3f and %.3f m3\n", (int)kind, speed, snow, left,
                  bank[0], bank[1]);
    assert_true(left < 0.033);
    assert_true(bank[0] + bank[1] > 0.1);
    if (kind == ANGLED)
        assert_true(bank[1] > 8 * bank[0]); // at the end that lags behind
    else
        assert_near(bank[0], bank[1], 0.15 * (bank[0] + bank[1]));
    firn_world_close(world);
}

static void test_blades_clear_a_lane(void **state) {
    (void)state;
    const double speeds[] = {1, 2, 3.2};
    for (int kind = STRAIGHT; kind <= V_SHAPED; kind++)
        for (int k = 0; k < 3; k++) check_plough((blade)kind, speeds[k], "fresh");
    const char *const snows[] = {"powder", "packed", "wet"};
    for (int k = 0; k < 3; k++) check_plough(ANGLED, 2, snows[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap_before_a_box_keeps_its_slope),
                                       cmocka_unit_test(test_blades_clear_a_lane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
