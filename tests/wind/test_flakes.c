// Flakes: how fast they fall, how many there are, where they land, and that none is lost or inside a body.
#include "wind/winds.h"

#include "bits.h"

typedef struct snow_world {
    wind_world w;
    firn_flakes_def flakes;
} snow_world;

static void snow_setup(snow_world *w, int nx, int ny, int nz, double dt) {
    wind_setup(&w->w, nx, ny, nz, dt);
    w->flakes = firn_flakes_def_default();
    w->flakes.shown = 2000;
    w->w.world.flakes = &w->flakes;
    w->w.wind.inflow.speed = 0;
}

static firn_world *snow_open(snow_world *w) {
    w->w.world.flakes = &w->flakes;
    return wind_open(&w->w);
}

static void walls(snow_world *w) {
    firn_wind_sides_def *s = &w->w.wind.sides;
    s->west = s->east = s->north = s->south = FIRN_WIND_WALL;
}

static void terminal_speed_for_any_step(void **state) {
    (void)state;
    const double steps[] = {1e-3, 1e-2, 0.1, 0.5};
    for (int n = 0; n < 4; n++) {
        snow_world w;
        snow_setup(&w, 4, 12, 4, steps[n]);
        walls(&w);
        w.flakes.shown = 200;
        firn_world *world = snow_open(&w);
        wind_flakes *f = &wind_of(world)->flakes;
        memset(f->velocity, 0, f->count * sizeof *f->velocity);
        for (int i = 0; i < (int)(2 / steps[n]); i++) assert_ok(firn_world_step(world));
        assert_true(f->count > 50);
        for (size_t i = 0; i < f->count; i++) {
            assert_near((double)f->velocity[i][1] / (double)f->trait[i][TRAIT_FALL], -1, 0.005);
            assert_true(f->trait[i][TRAIT_FALL] >= 0.5f && f->trait[i][TRAIT_FALL] <= 1.5f);
        }
        firn_world_close(world);
    }
}

static void wind_takes_flakes_along(void **state) {
    (void)state;
    snow_world w;
    snow_setup(&w, 16, 16, 4, 0.05);
    w.w.wind.inflow.speed = 3;
    firn_world *world = snow_open(&w);
    wind_flakes *f = &wind_of(world)->flakes;
    memset(f->velocity, 0, f->count * sizeof *f->velocity);
    wind_steps(world, 40);
    for (size_t i = 0; i < f->count; i++) {
        assert_near((double)f->velocity[i][0], 3, 0.015);
        assert_near((double)f->velocity[i][2], 0, 0.015);
        assert_near((double)f->velocity[i][1], -(double)f->trait[i][TRAIT_FALL], 0.015);
    }
    firn_world_close(world);
}

// Calm air without walls: what circles out circles in elsewhere, so that there is as much snow at the sides
// as in the middle.
static void calm_air_keeps_its_flakes(void **state) {
    (void)state;
    snow_world w;
    snow_setup(&w, 12, 10, 12, 0.05);
    w.flakes.shown = 6000;
    w.flakes.snowfall = 1e-4;
    firn_world *world = snow_open(&w);
    wind_steps(world, 400);
    const wind_flakes *f = &wind_of(world)->flakes;
    double side = 0, middle = 0;
    for (int k = 0; k < 12; k++)
        for (int i = 0; i < 12; i++) {
            bool inner = i > 2 && i < 9 && k > 2 && k < 9;
            *(inner ? &middle : &side) += f->landed[k * 12 + i] / (inner ? 36.0 : 108.0);
        }
    print_message("landed in a column: %.1f in the middle, %.1f at the sides; %llu left\n", middle, side,
                  (unsigned long long)f->counters[FLAKES_LEFT]);
    assert_true(f->counters[FLAKES_LEFT] == 0);
    assert_near(side, middle, 0.05 * middle);
    firn_world_close(world);
}

static void size_follows_the_temperature(void **state) {
    (void)state;
    const double celsius[] = {-20, -5, -0.5, 2};
    for (int n = 0; n < 4; n++) {
        snow_world w;
        snow_setup(&w, 4, 4, 4, 0.1);
        w.w.world.air.temperature = celsius[n];
        firn_world *world = snow_open(&w);
        const double *facts = firn_world_field(world, "wind.flake").data;
        double d = celsius[n] > -0.061 ? 0.04 : 0.015 * pow(-celsius[n], -0.35);
        bool wet = celsius[n] > -1;
        assert_near(facts[1], d, 1e-12);
        assert_near(facts[3], wet, 0);
        assert_near(facts[0] / facts[2], (wet ? 0.724 : 0.17) / d * PI * d * d * d / 6, 1e-12);
        firn_world_close(world);
    }
}

static void lands_evenly_and_as_much_as_asked(void **state) {
    (void)state;
    snow_world w;
    snow_setup(&w, 16, 8, 16, 0.1);
    walls(&w);
    w.flakes.shown = 20000;
    w.flakes.swirl = 0;
    firn_world *world = snow_open(&w);
    wind_steps(world, 120);
    const uint32_t *landed = firn_world_field(world, "wind.landed").data;
    const double *facts = firn_world_field(world, "wind.flake").data;
    double sum = 0, chi = 0;
    for (int i = 0; i < 256; i++) sum += landed[i];
    for (int i = 0; i < 256; i++) chi += (landed[i] - sum / 256) * (landed[i] - sum / 256) / (sum / 256);
    assert_true(sum > 20000);
    assert_true(chi > 255 - 4 * sqrt(510) && chi < 255 + 4 * sqrt(510));
    double water = sum * facts[0] / 256 / firn_world_time(world) / 1000; // m/s
    assert_near(water / w.flakes.snowfall, 1, 0.03);
    firn_world_close(world);
}

