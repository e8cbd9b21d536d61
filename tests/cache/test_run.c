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
    assert_ok(firn_run(
        &(firn_run_options){COOKIE(run), .scene = t.scene, .folder = t.a, .progress = count_progress}));
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
        cache_summary_free(&summary);
    }
    char path[400];
    snprintf(path, sizeof path, "%s/frames", t.a);
    assert_int_equal(count_files(path, ""), SMALL_FRAMES + 1);
    snprintf(path, sizeof path, "%s/checkpoints", t.a);
    assert_int_equal(count_files(path, ""), 4); // after frames 3, 6, 9 and 10
    assert_int_equal(checkpoints_kept(SMALL_FRAMES, 3), 4);
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
        firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.b, .stop = stop_at,
                                    .context = &stop};
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
    cache_summary_free(&summary);
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
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.b, .frames = 4,
                                .progress = count_progress};
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
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.a, .overrides = {&other, 1}};
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
    assert_ok(firn_run(&(firn_run_options){COOKIE(run), .scene = t.scene, .folder = t.a,
                                           .overrides = {&other, 1}, .frames = 2, .force = true}));
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
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.a, .force = true};
    assert_int_equal(firn_run(&options), FIRN_BAD_INPUT);
    expect_message("is in the way");
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
    assert_int_equal(firn_run(&(firn_run_options){COOKIE(run), .scene = t.scene}), FIRN_BAD_INPUT);
    assert_int_equal(firn_run(NULL), FIRN_BAD_INPUT);
    assert_false(folder_exists(t.a));
    run_test_end(&t);
}

static void test_two_runs_to_one_folder(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    file_folder lock;
    assert_ok(file_make_folders(t.a));
    assert_ok(folder_lock(t.a, &lock));
    assert_int_equal(run_to(t.scene, t.a), FIRN_BAD_INPUT);
    expect_message("another run");
    file_folder_close(&lock);
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
    char path[400];
    checkpoint_file(folder, back, path);
    damage(path, 6000); // behind the header
}

static void test_damaged_checkpoints_are_passed_over(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    for (size_t damaged = 1; damaged <= 3; damaged++) { // of those after frames 3, 6 and 7
        firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.b, .frames = 7,
                                    .progress = count_progress};
        assert_ok(firn_run(&options));
        for (size_t i = 0; i < damaged; i++) damage_checkpoint(t.b, i);
        listen();
        options.frames = 0;
        assert_ok(firn_run(&options));
        firn_set_log(NULL, NULL);
        assert_int_equal(warnings, damaged);
        assert_int_equal(last_report.resumed, damaged < 3);
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
    snprintf(path, sizeof path, "%s/frames/000004.h5.firn-0123456789abcdef.tmp", t.b);
    file_put(path, "left by a killed run", 20);
    snprintf(path, sizeof path, "%s/run.json.firn-0123456789abcdef.tmp", t.b);
    file_put(path, "{", 1);
    assert_ok(run_to(t.scene, t.b));
    expect_same_runs(t.a, t.b);
    expect_no_partial_files(t.b);
    run_test_end(&t);
}

// Every byte of a long run that is damaged is found and mended, from the checkpoint before it.
static uint64_t first_step;
static void note_first_step(void *context, const firn_progress *progress) {
    (void)context;
    if (reports++ == 0) first_step = progress->frame;
}

static void expect_mended(const run_test *t, uint64_t from, uint64_t to) {
    firn_run_options options = {COOKIE(run), .scene = t->scene, .folder = t->b, .progress = note_first_step};
    reports = 0;
    assert_ok(firn_run(&options));
    expect_same_runs(t->a, t->b);
    assert_int_equal(first_step, from);
    assert_int_equal(reports, to - from + 1);
    reports = 0;
    assert_ok(firn_run(&options)); // nothing is left to do
    assert_int_equal(reports, 0);
}

static void test_damage_is_mended_from_the_nearest_checkpoint(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene); // checkpoints after frames 3, 6, 9 and 10
    char path[400];
    assert_ok(run_to(t.scene, t.a));
    assert_ok(run_to(t.scene, t.b));
    frame_file(t.b, 8, path);
    damage(path, 60000); // its data: the header is right
    expect_mended(&t, 7, 8);
    frame_file(t.b, 5, path);
    assert_int_equal(remove(path), 0);
    expect_mended(&t, 4, 5);
    damage_checkpoint(t.b, 1);
    expect_mended(&t, 7, 9);
    damage_checkpoint(t.b, 0);
    expect_mended(&t, 10, 10);
    frame_file(t.b, 0, path);
    damage(path, 50);
    reports = 0;
    assert_ok(firn_run(&(firn_run_options){COOKIE(run), .scene = t.scene, .folder = t.b,
                                           .progress = count_progress})); // without a step
    assert_int_equal(reports, 0);
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

