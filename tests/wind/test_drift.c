// firn-test: slow
// Drift: how much snow passes, from which wind on, that none is lost, and that it ends in the lee.
#include "wind/winds.h"

#include "bits.h"

static void drift_setup(snowy_world *w, int nx, int ny, int nz, double cell, double dt) {
    snowy_setup(w, nx, ny, nz, cell, dt);
    w->w.wind.inflow.speed = 10;
    w->cover.drift = true;
}

// Snow of this many cells everywhere.
static void lay_snow(wind_state *s, double depth) {
    double full = (double)s->cover.density_new * pow(s->def.cell, 3) / s->cover.unit;
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int i = 1; i <= s->box.n[0]; i++) {
            uint32_t flakes = (uint32_t)(depth * full / COVER_PARTS);
            cover_put(s, poisson_at(&s->box, i, 1, k), flakes * COVER_PARTS);
            s->flakes.counters[FLAKES_EMITTED] += flakes;
            s->flakes.counters[FLAKES_LANDED] += flakes;
        }
}

static void flat(snowy_world *w, double dt) {
    drift_setup(w, 64, 6, 8, 0.5, dt);
    w->w.wind.sides.north = w->w.wind.sides.south = FIRN_WIND_WALL;
    w->flakes.snowfall = 1e-3 / 3600;
    w->flakes.shown = 8000;
}

static bool drifts(const wind_flakes *f, size_t i) { return f->trait[i][TRAIT_RADIUS] == 0; }

// Over flat snow, far enough from where it begins, as much passes as the law says; for any step.
static void as_much_passes_as_the_law_says(void **state) {
    (void)state;
    const double steps[] = {0.02, 0.1}, depth[] = {0.9, 0.4};
    for (int n = 0; n < 2; n++) {
        snowy_world w;
        flat(&w, steps[n]);
        firn_world *world = snowy_open(&w);
        wind_state *s = wind_of(world);
        lay_snow(s, depth[n]);
        double sum = 0, count = 0, friction = 0.4 * 10 / log1p((1.5 - depth[n]) * 0.5 / 1e-3);
        double law = 0.68 * 1.3 / 9.81 * 0.2 / friction * (friction * friction - 0.04);
        assert_near(drift_friction_speed(s, poisson_at(&s->box, 40, 1, 4)), friction, 0.01 * friction);
        for (int i = 0; i < (int)(4 / steps[n]); i++) {
            wind_steps(world, 1);
            if ((i + 1) * steps[n] < 2.5) continue; // several times as long as a flight
            for (size_t f = 0; f < s->flakes.count; f++)
                if (drifts(&s->flakes, f) && s->flakes.position[f][0] > 0 && s->flakes.position[f][0] < 15)
                    sum += s->flakes.mass * (double)s->flakes.velocity[f][0] / (15 * 4);
            count++;
        }
        print_message("dt %g: %.4g kg/ms, law %.4g\n", steps[n], sum / count, law);
        assert_near(sum / count, law, 0.05 * law);
        firn_world_close(world);
    }
}

static double mass_between(const wind_state *s, int first, int last) {
    double sum = 0;
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int j = 1; j <= s->box.n[1]; j++)
            for (int i = first; i <= last; i++) sum += s->cover.mass[poisson_at(&s->box, i, j, k)];
    return sum;
}

// Air that blows in carries its drift: snow at the border is not eroded faster than that farther in, as if
// the ground before it were bare.
static void drift_blows_in(void **state) {
    (void)state;
    snowy_world w;
    flat(&w, 0.1);
    w.cover.drift_rate = 200; // without it 3 % were lost
    firn_world *world = snowy_open(&w);
    wind_state *s = wind_of(world);
    lay_snow(s, 0.9);
    double first = mass_between(s, 1, 12), middle = mass_between(s, 31, 42);
    wind_steps(world, 40);
    double lost = (first - mass_between(s, 1, 12)) / first,
           within = (middle - mass_between(s, 31, 42)) / middle;
    print_message("lost at the border: %.4f, in the middle: %.4f\n", lost, within);
    assert_true(fabs(lost - within) < 0.01);
    firn_world_close(world);
}

static void only_from_the_threshold_on(void **state) {
    (void)state;
    for (int above = 0; above < 2; above++) {
        snowy_world w;
        flat(&w, 0.1);
        w.cover.drift_threshold = 0.4;
        w.w.wind.inflow.speed = (above ? 1.05 : 0.95) * 0.4 / 0.4 * log1p(0.6 * 0.5 / 1e-3);
        firn_world *world = snowy_open(&w);
        lay_snow(wind_of(world), 0.9);
        wind_steps(world, 10);
        assert_true((wind_of(world)->flakes.counters[FLAKES_LIFTED] > 0) == (above == 1));
        firn_world_close(world);
    }
}

