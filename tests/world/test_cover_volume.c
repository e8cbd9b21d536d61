// What lies after a storm, on ground and roof, has the volume that its surface encloses.
#include "world/storm.h"

static void test_after_a_storm(void **state) {
    (void)state;
    firn_world *world = open_storm();
    firn_surface m;
    for (int step = 0; step < 156; step++) assert_int_equal(firn_world_step(world), FIRN_OK);
    assert_int_equal(firn_world_surface_request(world, "cover", NULL, NULL), FIRN_OK);
    assert_int_equal(firn_world_surface_wait(world, "cover", &m), FIRN_OK);
    check_surface(&m, 0.02);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_after_a_storm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