static void as_many_in_the_air_whatever_the_wind(void **state) {
    (void)state;
    const double speed[] = {0, 4, 15};
    for (int n = 0; n < 3; n++) {
        snow_world w;
        snow_setup(&w, 24, 12, 20, 0.1);
        w.w.wind.inflow.speed = speed[n];
        w.w.wind.inflow.turn = 0.5;
        w.w.wind.inflow.profile = FIRN_WIND_LOG;
        w.flakes.shown = 6000;
        w.flakes.swirl = 0;
        firn_world *world = snow_open(&w);
        wind_steps(world, 100);
        double count = (double)wind_of(world)->flakes.count;
        if (fabs(count / 6000 - 1) > 0.05) fail_msg("%g flakes at %g m/s", count, speed[n]);
        firn_world_close(world);
    }
}

static firn_keyframe way[2] = {{.time = 0, .at = {-6, 3, 0}}, {.time = 4, .at = {6, 3, 2}}};

static void stormy(snow_world *w) {
    snow_setup(w, 24, 12, 16, 0.1);
    w->w.wind.inflow.speed = 8;
    w->w.wind.inflow.gusts = 0.3;
    w->flakes.shown = 3000;
    wind_box(&w->w, "house", (firn_vec3){-3, 2, 0}, (firn_vec3){4, 4, 5});
    wind_box(&w->w, "fence", (firn_vec3){5.2, 1, 0}, (firn_vec3){0.02, 2, 9});
    wind_box(&w->w, "pebble", (firn_vec3){-8.3, 3.4, 1}, (firn_vec3){0.3, 0.3, 0.3}); // smaller than a cell
    wind_ball(&w->w, 0, 0, 0, 1.5);
    firn_body_def *ball = &w->w.body[w->w.world.bodies.count - 1];
    ball->motion.kind = FIRN_MOTION_KEYFRAMES;
    ball->motion.keyframes.items = way;
    ball->motion.keyframes.count = 2;
}

static void nothing_is_lost_or_inside(void **state) {
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        snow_world w;
        stormy(&w);
        if (!moving) w.w.world.bodies.count--;
        firn_world *world = snow_open(&w);
        for (int n = 0; n < 40; n++) {
            wind_steps(world, 1);
            const wind_flakes *f = &wind_of(world)->flakes;
            assert_true(f->counters[FLAKES_EMITTED] ==
                        f->count + f->counters[FLAKES_LANDED] + f->counters[FLAKES_LEFT]);
            for (size_t b = 0; b < firn_world_body_count(world); b++)
                for (size_t i = 0; i < f->count; i++) {
                    float d;
                    assert_ok(firn_world_body_query(world, b, 1, f->position[i], &d, NULL, NULL));
                    assert_true(d >= -1e-5f);
                }
        }
        const wind_flakes *f = &wind_of(world)->flakes;
        uint64_t sum = 0;
        for (int i = 0; i < 24 * 16; i++) sum += f->landed[i];
        assert_true(sum == f->counters[FLAKES_LANDED] && sum > 200 && f->counters[FLAKES_LEFT] > 1000);
        for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
            firn_ledger l = firn_world_ledger(world, i);
            assert_near(l.mass, l.mass_in - l.mass_out, 1e-6 * l.mass_in);
        }
        firn_world_close(world);
    }
}

static firn_world *make_storm(void) {
    snow_world w;
    stormy(&w);
    return snow_open(&w);
}

static void threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_storm, 10);
}

static void restart_gives_the_same_bits(void **state) {
    (void)state;
    assert_restarts_after(13, make_storm, 10);
}

static void flakes_need_air(void **state) {
    (void)state;
    firn_world *world;
    firn_world_def def = firn_world_def_default();
    firn_flakes_def flakes = firn_flakes_def_default();
    def.flakes = &flakes;
    assert_int_equal(firn_world_create(&def, &world), FIRN_BAD_INPUT);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    failing_allocator f;
    for (size_t n = 1;; n++) {
        snow_world w;
        firn_world *world;
        snow_setup(&w, 4, 4, 4, 0.1);
        w.flakes.shown = 50;
        w.w.world.wind = &w.w.wind;
        fail_allocation(&f, n);
        firn_status status = firn_world_create(&w.w.world, &world);
        if (status == FIRN_OK) status = firn_world_step(world), firn_world_close(world);
        firn_set_allocator(NULL);
        if (status == FIRN_OK) break;
        assert_int_equal(status, FIRN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terminal_speed_for_any_step),
        cmocka_unit_test(wind_takes_flakes_along),
        cmocka_unit_test(calm_air_keeps_its_flakes),
        cmocka_unit_test(size_follows_the_temperature),
        cmocka_unit_test(lands_evenly_and_as_much_as_asked),
        cmocka_unit_test(as_many_in_the_air_whatever_the_wind),
        cmocka_unit_test(nothing_is_lost_or_inside),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(restart_gives_the_same_bits),
        cmocka_unit_test(flakes_need_air),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
