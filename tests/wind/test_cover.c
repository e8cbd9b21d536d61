// The cover: a heap has its angle, walls stay free, snow settles and melts, nothing is lost.
#include "wind/winds.h"

#include "bits.h"

#define DEG (PI / 180)

static void cover_setup(snowy_world *w, int nx, int ny, int nz, double cell, double dt) {
    snowy_setup(w, nx, ny, nz, cell, dt);
    w->w.wind.inflow.speed = 0;
    w->flakes.shown = 2000;
}

static double column(const wind_state *s, int i, int k) { // height, in cells
    double sum = 0;
    for (int j = 1; j <= s->box.n[1]; j++) {
        size_t a = poisson_at(&s->box, i, j, k);
        if (s->cover.mass[a])
            sum += s->cover.mass[a] * s->cover.unit / (double)s->cover.density[a] / pow(s->def.cell, 3);
    }
    return sum;
}

// Angle of the flank in direction `way`, between a quarter and three quarters of the height, by a straight
// line.
static double flank(const wind_state *s, double way) {
    int n = s->box.n[0], middle = n / 2 + 1;
    double top = column(s, middle, middle), sr = 0, sh = 0, srr = 0, srh = 0, count = 0;
    for (double r = 0; r < n / 2 - 2; r += 0.25) {
        int i = (int)floor(middle + 0.5 + r * cos(way)), k = (int)floor(middle + 0.5 + r * sin(way));
        double at = hypot(i - middle, k - middle), h = column(s, i, k);
        if (h < top / 4 || h > top * 3 / 4) continue;
        sr += at, sh += h, srr += at * at, srh += at * h, count++;
    }
    return -atan((count * srh - sr * sh) / (count * srr - sr * sr));
}

static void a_heap_has_its_angle(void **state) {
    (void)state;
    const double angles[] = {25, 38};
    for (int n = 0; n < 2; n++) {
        snowy_world w;
        cover_setup(&w, 41, 20, 41, 0.1, 0.1);
        w.cover.repose = angles[n] * DEG;
        w.flakes.snowfall = 1e-9;
        w.flakes.shown = 1;
        firn_world *world = snowy_open(&w);
        wind_state *s = wind_of(world);
        double poured = 0, size = s->cover.density_new * 1e-3 / s->cover.unit; // of a cell
        for (int step = 0; step < 900; step++) {
            uint32_t more = (uint32_t)(size * (angles[n] < 30 ? 2 : 3));
            if (step < 500) cover_put(s, poisson_at(&s->box, 21, 19, 21), more), poured += more;
            assert_ok(cover_step(s, bodies_of(world), (model_step){.dt = 0.1, .step = (uint64_t)step}));
        }
        double sum = 0;
        for (int i = 0; i < 24; i++) {
            double a = flank(s, i * 15 * DEG) / DEG;
            sum += a / 24;
            if (fabs(a - angles[n]) > 2)
                fail_msg("%g degrees asked, %.2f in direction %d", angles[n], a, i * 15);
        }
        print_message("%g degrees asked, %.2f in the mean\n", angles[n], sum);
        assert_near((double)cover_units(s), poured, poured * 1e-12 + 512); // and a few flakes
        firn_world_close(world);
    }
}

static void a_village(snowy_world *w, double speed) {
    cover_setup(w, 24, 14, 20, 0.5, 0.2);
    w->w.wind.inflow.speed = speed;
    wind_box(&w->w, "house", (firn_vec3){-1, 1.25, 0}, (firn_vec3){3, 2.5, 3});
    wind_box(&w->w, "roof", (firn_vec3){-1, 2.6, 0}, (firn_vec3){4, 0.3, 4}); // eaves all round
    w->flakes.snowfall = 2e-4;                                                // a flood of snow
    w->flakes.shown = 4000;
}

