// The snow field as an obstacle of the wind, and its loose bits in it.
// firn-test: threaded
#include "wind/winds.h"

#define HEAD "firn: 1\nfps: 50\nduration: 9 s\n"
#define WIND                                                                                                 \
    "wind: {cell: 25 cm, grid: [32, 16, 24], inflow: {profile: uniform, turbulence: 0, speed: 8 m/s}}\n"
#define FIELD                                                                                                \
    "field: {width: 8 m, length: 6 m, cell: 10 cm, depth: 0, snow: packed, pour: {heap: {at: [-1, 0, 0], "   \
    "radius: 60 cm, rate: 5000, end: 0.12 s}}}\n"
#define EVEN "field: {width: 20 m, length: 20 m, cell: 10 cm, depth: 50 cm, snow: packed}\n"

static firn_world *open_world(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s\n%s", firn_last_error(), words);
    return world;
}

static offer_medium_sample air_at(const firn_world *world, float x, float y, float z) {
    const float at[1][3] = {{x, y, z}};
    offer_medium_sample out;
    wind_model.offers->medium->read(wind_of(world), 1, at, &out);
    return out;
}

static size_t closed_cells(const firn_world *world) {
    const wind_state *s = wind_of(world);
    return (size_t)s->box.n[0] * (size_t)s->box.n[1] * (size_t)s->box.n[2] - s->free_cells;
}

static void test_the_wind_goes_over_a_heap(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD WIND FIELD);
    assert_int_equal(closed_cells(world), 0);
    assert_ok(firn_world_advance(world, 1));
    double lee = (double)air_at(world, 0.6f, 0.4f, 0).velocity[0],
           side = (double)air_at(world, 0.6f, 0.4f, 2.5f).velocity[0];
    print_message("%zu cells closed; %.2f m/s behind the heap, %.2f beside it\n", closed_cells(world), lee,
                  side);
    assert_true(air_at(world, -1, 0.1f, 0).density == 0);
    assert_true(closed_cells(world) > 10);
    assert_true(lee < 0.7 * side);
    assert_true(wind_worst_divergence(wind_of(world)) < 0.02);
    firn_world_close(world);
}

static void test_snow_everywhere_is_the_ground(void **state) {
    (void)state;
    firn_world *world = open_world(HEAD WIND EVEN);
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(closed_cells(world), 2 * 32 * 24);
    assert_true(air_at(world, 0, 0.3f, 0).density == 0);
    assert_true((double)air_at(world, 0, 1.5f, 0).velocity[0] > 7);
    bool stale = wind_of(world)->stale;
    assert_ok(firn_world_step(world));
    assert_false(stale || wind_of(world)->stale); // nothing is built again while it lies still
    firn_world_close(world);
    world = open_world(HEAD WIND EVEN "coupling: {wind_field: {on: no}}\n");
    assert_ok(firn_world_advance(world, 0.1));
    assert_int_equal(closed_cells(world), 0);
    firn_world_close(world);
}

#define ALL                                                                                                  \
    HEAD "bodies: {ball: {shape: {sphere: {radius: 30 cm}}, at: [1, 1.4, 0], motion: dynamic, density: "     \
         "300}}\n" WIND FIELD

static void test_same_bits_over_threads_and_a_restart(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int k = 0; k < THREAD_COUNTS; k++) {
        assert_ok(firn_set_threads(thread_counts[k]));
        firn_world *world = open_world(ALL), *again = open_world(ALL);
        assert_ok(firn_world_advance(world, 0.06)); // while it is poured
        void *data;
        size_t bytes;
        assert_ok(firn_world_save(world, &data, &bytes));
        assert_ok(firn_world_load(again, data, bytes));
        assert_ok(firn_world_advance(world, 0.1));
        assert_ok(firn_world_advance(again, 0.1));
        if (k == 0) first = firn_world_hash(world);
        assert_int_equal(firn_world_hash(world), first);
        assert_int_equal(firn_world_hash(again), first);
        assert_true(closed_cells(world) > 5);
        firn_data_free(data);
        firn_world_close(again);
        firn_world_close(world);
    }
    assert_ok(firn_set_threads(0));
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_wind_goes_over_a_heap),
        cmocka_unit_test(test_snow_everywhere_is_the_ground),
        cmocka_unit_test(test_same_bits_over_threads_and_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
