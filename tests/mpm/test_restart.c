// A checkpoint in the middle changes nothing.
#include "mpm/snow.h"

#include "bits.h"

static firn_world *fresh(double implicit) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.4, 0.3, 0.4}, (firn_vec3){0, 0.2, 0}, 0.05);
    w.snow.velocity = (firn_vec3){1, -3, 0};
    snow_floor(&w, 0.4, 0);
    w.mpm.implicit = implicit;
    return snow_open(&w);
}

static void cut_in_two(double implicit) {
    firn_world *whole = fresh(implicit), *cut = fresh(implicit);
    for (int i = 0; i < 45; i++) assert_ok(firn_world_step(whole)); // not a multiple of the sort
    assert_restarts(whole, cut, 60);
    firn_world_close(whole);
    firn_world_close(cut);
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
