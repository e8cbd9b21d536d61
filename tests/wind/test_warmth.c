// firn-test: threaded
// Warm air: where nothing is warm nothing changes, heat is kept, layers rest, a warm sphere sets off as in
// the closed form, a plume carries what its source gives.
#include "wind/winds.h"

#include "bits.h"

static double sum_of(const wind_state *s) {
    double sum = 0;
    for (size_t c = 0; c < s->box.size; c++) sum += (double)s->warmth.air[c];
    return sum * AIR_DENSITY * 1005 * s->def.cell * s->def.cell * s->def.cell;
}

static void calm(wind_world *w, int nx, int ny, int nz, double dt) {
    wind_setup(w, nx, ny, nz, dt);
    w->wind.buoyancy = true;
    w->wind.inflow.speed = 0;
    w->wind.tolerance = 1e-5;
}

static void nothing_warm_changes_nothing(void **state) {
    (void)state;
    firn_world *worlds[2];
    for (int on = 0; on < 2; on++) {
        wind_world w;
        wind_setup(&w, 20, 12, 16, 0.1);
        wind_real_air(&w);
        w.wind.buoyancy = on;
        wind_ball(&w, 0, 3, 0, 2.5);
        worlds[on] = wind_open(&w);
        wind_steps(worlds[on], 5);
    }
    const wind_state *a = wind_of(worlds[0]), *b = wind_of(worlds[1]);
    for (int d = 0; d < 3; d++) assert_memory_equal(a->v[d], b->v[d], a->box.size * sizeof(float));
    for (int i = 0; i < 2; i++) firn_world_close(worlds[i]);
}

// A hot ball that is moved through the wind, and a cold house.
static void warm_village(wind_world *w) {
    static firn_keyframe to_and_fro[3] = {
        {.time = 0, .at = {0, 4, 3}}, {.time = 1, .at = {3, 4, -3}}, {.time = 2, .at = {0, 4, 3}}};
    wind_setup(w, 24, 16, 20, 0.1);
    wind_real_air(w);
    w->wind.buoyancy = true;
    w->wind.inflow.speed = 2;
    wind_ball(w, 0, 0, 0, 2.2);
    w->body[0].temperature = 60;
    w->body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    w->body[0].motion.keyframes.items = to_and_fro;
    w->body[0].motion.keyframes.count = 3;
    wind_box(w, "house", (firn_vec3){-5, 2, -3}, (firn_vec3){5, 4, 6.6});
    w->body[1].temperature = -30;
}

static void heat_is_kept(void **state) {
    (void)state;
    wind_world w;
    warm_village(&w);
    firn_world *world = wind_open(&w);
    for (int n = 0; n < 20; n++) {
        wind_steps(world, 4);
        const wind_state *s = wind_of(world);
        double given = s->warmth.sum[WARMTH_GIVEN], left = s->warmth.sum[WARMTH_LEFT];
        assert_near(sum_of(s), given - left, 1e-5 * (fabs(given) + fabs(left)));
    }
    const wind_state *s = wind_of(world);
    print_message("%.0f kJ given, %.0f kJ left\n", s->warmth.sum[WARMTH_GIVEN] / 1e3,
                  s->warmth.sum[WARMTH_LEFT] / 1e3);
    assert_true(s->warmth.sum[WARMTH_LEFT] > 0.1 * s->warmth.sum[WARMTH_GIVEN]);
    firn_world_close(world);
}

// Cold air below warm air between walls.
static void layers_rest(void **state) {
    (void)state;
    wind_world w;
    calm(&w, 12, 16, 12, 0.05);
    w.wind.sides.west = w.wind.sides.east = w.wind.sides.north = w.wind.sides.south = FIRN_WIND_WALL;
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    for (int k = 1; k <= 12; k++)
        for (int j = 1; j <= 16; j++)
            for (int i = 1; i <= 12; i++)
                s->warmth.air[poisson_at(&s->box, i, j, k)] = j < 8 ? -5 : 0.5f * (float)j;
    wind_steps(world, 100);
    print_message("layers after 5 s: %.2g m/s\n", wind_of(world)->fastest);
    assert_true(wind_of(world)->fastest < 1e-3);
    firn_world_close(world);
}

