// Saltation: how much of it passes, how soon it is there, that none is lost; and the snow's surface in the
// wind.
#include "wind/winds.h"

#include "bits.h"

static void saltation_setup(snowy_world *w, int nx, int ny, int nz, double cell, double dt) {
    snowy_setup(w, nx, ny, nz, cell, dt);
    w->w.wind.inflow.speed = 10;
    w->w.wind.sides.north = w->w.wind.sides.south = FIRN_WIND_WALL;
    w->cover.drift = true;
    w->cover.saltation = 1;
    w->flakes.snowfall = 1e-3 / 3600;
    w->flakes.shown = 8000;
}

// Snow of this many cells in these columns.
static void lay_snow(wind_state *s, int first, int last, double depth) {
    double full = (double)s->cover.density_new * pow(s->def.cell, 3) / s->cover.unit;
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int i = first; i <= last; i++) {
            uint32_t flakes = (uint32_t)(depth * full / COVER_PARTS);
            cover_put(s, poisson_at(&s->box, i, 1, k), flakes * COVER_PARTS);
            s->flakes.counters[FLAKES_EMITTED] += flakes;
            s->flakes.counters[FLAKES_LANDED] += flakes;
        }
}

static double law_at(const wind_state *s, double depth) {
    double friction = 0.4 * 10 / log1p((1.5 - depth) * s->def.cell / 1e-3), least = s->cover.threshold;
    return 0.68 * 1.3 / 9.81 * least / friction * (friction * friction - least * least);
}

// As much leaves as the law says, for any step.
static void as_much_passes_as_the_law_says(void **state) {
    (void)state;
    const double steps[] = {0.02, 0.1};
    for (int n = 0; n < 2; n++) {
        snowy_world w;
        saltation_setup(&w, 48, 6, 8, 0.5, steps[n]);
        firn_world *world = snowy_open(&w);
        wind_state *s = wind_of(world);
        lay_snow(s, 1, 48, 0.6);
        wind_steps(world, (int)(6 / steps[n]));
        uint64_t before = s->cover.saltation.counters[SALTATION_OUT];
        wind_steps(world, (int)(4 / steps[n]));
        uint64_t out = s->cover.saltation.counters[SALTATION_OUT] - before;
        double found = (double)out * s->cover.unit / (4 * 4), law = law_at(s, 0.6);
        print_message("dt %g: %.4g kg/ms, law %.4g\n", steps[n], found, law);
        assert_near(found, law, 0.02 * law);
        assert_true(s->flakes.counters[FLAKES_LIFTED] == 0);
        firn_world_close(world);
    }
}

// From where snow begins, 1 - exp(-x / length) of it.
static void it_takes_its_length(void **state) {
    (void)state;
    snowy_world w;
    saltation_setup(&w, 64, 6, 8, 0.25, 0.02);
    w.cover.drift_length = 3;
    w.cover.drift_rate = 20;
    firn_world *world = snowy_open(&w);
    wind_state *s = wind_of(world);
    lay_snow(s, 17, 64, 0.6);
    wind_steps(world, 600);
    double sum[65] = {0};
    for (int n = 0; n < 200; n++) {
        wind_steps(world, 1);
        for (int i = 1; i <= 64; i++)
            for (int k = 1; k <= 8; k++) sum[i] += s->cover.saltation.mass[poisson_at(&s->box, i, 1, k)];
    }
    double all =
        s->cover.def.drift_rate * law_at(s, 0.6) / fmin(10, 0.5 * 0.25 / 0.02) * 0.25 * 0.25 / s->cover.unit;
    for (int i = 20; i <= 60; i += 8) {
        double x = (i - 16.5) * 0.25, found = sum[i] / 200 / 8 / all, law = -expm1(-x / 3);
        print_message("%.2f m: %.3f, law %.3f\n", x, found, law);
        assert_near(found, law, 0.05);
    }
    firn_world_close(world);
}

