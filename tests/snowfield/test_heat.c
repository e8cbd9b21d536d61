// firn-test: threaded
// Temperature, water and melt of the snow field: the degree-day rule, the latent heat, balances of mass and
// heat, hot and cold bodies, rain, freezing; same bits for any number of threads and over a restart.
#include "snowfield/snowfield_world.h"

#include "bits.h"
#include "snow/snow_column.h"

static firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

#define HEAD "firn: 1\nfps: 20\nduration: 100 s\nmax_step: 10 ms\n"

static double series_of(const firn_world *world, const char *panel, const char *name) {
    for (size_t i = 0; i < firn_world_series_count(world); i++) {
        firn_series s = firn_world_series_at(world, i);
        if (strcmp(s.model, "field") == 0 && strcmp(s.panel, panel) == 0 && strcmp(s.name, name) == 0)
            return s.value;
    }
    fail_msg("there is no series %s: %s", panel, name);
    return 0;
}

// Heat now is what was there and came, less what left; mass as well.
static void assert_balanced(const firn_world *world, double start) {
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in - l.mass_out, 1e-12 * l.mass_in);
    const double *sum = firn_world_field(world, "field.heat_sums").data;
    const double *grid = firn_world_field(world, "field.grid").data;
    double came = (sum[0] + sum[1] + sum[2] + sum[3] + sum[4] - sum[5]) * grid[2] * grid[2];
    double scale =
        fabs(start) + (fabs(sum[0]) + fabs(sum[2]) + fabs(sum[3]) + fabs(sum[5])) * grid[2] * grid[2];
    assert_near(l.heat, came, 1e-9 * scale);
    assert_true(scale > 0);
}

// 4 C for five hours: 0.2 mm/h for each degree on 4 m2, in tiles and where no tile is.
static void test_degree_day_rule(void **state) {
    (void)state;
    for (int n = 1; n <= 3; n++) {
        char words[400];
        snprintf(words, sizeof words,
                 HEAD
                 "air: {temperature: %d C, time_lapse: 3600}\nfield: {width: 2 m, length: 2 m, depth: 40 cm, "
                 "snow: fresh}\n",
                 2 * n);
        firn_world *world = open_world(words);
        assert_ok(firn_world_advance(world, 5));
        double melted = series_of(world, "melt", "melted"), due = 0.2 * 2 * n * 5 * 4;
        assert_near(melted, due, 0.02 * due);
        firn_ledger l = snowfield_ledger_of(world);
        assert_near(series_of(world, "water in the snow", "") + l.mass_out, melted, 1e-6 * melted);
        // Latent heat: what came in has melted this mass.
        assert_near(series_of(world, "heat into the snow", "air and sun"), melted * SNOW_LATENT,
                    0.02 * melted * SNOW_LATENT);
        assert_balanced(world, l.heat);
        firn_world_close(world);
    }
}

// Sun alone, on cold snow: first it warms, then it melts.
static void test_sun_melts_by_latent_heat(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD "air: {temperature: -3 C, radiation: 200, exchange: 0, time_lapse: 3600}\n"
                        "field: {width: 1 m, length: 1 m, depth: 20 cm, density: 100, snow: fresh}\n");
    assert_ok(firn_world_advance(world, 4));
    double energy = 200.0 * 4 * 3600, cold = 20 * 2100.0 * 3, melted = (energy - cold) / SNOW_LATENT;
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(series_of(world, "heat into the snow", "air and sun"), energy, 1e-6 * energy);
    assert_near(series_of(world, "water in the snow", "") + l.mass_out, melted, 0.02 * melted);
    assert_balanced(world, cold);
    firn_world_close(world);
}

// The step of a column is exact: one long step or many short ones.
static void test_a_column_does_not_see_steps(void **state) {
    (void)state;
    const snow_forcing cases[] = {{-8, 12, -40}, {3, 15, 0},     {2, 0, 150},
                                  {-5, 10, 120}, {200, 1000, 0}, {0, 5, 0}};
    const double starts[] = {-3e5, -2e4, 0, 4e5};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t k = 0; k < 4; k++) {
            double once = starts[k], often = starts[k], melts;
            once += snow_column_gain(30, once, 150, 0.1, &cases[c], 3600, &melts);
            for (int i = 0; i < 720; i++)
                often += snow_column_gain(30, often, 150, 0.1, &cases[c], 5, &melts);
            assert_near(once, often, 1e-6 * (fabs(once) + 1e3));
        }
}