static void put_part(const char *folder, const char *name, size_t at) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    damage(path, at);
}

static void test_run_json_and_scene_are_mended(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    char a[400], b[400];
    assert_ok(run_to(t.scene, t.a));
    assert_ok(run_to(t.scene, t.b));
    static const char *const names[] = {"run.json", "scene.yaml"};
    for (int i = 0; i < 2; i++)
        for (size_t at = 20; at < 160; at += 20) {
            put_part(t.b, names[i], at);
            listen();
            assert_ok(run_to(t.scene, t.b));
            firn_set_log(NULL, NULL);
            snprintf(a, sizeof a, "%s/%s", t.a, names[i]);
            snprintf(b, sizeof b, "%s/%s", t.b, names[i]);
            assert_true(files_equal(a, b));
        }
    // A damaged run.json over frames of another scene is nobody's to mend.
    put_part(t.b, "run.json", 40);
    const char *other = "seed=8";
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.b, .overrides = {&other, 1}};
    assert_int_equal(firn_run(&options), FIRN_BAD_INPUT);
    expect_message("run.json");
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

// Mending that is stopped again and again ends with the same bytes, too.
static void test_mending_in_pieces(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    char path[400];
    assert_ok(run_to(t.scene, t.a));
    assert_ok(run_to(t.scene, t.b));
    for (unsigned frame = 2; frame < 10; frame += 3) {
        frame_file(t.b, frame, path);
        damage(path, 60000);
    }
    damage_checkpoint(t.b, 2);
    size_t pieces = 0;
    for (firn_status status = FIRN_INTERRUPTED; status != FIRN_OK; pieces++) {
        stopper stop = {.at = 8};
        status = firn_run(&(firn_run_options){COOKIE(run), .scene = t.scene, .folder = t.b, .stop = stop_at,
                                              .context = &stop});
        assert_true(status == FIRN_OK || status == FIRN_INTERRUPTED);
        assert_true(pieces < 200);
    }
    assert_true(pieces > 2);
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

static void test_which_checkpoints_stay(void **state) {
    (void)state;
    enum { FRAMES = 1000 };
    checkpoint_list list = {0};
    size_t most = 0;
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        assert_ok(checkpoints_add(&list, (checkpoint){10 * frame, frame, true}));
        for (size_t i = list.count; i-- > 0;)
            if (!checkpoints_keep(&list, i, 1, frame + 1)) checkpoints_drop(&list, i);
        if (list.count > most) most = list.count;
        assert_int_equal(list.count, checkpoints_kept(frame, 1)); // as it is estimated
        assert_int_equal(list.items[list.count - 1].frame, frame);
        if (frame > 1) assert_int_equal(list.items[list.count - 2].frame, frame - 1);
        // Never more than a quarter of the run is computed again, once there are enough of them.
        uint64_t before = 0, gap = 0;
        for (size_t i = 0; i < list.count; before = list.items[i++].frame)
            if (list.items[i].frame - before > gap) gap = list.items[i].frame - before;
        assert_true(frame < 8 || gap * 4 <= frame);
    }
    assert_true(most <= CHECKPOINTS_SPREAD + 2);
    // What was saved in between is dropped when the next one comes; not while it is the nearest to a gap.
    assert_ok(checkpoints_add(&list, (checkpoint){3333, 333, false}));
    size_t at = 0;
    while (list.items[at].step != 3333) at++;
    assert_false(checkpoints_keep(&list, at, 1, FRAMES + 1));
    assert_true(checkpoints_keep(&list, at, 1, 340));
    mem_free(list.items);
}

// The folder is moved away and another run put in its place: neither is harmed.
typedef struct mover {
    size_t asked;
    const char *from, *to, *other;
} mover;
static bool move_folder(void *context) {
    mover *m = context;
    if (m->asked++ != 12) return false;
    assert_int_equal(rename(m->from, m->to), 0);
    assert_int_equal(rename(m->other, m->from), 0);
    return false;
}

static void test_a_folder_that_is_moved(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    char moved[300], other[300];
    snprintf(moved, sizeof moved, "%s/moved", t.folder.path);
    snprintf(other, sizeof other, "%s/other", t.folder.path);
    const char *seed = "seed=8";
    firn_run_options of_other = {COOKIE(run), .scene = t.scene, .folder = other, .overrides = {&seed, 1}};
    assert_ok(firn_run(&of_other));
    of_other.folder = t.b;
    assert_ok(firn_run(&of_other)); // to compare with
    mover m = {.from = t.a, .to = moved, .other = other};
    listen();
    assert_ok(firn_run(&(firn_run_options){COOKIE(run), .scene = t.scene, .folder = t.a, .stop = move_folder,
                                           .context = &m}));
    firn_set_log(NULL, NULL);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_note, "moved"));
    expect_same_runs(t.a, t.b);
    folder_remove(t.b);
    assert_ok(run_to(t.scene, t.b));
    expect_same_runs(moved, t.b);
    run_test_end(&t);
}

