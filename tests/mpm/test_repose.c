// The angle of dry snow at rest, where nothing lands: a layer on a slope stays below its angle and flows
// above it, and a block whose side is open drains to its angle of repose. Slices two cells wide between
// slippery planes. firn-test: slow
#include "worlds.h"

#include <math.h>

#define DEGREE (3.14159265358979 / 180)
#define CELL 0.03
#define SIDES                                                                                                \
    "a: {shape: plane, rotate: [90 deg, 0, 0], contact: slip}, "                                             \
    "b: {shape: plane, at: [0, 0, 6 cm], rotate: [-90 deg, 0, 0], contact: slip}"

// A layer of sand, 1.2 m x 12 cm, on a rough floor that is tilted by way of gravity. With ends it lies in a
// box: its free ends would slump, which is no flow of the layer.
static firn_world *layer_at(double degrees, bool ends) {
    char yaml[1000];
    snprintf(yaml, sizeof yaml,
             "firn: 1\nduration: 9 s\ngravity: [%.6f, %.6f, 0]\n"
             "bodies: {floor: {shape: plane, contact: sticky}, " SIDES "%s}\n"
             "mpm: {cell: 3 cm, snow: {layer: {shape: {box: {size: [1.2 m, 12 cm, 6 cm]}}, at: [0, 6 cm, 3 "
             "cm], type: sand}}}\n",
             9.81 * sin(degrees * DEGREE), -9.81 * cos(degrees * DEGREE),
             ends ? ", l: {shape: plane, at: [-60 cm, 0, 0], rotate: [0, 0, -90 deg], contact: slip}, "
                    "r: {shape: plane, at: [60 cm, 0, 0], rotate: [0, 0, 90 deg], contact: slip}"
                  : "");
    return open_text(yaml);
}

// Mean velocity down the slope of the uppermost quarter, in the middle of the layer; m/s.
static double top_speed(const firn_world *world) {
    firn_field x = firn_world_field(world, "mpm.position"), v = firn_world_field(world, "mpm.velocity");
    const double *at = x.data;
    const float *speed = v.data;
    double middle = 0, sum = 0, n = 0;
    for (size_t i = 0; i < x.count; i++) middle += at[3 * i] / (double)x.count;
    for (size_t i = 0; i < x.count; i++) {
        if (fabs(at[3 * i] - middle) > 0.2 || at[3 * i + 1] < 0.09) continue;
        sum += (double)speed[3 * i];
        n += 1;
    }
    assert_true(n > 20);
    return sum / n;
}

static void test_a_layer_stays_below_its_angle(void **state) {
    (void)state;
    firn_world *world = layer_at(31, true);
    assert_ok(firn_world_advance(world, 0.2));
    double early = top_speed(world);
    assert_ok(firn_world_advance(world, 0.2));
    double late = top_speed(world);
    print_message("31 degrees: %.2f mm/s after 0.2 s, %.2f after 0.4 s\n", 1000 * early, 1000 * late);
    assert_true(fabs(late) < 0.8 * fabs(early) && fabs(late) < 4e-3); // 80 mm/s with a friction of 30 degrees
    firn_world_close(world);
}

// It flows with g (sin - tan(phi) cos), phi between that of fast flow, 30 degrees, and that of rest, 35.
static void test_a_layer_flows_above_its_angle(void **state) {
    (void)state;
    double g = 9.81, slope = 43 * DEGREE, time = 0.3;
    firn_world *world = layer_at(43, false);
    assert_ok(firn_world_advance(world, time));
    double rate = top_speed(world) / time, fast = g * (sin(slope) - tan(30 * DEGREE) * cos(slope)),
           slow = g * (sin(slope) - tan(35 * DEGREE) * cos(slope));
    print_message("43 degrees: %.2f m/s2, between %.2f and %.2f by its friction\n", rate, slow, fast);
    assert_true(rate > slow && rate < fast);
    firn_world_close(world);
}

// Height of a column of cells: twice the mean height of its particles. Angle of a line through what is
// between 20 and 80 % of the height, degrees.
static double slope_of(const firn_world *world) {
    enum { COLUMNS = 14 };
    firn_field f = firn_world_field(world, "mpm.position");
    const double *x = f.data;
    double in[COLUMNS] = {0}, height[COLUMNS] = {0}, top = 0, n = 0, sr = 0, sy = 0, srr = 0, sry = 0;
    for (size_t i = 0; i < f.count; i++) {
        if (x[3 * i + 1] < 0 || x[3 * i] >= COLUMNS * CELL) continue;
        int k = (int)(x[3 * i] / CELL);
        in[k] += 1;
        height[k] += 2 * x[3 * i + 1];
    }
    for (int k = 0; k < COLUMNS; k++) top = fmax(top, height[k] /= fmax(in[k], 1));
    for (int k = 0; k < COLUMNS; k++) {
        double r = k * CELL, y = height[k];
        if (y < 0.2 * top || y > 0.8 * top) continue;
        n += 1, sr += r, sy += y, srr += r * r, sry += r * y;
    }
    assert_true(n > 3);
    return atan(-(n * sry - sr * sy) / (n * srr - sr * sr)) / DEGREE;
}

// A block of 14 x 7 cells on a shelf; mean of three moments.
static double drained_angle(const char *type) {
    char yaml[1000];
    snprintf(
        yaml, sizeof yaml,
        "firn: 1\nduration: 9 s\n"
        "bodies: {shelf: {shape: {box: {size: [142 cm, 50 cm, 1 m]}}, at: [-29 cm, -25 cm, 3 cm], contact: "
        "sticky}, wall: {shape: plane, rotate: [0, 0, -90 deg], contact: slip}, " SIDES "}\n"
        "mpm: {cell: 3 cm, floor: -18 cm, snow: {block: {shape: {box: {size: [42 cm, 21 cm, 6 cm]}}, "
        "at: [21 cm, 10.5 cm, 3 cm], type: %s}}}\n",
        type);
    firn_world *world = open_text(yaml);
    double angle = 0;
    assert_ok(firn_world_advance(world, 0.9));
    for (int k = 0; k < 3; k++) {
        assert_ok(firn_world_advance(world, 0.1));
        angle += slope_of(world) / 3;
    }
    firn_world_close(world);
    return angle;
}

// As the same types stand in the snow field model.
static void test_a_block_drains_to_its_angle_of_repose(void **state) {
    (void)state;
    static const struct {
        const char *type;
        double repose;
    } cases[] = {{"sand", 34}, {"powder", 35}, {"granular", 36}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double angle = drained_angle(cases[i].type);
        print_message("%s drains to %.1f degrees; angle of repose %g\n", cases[i].type, angle,
                      cases[i].repose);
        assert_true(fabs(angle - cases[i].repose) < 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_layer_stays_below_its_angle),
        cmocka_unit_test(test_a_layer_flows_above_its_angle),
        cmocka_unit_test(test_a_block_drains_to_its_angle_of_repose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
