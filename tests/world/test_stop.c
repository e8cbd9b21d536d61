// firn_set_stop while a wind or a field is created: an answer within half a second, at whatever moment it is
// asked, and nothing lost.
#include "support.h"

#include <time.h>

#include "base/file.h"

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static struct {
    int asked, stop_at;
    double stopped; // CPU time
} hook;

static bool stop_later(void *context) {
    (void)context;
    if (++hook.asked == hook.stop_at) hook.stopped = cpu_seconds();
    return hook.asked >= hook.stop_at;
}

static firn_status create(const char *path, int stop_at) {
    firn_world *world = NULL;
    hook.asked = 0, hook.stop_at = stop_at;
    firn_set_stop(stop_later, NULL);
    firn_status status = firn_world_open(path, &world);
    firn_set_stop(NULL, NULL);
    if (status != FIRN_OK) assert_null(world);
    firn_world_close(world);
    return status;
}

static void stop_everywhere(const char *words) {
    enum { MOMENTS = 12 };
    char path[64];
    snprintf(path, sizeof path, "stop-%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(words, file);
    fclose(file);
    double begun = cpu_seconds();
    assert_ok(create(path, INT32_MAX));
    const double whole = cpu_seconds() - begun;
    const int all = hook.asked;
    assert_true(all > 2 * MOMENTS);
    int interrupted = 0;
    for (int i = 0; i < MOMENTS; i++) {
        const int stop_at = 1 + i * all / MOMENTS;
        firn_status status = create(path, stop_at);
        if (status == FIRN_OK && hook.asked < stop_at)
            continue; // this time other threads did more of the work
        assert_int_equal(status, FIRN_INTERRUPTED);
        interrupted++;
        double after = cpu_seconds() - hook.stopped;
        if (after > 0.1 + 0.25 * whole)
            fail_msg("stopped at question %d of %d, and then %.2f s of CPU time; creating it takes %.2f s",
                     stop_at, all, after, whole);
    }
    assert_true(interrupted > MOMENTS / 3);
    assert_ok(create(path, INT32_MAX));
    remove(path);
}

static void test_wind(void **state) {
    (void)state;
    stop_everywhere(
        "firn: 1\nbodies:\n  hill: {shape: {hills: {}}, scale: 0.5}\n  ball: {shape: {sphere: {radius: 1}}, "
        "at: [0, 6, 0]}\nwind: {grid: [128, 64, 128], cell: 20 cm}\n");
}

static void test_field(void **state) {
    (void)state;
    stop_everywhere(
        "firn: 1\nfield: {width: 40 m, length: 40 m, cell: 4 cm, ground: {shape: {hills: {}}}}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wind), cmocka_unit_test(test_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