static void test_a_frame_under_another_name(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    char five[400], six[400];
    size_t bytes;
    assert_ok(run_to(t.scene, t.a));
    assert_ok(run_to(t.scene, t.b));
    frame_file(t.b, 5, five);
    frame_file(t.b, 6, six);
    char *data = file_get(six, &bytes);
    file_put(five, data, bytes);
    mem_free(data);
    cache_summary summary;
    assert_int_equal(cache_read_summary(five, &summary), FIRN_BAD_INPUT);
    expect_message("it holds frame 6");
    scene *s;
    firn_world *world;
    assert_ok(scene_open(t.scene, (firn_overrides){0}, &s));
    assert_ok(firn_world_create(&s->def.world, &world));
    assert_int_equal(cache_read(five, world, s->hash, CACHE_FRAME), FIRN_BAD_INPUT);
    assert_ok(cache_read(six, world, s->hash, CACHE_FRAME));
    firn_world_close(world);
    scene_close(s);
    firn_export_options options = {COOKIE(export), .folder = t.b, .output = t.folder.path, .format = "ply"};
    assert_int_equal(firn_export(&options), FIRN_BAD_INPUT);
    expect_mended(&t, 4, 5);
    run_test_end(&t);
}

// Killed between run.json and the removal of the old frames: the folder belongs to the new scene, nothing is
// mixed.
static void test_a_forced_start_that_was_killed(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    const char *other = "seed=8";
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.b, .overrides = {&other, 1}};
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
    firn_run_options options = {COOKIE(run), .scene = t.scene, .folder = t.a, .overrides = {&limit, 1}};
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
    cache_summary_free(&summary);
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
    assert_string_equal(found, "  there: b: {d: 3}\n");
    mem_free(found);
    // Order does not matter, lists are one value, long ones are cut, and after six there are dots.
    assert_ok(scene_differences("a: 1\nb: {c: 2, d: [1, 2]}\n", "b: {d: [1, 3], c: 2}\na: 1\n", &found));
    assert_string_equal(found, "  there: b.d: [1, 2]\n  now:   b.d: [1, 3]\n");
    mem_free(found);
    assert_ok(scene_differences("a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1\ng: 1\n", "h: 1\n", &found));
    assert_non_null(strstr(found, "there: f: 1\n  ...\n"));
    assert_null(strstr(found, "g: 1"));
    mem_free(found);
    assert_ok(scene_differences("a: [", "a: 1\n", &found)); // damaged: nothing to say
    assert_string_equal(found, "");
    mem_free(found);
}

// The world of a run at any of its frames is the world that computes them.
static void test_the_world_of_a_frame(void **state) {
    (void)state;
    run_test t = run_test_make(small_scene);
    assert_ok(run_to(t.scene, t.a));
    firn_world *plain;
    assert_ok(firn_world_open(t.scene, &plain));
    for (uint64_t frame = 0; frame <= SMALL_FRAMES; frame++) {
        firn_world *world;
        assert_ok(firn_run_world(t.a, frame, &world));
        assert_int_equal(firn_world_frame(world), frame);
        assert_true(firn_world_hash(world) == firn_world_hash(plain));
        firn_world_close(world);
        assert_ok(firn_world_advance_frame(plain));
    }
    firn_world *last;
    assert_ok(firn_run_world(t.a, FIRN_LAST_FRAME, &last));
    assert_int_equal(firn_world_frame(last), SMALL_FRAMES);
    assert_ok(firn_world_advance_frame(last)); // and goes on
    assert_true(firn_world_hash(last) == firn_world_hash(plain));
    firn_world_close(last);
    firn_world_close(plain);
    assert_int_equal(firn_run_world(t.a, SMALL_FRAMES + 1, &last), FIRN_BAD_INPUT);
    expect_message("its last one is 10");
    assert_null(last);
    assert_int_equal(firn_run_world(t.folder.path, 0, &last), FIRN_BAD_INPUT);
    expect_message("is not a firn run folder");
    run_test_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_world_of_a_frame),
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
        cmocka_unit_test(test_damage_is_mended_from_the_nearest_checkpoint),
        cmocka_unit_test(test_run_json_and_scene_are_mended),
        cmocka_unit_test(test_mending_in_pieces),
        cmocka_unit_test(test_which_checkpoints_stay),
        cmocka_unit_test(test_a_folder_that_is_moved),
        cmocka_unit_test(test_a_frame_under_another_name),
        cmocka_unit_test(test_a_forced_start_that_was_killed),
        cmocka_unit_test(test_the_watchdog_keeps_the_last_good_frame),
        cmocka_unit_test(test_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
