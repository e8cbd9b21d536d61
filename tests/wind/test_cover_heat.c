// firn-test: threaded
// Heat of the snow cover: melt by the degree-day factor, rain that soaks in, balances of mass and heat, same
// bits for any number of threads and over a restart.
#include "wind/winds.h"

#include <math.h>

#include "bits.h"
#include "snow/snow_column.h"

// Calm, closed air over a bare plane: all flakes land within seconds, then it snows no more.
#define THAW_ON(table)                                                                                       \
    "firn: 1\nfps: 10\nduration: 60 s\nmax_step: 50 ms\n"                                                    \
    "bodies: {ground: {shape: plane}, table: {shape: {box: {size: [1, 0.4, 1]}}, at: [0, 0.2, 0]" table      \
    "}}\n"                                                                                                   \
    "wind: {grid: [12, 8, 12], cell: 50 cm, inflow: {speed: 0}}\n"                                           \
    "flakes: {snowfall: [{time: 0, value: 3000 mm/h}, {time: 3 s, value: 3000 mm/h}, {time: 3.1 s, value: "  \
    "0}], "                                                                                                  \
    "shown: 3000, filled: false}\n"                                                                          \
    "cover: {snow: fresh}\n"

#define THAW THAW_ON("")

static firn_world *open_with(const char *words) {
    char words_of[1600];
    snprintf(words_of, sizeof words_of, THAW "%s", words);
    firn_world *world;
    if (firn_world_open_text(words_of, "test", &world) != FIRN_OK)
        fail_msg("%s\n%s", firn_last_error(), words_of);
    return world;
}

static void assert_balanced(firn_world *world) {
    const wind_state *s = wind_of(world);
    const cover_heat *h = &s->cover.heat;
    assert_true(cover_units(s) + s->cover.melted ==
                COVER_PARTS * s->flakes.counters[FLAKES_LANDED] + h->rained);
    double area = s->def.cell * s->def.cell, all = 0;
    for (int k = 0; k < 4; k++) all += fabs(h->sum[k]) * area;
    double came = (h->sum[COVER_AIR] + h->sum[COVER_RAIN] + h->sum[COVER_SNOW] + h->sum[COVER_BODIES] -
                   h->sum[COVER_LEFT]) *
                  area;
    assert_near(cover_heat_total(s), came, 1e-9 * all + 1e-9);
}

static void test_melt_by_degrees(void **state) {
    (void)state;
    firn_world *world =
        open_with("air: {temperature: [{time: 9.9 s, value: -1 C}, {time: 10 s, value: 3 C}], "
                  "exchange: 20, time_lapse: 100}\n");
    assert_ok(firn_world_advance(world, 12));
    const wind_state *s = wind_of(world);
    double before = s->cover.heat.sum[COVER_AIR];
    size_t covered = 0, columns = (size_t)s->box.n[0] * (size_t)s->box.n[2];
    for (size_t c = 0; c < columns; c++) covered += s->cover.heat.mass[c] > 0;
    assert_true(covered == columns);
    double melted = s->cover.heat.sum[COVER_MELTED];
    assert_ok(firn_world_advance(world, 2));
    double due = 20 * 3 * 200.0 * (double)columns; // J/m2 times columns
    assert_near(s->cover.heat.sum[COVER_AIR] - before, due, 0.02 * due);
    assert_near((s->cover.heat.sum[COVER_MELTED] - melted) * SNOW_LATENT, due, 0.02 * due);
    assert_balanced(world);
    firn_world_close(world);
}

static firn_world *make_rain(void) {
    return open_with("air: {temperature: 2 C, time_lapse: 60}\n"
                     "rain: {rate: [{time: 5 s, value: 0}, {time: 5.1 s, value: 20 mm/h}]}\n");
}

static void test_nothing_is_lost_in_rain(void **state) {
    (void)state;
    firn_world *world = make_rain();
    for (int i = 0; i < 90; i++) {
        assert_ok(firn_world_advance_frame(world));
        assert_balanced(world);
    }
    assert_true(wind_of(world)->cover.heat.rained > 0 && wind_of(world)->cover.melted > 0);
    firn_world_close(world);
}

// A table of 15 C clears itself in frost; the snow around it stays.
static firn_world *make_warm_table(void) {
    firn_world *world;
    if (firn_world_open_text(THAW_ON(", temperature: 15 C") "air: {temperature: -5 C, time_lapse: 600}\n",
                             "test", &world) != FIRN_OK)
        fail_msg("%s", firn_last_error());
    return world;
}

static void test_a_warm_body_melts_what_lies_on_it(void **state) {
    (void)state;
    firn_world *world = make_warm_table();
    for (int i = 0; i < 120; i++) {
        assert_ok(firn_world_advance_frame(world));
        assert_balanced(world);
    }
    const wind_state *s = wind_of(world);
    uint64_t on_it = 0, around = 0;
    for (int32_t k = 1; k <= 12; k++)
        for (int32_t i = 1; i <= 12; i++)
            for (int32_t j = 1; j <= 8; j++) {
                bool table = i >= 6 && i <= 7 && k >= 6 && k <= 7;
                *(table ? &on_it : &around) += s->cover.mass[poisson_at(&s->box, i, j, k)];
            }
    double kg = (s->cover.heat.sum[COVER_MELTED]) * s->def.cell * s->def.cell;
    print_message("%.3g kg melted on the table, %.3g kg are left on it, %.4g kg around it\n", kg,
                  s->cover.unit * (double)on_it, s->cover.unit * (double)around);
    assert_true(s->cover.heat.sum[COVER_BODIES] > 0 && s->cover.melted > 0);
    assert_true((double)on_it / 4 < 0.1 * (double)around / 140);
    firn_world_close(world);
}

static void test_threads_do_not_show(void **state) {
    (void)state;
    assert_threads_do_not_show(make_rain, 130);
    assert_threads_do_not_show(make_warm_table, 130);
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    firn_world *whole = make_rain(), *cut = make_rain();
    for (int i = 0; i < 120; i++) assert_ok(firn_world_step(whole));
    assert_restarts(whole, cut, 30);
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_melt_by_degrees),
        cmocka_unit_test(test_a_warm_body_melts_what_lies_on_it),
        cmocka_unit_test(test_nothing_is_lost_in_rain),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_restart_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
