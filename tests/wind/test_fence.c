// firn-test: slow
// The drift of a fence of half porosity in a time-lapse, against the one that Tabler (1980) measured.
#include "wind/winds.h"

enum { ACROSS = 16, BASE = 2 }; // cells
#define CELL 0.25
#define BEFORE 16.0 // m
#define BEHIND 36.0
#define SECTION 19.3 // of Tabler's drift in the lee, in squares of the height, which is 1 m

static firn_world *make_fence(void) {
    snowy_world w;
    snowy_setup(&w, (int)((BEFORE + BEHIND) / CELL), 32, ACROSS, CELL, 0.04);
    w.w.wind.inflow.profile = FIRN_WIND_LOG;
    w.w.wind.inflow.speed = 10;
    w.w.wind.inflow.roughness = w.w.wind.roughness = w.cover.roughness = 1e-3;
    w.w.wind.inflow.turbulence = 0.15;
    w.w.wind.inflow.turbulence_length = 3;
    w.w.wind.subgrid = 0.2; // with these two u* over snow without a fence is the same along 52 m
    w.w.wind.sides.north = w.w.wind.sides.south = w.w.wind.sides.top = FIRN_WIND_WALL;
    for (int n = 0; n < 2; n++) // gap, board, gap, board above the snow
        wind_box(&w.w, n ? "high" : "low",
                 (firn_vec3){0.5 * (BEFORE - BEHIND) + 0.5 * CELL, (BASE + 1.5 + 2 * n) * CELL, 0},
                 (firn_vec3){0.02, CELL, ACROSS * CELL});
    w.flakes.snowfall = 1e-3 / 3600;
    w.flakes.shown = 2000;
    w.flakes.filled = false;
    w.cover.drift = w.cover.wind = true;
    w.cover.saltation = 1;
    w.cover.drift_rate = 20000;
    w.cover.drift_threshold = 0.2;
    w.cover.density = w.cover.settled = 350;
    w.cover.repose = 38 * PI / 180;
    return snowy_open(&w);
}

static void lay_snow(wind_state *s) {
    double full = (double)s->cover.density_new * pow(CELL, 3) / s->cover.unit;
    uint32_t flakes = (uint32_t)(full / COVER_PARTS);
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int i = 1; i <= s->box.n[0]; i++)
            for (int j = 1; j <= BASE; j++) {
                cover_put(s, poisson_at(&s->box, i, j, k), flakes * COVER_PARTS);
                s->flakes.counters[FLAKES_EMITTED] += flakes;
                s->flakes.counters[FLAKES_LANDED] += flakes;
            }
}

typedef struct fence_drift {
    double depth, length, section, before; // m, in the lee; m2; m, depth before the fence
} fence_drift;

static fence_drift drift_of(const wind_state *s) {
    fence_drift out = {0};
    for (int i = 1; i <= s->box.n[0]; i++) {
        double sum = 0, x = (i - 1) * CELL - BEFORE;
        for (int k = 1; k <= s->box.n[2]; k++)
            for (int j = 1; j <= s->box.n[1]; j++) sum += cover_fill(s, poisson_at(&s->box, i, j, k));
        double depth = (sum / ACROSS - BASE) * CELL;
        if (x <= 0) {
            out.before = fmax(out.before, depth);
            continue;
        }
        out.depth = fmax(out.depth, depth);
        out.section += fmax(depth, 0) * CELL;
        if (depth > 0.05) out.length = x;
    }
    return out;
}

// Friction velocity over the snow between x0 and x1 (m behind the fence).
static double friction_between(const wind_state *s, double x0, double x1) {
    double sum = 0, count = 0;
    for (int i = 1; i <= s->box.n[0]; i++)
        for (int k = 1; k <= s->box.n[2]; k++) {
            double x = (i - 0.5) * CELL - BEFORE;
            size_t a = poisson_at(&s->box, i, 1, k);
            if (x < x0 || x > x1) continue;
            while (s->cover.mass[a + s->box.row]) a += s->box.row;
            sum += drift_friction_speed(s, a), count++;
        }
    return sum / count;
}

// Snow in the lee of the section that Tabler measured lies as long and as deep as his, within 20 %, and what
// has filled up is near equilibrium: the wind over it (0.83 of u* in the last 4 s, 0.97 over a minute)
// carries most of what comes.
static void the_drift_is_as_long_and_deep_as_measured(void **state) {
    (void)state;
    firn_world *world = make_fence();
    wind_state *s = wind_of(world);
    lay_snow(s);
    fence_drift d = {0};
    double over = 0, comes = 0;
    for (int n = 0; n < 40 && d.section < SECTION; n++) {
        over = comes = 0;
        for (int part = 0; part < 10; part++) {
            wind_steps(world, 10);
            over += friction_between(s, 2, 8) / 10;
            comes += friction_between(s, -15, -11) / 10;
        }
        d = drift_of(s);
    }
    print_message("lee: section %.1f H2, length %.1f H, depth %.2f H; before the fence: depth %.2f H\n",
                  d.section, d.length, d.depth, d.before);
    print_message("friction velocity over the drift %.3f of that before it\n", over / comes);
    assert_true(d.section >= SECTION && d.section < 1.1 * SECTION);
    assert_near(d.length, 30, 6);
    assert_near(d.depth, 1.2, 0.24);
    assert_true(d.before < 0.85); // of Tabler's 0.5
    assert_true(over > 0.75 * comes);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_drift_is_as_long_and_deep_as_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
