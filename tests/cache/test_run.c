// Runs to a folder: what is written, resumed, refused and repaired.
// firn-test: threaded
#include "cache/runs.h"

#include "cache/folder.h"

static size_t notes, warnings;
static char last_note[2000];
static void count_log(void *context, firn_log_level level, const char *message) {
    (void)context;
    if (level == FIRN_LOG_NOTE)
        notes++;
    else
        warnings++;
    snprintf(last_note, sizeof last_note, "%s", message);
}

static void listen(void) {
    notes = warnings = 0;
    firn_set_log(count_log, NULL);
}

static size_t reports;
static firn_progress last_report;
static void count_progress(void *context, const firn_progress *progress) {
    (void)context;
    reports++;
    last_report = *progress;
}

static void test_a_run_writes_frames_and_checkpoints(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    reports = 0;
    size_t before = mem_in_use();
    assert_ok(firn_run(&(firn_run_options){.scene = t.scene, .folder = t.a, .progress = count_progress}));
    assert_int_equal(mem_in_use(), before);
    assert_int_equal(reports, SMALL_FRAMES);
    assert_int_equal(last_report.frame, SMALL_FRAMES);
    assert_int_equal(last_report.frames, SMALL_FRAMES);
    assert_near(last_report.time, 0.4, 1e-12);
    assert_false(last_report.resumed);
    for (unsigned i = 0; i <= SMALL_FRAMES; i++) {
        char path[400];
        cache_summary summary;
        frame_file(t.a, i, path);
        assert_ok(cache_read_summary(path, &summary));
        assert_int_equal(summary.clock.frame, i);
        assert_near(summary.clock.time, i / 25.0, 1e-12);
        assert_int_equal(summary.ledgers, 2);
        assert_int_equal(summary.ledger[0].items, 3);
    }
    char path[400];
    snprintf(path, sizeof path, "%s/frames", t.a);
    assert_int_equal(count_files(path, ""), SMALL_FRAMES + 1);
    snprintf(path, sizeof path, "%s/checkpoints", t.a);
    assert_int_equal(count_files(path, ""), 2);
    expect_no_partial_files(t.a);
    // The scene beside the run gives the same run.
    snprintf(path, sizeof path, "%s/scene.yaml", t.a);
    assert_ok(run_to(path, t.b));
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    uint64_t hashes[THREAD_COUNTS];
    for (int i = 0; i < THREAD_COUNTS; i++) {
        firn_set_threads(thread_counts[i]);
        assert_ok(firn_hash(t.scene, (firn_overrides){0}, 60, &hashes[i]));
        assert_true(hashes[i] == hashes[0]);
        assert_ok(run_to(t.scene, i ? t.b : t.a));
        if (i) expect_same_runs(t.a, t.b);
        folder_remove(t.b);
    }
    firn_set_threads(0);
    run_test_end(&t);
}

typedef struct stopper {
    size_t asked, at;
} stopper;
static bool stop_at(void *context) {
    stopper *s = context;
    return ++s->asked == s->at;
}

// Runs in pieces of seven steps: stopped in the middle of frames, at their ends, and at checkpoints.
static void expect_same_in_pieces(const char *yaml) {
    run_test t = run_test_make(yaml);
    assert_ok(run_to(t.scene, t.a));
    size_t interruptions = 0;
    for (firn_status status = FIRN_INTERRUPTED; status != FIRN_OK; interruptions++) {
        stopper stop = {.at = 8};
        firn_run_options options = {.scene = t.scene, .folder = t.b, .stop = stop_at, .context = &stop};
        status = firn_run(&options);
        if (status != FIRN_OK) {
            assert_int_equal(status, FIRN_INTERRUPTED);
            expect_message("saved");
        }
        expect_no_partial_files(t.b);
        assert_true(interruptions < 100);
    }
    assert_true(interruptions > 5);
    expect_same_files(t.a, t.b, "frames");
    uint64_t hash;
    cache_summary summary;
    char path[400];
    frame_file(t.b, SMALL_FRAMES, path);
    assert_ok(cache_read_summary(path, &summary));
    assert_ok(firn_hash(t.scene, (firn_overrides){0}, summary.clock.step, &hash));
    assert_true(hash == summary.state_hash);
    run_test_end(&t);
}

static void test_stopped_and_resumed_is_the_same(void **state) {
    (void)state;
    expect_same_in_pieces(small_scene);
}

static void test_compressed_runs(void **state) {
    (void)state;
    char yaml[2000];
    snprintf(yaml, sizeof yaml, "%scompress: true\n", small_scene);
    expect_same_in_pieces(yaml);
}

// Counts change: grains fall below the floor and are gone, in the end all of them.
static void test_grains_that_leave(void **state) {
    (void)state;
    expect_same_in_pieces(leaving_scene);
}

