// firn-test: threaded
// Coarser grids around the wind's: nothing of them shows in an undisturbed wind, and the wake inside is that
// of one fine grid over all.
#include "wind/winds.h"

#include "bits.h"

static int grids_of(const wind_state *s) {
    int count = 0;
    for (s = s->around.outer; s; s = s->around.outer) count++;
    return count;
}

static void each_grid_is_twice_as_large(void **state) {
    (void)state;
    firn_wind_def def = firn_wind_def_default(), next;
    def.grid = (firn_vec3){64, 40, 64};
    def.cell = 0.25;
    assert_false(wind_next_grid(&def, &next));
    def.around = (firn_vec3){200, 50, 200};
    const double sizes[][3] = {{32, 20, 32}, {64, 40, 64}, {128, 50, 128}, {200, 52, 200}}; // whole cells
    for (int i = 0; i < 4; i++, def = next) {
        assert_true(wind_next_grid(&def, &next));
        assert_near(next.cell, 2 * def.cell, 1e-12);
        assert_near(next.grid.x * next.cell, sizes[i][0], 1e-9);
        assert_near(next.grid.y * next.cell, sizes[i][1], 1e-9);
        assert_near(next.grid.z * next.cell, sizes[i][2], 1e-9);
    }
    assert_false(wind_next_grid(&def, &next));
    def = firn_wind_def_default();
    def.grid = (firn_vec3){64, 40, 64};
    def.cell = 0.25;
    def.around = (firn_vec3){200, 50, 200};
    def.around_cell = 1;
    assert_true(wind_next_grid(&def, &next) && next.grid.x == 64);
    def = next;
    assert_true(wind_next_grid(&def, &next) && next.cell == 1 && next.grid.x == 200 && next.grid.y == 50);
    def = next;
    assert_false(wind_next_grid(&def, &next));
}

static void an_undisturbed_wind_stays_so(void **state) {
    (void)state;
    for (int law = 0; law <= FIRN_WIND_LOG; law++)
        for (int turn = 0; turn < 2; turn++) {
            wind_world w;
            wind_setup(&w, 14, 8, 12, 0.2);
            w.wind.around = (firn_vec3){100, 40, 80};
            w.wind.inflow.profile = (firn_wind_profile)law;
            w.wind.inflow.roughness = 0.01;
            w.wind.inflow.turn = turn * 0.6;
            firn_world *world = wind_open(&w);
            assert_int_equal(grids_of(wind_of(world)), 3);
            wind_steps(world, 17);
            for (const wind_state *s = wind_of(world); s; s = s->around.outer) {
                wind_inflow_state now = wind_inflow_at(s, 0);
                for (int k = 1; k <= s->box.n[2]; k++)
                    for (int j = 1; j <= s->box.n[1]; j++)
                        for (int i = 1; i <= s->box.n[0]; i++) {
                            size_t c = poisson_at(&s->box, i, j, k);
                            assert_near((double)s->v[0][c], now.x * (double)s->profile[j], 2e-5);
                            assert_near((double)s->v[1][c], 0, 2e-5);
                            assert_near((double)s->v[2][c], now.z * (double)s->profile[j], 2e-5);
                        }
            }
            firn_world_close(world);
        }
}

static firn_keyframe to_and_fro[3] = {
    {.time = 0, .at = {0, 4, 5}}, {.time = 3, .at = {3, 4, -5}}, {.time = 6, .at = {0, 4, 5}}};

// A house inside, one outside, one across the border, and a ball that moves.
static void village(wind_world *w) {
    wind_setup(w, 24, 12, 20, 0.25);
    wind_real_air(w);
    w->wind.around = (firn_vec3){120, 40, 100};
    wind_box(w, "house", (firn_vec3){-4, 2, 0}, (firn_vec3){5, 4, 7});
    wind_box(w, "barn", (firn_vec3){-26, 3, 5}, (firn_vec3){7, 6, 8});
    wind_box(w, "shed", (firn_vec3){12, 1.5, 0}, (firn_vec3){4, 3, 10});
    wind_ball(w, 0, 0, 0, 1.6);
    firn_body_def *ball = &w->body[3];
    ball->motion.kind = FIRN_MOTION_KEYFRAMES;
    ball->motion.keyframes.items = to_and_fro;
    ball->motion.keyframes.count = 3;
    w->wind.inflow.gusts = 0.3;
}

static void nothing_diverges(void **state) {
    (void)state;
    wind_world w;
    village(&w);
    firn_world *world = wind_open(&w);
    for (int n = 0; n < 16; n++) {
        wind_steps(world, 1);
        for (wind_state *s = wind_of(world); s; s = s->around.outer)
            assert_true(wind_worst_divergence(s) <= w.wind.tolerance * s->reference);
    }
    firn_world_close(world);
}

static firn_world *make_village(void) {
    static firn_flakes_def flakes;
    wind_world w;
    village(&w);
    flakes = firn_flakes_def_default();
    flakes.shown = 2000;
    w.world.flakes = &flakes;
    return wind_open(&w);
}