static void a_storm(snowy_world *w) {
    drift_setup(w, 24, 14, 20, 0.5, 0.1);
    w->w.wind.inflow.speed = 15;
    w->w.wind.inflow.gusts = 0.3;
    wind_box(&w->w, "house", (firn_vec3){-1, 1.25, 0}, (firn_vec3){3, 2.5, 3});
    wind_box(&w->w, "fence", (firn_vec3){3.2, 0.8, 0}, (firn_vec3){0.02, 1.6, 6});
    w->flakes.snowfall = 2e-5;
    w->flakes.shown = 3000;
    w->cover.drift_rate = 5;
    w->cover.repose = 0.5;
    w->cover.melt = 1e-6;
    w->w.world.air.temperature = 3;
}

static void nothing_is_lost(void **state) {
    (void)state;
    snowy_world w;
    a_storm(&w);
    firn_world *world = snowy_open(&w);
    for (int n = 0; n < 120; n++) {
        wind_steps(world, 1);
        const wind_state *s = wind_of(world);
        const uint64_t *book = s->flakes.counters;
        assert_true(book[FLAKES_EMITTED] + book[FLAKES_LIFTED] ==
                    s->flakes.count + book[FLAKES_LANDED] + book[FLAKES_LEFT]);
        for (size_t b = 0; n % 5 == 0 && b < firn_world_body_count(world); b++)
            for (size_t i = 0; i < s->flakes.count; i++) {
                float d;
                assert_ok(firn_world_body_query(world, b, 1, s->flakes.position[i], &d, NULL, NULL));
                assert_true(d >= -1e-5f);
            }
        assert_true(cover_units(s) + s->cover.melted + COVER_PARTS * book[FLAKES_LIFTED] ==
                    COVER_PARTS * book[FLAKES_LANDED]);
    }
    const wind_state *s = wind_of(world);
    assert_true(s->flakes.counters[FLAKES_LIFTED] > 1000 && s->cover.melted > 0);
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        assert_near(l.mass, l.mass_in - l.mass_out, 1e-6 * l.mass_in);
    }
    firn_world_close(world);
}

// Three boards across the wind, a gap below each: less snow in front of it, a drift behind it.
static void a_fence_has_its_drift_in_the_lee(void **state) {
    (void)state;
    snowy_world w;
    drift_setup(&w, 64, 10, 6, 0.4, 0.1);
    w.w.wind.inflow.profile = FIRN_WIND_LOG;
    w.w.wind.inflow.roughness = 1e-3;
    w.w.wind.inflow.speed = 12;
    w.w.wind.sides.north = w.w.wind.sides.south = FIRN_WIND_WALL;
    const double fence = 28 * 0.4 - 12.8 - 0.2; // in the middle of cell 28
    for (int n = 0; n < 2; n++)
        wind_box(&w.w, n ? "high" : "low", (firn_vec3){fence, 0.6 + 0.8 * n, 0}, (firn_vec3){0.06, 0.4, 3});
    w.flakes.snowfall = 100 / 3.6e6; // 50 times what is common, and so is the drift
    w.flakes.shown = 4000;
    w.cover.drift_rate = 50;
    firn_world *world = snowy_open(&w);
    wind_steps(world, 300);
    const wind_state *s = wind_of(world);
    double windward = mass_between(s, 8, 26), lee = mass_between(s, 30, 48);
    print_message("lee / windward: %.2f\n", lee / windward);
    assert_true(lee > 2 * windward);
    firn_world_close(world);
}

static firn_world *make_storm(void) {
    snowy_world w;
    a_storm(&w);
    w.cover.wind = true;
    return snowy_open(&w);
}

static void threads_and_restart_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_storm, 30);
    firn_world *whole = make_storm(), *cut = make_storm();
    wind_steps(whole, 30);
    assert_restarts(whole, cut, 15);
    assert_true(wind_of(whole)->flakes.counters[FLAKES_LIFTED] > 100);
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_passes_as_the_law_says),   cmocka_unit_test(drift_blows_in),
        cmocka_unit_test(only_from_the_threshold_on),       cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(a_fence_has_its_drift_in_the_lee), cmocka_unit_test(threads_and_restart_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
