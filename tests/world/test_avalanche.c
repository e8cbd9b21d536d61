// Avalanches of the snow field: how far they run, and what they leave.
// firn-test: slow
#include "mpm_field.h"

typedef struct deposit {
    double released; // m3
    double front;    // m, from the foot of the slope
    double volume;   // m3 that the field has more than at the start
    double moved;    // m, the largest change of a height
    size_t left;     // particles
} deposit;

// The last row of cells with some particles over it: single ones fly farther.
static double front_of_particles(const firn_world *world, const firn_snowfield *f) {
    enum { ROWS = 200, SOME = 5 };
    size_t count[ROWS] = {0};
    firn_field x = firn_world_field(world, "mpm.position");
    for (size_t i = 0; i < x.count; i++) {
        double row = floor((((const double *)x.data)[3 * i] - f->x0) / f->cell);
        if (row >= 0 && row < ROWS) count[(size_t)row]++;
    }
    for (size_t row = ROWS; row-- > 0;)
        if (count[row] >= SOME) return f->x0 + ((double)row + 0.5) * f->cell;
    return -INFINITY;
}

// Snow on a slope above a plain; part of it fails.
static deposit avalanche(double degrees, const char *friction) {
    char words[2048];
    double c = cos(degrees * 0.0174533), s = sin(degrees * 0.0174533);
    snprintf(words, sizeof words,
             HEAD
             "field: {width: 5.6 m, length: 1.6 m, cell: 8 cm, depth: 30 cm, snow: powder, slope_loose: 42 "
             "deg, slope_packed: 45 deg, ground: {shape: {union: {parts: {\n"
             "  slope: {shape: {box: {size: [6, 2, 4]}}, at: [%.5f, %.5f, 0], rotate: [0, 0, %.2f deg]},\n"
             "  plain: {shape: {box: {size: [20, 2, 4]}}, at: [9.5, -1, 0]}}}}}}\n"
             "mpm: {cell: 10 cm}\n"
             "coupling: {mpm_field: {friction: %s, rest_time: 0.2 s, rest_speed: 4 cm/s, fail: {slab: "
             "{at: [-1.2, 0, 0], radius: 65 cm, depth: 14 cm}}}}\n",
             -3 * c - s, 3 * s - c, -degrees, friction);
    firn_world *world = open_world(words);
    double before = mass_of(world);
    deposit d = {0};
    size_t cells = read_heights(world, heights[0]);
    while (firn_world_time(world) < 0.5 || (particles_of(world) > 0 && firn_world_time(world) < 5)) {
        assert_ok(firn_world_advance_frame(world));
        d.released = fmax(d.released, ledger_of(world, "mpm").mass / 150);
    }
    assert_near(mass_of(world), before, 1e-12 * before);
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    read_heights(world, heights[1]);
    for (size_t i = 0; i < cells; i++) {
        double more = (double)heights[1][i] - (double)heights[0][i];
        d.volume += more * f.cell * f.cell;
        d.moved = fmax(d.moved, fabs(more));
        if (more > 0.02) d.front = fmax(d.front, f.x0 + ((double)(i % (size_t)f.nx) + 0.5) * f.cell);
    }
    d.left = particles_of(world);
    d.volume += ledger_of(world, "mpm").mass / 150;
    d.front = fmax(d.front, front_of_particles(world, &f));
    print_message("%.0f degrees, friction %s: front at %.2f m after %.1f s; %.4f m3 released, %+.4f m3 more "
                  "then; %zu particles left; heights changed by %.3f m\n",
                  degrees, friction, d.front, firn_world_time(world), d.released, d.volume, d.left, d.moved);
    firn_world_close(world);
    return d;
}

static void test_avalanches_run_farther_on_steep_slopes_with_little_friction(void **state) {
    (void)state;
    deposit steep = avalanche(38, "0.3"), flat = avalanche(30, "0.3"), rough = avalanche(38, "0.45"),
            held = avalanche(18, "auto");
    assert_true(steep.front > flat.front + 0.07 && steep.front > rough.front + 0.07);
    assert_true(held.moved < 0.02); // below the angle of repose nothing runs
    const deposit all[] = {steep, flat, rough, held};
    for (size_t k = 0; k < 4; k++) {
        assert_true(all[k].released > 0.05);
        assert_near(all[k].volume, 0, (k == 0 ? 0.2 : 0.05) * all[k].released); // fast powder gets denser
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_avalanches_run_farther_on_steep_slopes_with_little_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
