// What leaves is booked: through planes that the scene asks for, or lost below the floor. And what is inside
// a body is counted.
#include "mpm/snow.h"

#include "cache/cache.h"

static void test_a_removal_plane_books_what_leaves(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.6, 0.2, 0.2}, (firn_vec3){0, 0, 0}, 0.05);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.velocity = (firn_vec3){1, 0, 0};
    firn_mpm_remove_def gates[2] = {firn_mpm_remove_def_default(), firn_mpm_remove_def_default()};
    gates[0].name = "gate";
    gates[0].at = (firn_vec3){0.3, 5, 0};
    gates[0].normal = (firn_vec3){2, 0, 0};
    gates[1].name = "beyond";
    gates[1].at = (firn_vec3){0.3, 0, 0};
    gates[1].normal = (firn_vec3){1, 0, 0};
    w.mpm.remove.items = gates;
    w.mpm.remove.count = 2; // beyond both at once counts once
    firn_world *world = snow_open(&w);
    double mass = snow_ledger(world).mass;
    assert_ok(firn_world_advance(world, 0.15)); // a quarter has passed
    firn_ledger l = snow_ledger(world);
    assert_near(l.mass_out, 0.25 * mass, 0.02 * mass);
    assert_near(l.mass + l.mass_out, mass, 1e-9 * mass);
    assert_true(l.mass_lost == 0);
    firn_field x = firn_world_field(world, "mpm.position"), id = firn_world_field(world, "mpm.id");
    const double *p = x.data;
    const uint32_t *number = id.data;
    uint8_t seen[1 << 16] = {0}; // each particle once
    for (size_t i = 0; i < x.count; i++) {
        assert_true(p[3 * i] <= 0.3);
        assert_true(number[i] < sizeof seen && !seen[number[i]]++);
    }
    assert_ok(firn_world_advance(world, 0.6));
    l = snow_ledger(world);
    assert_int_equal(l.items, 0);
    assert_near(l.mass_out, mass, 1e-9 * mass);
    assert_ok(firn_world_advance(world, 0.1)); // an empty world goes on
    firn_world_close(world);
}

static void test_below_the_floor_is_lost(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.2, 0.2, 0.2}, (firn_vec3){0, 0, 0}, 0.05);
    w.mpm.floor = -0.5;
    firn_world *world = snow_open(&w);
    double mass = snow_ledger(world).mass;
    assert_ok(firn_world_advance(world, 0.5));
    firn_ledger l = snow_ledger(world);
    assert_int_equal(l.items, 0);
    assert_near(l.mass_lost, mass, 1e-9 * mass);
    assert_near(l.mass_out, mass, 1e-9 * mass);
    firn_world_close(world);
}

static void test_the_ledger_sees_what_is_inside(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.4, 0.4}, (firn_vec3){0, 0, 0}, 0.05);
    snow_floor(&w, 0.5, 0); // goes through the middle of the snow
    firn_world *world = snow_open(&w);
    firn_ledger l = snow_ledger(world);
    assert_near(snow_inside(world), 0.5 * (double)l.items, 0.02 * (double)l.items);
    assert_near(snow_depth(world), 0.2, 0.03);
    assert_ok(firn_world_step(world));
    l = snow_ledger(world);
    assert_true(snow_inside(world) == 0);
    assert_true(snow_depth(world) < 1e-4);
    firn_world_close(world);
}

// The counts are written to frames and read back.
static void test_the_counts_are_in_the_frames(void **state) {
    (void)state;
    const char *path = "mpm-ledger.h5";
    snow_world w;
    snow_box(&w, (firn_vec3){0.2, 0.4, 0.2}, (firn_vec3){0, 0, 0}, 0.05);
    snow_floor(&w, 0.5, 0);
    w.mpm.floor = -0.1;
    firn_world *world = snow_open(&w);
    assert_ok(cache_write(path, world, 7, CACHE_FRAME, false));
    cache_summary summary;
    assert_ok(cache_read_summary(path, &summary));
    firn_ledger l = snow_ledger(world);
    assert_int_equal(summary.series_count, 3);
    assert_true(summary.series[0].value == snow_inside(world) && snow_inside(world) > 0);
    assert_true(summary.series[1].value == snow_depth(world));
    assert_true(summary.ledger[1].mass_lost == l.mass_lost);
    cache_summary_free(&summary);
    firn_world_close(world);
    remove(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_removal_plane_books_what_leaves),
        cmocka_unit_test(test_below_the_floor_is_lost),
        cmocka_unit_test(test_the_ledger_sees_what_is_inside),
        cmocka_unit_test(test_the_counts_are_in_the_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