static void threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_village, 8);
}

// Cut where the grids around are ahead.
static void restart_gives_the_same_bits(void **state) {
    (void)state;
    assert_restarts_after(7, make_village, 8);
}

// ---- The wake of a cube, 6 cells high: one fine grid, and a small one with coarser ones around.
enum { H = 6 };
static const double probe[][3] = {{1, 0.5, 0},     {1.5, 0.5, 0}, {2, 0.5, 0},  {2.6, 0.5, 0},
                                  {0, 1.5, 0},     {1, 1.5, 0},   {2, 1.5, 0},  {0, 0.5, 1.1},
                                  {1.5, 0.5, 0.9}, {-1, 0.5, 0},  {-1.4, 1, 0}, {0.7, 1.1, 0}};
enum { PROBES = sizeof probe / sizeof *probe };

// Mean velocity along the wind at the probes, and the drag coefficient.
static void wake_of(firn_vec3 grid, firn_vec3 around, double roughness, double mean[PROBES], double *drag) {
    wind_world w;
    const double cell = 1.0 / H, dt = 0.2 * cell, speed = 5;
    wind_setup(&w, (int)grid.x, (int)grid.y, (int)grid.z, dt);
    w.wind.cell = cell;
    w.wind.around = around;
    w.wind.inflow.speed = speed;
    w.wind.subgrid = 0.2; // a wake that is nearly steady
    w.wind.roughness = roughness;
    if (roughness > 0) w.wind.inflow.profile = FIRN_WIND_LOG;
    w.wind.inflow.roughness = 0.005;
    w.wind.inflow.height = 1;
    wind_box(&w, "cube", (firn_vec3){0, 0.5, 0}, (firn_vec3){1, 1, 1});
    w.wind.at.x = 1;
    firn_world *world = wind_open(&w);
    const int spin_up = 450, steps = 450;
    *drag = 0;
    for (int p = 0; p < PROBES; p++) mean[p] = 0;
    for (int n = 0; n < spin_up + steps; n++) {
        wind_steps(world, 1);
        if (n < spin_up) continue;
        *drag +=
            firn_world_body_reaction(world, 0).impulse.x / dt / (0.5 * AIR_DENSITY * speed * speed) / steps;
        for (int p = 0; p < PROBES; p++) {
            float at[3] = {(float)probe[p][0], (float)probe[p][1], (float)probe[p][2]}, v[3];
            wind_air_at(wind_of(world), at, v);
            mean[p] += (double)v[0] / speed / steps;
        }
    }
    firn_world_close(world);
}

// Root mean square and largest difference at the probes, in shares of the wind.
static double difference(const double *a, const double *b, double *worst) {
    double sum = 0;
    *worst = 0;
    for (int p = 0; p < PROBES; p++) {
        sum += (a[p] - b[p]) * (a[p] - b[p]) / PROBES;
        *worst = fmax(*worst, fabs(a[p] - b[p]));
    }
    return sqrt(sum);
}

static void compare_wakes(double roughness, double most, double most_drag) {
    double one[PROBES], nested[PROBES], alone[PROBES], drag[3], worst[2];
    const firn_vec3 small = {7 * H, 3 * H, 5 * H}, none = {0, 0, 0};
    wake_of((firn_vec3){14 * H, 6 * H, 10 * H}, none, roughness, one, &drag[0]);
    wake_of(small, (firn_vec3){14, 6, 10}, roughness, nested, &drag[1]);
    wake_of(small, none, roughness, alone, &drag[2]);
    double with = difference(nested, one, &worst[0]), without = difference(alone, one, &worst[1]);
    print_message("%s: wake with a grid around %.2f %% of the wind off, at most %.1f %%; without %.2f %%, "
                  "%.1f %%; c_d %.3f, %.3f, %.3f\n",
                  roughness > 0 ? "rough" : "smooth", 100 * with, 100 * worst[0], 100 * without,
                  100 * worst[1], drag[0], drag[1], drag[2]);
    assert_true(with < most && with < without);
    assert_true(fabs(drag[1] / drag[0] - 1) < most_drag);
    assert_true(fabs(drag[1] - drag[0]) <
                0.4 * fabs(drag[2] - drag[0])); // it is the grid around that does it
}

static void the_wake_of_a_cube_is_that_of_one_fine_grid(void **state) {
    (void)state;
    compare_wakes(0, 0.015, 0.04);
    compare_wakes(0.005, 0.035, 0.03); // near the ground coarser cells mix more
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_grid_is_twice_as_large),
                                       cmocka_unit_test(an_undisturbed_wind_stays_so),
                                       cmocka_unit_test(nothing_diverges),
                                       cmocka_unit_test(threads_do_not_show),
                                       cmocka_unit_test(restart_gives_the_same_bits),
                                       cmocka_unit_test(the_wake_of_a_cube_is_that_of_one_fine_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