#define BALLS                                                                                                \
    "bodies:\n"                                                                                              \
    "  hot: {shape: {sphere: {radius: 10 cm}}, at: [-50 cm, 40.5 cm, 0], motion: dynamic, density: 2000 "    \
    "kg/m3, "                                                                                                \
    "temperature: 200 C}\n"                                                                                  \
    "  cold: {shape: {sphere: {radius: 10 cm}}, at: [50 cm, 40.5 cm, 0], motion: dynamic, density: 2000 "    \
    "kg/m3, "                                                                                                \
    "temperature: -20 C}\n"

static void test_a_hot_ball_sinks_a_cold_one_does_not(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD "air: {temperature: -2 C, exchange: 0}\n" BALLS
                                        "field: {width: 2 m, length: 1 m, depth: 30 cm, snow: packed}\n");
    assert_ok(firn_world_advance(world, 0.5));
    double hot = firn_world_body_state(world, 0).position.y,
           cold = firn_world_body_state(world, 1).position.y;
    assert_ok(firn_world_advance(world, 15));
    double sunk = hot - firn_world_body_state(world, 0).position.y,
           stays = cold - firn_world_body_state(world, 1).position.y;
    print_message("hot ball sank by %.1f mm, cold one by %.3f mm\n", 1e3 * sunk, 1e3 * stays);
    assert_true(sunk > 0.02);
    assert_true(fabs(stays) < 1e-3);
    assert_true(series_of(world, "heat into the snow", "bodies") > 0);
    assert_true(series_of(world, "heat into the snow", "air and sun") == 0);
    assert_balanced(world, 0);
    firn_world_close(world);
}

// 5 mm/h of rain at 4 C for three hours on snow of -2 C: it freezes, soaks in, runs off.
static void test_rain_soaks_in_and_runs_off(void **state) {
    (void)state;
    firn_world *world =
        open_world(HEAD "air: {temperature: 4 C, exchange: 0, time_lapse: 3600}\n"
                        "rain: {rate: 5 mm/h}\n"
                        "field: {width: 1 m, length: 1 m, depth: 20 cm, density: 100, snow: fresh, "
                        "heat: {temperature: -2 C}}\n");
    assert_ok(firn_world_advance(world, 3));
    double rain = 15, heat = -20 * 2100.0 * 2 + rain * (SNOW_LATENT + 4186 * 4);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(series_of(world, "melt", "rain"), rain, 1e-3);
    double gone = l.mass_out * SNOW_LATENT;
    assert_near(l.heat, heat - gone, 1e-3 * heat);
    double water = series_of(world, "water in the snow", ""), ice = l.mass - water;
    assert_near(water, 0.05 * ice, 0.001 * ice); // it holds what it can
    assert_true(l.mass_out > 10);
    assert_balanced(world, 0);
    firn_world_close(world);
}

// A thaw, then a clear night: the water freezes to a crust, none of it leaves.
static void test_water_freezes_to_a_crust(void **state) {
    (void)state;
    firn_world *world = open_world(
        HEAD "air: {temperature: [{time: 0, value: 3 C}, {time: 1.9 s, value: 3 C}, {time: 2 s, value: "
             "-10 C}], radiation: [{time: 1.9 s, value: 0}, {time: 2 s, value: -60}], time_lapse: 3600}\n"
             "field: {width: 1 m, length: 1 m, depth: 20 cm, density: 100, snow: fresh}\n");
    assert_ok(firn_world_advance(world, 2));
    double water = series_of(world, "water in the snow", ""), left = snowfield_ledger_of(world).mass_out;
    assert_true(water > 0.5);
    assert_ok(firn_world_advance(world, 14));
    const double *plain = firn_world_field(world, "field.heat_plain").data;
    print_message("crust %.1f cm, %.1f C\n", 100 * plain[1], plain[2]);
    assert_true(series_of(world, "water in the snow", "") < 1e-9);
    assert_true(plain[1] > 0.05 && plain[2] < -0.5);
    assert_true(snowfield_ledger_of(world).mass_out - left < 0.01 * water);
    assert_balanced(world, 0);
    firn_world_close(world);
}