// Snow that has air below it: none may stay.
static void walls_stay_free_and_roofs_do_not(void **state) {
    (void)state;
    snowy_world w;
    a_village(&w, 6);
    firn_world *world = snowy_open(&w);
    wind_steps(world, 100);
    wind_state *s = wind_of(world);
    for (int n = 0; n < 40; n++)
        assert_ok(cover_step(s, bodies_of(world),
                             (model_step){.dt = 0.1, .step = (uint64_t)n})); // what was falling
    double roof = 0, beside = 0, hanging = 0;
    for (int k = 1; k <= 20; k++)
        for (int j = 1; j <= 14; j++)
            for (int i = 1; i <= 24; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                double mass = s->cover.mass[a];
                bool held = j == 1 || s->owner[a - s->box.row] || s->cover.mass[a - s->box.row];
                if (!held) hanging += mass;
                if (s->owner[a]) assert_true(mass == 0);
                if (j > 5 && mass > 0) roof += mass;
                if (j == 1) beside += mass;
            }
    assert_true(hanging == 0);
    assert_true(roof > 0 && beside > roof);
    firn_world_close(world);
}

static void nothing_is_lost(void **state) {
    (void)state;
    snowy_world w;
    a_village(&w, 6);
    w.w.world.air.temperature = 3;
    w.cover.melt = 1e-6;
    firn_world *world = snowy_open(&w);
    for (int n = 0; n < 60; n++) {
        wind_steps(world, 1);
        wind_state *s = wind_of(world);
        assert_true(cover_units(s) + s->cover.melted == COVER_PARTS * s->flakes.counters[FLAKES_LANDED]);
    }
    assert_true(wind_of(world)->cover.melted > 0);
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        assert_near(l.mass, l.mass_in - l.mass_out, 1e-6 * l.mass_in);
    }
    firn_world_close(world);
}

static void snow_settles(void **state) {
    (void)state;
    snowy_world w;
    cover_setup(&w, 4, 4, 4, 1, 0.1);
    w.cover.settle_time = 100;
    w.flakes.snowfall = 1e-9;
    w.flakes.shown = 1;
    firn_world *world = snowy_open(&w);
    wind_state *s = wind_of(world);
    cover_put(s, poisson_at(&s->box, 2, 1, 2), 1000);
    for (int n = 0; n < 1000; n++)
        assert_ok(cover_step(s, bodies_of(world), (model_step){.dt = 0.1, .step = (uint64_t)n}));
    double fresh = s->cover.density_new, old = s->cover.density_old;
    assert_near((double)s->cover.density[poisson_at(&s->box, 2, 1, 2)], old + (fresh - old) * exp(-1),
                0.01 * old);
    firn_world_close(world);
}

// Full cells stop flakes: the snow grows upwards, as high as what fell.
static void snow_piles_up(void **state) {
    (void)state;
    snowy_world w;
    cover_setup(&w, 6, 10, 6, 0.2, 0.1);
    w.w.wind.sides.west = w.w.wind.sides.east = w.w.wind.sides.north = w.w.wind.sides.south = FIRN_WIND_WALL;
    w.flakes.snowfall = 5e-4;
    w.flakes.swirl = 0;
    w.cover.settle_time = 1e9;
    firn_world *world = snowy_open(&w);
    wind_steps(world, 1000); // 100 s: 50 kg/m2
    wind_state *s = wind_of(world);
    double mean = 0;
    for (int k = 1; k <= 6; k++)
        for (int i = 1; i <= 6; i++) mean += column(s, i, k) * 0.2 / 36;
    assert_near(mean, 0.5 * 100 / s->cover.density_new, 0.05 * mean);
    assert_true(mean > 0.3);
    for (size_t n = 0; n < s->flakes.count; n++) {
        const float *p = s->flakes.position[n];
        int i = 1 + (int)((p[0] + 0.6f) / 0.2f), j = 1 + (int)(p[1] / 0.2f),
            k = 1 + (int)((p[2] + 0.6f) / 0.2f);
        assert_true((double)p[1] >= 0.2 * (j - 1) &&
                    !cover_is_full(s, poisson_at(&s->box, i, j < 10 ? j : 10, k)));
    }
    firn_world_close(world);
}

static firn_world *make_village(void) {
    snowy_world w;
    a_village(&w, 6);
    w.cover.wind = w.cover.drift = true;
    return snowy_open(&w);
}

static void threads_and_restart_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_village, 20);
    assert_restarts_after(12, make_village, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_has_its_angle), cmocka_unit_test(walls_stay_free_and_roofs_do_not),
        cmocka_unit_test(nothing_is_lost),      cmocka_unit_test(snow_settles),
        cmocka_unit_test(snow_piles_up),        cmocka_unit_test(threads_and_restart_do_not_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
