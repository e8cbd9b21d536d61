// The demo: the same bits for any number of threads, and after being killed with SIGKILL at fifty random
// moments. firn-test: slow
#include "cache/runs.h"

#include <math.h>
#include <signal.h>

#include "base/clock.h"
#include "cache/folder.h"
#include "geom/shape_solid.h"

enum { KILLS = 50, SEED = 815, FRAMES = 8 };
static const char demo[] = FIRN_SOURCE_DIR "/scenes/demo/tumble.yaml";

static void test_hash_over_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    uint64_t hash, first = 0;
    for (int i = 0; i < 4; i++) {
        firn_set_threads(threads[i]);
        assert_ok(firn_hash(demo, (firn_overrides){0}, 100, &hash));
        if (i == 0) first = hash;
        if (hash != first) fail_msg("%d threads: %016llx", threads[i], (unsigned long long)hash);
    }
    firn_set_threads(1);
}

static scene *demo_scene;
static firn_world *demo_world;

static firn_status make_demo(void) {
    static const char *const often = "checkpoint=2"; // so that a killed run has something to go on from
    firn_set_threads(1);
    TRY(scene_open(demo, (firn_overrides){&often, 1}, &demo_scene));
    return firn_world_create(&demo_scene->def.world, &demo_world);
}

// Runs in a child with a copy of a world that was made once: its level sets take longer than the frames.
// Threads do not survive fork, so the parent has none; the child may start as many as it likes.
static pid_t start_run(const char *folder, int threads) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    firn_set_threads(threads);
    firn_run_options options = {COOKIE(run), .scene = demo, .folder = folder, .frames = FRAMES};
    solids_hold();
    _exit(run_world(&options, demo_scene, demo_world) == FIRN_OK ? 0 : 1);
}

static void run_whole(const char *folder, int threads) {
    int status;
    pid_t child = start_run(folder, threads);
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static size_t kill_often(const run_test *t, double whole) {
    size_t killed = 0, finished = 0;
    for (uint64_t i = 0; killed < KILLS; i++) {
        random4 r = random_bits(SEED, i, 0, 0);
        assert_true(i < 20 * KILLS);
        pid_t child = start_run(t->b, 1 + (int)(r.v[1] % 3));
        usleep((useconds_t)(1e6 * fmin(whole, 0.9) * random_unit(r, 0)));
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_true(waitpid(child, &status, 0) == child);
        if (WIFSIGNALED(status)) {
            killed++;
            continue;
        }
        assert_int_equal(WEXITSTATUS(status), 0);
        expect_same_files(t->a, t->b, "frames");
        folder_remove(t->b);
        finished++;
    }
    return finished;
}

static void test_killed_and_resumed(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    double started = clock_seconds();
    run_whole(t.a, 2);
    double whole = clock_seconds() - started;
    size_t finished = kill_often(&t, whole);
    run_whole(t.b, 3);
    expect_same_files(t.a, t.b, "frames");
    expect_no_partial_files(t.b);
    print_message("killed %d times, %zu runs ended in between, one run takes %.0f ms\n", KILLS, finished,
                  whole * 1e3);
    // And the hash in the last frame is that of an undisturbed world after as many steps.
    cache_summary summary;
    char path[400];
    frame_file(t.b, FRAMES, path);
    assert_ok(cache_read_summary(path, &summary));
    for (uint64_t i = 0; i < summary.clock.step; i++) assert_ok(firn_world_step(demo_world));
    assert_true(firn_world_hash(demo_world) == summary.state_hash);
    cache_summary_free(&summary);
    run_test_end(&t);
}

int main(void) {
    firn_status status = make_demo();
    if (status == FIRN_UNSUPPORTED) { // a build without Assimp cannot read the demo's mesh
        printf("the demo is not tested: %s\n", firn_last_error());
        if (demo_scene) scene_close(demo_scene);
        return 0;
    }
    if (status != FIRN_OK) {
        printf("%s\n", firn_last_error());
        return 1;
    }
    // The kills first: the parent must not have started threads yet.
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_and_resumed),
        cmocka_unit_test(test_hash_over_threads),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    firn_world_close(demo_world);
    scene_close(demo_scene);
    return failed;
}