static void test_a_longer_run_goes_on(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    firn_run_options options = {.scene = t.scene, .folder = t.b, .frames = 4, .progress = count_progress};
    assert_ok(firn_run(&options));
    reports = 0;
    assert_ok(firn_run(&options)); // again: nothing to do
    assert_int_equal(reports, 0);
    options.frames = 0;
    assert_ok(firn_run(&options));
    assert_int_equal(reports, SMALL_FRAMES - 4);
    assert_true(last_report.resumed);
    assert_ok(run_to(t.scene, t.a));
    expect_same_runs(t.a, t.b);
    // A longer scene is the same simulation.
    const char *longer = "duration=0.6 s";
    options.overrides = (firn_overrides){&longer, 1};
    reports = 0;
    assert_ok(firn_run(&options));
    assert_int_equal(reports, 5);
    listen();
    options.overrides = (firn_overrides){0};
    assert_ok(firn_run(&options)); // the shorter one is there already
    assert_int_equal(notes, 1);
    assert_non_null(strstr(last_note, "already"));
    firn_set_log(NULL, NULL);
    run_test_end(&t);
}

static void test_another_scene_is_refused(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    char path[400];
    size_t bytes;
    frame_file(t.a, 5, path);
    char *frame = file_get(path, &bytes);
    const char *other = "bodies.ball.at=[0, 70 cm, 0]";
    firn_run_options options = {.scene = t.scene, .folder = t.a, .overrides = {&other, 1}};
    assert_int_equal(firn_run(&options), FIRN_BAD_INPUT);
    expect_message("another scene");
    expect_message("bodies.ball.at");
    size_t again;
    char *same = file_get(path, &again);
    assert_true(bytes == again && memcmp(frame, same, bytes) == 0);
    mem_free(frame);
    mem_free(same);
    options.force = true;
    assert_ok(firn_run(&options));
    options.folder = t.b;
    options.force = false;
    assert_ok(firn_run(&options));
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

static void test_a_shorter_forced_run_leaves_no_old_frames(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    const char *other = "seed=8";
    assert_ok(firn_run(&(firn_run_options){
        .scene = t.scene, .folder = t.a, .overrides = {&other, 1}, .frames = 2, .force = true}));
    char path[400];
    snprintf(path, sizeof path, "%s/frames", t.a);
    assert_int_equal(count_files(path, ""), 3);
    run_test_end(&t);
}

static void test_folders_of_others_are_not_touched(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    char path[400], frames[400];
    assert_ok(file_make_folders(t.a));
    snprintf(path, sizeof path, "%s/thesis.txt", t.a);
    file_put(path, "years", 5);
    assert_int_equal(run_to(t.scene, t.a), FIRN_BAD_INPUT);
    expect_message("not empty");
    assert_int_equal(count_files(t.a, ""), 1);
    snprintf(frames, sizeof frames, "%s/frames", t.a);
    assert_ok(file_make_folders(frames));
    frame_file(t.a, 3, path);
    file_put(path, "not ours", 8);
    firn_run_options options = {.scene = t.scene, .folder = t.a, .force = true};
    assert_int_equal(firn_run(&options), FIRN_BAD_INPUT);
    expect_message("stands in the way");
    assert_int_equal(remove(path), 0);
    assert_ok(firn_run(&options));
    snprintf(path, sizeof path, "%s/thesis.txt", t.a);
    assert_true(file_exists(path));
    run_test_end(&t);
}

static void test_wrong_scenes_write_nothing(void **state) {
    (void)state;
    run_test t = run_test_make("firn: 1\nbodies:\n  ball: {shape: {sphere: {radios: 2}}}\n");
    assert_int_equal(run_to(t.scene, t.a), FIRN_BAD_INPUT);
    expect_message("radios");
    assert_false(folder_exists(t.a));
    assert_int_equal(run_to("/nowhere.yaml", t.a), FIRN_BAD_INPUT);
    assert_int_equal(firn_run(&(firn_run_options){.scene = t.scene}), FIRN_BAD_INPUT);
    assert_int_equal(firn_run(NULL), FIRN_BAD_INPUT);
    assert_false(folder_exists(t.a));
    run_test_end(&t);
}

static void test_two_runs_to_one_folder(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    int lock;
    assert_ok(file_make_folders(t.a));
    assert_ok(folder_lock(t.a, &lock));
    assert_int_equal(run_to(t.scene, t.a), FIRN_BAD_INPUT);
    expect_message("another run");
    folder_unlock(lock);
    assert_ok(run_to(t.scene, t.a));
    run_test_end(&t);
}

static void damage(const char *path, size_t at) {
    size_t bytes;
    char *data = file_get(path, &bytes);
    data[at % bytes] ^= 1;
    file_put(path, data, bytes);
    mem_free(data);
}

// Flips a byte of the newest checkpoint (0) or the one before (1).
static void damage_checkpoint(const char *folder, size_t back) {
    numbered_files files;
    char path[PATH_ROOM];
    assert_ok(numbered_list(folder, false, &files));
    assert_true(files.count > back);
    checkpoint_path(folder, files.number[files.count - 1 - back], path);
    damage(path, 6000); // behind the header
    numbered_free(&files);
}

static void test_damaged_checkpoints_are_passed_over(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    for (size_t damaged = 1; damaged <= 2; damaged++) {
        firn_run_options options = {.scene = t.scene, .folder = t.b, .frames = 7, .progress = count_progress};
        assert_ok(firn_run(&options));
        for (size_t i = 0; i < damaged; i++) damage_checkpoint(t.b, i);
        listen();
        options.frames = 0;
        assert_ok(firn_run(&options));
        firn_set_log(NULL, NULL);
        assert_int_equal(warnings, damaged);
        assert_int_equal(last_report.resumed, damaged == 1);
        expect_same_runs(t.a, t.b);
        folder_remove(t.b);
    }
    run_test_end(&t);
}

static void test_missing_and_damaged_frames_are_made_anew(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    char path[400];
    assert_ok(run_to(t.scene, t.a));
    assert_ok(run_to(t.scene, t.b));
    frame_file(t.b, 8, path);
    assert_int_equal(remove(path), 0);
    frame_file(t.b, 2, path);
    damage(path, 100); // its header
    snprintf(path, sizeof path, "%s/frames/000004.h5.99999.tmp", t.b);
    file_put(path, "left by a killed run", 20);
    snprintf(path, sizeof path, "%s/run.json.99999.tmp", t.b);
    file_put(path, "{", 1);
    assert_ok(run_to(t.scene, t.b));
    expect_same_runs(t.a, t.b);
    expect_no_partial_files(t.b);
    run_test_end(&t);
}

// Killed between run.json and the removal of the old frames: the folder belongs to the new scene, nothing is
// mixed.
static void test_a_forced_start_that_was_killed(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    const char *other = "seed=8";
    firn_run_options options = {.scene = t.scene, .folder = t.b, .overrides = {&other, 1}};
    assert_ok(firn_run(&options));
    char from[400], to[400];
    size_t bytes;
    snprintf(from, sizeof from, "%s/run.json", t.b);
    snprintf(to, sizeof to, "%s/run.json", t.a);
    char *note = file_get(from, &bytes);
    file_put(to, note, bytes);
    mem_free(note);
    options.folder = t.a;
    assert_ok(firn_run(&options));
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

static void test_the_watchdog_keeps_the_last_good_frame(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    const char *limit = "max_speed=3 m/s"; // reached by the falling box
    firn_run_options options = {.scene = t.scene, .folder = t.a, .overrides = {&limit, 1}};
    assert_int_equal(firn_run(&options), FIRN_UNSTABLE);
    expect_message("too fast");
    expect_message("last good frame");
    expect_message("/frames/0000");
    expect_no_partial_files(t.a);
    const char *named = strstr(firn_last_error(), t.a);
    assert_non_null(named);
    char path[400];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(named, "'"), named);
    cache_summary summary;
    assert_ok(cache_read_summary(path, &summary));
    for (size_t i = 0; i < summary.ledgers; i++) assert_true(summary.ledger[i].max_speed <= 3);
    run_test_end(&t);
}

static void test_differences(void **state) {
    (void)state;
    char *found;
    assert_ok(scene_differences("a: 1\nb:\n  c: 2\n  d: 3\n", "a: 1\nb:\n  c: 2\n  d: 3\n", &found));
    assert_string_equal(found, "");
    mem_free(found);
    assert_ok(scene_differences("a: 1\nb:\n  c: 2\n  d: 3\n", "a: 1\nb:\n  c: 4\n  d: 3\n", &found));
    assert_string_equal(found, "  there: b.c: 2\n  now:   b.c: 4\n");
    mem_free(found);
    assert_ok(scene_differences("a: 1\nb:\n  d: 3   # note\n", "a: 1\nb:\n  c: 4  # of c\n  d: 3\n", &found));
    assert_string_equal(found, "  now:   b.c: 4\n");
    mem_free(found);
    assert_ok(scene_differences("a: 1\nb:\n  d: 3\n", "a: 1\n", &found));
    assert_non_null(strstr(found, "there: b.d: 3"));
    mem_free(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_run_writes_frames_and_checkpoints),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_stopped_and_resumed_is_the_same),
        cmocka_unit_test(test_compressed_runs),
        cmocka_unit_test(test_grains_that_leave),
        cmocka_unit_test(test_a_longer_run_goes_on),
        cmocka_unit_test(test_another_scene_is_refused),
        cmocka_unit_test(test_a_shorter_forced_run_leaves_no_old_frames),
        cmocka_unit_test(test_folders_of_others_are_not_touched),
        cmocka_unit_test(test_wrong_scenes_write_nothing),
        cmocka_unit_test(test_two_runs_to_one_folder),
        cmocka_unit_test(test_damaged_checkpoints_are_passed_over),
        cmocka_unit_test(test_missing_and_damaged_frames_are_made_anew),
        cmocka_unit_test(test_a_forced_start_that_was_killed),
        cmocka_unit_test(test_the_watchdog_keeps_the_last_good_frame),
        cmocka_unit_test(test_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
