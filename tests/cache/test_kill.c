// A run that is killed with SIGKILL at random moments and started again ends with the same bytes.
// firn-test: slow
#include "cache/runs.h"

#include <math.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

enum { KILLS = 50, SEED = 4711 };

// The child: this same program as `test_kill SCENE FOLDER FRAMES`. A new program, because threads do not
// survive fork.
static pid_t start_run(const char *scene_path, const char *folder, int frames) {
    char count[20];
    snprintf(count, sizeof count, "%d", frames);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_kill", scene_path, folder, count, (char *)NULL);
        _exit(99);
    }
    return child;
}

static int run_as_child(char **argv) {
    firn_run_options options = {COOKIE(run), .scene = argv[1], .folder = argv[2],
                                .frames = (uint64_t)atoi(argv[3])};
    return firn_run(&options) == FIRN_OK ? 0 : 1;
}

static void wait_seconds(double seconds) {
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static void run_whole(const char *scene_path, const char *folder, int frames) {
    int status;
    pid_t child = start_run(scene_path, folder, frames);
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// The fastest of three, so that a busy machine does not make for long waits.
static double time_of_run(const run_test *t, const char *scene_path, int frames) {
    double fastest = INFINITY;
    for (int i = 0; i < 3; i++) {
        double started = clock_seconds();
        folder_remove(t->a);
        run_whole(scene_path, t->a, frames);
        fastest = fmin(fastest, clock_seconds() - started);
    }
    return fastest;
}

static void kill_fifty_times(const run_test *t, const char *scene_path, int frames) {
    double whole = time_of_run(t, scene_path, frames);
    size_t killed = 0, finished = 0;
    for (uint64_t i = 0; killed < KILLS; i++) {
        assert_true(i < 40 * KILLS);
        pid_t child = start_run(scene_path, t->b, frames);
        wait_seconds(fmin(whole, 0.4) * random_unit(random_bits(SEED, i, 0, 0), 0));
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_true(waitpid(child, &status, 0) == child);
        if (WIFSIGNALED(status)) {
            killed++;
            continue;
        }
        // It was faster than the knife: what is there is right, and the next begins anew. Only frames are
        // compared, as an earlier kill may have come between the last frame and the last checkpoint.
        assert_int_equal(WEXITSTATUS(status), 0);
        finished++;
        expect_same_files(t->a, t->b, "frames");
        folder_remove(t->b);
    }
    run_whole(scene_path, t->b, frames);
    expect_same_files(t->a, t->b, "frames");
    expect_no_partial_files(t->b);
    print_message("killed %zu times, %zu runs ended in between, one run takes %.0f ms\n", killed, finished,
                  whole * 1e3);
}

static void test_killed_fifty_times(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    kill_fifty_times(&t, t.scene, 60);
    run_test_end(&t);
}

int main(int argc, char **argv) {
    if (argc == 4) return run_as_child(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_fifty_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