static void a_storm(snowy_world *w) {
    saltation_setup(w, 24, 14, 20, 0.5, 0.1);
    w->w.wind.sides.north = w->w.wind.sides.south = FIRN_WIND_AIR;
    w->w.wind.inflow.speed = 15;
    w->w.wind.inflow.turn = 0.4;
    w->w.wind.inflow.gusts = 0.3;
    wind_box(&w->w, "house", (firn_vec3){-1, 1.25, 0}, (firn_vec3){3, 2.5, 3});
    wind_box(&w->w, "fence", (firn_vec3){3.2, 0.8, 0}, (firn_vec3){0.02, 1.6, 6});
    w->flakes.snowfall = 2e-5;
    w->flakes.shown = 3000;
    w->cover.drift_rate = 50;
    w->cover.saltation = 0.6;
    w->cover.wind = true;
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
        const uint64_t *flakes = s->flakes.counters, *salt = s->cover.saltation.counters;
        assert_true(cover_units(s) + saltation_units(s) + s->cover.melted +
                        COVER_PARTS * flakes[FLAKES_LIFTED] + salt[SALTATION_OUT] ==
                    COVER_PARTS * flakes[FLAKES_LANDED] + salt[SALTATION_IN]);
        for (size_t a = 0; a < s->box.size; a++) assert_true(!s->cover.saltation.mass[a] || !s->owner[a]);
    }
    const wind_state *s = wind_of(world);
    assert_true(s->flakes.counters[FLAKES_LIFTED] > 100 && s->cover.melted > 0);
    assert_true(saltation_units(s) > 0 && s->cover.saltation.counters[SALTATION_OUT] > 0);
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        assert_near(l.mass, l.mass_in - l.mass_out, 1e-6 * l.mass_in);
    }
    firn_world_close(world);
}

// Faces are open above the snow, whatever its depth within a cell.
static void snow_cuts_cells(void **state) {
    (void)state;
    const double depth[] = {0.3, 0.75, 1.5};
    for (int n = 0; n < 3; n++) {
        snowy_world w;
        saltation_setup(&w, 24, 8, 12, 0.5, 0.02);
        w.cover.drift = false;
        w.cover.wind = true;
        firn_world *world = snowy_open(&w);
        wind_state *s = wind_of(world);
        lay_snow(s, 1, 24, fmin(depth[n], 1));
        if (depth[n] > 1) lay_snow(s, 1, 24, depth[n] - 1);
        wind_steps(world, 9);
        int layer = (int)depth[n] + 1;
        size_t a = poisson_at(&s->box, 12, layer, 6);
        double open = (double)s->open[0][a] / POISSON_WHOLE;
        print_message("depth %g: open %.3f\n", depth[n], open);
        assert_near(open, layer - depth[n], 0.02);
        assert_true(layer == 1 || s->kind[a - s->box.row] == POISSON_WALL);
        assert_true(s->open[0][a + s->box.row] == POISSON_WHOLE);
        firn_world_close(world);
    }
}

// Switched off while it runs: what hops comes to rest, and the wind blows through the snow.
static void it_can_be_switched_off(void **state) {
    (void)state;
    snowy_world w;
    a_storm(&w);
    w.cover.saltation = 1;
    firn_world *world = snowy_open(&w);
    wind_state *s = wind_of(world);
    wind_steps(world, 40);
    const uint64_t before = saltation_units(s);
    assert_true(before > 0 && s->cover.bank);
    assert_ok(firn_world_set(world, "cover.drift", 0));
    assert_ok(firn_world_set(world, "cover.wind", 0));
    wind_steps(world, 60);
    print_message("hop: %.4f of before after 6 s\n", (double)saltation_units(s) / (double)before);
    assert_true(saltation_units(s) < before / 100); // exp(-6)
    assert_true(!s->cover.bank);
    assert_ok(firn_world_set(world, "cover.wind", 1));
    wind_steps(world, 1);
    assert_true(s->cover.bank);
    firn_world_close(world);
}

static firn_world *make_storm(void) {
    snowy_world w;
    a_storm(&w);
    return snowy_open(&w);
}

static void threads_and_restart_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_storm, 30);
    firn_world *whole = make_storm(), *cut = make_storm();
    wind_steps(whole, 30);
    assert_restarts(whole, cut, 15);
    assert_true(saltation_units(wind_of(whole)) > 0);
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_much_passes_as_the_law_says),
        cmocka_unit_test(it_takes_its_length),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(snow_cuts_cells),
        cmocka_unit_test(it_can_be_switched_off),
        cmocka_unit_test(threads_and_restart_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
