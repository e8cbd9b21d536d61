// A scene that is turned by 90 degrees gives the same. Random fills do not turn with a scene and scatter by
// more than what is looked for (tools/measure_rest takes means over many), so the same fill is turned here.
// firn-test: slow
#include "worlds.h"

#include <math.h>

#include "mpm/snow.h"

// Axes are renamed: what was along x is along the axis `first`, y along the next, z along the one after it.
typedef struct turn {
    int first;
} turn;

static void turned(turn t, const double v[3], double out[3]) {
    for (int a = 0; a < 3; a++) out[(t.first + a) % 3] = v[a];
}

static firn_world *open_turned(turn t, const char *type, double implicit, bool thrown) {
    static const double gravity[3] = {0, -9.81, 0}, floor_size[3] = {6, 1, 6}, floor_at[3] = {0, -0.5, 0},
                        wall_size[3] = {1, 3, 6}, wall_at[3] = {0.53, 1, 0}, block[3] = {0.3, 0.3, 0.3},
                        fast[3] = {4, 0, 0}, slow[3] = {0, 0, 0};
    const double at[3] = {-0.22, thrown ? 0.17 : 0.15, 0};
    double v[8][3];
    const double *all[8] = {gravity, floor_size, floor_at, wall_size,
                            wall_at, block,      at,       thrown ? fast : slow};
    char yaml[1200];
    for (int i = 0; i < 8; i++) turned(t, all[i], v[i]);
#define V(i) v[i][0], v[i][1], v[i][2]
    snprintf(yaml, sizeof yaml,
             "firn: 1\nduration: 9 s\ngravity: [%g, %g, %g]\n"
             "bodies: {floor: {shape: {box: {size: [%g, %g, %g]}}, at: [%g, %g, %g]}, "
             "wall: {shape: {box: {size: [%g, %g, %g]}}, at: [%g, %g, %g]}}\n"
             "mpm: {cell: 10 cm, implicit: %g, snow: {block: {shape: {box: {size: [%g, %g, %g]}}, "
             "at: [%g, %g, %g], velocity: [%g, %g, %g], type: %s}}}\n",
             V(0), V(1), V(2), V(3), V(4), implicit, V(5), V(6), V(7), type);
#undef V
    return open_text(yaml);
}

// The snow's middle and its standard deviations, along the axes of the scene before it was turned; m.
static void shape_of(const firn_world *world, turn t, double out[6]) {
    size_t count;
    const double *x = snow_positions(world, &count);
    memset(out, 0, 6 * sizeof *out);
    for (int a = 0; a < 3; a++) {
        double square = 0, sum = 0;
        for (size_t i = 0; i < count; i++) {
            double at = x[3 * i + (size_t)((t.first + a) % 3)];
            sum += at / (double)count;
            square += at * at / (double)count;
        }
        out[a] = sum;
        out[3 + a] = sqrt(fmax(square - sum * sum, 0));
    }
}

// By how much of the block's size the turned one differs at most.
static double off_by(const char *type, double implicit, bool thrown, double seconds) {
    const turn still = {0}, around = {2}; // y, up, becomes x
    firn_world *a = open_turned(still, type, implicit, thrown),
               *b = open_turned(around, type, implicit, thrown);
    size_t count, same;
    const double *from = snow_positions(a, &count);
    double *to = (double *)(uintptr_t)snow_positions(b, &same), one[6], other[6], most = 0;
    assert_int_equal(count, same);
    for (size_t i = 0; i < count; i++) turned(around, from + 3 * i, to + 3 * i);
    assert_ok(firn_world_advance(a, seconds));
    assert_ok(firn_world_advance(b, seconds));
    shape_of(a, still, one);
    shape_of(b, around, other);
    for (int k = 0; k < 6; k++) most = fmax(most, fabs(one[k] - other[k]) / 0.3);
    assert_true(snow_inside(a) == 0 && snow_inside(b) == 0);
    firn_world_close(a);
    firn_world_close(b);
    print_message("%s, implicit %g, %s: %.2f %% of its size\n", type, implicit,
                  thrown ? "thrown at a wall" : "at rest", 100 * most);
    return most;
}

static void test_turned_snow_rests_alike(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "packed", "wet", "sand"};
    for (int i = 0; i < 8; i++) assert_true(off_by(types[i / 2], i % 2, false, 1) < 0.01);
}

static void test_turned_snow_hits_a_wall_alike(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "packed", "wet", "icy"};
    for (int i = 0; i < 4; i++) assert_true(off_by(types[i], 0, true, 0.3) < 0.01);
    assert_true(off_by("packed", 1, true, 0.3) < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turned_snow_rests_alike),
        cmocka_unit_test(test_turned_snow_hits_a_wall_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