// What gets warm by keyframes alone melts snow: the ground, and a body on it.
static void test_keyframes_warm_ground_and_bodies(void **state) {
    (void)state;
    firn_world *world = open_world(
        HEAD "air: {temperature: 0 C, exchange: 0 W/m2K, time_lapse: 3600}\n"
             "field: {width: 1 m, length: 1 m, depth: 20 cm, density: 100, snow: fresh, heat: {ground: "
             "[{time: 1 s, value: 0}, {time: 1.1 s, value: 100}]}}\n");
    assert_ok(firn_world_advance(world, 11));
    double due = 100 * 9.95 * 3600 / SNOW_LATENT;
    assert_near(series_of(world, "melt", "melted"), due, 0.02 * due);
    assert_balanced(world, 0);
    firn_world_close(world);
    world = open_world(HEAD "air: {temperature: -2 C, time_lapse: 60}\n"
                            "bodies: {plate: {shape: {box: {size: [20 cm, 4 cm, 20 cm]}}, at: [0, 0.2, 0], "
                            "temperature: [{time: 0, value: -2 C}, {time: 0.5 s, value: 40 C}]}}\n"
                            "field: {width: 1 m, length: 1 m, depth: 20 cm, snow: fresh}\n");
    assert_ok(firn_world_advance(world, 1));
    assert_true(series_of(world, "melt", "melted") > 0.01);
    firn_world_close(world);
}

// Snow that has thawed and frozen bears a box that sinks into the same snow before.
static double box_sinks(bool thawed) {
    firn_world *world = open_world(
        HEAD
        "air: {temperature: [{time: 0, value: 3 C}, {time: 0.9 s, value: 3 C}, {time: 1 s, value: -15 C}], "
        "time_lapse: 7200}\nbodies: {ground: {shape: plane, at: [0, -1, 0]}}\n"
        "field: {width: 1 m, length: 1 m, depth: 30 cm, density: 120, snow: fresh, bearing: 1 kPa}\n");
    assert_ok(firn_world_advance(world, thawed ? 10 : 0.01));
    firn_body_def box = firn_body_def_default();
    const double *grid = firn_world_field(world, "field.grid").data;
    double top = grid[6];
    box.name = "box";
    box.shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.3, 0.1, 0.3}};
    box.motion.kind = FIRN_MOTION_DYNAMIC;
    box.density = 4000;
    box.at = (firn_vec3){0, top + 0.051, 0};
    size_t b;
    assert_ok(firn_world_add_body(world, &box, &b));
    assert_ok(firn_world_advance(world, thawed ? 11 : 0.8));
    double sunk = top + 0.05 - firn_world_body_state(world, b).position.y;
    firn_world_close(world);
    return sunk;
}
static void test_a_frozen_crust_bears(void **state) {
    (void)state;
    double soft = box_sinks(false), hard = box_sinks(true);
    print_message("36 kg on 30 cm x 30 cm sink by %.1f cm, on refrozen snow by %.2f cm\n", 100 * soft,
                  100 * hard);
    assert_true(soft > 0.05 && hard < 0.01);
}

// Everything at once: moving, hot, pouring, snowing, raining, sliding.
#define BUSY                                                                                                 \
    HEAD "air: {temperature: 2 C, radiation: 50, time_lapse: 1000}\nrain: {rate: 3 mm/h}\n"                  \
         "bodies:\n"                                                                                         \
         "  ball: {shape: {sphere: {radius: 15 cm}}, at: [-80 cm, 50 cm, 10 cm], velocity: [2, -1, 0.5], "   \
         "motion: dynamic, density: 600 kg/m3, temperature: 60 C}\n"                                         \
         "  box: {shape: {box: {size: [0.4, 0.1, 0.3]}}, at: [60 cm, 60 cm, -30 cm], motion: dynamic, "      \
         "density: 400 kg/m3}\n"                                                                             \
         "  roof: {shape: {box: {size: [0.6, 0.1, 0.6]}}, at: [-60 cm, 1 m, -60 cm]}\n"                      \
         "field: {width: 3 m, length: 3 m, depth: 30 cm, snow: fresh, border: open, heat: {temperature: -1 " \
         "C, ground: 5}, bits: {speed: 1 m/s}, "                                                             \
         "fall: {rate: 2 mm/h}, ageing: {time: 3 d, density: 120}, pour: {heap: {at: [0, 0, 1 m], rate: "    \
         "2}}}\n"

static firn_world *make_busy(void) { return open_world(BUSY); }

