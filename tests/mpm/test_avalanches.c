// The four flow regimes of avalanches (Li 2020), by friction and cohesion alone: velocity profiles of a strip
// of snow on one slope, between slippery planes. The scenes avalanche-* show the same. firn-test: slow
#include "worlds.h"

#include <math.h>

typedef struct profile {
    double base, surface; // m/s, down the slope: the lowest 8 cm and the highest 12 cm of the middle
    double plug;   // share of the depth, from the surface, that moves with more than 0.9 of its velocity
    double length; // m, of the avalanche
} profile;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static profile profile_of(const firn_world *world, double angle) {
    enum { LAYERS = 12 };
    const double layer = 0.04;
    firn_field place = firn_world_field(world, "mpm.position"),
               velocity = firn_world_field(world, "mpm.velocity");
    const double *x = place.data;
    const float *v = velocity.data;
    size_t n = place.count, top = 0;
    double *along = malloc(2 * n * sizeof *along), *sorted = along + n, sum[LAYERS] = {0},
           count[LAYERS] = {0};
    assert_non_null(along);
    for (size_t i = 0; i < n; i++) sorted[i] = along[i] = x[3 * i] * cos(angle) - x[3 * i + 1] * sin(angle);
    qsort(sorted, n, sizeof *sorted, by_size);
    for (size_t i = 0; i < n; i++) { // the middle of the avalanche
        if (along[i] < sorted[n * 3 / 10] || along[i] > sorted[n * 7 / 10]) continue;
        double above = x[3 * i] * sin(angle) + x[3 * i + 1] * cos(angle);
        size_t k = (size_t)fmin(fmax(above / layer, 0), LAYERS - 1);
        sum[k] += (double)v[3 * i] * cos(angle) - (double)v[3 * i + 1] * sin(angle);
        count[k]++;
    }
    profile p = {.length = sorted[n * 99 / 100] - sorted[n / 100]};
    free(along);
    while (top < LAYERS && count[top] > 10) top++;
    assert_true(top >= 4);
    p.base = (sum[0] + sum[1]) / (count[0] + count[1]);
    p.surface =
        (sum[top - 1] + sum[top - 2] + sum[top - 3]) / (count[top - 1] + count[top - 2] + count[top - 3]);
    for (size_t k = top; k-- > 0 && sum[k] / count[k] > 0.9 * p.surface;) p.plug += 1.0 / (double)top;
    return p;
}

static profile flow(const char *friction, const char *cohesion, const char *strength) {
    const double angle = 38 * acos(-1) / 180;
    char yaml[1200];
    snprintf(
        yaml, sizeof yaml,
        "firn: 1\nduration: 9 s\nbodies: {slope: {shape: plane, rotate: [0, 0, -38 deg], friction: 0.65}, "
        "left: {shape: plane, at: [0, 0, -12 cm], rotate: [90 deg, 0, 0], contact: slip}, right: {shape: "
        "plane, at: [0, 0, 12 cm], rotate: [-90 deg, 0, 0], contact: slip}}\n"
        "mpm: {cell: 8 cm, snow: {slab: {shape: {box: {size: [3, 0.4, 0.24]}}, at: [0.1231, 0.1576, 0], "
        "rotate: [0, 0, -38 deg], type: fresh, density: 200, young: 200 kPa, hardening: 3, "
        "critical_stretch: 0.05, softening_length: 0, friction_angle: %s, cohesion: %s, strength: %s, "
        "adhesion: 50 "
        "Pa}}}\n",
        friction, cohesion, strength);
    firn_world *world = open_text(yaml);
    assert_ok(firn_world_advance(world, 1.4));
    profile p = profile_of(world, angle);
    print_message("friction %s, cohesion %s of %s: base %.2f, surface %.2f m/s, plug %.2f, length %.2f m\n",
                  friction, cohesion, strength, p.base, p.surface, p.plug, p.length);
    firn_world_close(world);
    return p;
}

static void test_four_regimes(void **state) {
    (void)state;
    profile cold_dense = flow("22 deg", "0", "1 kPa"), warm_shear = flow("25 deg", "0.15", "1 kPa"),
            warm_plug = flow("25 deg", "0.4", "1 kPa"), slab = flow("35 deg", "1", "5 kPa");
    // Shear over the depth, fast and slower.
    assert_true(cold_dense.base < 0.5 * cold_dense.surface && cold_dense.plug < 0.4);
    assert_true(warm_shear.base < 0.5 * warm_shear.surface && warm_shear.plug < 0.5);
    assert_true(warm_shear.surface < 0.9 * cold_dense.surface);
    // Slips and shears a little below; more than half of the depth moves as a plug.
    assert_true(warm_plug.base < 0.95 * warm_plug.surface && warm_plug.base > 0.7 * warm_plug.surface);
    assert_true(warm_plug.plug > 0.5 && warm_plug.plug < 1);
    assert_true(warm_plug.length < warm_shear.length);
    // In one piece, all at the same speed.
    assert_near(slab.base / slab.surface, 1, 0.1);
    assert_near(slab.length, 3, 0.15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_four_regimes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
