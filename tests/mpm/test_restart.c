// A checkpoint in the middle changes nothing.
#include "mpm/snow.h"

#include "cache/cache.h"

static firn_world *fresh(double implicit) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.3, 0.4}, (firn_vec3){0, 0.2, 0}, 0.05);
    w.snow.velocity = (firn_vec3){1, -3, 0};
    snow_floor(&w, 0.4, 0);
    w.mpm.implicit = implicit;
    return snow_open(&w);
}

static void cut_in_two(double implicit) {
    const char *path = "mpm-restart.h5";
    firn_world *whole = fresh(implicit), *cut = fresh(implicit);
    for (int i = 0; i < 45; i++) assert_ok(firn_world_step(whole)); // not a multiple of the sort
    assert_ok(cache_write(path, whole, 7, CACHE_CHECKPOINT, false));
    assert_ok(cache_read(path, cut, 7, CACHE_CHECKPOINT));
    assert_true(firn_world_hash(whole) == firn_world_hash(cut));
    for (int i = 0; i < 60; i++) {
        assert_ok(firn_world_step(whole));
        assert_ok(firn_world_step(cut));
        assert_true(firn_world_hash(whole) == firn_world_hash(cut));
    }
    firn_world_close(whole);
    firn_world_close(cut);
    remove(path);
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    cut_in_two(0);
    cut_in_two(0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_restart_gives_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
