// firn-test: slow
// firn_set_stop while a wind or a field is created: an answer within half a second, at whatever moment it is
// asked, and nothing lost. Time is that of the calling thread, which a busy machine does not lengthen.
#include "support.h"

#include <math.h>
#include <time.h>

#include "base/file.h"

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct {
    int asked, stop_at;
    double stopped, last, longest; // CPU time; of the last question, between two questions
} hook;

static bool stop_later(void *context) {
    (void)context;
    const double now = cpu_seconds();
    if (hook.asked++ > 0) hook.longest = fmax(hook.longest, now - hook.last);
    hook.last = now;
    if (hook.asked == hook.stop_at) hook.stopped = now;
    return hook.asked >= hook.stop_at;
}

static firn_status create(const char *path, int stop_at) {
    firn_world *world = NULL;
    hook.asked = 0, hook.stop_at = stop_at, hook.longest = 0;
    firn_set_stop(stop_later, NULL);
    firn_status status = firn_world_open(path, &world);
    firn_set_stop(NULL, NULL);
    if (status != FIRN_OK) assert_null(world);
    hook.longest = fmax(hook.longest, cpu_seconds() - hook.last);
    firn_world_close(world);
    return status;
}

// No two questions are more than this apart, s: the answer comes at the next one.
static const double LONGEST_SILENCE = 0.3, LONGEST_ANSWER = 0.5;

static void stop_everywhere(const char *words) {
    enum { MOMENTS = 6 };
    char path[64];
    snprintf(path, sizeof path, "/tmp/firn-test-stop-%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(words, file);
    fclose(file);
    // A machine that has just started takes time to hand out memory, which counts here; a silence of ours
    // comes every time.
    double whole = 0, silence = INFINITY;
    for (int attempt = 0; attempt < 3 && silence > LONGEST_SILENCE; attempt++) {
        const double begun = cpu_seconds();
        assert_ok(create(path, INT32_MAX));
        whole = cpu_seconds() - begun;
        silence = fmin(silence, hook.longest);
        print_message("%.2f s, %d questions, at most %.3f s apart\n", whole, hook.asked, hook.longest);
    }
    if (silence > LONGEST_SILENCE) fail_msg("nobody asked for %.2f s of CPU time", silence);
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
        if (after > LONGEST_ANSWER)
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
        "at: [0, 6, 0]}\nwind: {grid: [256, 96, 256], cell: 10 cm}\nflakes: {shown: 200000, filled: "
        "true}\ncover: {}\n");
}

static void test_field(void **state) {
    (void)state;
    stop_everywhere(
        "firn: 1\nfield: {width: 100 m, length: 100 m, cell: 4 cm, ground: {shape: {hills: {}}}}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wind), cmocka_unit_test(test_field)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
