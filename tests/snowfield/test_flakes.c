// Flakes of the wind land on the snow field: both balances are closed, tracks fill, bodies get covered.
#include "bits.h"
#include "snowfield/snowfield_inside.h"
#include "snowfield/snowfield_world.h"
#include "worlds.h"

static const char snowfall[] =
    "firn: 1\nduration: 10 s\nfps: 20\n"
    "bodies:\n"
    "  disc: {shape: {cylinder: {radius: 20 cm, length: 20 cm}}, at: [0.5, 0.3, 0], motion: kinematic}\n"
    "  table: {shape: {box: {size: [50 cm, 10 cm, 50 cm]}}, at: [-0.5, 0.6, 0]}\n"
    "wind: {cell: 20 cm, grid: [10, 8, 10], inflow: {speed: 0}}\n"
    "flakes: {snowfall: 3600 mm/h, shown: 10000, filled: true}\n"
    "field: {width: 3 m, length: 3 m, cell: 4 cm, depth: 20 cm, tile: 16}\n";

static firn_world *open_scene(void) {
    firn_world *world;
    assert_ok(firn_world_open_text(snowfall, "test", &world));
    return world;
}

static double depth_at(const firn_world *world, double x, double z) {
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    return firn_snowfield_surface(&f, x, z);
}

static void test_both_books_are_whole(void **state) {
    (void)state;
    firn_world *world = open_scene();
    double start = ledger_of(world, "field").mass;
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0.5, 0.15, 0}, (firn_quat){1, 0, 0, 0}, 0.2));
    assert_ok(firn_world_advance(world, 0.3));
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0.5, 5, 0}, (firn_quat){1, 0, 0, 0}, 0));
    assert_ok(firn_world_advance(world, 0.1));
    double print = depth_at(world, 0.5, 0), beside = depth_at(world, 0.5, 0.7);
    assert_true(beside - print > 0.08);
    assert_ok(firn_world_advance(world, 2.5));
    firn_ledger field = ledger_of(world, "field"), wind = ledger_of(world, "wind");
    assert_near(field.mass, field.mass_in - field.mass_out, 1e-9 * field.mass);
    assert_near(wind.mass, wind.mass_in - wind.mass_out, 1e-9 * wind.mass_in);
    const uint64_t *book = firn_world_field(world, "wind.counters").data;
    const snowfield_state *s = state_of(world);
    print_message("%.1f kg on the field from %llu flakes; the print is %.3f m deep, was %.3f m\n",
                  field.mass - start, (unsigned long long)s->counters[COUNTER_FLAKES],
                  depth_at(world, 0.5, 0.7) - depth_at(world, 0.5, 0), beside - print);
    // All that landed is on the field, which is larger than the wind's box, to a unit of mass.
    double one = wind.mass_in / (double)(wind.mass_in > 0 ? book[0] : 1);
    assert_int_equal(s->counters[COUNTER_FLAKES], book[1]);
    assert_near(field.mass - start, one * (double)book[1], snowfield_kg(s) + 1e-9 * field.mass);
    assert_true(field.mass - start > 3); // 1 kg/m2 s on 4 m2
    // Snow of 50 kg/m3 falls at 2 cm/s, into the print as well as beside it.
    assert_true(depth_at(world, 0.5, 0) - print > 0.015);
    // It lies on the table, and less of it below, from the flakes that were there at the start.
    size_t cell = snowfield_cell(s, (int32_t)((-0.5 + 1.5) / 0.04), (int32_t)(1.5 / 0.04)),
           top = snowfield_covered(s, cell);
    assert_true(top != SIZE_MAX && s->covers.top_mass[top] > 0);
    print_message("under the table %.3f m, beside it %.3f m\n", depth_at(world, -0.5, 0),
                  depth_at(world, -0.5, 0.6));
    assert_true(depth_at(world, -0.5, 0) - 0.2 < 0.9 * (depth_at(world, -0.5, 0.6) - 0.2));
    firn_world_close(world);
}

static void test_restart(void **state) {
    (void)state;
    firn_world *whole = open_scene(), *cut = open_scene();
    assert_ok(firn_world_advance(whole, 0.5));
    assert_restarts(whole, cut, 20);
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_books_are_whole),
                                       cmocka_unit_test(test_restart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
