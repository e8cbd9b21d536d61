// firn-test: slow
// The drift around a cube: a horseshoe, with its corners and sides swept.
#include "wind/winds.h"

enum { H = 8, FRONT = 28, NX = 76, NY = 28, NZ = 56, BASE = 2, STEPS = 400 }; // cells
#define CELL 0.25

static firn_world *make_cube(void) {
    snowy_world w;
    snowy_setup(&w, NX, NY, NZ, CELL, 0.04);
    w.w.wind.inflow.profile = FIRN_WIND_LOG;
    w.w.wind.inflow.speed = 10;
    w.w.wind.inflow.roughness = w.w.wind.roughness = w.cover.roughness = 1e-3;
    w.w.wind.inflow.turbulence = 0.15;
    w.w.wind.inflow.turbulence_length = 3;
    w.w.wind.subgrid = 0.2;
    wind_box(&w.w, "cube", (firn_vec3){(FRONT + H / 2 - NX / 2) * CELL, (BASE + H) * CELL / 2, 0},
             (firn_vec3){H * CELL, (BASE + H) * CELL, H * CELL}); // it stands in the snow
    w.flakes.snowfall = 1e-3 / 3600;
    w.flakes.shown = 2000;
    w.flakes.filled = false;
    w.cover.drift = w.cover.wind = true;
    w.cover.saltation = 1;
    w.cover.drift_rate = 6000; // 27 hours in 16 s
    w.cover.drift_threshold = 0.2;
    w.cover.density = w.cover.settled = 350;
    w.cover.repose = 38 * PI / 180;
    return snowy_open(&w);
}

static void lay_snow(wind_state *s) {
    double full = (double)s->cover.density_new * pow(CELL, 3) / s->cover.unit;
    uint32_t flakes = (uint32_t)(full / COVER_PARTS);
    for (int k = 1; k <= NZ; k++)
        for (int i = 1; i <= NX; i++)
            for (int j = 1; j <= BASE; j++) {
                size_t a = poisson_at(&s->box, i, j, k);
                if (s->owner[a]) continue;
                cover_put(s, a, flakes * COVER_PARTS);
                s->flakes.counters[FLAKES_EMITTED] += flakes;
                s->flakes.counters[FLAKES_LANDED] += flakes;
            }
}

// Snow above the first depth (m) in the mean over a part of the ground, in heights: x from the front, z from
// the middle to both sides.
static double gained(const wind_state *s, double x0, double x1, double z0, double z1) {
    double sum = 0, count = 0;
    for (int k = 1; k <= NZ; k++)
        for (int i = 1; i <= NX; i++) {
            double x = (i - 0.5 - FRONT) / H, z = fabs(k - 0.5 - NZ / 2) / H;
            if (x < x0 || x > x1 || z < z0 || z > z1 || s->owner[poisson_at(&s->box, i, BASE + 1, k)])
                continue;
            for (int j = 1; j <= NY; j++) sum += cover_fill(s, poisson_at(&s->box, i, j, k));
            count++;
        }
    return (sum / count - BASE) * CELL;
}

static void snow_lies_in_a_horseshoe(void **state) {
    (void)state;
    firn_world *world = make_cube();
    wind_state *s = wind_of(world);
    lay_snow(s);
    wind_steps(world, STEPS);
    double before = gained(s, -0.9, -0.3, 0, 0.5), edge = gained(s, -0.13, 0, 0, 0.5),
           beside = gained(s, 0.1, 1.2, 0.5, 0.9), arm = gained(s, 0, 0.8, 1, 1.6),
           outside = gained(s, -0.5, 1, 2.3, 2.8), behind = gained(s, 1.6, 3, 0.5, 0.9);
    print_message("cube of 2 m: before it %+.2f m (at its foot %+.2f), beside it %+.2f, arms %+.2f, outside "
                  "%+.2f, behind its sides %+.2f\n",
                  before, edge, beside, arm, outside, behind);
    assert_true(before > 0.05 && edge < before - 0.04);
    assert_true(arm > 0.02 && arm > beside + 0.08 && arm > outside + 0.06);
    assert_true(beside < -0.03 && behind < 0);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(snow_lies_in_a_horseshoe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
