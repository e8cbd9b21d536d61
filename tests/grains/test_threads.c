// Same bits for any number of threads.
// firn-test: threaded
#include "grains/tumbling.h"

static void test_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    firn_body_def defs[N];
    tumbling_scene(defs);
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 2, 2), 0.08);
    firn_grains_def def = many(&fill);
    model_setting setting = usual_setting();
    uint64_t first = 0;
    for (int i = 0; i < THREAD_COUNTS; i++) {
        firn_set_threads(thread_counts[i]);
        grains_run r = start_grains(defs, N, &def, &setting);
        for (int k = 0; k < 60; k++) step_grains(&r, 1.0 / 240);
        if (i == 0) first = grains_hash(&r);
        assert_true(grains_hash(&r) == first);
        stop_grains(&r);
    }
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits_for_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