static void test_nothing_is_lost(void **state) {
    (void)state;
    firn_world *world = make_busy();
    double start = snowfield_ledger_of(world).heat;
    size_t flew = 0;
    for (int i = 0; i < 40; i++) {
        assert_ok(firn_world_advance_frame(world));
        assert_balanced(world, start);
        firn_field now = firn_world_field(world, "field.mass"),
                   with = firn_world_field(world, "field.heat_mass");
        assert_memory_equal(now.data, with.data, now.count * 4);
        flew += firn_world_field(world, "field.bit_position").count;
    }
    assert_true(flew > 0);
    assert_true(series_of(world, "heat into the snow", "bodies") > 0);
    firn_world_close(world);
}

// Wet snow that a body pushes into cold snow freezes there: what melted is frozen, gone or still water.
static void test_water_that_moved_is_counted(void **state) {
    (void)state;
    firn_world *world = open_world(
        HEAD
        "air: {temperature: 5 C, time_lapse: 600}\n"
        "bodies:\n  ground: {shape: plane}\n"
        "  ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 0.45, 0], motion: dynamic, density: 7800 kg/m3, "
        "temperature: 80 C}\n"
        "field: {width: 2 m, length: 2 m, cell: 4 cm, snow: packed, depth: 30 cm, heat: {temperature: -3 "
        "C}}\n");
    for (int k = 1; k <= 4; k++) {
        assert_ok(firn_world_advance(world, 0.5 * k));
        double melted = series_of(world, "melt", "melted"), froze = series_of(world, "melt", "refrozen");
        double left = series_of(world, "melt", "run-off"), water = series_of(world, "water in the snow", "");
        print_message("melted %.6f kg, froze %.6f, left %.6f, water %.6f\n", melted, froze, left, water);
        assert_true(melted > 0);
        assert_near(melted - froze - left, water, 1e-6 * melted);
    }
    firn_world_close(world);
}

static void test_threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_busy, 150);
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    firn_world *whole = make_busy(), *cut = make_busy();
    step_field(whole, 200);
    assert_restarts(whole, cut, 120);
    firn_world_close(whole);
    firn_world_close(cut);
}

// Without heat the bits are those of snow that knows none, whatever the air is.
static void test_off_switch(void **state) {
    (void)state;
#define SNOW                                                                                                 \
    "bodies:\n  ball: {shape: {sphere: {radius: 15 cm}}, at: [0, 0.6, 0], motion: dynamic}\nfield: {width: " \
    "2 m, length: 2 m, "
    firn_world *cold = open_world(HEAD "air: {temperature: -5 C}\n" SNOW "depth: 30 cm}\n"),
               *off = open_world(HEAD "air: {temperature: 5 C}\n" SNOW "depth: 30 cm, heat: {on: no}}\n");
    assert_true(firn_world_field(cold, "field.heat").data == NULL);
    step_field(cold, 60), step_field(off, 60);
    assert_true(firn_world_hash(cold) == firn_world_hash(off));
    firn_world_close(cold), firn_world_close(off);
}

// A frame shows temperature and water.
static void test_frames_show_heat(void **state) {
    (void)state;
    const char *path = "heat-frame.h5";
    firn_world *run = make_busy(), *shown = make_busy();
    step_field(run, 60);
    assert_ok(cache_write(path, run, 7, CACHE_FRAME, false));
    assert_ok(cache_read(path, shown, 7, CACHE_FRAME));
    const char *names[] = {"field.temperature", "field.wetness", "field.heat_plain"};
    for (int k = 0; k < 3; k++) {
        firn_field a = firn_world_field(run, names[k]), b = firn_world_field(shown, names[k]);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.data, b.data, a.count * (k < 2 ? 4 : 8));
    }
    firn_world_close(run), firn_world_close(shown);
    remove(path);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_degree_day_rule),
                                       cmocka_unit_test(test_sun_melts_by_latent_heat),
                                       cmocka_unit_test(test_a_column_does_not_see_steps),
                                       cmocka_unit_test(test_a_hot_ball_sinks_a_cold_one_does_not),
                                       cmocka_unit_test(test_rain_soaks_in_and_runs_off),
                                       cmocka_unit_test(test_water_freezes_to_a_crust),
                                       cmocka_unit_test(test_keyframes_warm_ground_and_bodies),
                                       cmocka_unit_test(test_a_frozen_crust_bears),
                                       cmocka_unit_test(test_nothing_is_lost),
                                       cmocka_unit_test(test_water_that_moved_is_counted),
                                       cmocka_unit_test(test_threads_do_not_show),
                                       cmocka_unit_test(test_restart_gives_the_same_bits),
                                       cmocka_unit_test(test_off_switch),
                                       cmocka_unit_test(test_frames_show_heat)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