// A sphere of light air in still air sets off with 2/3 of its buoyancy (half of what it displaces goes
// along), a level cylinder with 1/2.
static double sets_off(bool cylinder, double radius) {
    enum { N = 56 };
    wind_world w;
    const double dt = 1e-3;
    calm(&w, N, N, cylinder ? 4 : N, dt);
    if (cylinder) w.wind.sides.north = w.wind.sides.south = FIRN_WIND_WALL;
    firn_world *world = wind_open(&w);
    wind_state *s = wind_of(world);
    const float warm = 3;
    double volume = 0;
    for (int k = 1; k <= s->box.n[2]; k++)
        for (int j = 1; j <= N; j++)
            for (int i = 1; i <= N; i++) {
                double x = i - 0.5 - N / 2, y = j - 0.5 - N / 2, z = cylinder ? 0 : k - 0.5 - N / 2;
                double inside = fmin(fmax(radius - sqrt(x * x + y * y + z * z) + 0.5, 0), 1);
                s->warmth.air[poisson_at(&s->box, i, j, k)] = (float)inside * warm;
                volume += inside;
            }
    assert_true(volume > 100);
    wind_steps(world, 1);
    double full = 9.81 * (double)warm / (s->setting.air_temperature + 273.15 + (double)warm) * dt;
    double v = (double)s->v[1][poisson_at(&s->box, N / 2, N / 2 + 1, cylinder ? 2 : N / 2)];
    firn_world_close(world);
    return v / full;
}

static void a_warm_sphere_sets_off(void **state) {
    (void)state;
    double sphere = sets_off(false, 6.5), cylinder = sets_off(true, 5);
    print_message("sphere %.4f (2/3), cylinder %.4f (1/2)\n", sphere, cylinder);
    assert_near(sphere, 2.0 / 3, 0.02);
    assert_near(cylinder, 0.5, 0.02);
}

// Over a hot plate: what rises through each height is what the plate gives.
static void a_plume_carries_what_its_source_gives(void **state) {
    (void)state;
    enum { NX = 32, NY = 40 };
    wind_world w;
    calm(&w, NX, NY, NX, 0.05);
    w.wind.cell = 0.25;
    w.wind.subgrid = 0.15;
    w.wind.roughness = 0.01;
    wind_box(&w, "plate", (firn_vec3){0, 0.25, 0}, (firn_vec3){1.5, 0.5, 1.5});
    w.body[0].temperature = 200;
    firn_world *world = wind_open(&w);
    const int height[3] = {12, 20, 28};
    double through[3] = {0};
    wind_steps(world, 500);
    const wind_state *s = wind_of(world);
    double before = s->warmth.sum[WARMTH_GIVEN];
    const int steps = 600;
    for (int n = 0; n < steps; n++) {
        wind_steps(world, 1);
        for (int h = 0; h < 3; h++)
            for (int k = 1; k <= NX; k++)
                for (int i = 1; i <= NX; i++) {
                    size_t c = poisson_at(&s->box, i, height[h], k);
                    double v = (double)s->v[1][c], up = (double)s->warmth.air[v > 0 ? c - s->box.row : c];
                    through[h] += AIR_DENSITY * 1005 * v * up * 0.0625 / steps;
                }
    }
    double power = (s->warmth.sum[WARMTH_GIVEN] - before) / (steps * 0.05);
    print_message("plate %.0f W; through 3, 5, 7 m: %.0f, %.0f, %.0f W\n", power, through[0], through[1],
                  through[2]);
    assert_true(power > 500);
    for (int h = 0; h < 3; h++) assert_near(through[h] / power, 1, 0.05);
    firn_world_close(world);
}

// Frozen ground makes a pool of cold air.
static void cold_ground_cools_the_air_above_it(void **state) {
    (void)state;
    wind_world w;
    calm(&w, 10, 8, 10, 0.1);
    w.wind.sides.west = w.wind.sides.east = w.wind.sides.north = w.wind.sides.south = FIRN_WIND_WALL;
    firn_body_def *plane = &w.body[w.world.bodies.count++];
    plane->name = "ground";
    plane->shape.kind = FIRN_SHAPE_PLANE;
    plane->temperature = -40;
    firn_world *world = wind_open(&w);
    wind_steps(world, 50);
    const wind_state *s = wind_of(world);
    double low = (double)s->warmth.air[poisson_at(&s->box, 5, 1, 5)],
           high = (double)s->warmth.air[poisson_at(&s->box, 5, 4, 5)];
    print_message("%.3f K at the ground, %.3f K above\n", low, high);
    double above = -40 - s->setting.air_temperature; // h = 1.5 dT^(1/3) into one cell
    assert_near(low / (above * 1.5 * cbrt(fabs(above)) / (AIR_DENSITY * 1005) * 5), 1, 0.03);
    assert_near(high, 0, 1e-3);
    firn_world_close(world);
}

static firn_world *make_village(void) {
    wind_world w;
    warm_village(&w);
    return wind_open(&w);
}

static void threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_village, 8);
}

static void restart_gives_the_same_bits(void **state) {
    (void)state;
    assert_restarts_after(7, make_village, 8);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_warm_changes_nothing),
                                       cmocka_unit_test(heat_is_kept),
                                       cmocka_unit_test(layers_rest),
                                       cmocka_unit_test(a_warm_sphere_sets_off),
                                       cmocka_unit_test(a_plume_carries_what_its_source_gives),
                                       cmocka_unit_test(cold_ground_cools_the_air_above_it),
                                       cmocka_unit_test(threads_do_not_show),
                                       cmocka_unit_test(restart_gives_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
