// firn_verify finds every damaged, missing and foreign file.
#include "cache/runs.h"

static int make_run(void **state) {
    (void)state;
    return run_made_of(small_scene);
}

typedef struct found {
    size_t count;
    char name[64];
    firn_file_state state;
    char why[500];
    bool stop;
} found;

static void note_file(void *context, const firn_file_report *file) {
    found *f = context;
    if (file->state == FIRN_FILE_WHOLE) {
        assert_null(file->why);
        assert_true(file->bytes > 0);
        return;
    }
    f->count++;
    f->state = file->state;
    snprintf(f->name, sizeof f->name, "%s", file->name);
    snprintf(f->why, sizeof f->why, "%s", file->why);
}

static bool stop_now(void *context) { return ((found *)context)->stop; }

static found verify(firn_verify_result *result) {
    found f = {0};
    assert_ok(firn_verify(&(firn_verify_options){COOKIE(verify), .folder = run_made.a, .file = note_file,
                                                 .stop = stop_now, .context = &f},
                          result));
    return f;
}

static void expect_whole(void) {
    firn_verify_result r;
    found f = verify(&r);
    if (f.count) fail_msg("%s: %s", f.name, f.why);
    assert_int_equal(r.damaged + r.missing + r.foreign, 0);
    assert_int_equal(r.files, SMALL_FRAMES + 1 + 4 + 3); // and checkpoints, run.json, scene.yaml, times.csv
    assert_int_equal(r.frames, SMALL_FRAMES + 1);
    assert_int_equal(r.frames_asked, SMALL_FRAMES + 1);
    assert_false(r.writing);
}

static void in_run(const char *name, char path[400]) { snprintf(path, 400, "%s/%s", run_made.a, name); }

static void expect_found(const char *name, firn_file_state state) {
    firn_verify_result r;
    found f = verify(&r);
    assert_int_equal(f.count, 1);
    assert_string_equal(f.name, name);
    assert_int_equal(f.state, state);
    assert_non_null(strstr(f.why, name));
    assert_int_equal(r.damaged, state == FIRN_FILE_DAMAGED);
    assert_int_equal(r.missing, state == FIRN_FILE_MISSING);
    assert_int_equal(r.foreign, state == FIRN_FILE_FOREIGN);
}

// A bit of every part of every file in turn; and the file as it was is whole again.
static void expect_damage_found(const char *name) {
    char path[400];
    size_t bytes;
    in_run(name, path);
    char *data = file_get(path, &bytes);
    for (size_t i = 0; i < 8; i++) {
        size_t at = i * (bytes - 1) / 7;
        data[at] ^= 2;
        file_put(path, data, bytes);
        data[at] ^= 2;
        expect_found(name, FIRN_FILE_DAMAGED);
    }
    file_put(path, data, bytes - 1);
    expect_found(name, FIRN_FILE_DAMAGED);
    file_put(path, data, bytes);
    mem_free(data);
}

static void test_damage(void **state) {
    (void)state;
    char newest[400];
    expect_whole();
    expect_damage_found("frames/000000.h5");
    expect_damage_found("frames/000004.h5");
    expect_damage_found("frames/000010.h5");
    expect_damage_found("run.json");
    expect_damage_found("scene.yaml");
    checkpoint_file(run_made.a, 0, newest);
    expect_damage_found(newest + strlen(run_made.a) + 1);
    expect_whole();
}

static void test_missing(void **state) {
    (void)state;
    static const char *const names[] = {"frames/000000.h5", "frames/000007.h5", "frames/000010.h5",
                                        "scene.yaml"};
    for (int i = 0; i < 4; i++) {
        char path[400];
        size_t bytes;
        in_run(names[i], path);
        char *data = file_get(path, &bytes);
        assert_int_equal(remove(path), 0);
        expect_found(names[i], FIRN_FILE_MISSING);
        file_put(path, data, bytes);
        mem_free(data);
    }
    expect_whole();
}

static void test_foreign_and_swapped(void **state) {
    (void)state;
    static const char *const names[] = {"thesis.txt", "frames/000004.png",
                                        "checkpoints/x.firn-0123456789abcdef.tmp"};
    char path[400], other[400];
    for (int i = 0; i < 3; i++) {
        in_run(names[i], path);
        file_put(path, "x", 1);
        expect_found(names[i], FIRN_FILE_FOREIGN);
        assert_int_equal(remove(path), 0);
    }
    size_t bytes, more;
    frame_file(run_made.a, 4, path);
    frame_file(run_made.a, 5, other);
    char *data = file_get(path, &bytes), *five = file_get(other, &more);
    file_put(path, five, more);
    expect_found("frames/000004.h5", FIRN_FILE_DAMAGED);
    file_put(path, data, bytes);
    mem_free(data);
    mem_free(five);
    in_run("times.csv", path);
    data = file_get(path, &bytes);
    data[bytes - 2] = 'x';
    file_put(path, data, bytes);
    expect_found("times.csv", FIRN_FILE_DAMAGED);
    assert_ok(run_to(run_made.scene, run_made.a)); // drops the line
    expect_whole();
    mem_free(data);
}

static void test_no_run(void **state) {
    (void)state;
    firn_verify_result r;
    found f = {.stop = true};
    firn_verify_options options = {COOKIE(verify), .folder = run_made.folder.path};
    assert_int_equal(firn_verify(&options, &r), FIRN_BAD_INPUT);
    expect_message("not a firn run folder");
    options.folder = run_made.scene;
    assert_int_equal(firn_verify(&options, &r), FIRN_BAD_INPUT);
    options.folder = "/nowhere";
    assert_int_equal(firn_verify(&options, &r), FIRN_BAD_INPUT);
    assert_int_equal(firn_verify(&(firn_verify_options){COOKIE(verify)}, &r), FIRN_BAD_INPUT);
    assert_int_equal(firn_verify(NULL, &r), FIRN_BAD_INPUT);
    options = (firn_verify_options){COOKIE(verify), .folder = run_made.a, .stop = stop_now, .context = &f};
    assert_int_equal(firn_verify(&options, NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_verify(&options, &r), FIRN_INTERRUPTED);
}

static void test_without_memory(void **state) {
    (void)state;
    size_t before = mem_in_use();
    bool enough = false;
    for (size_t n = 1; !enough; n++) {
        failing_allocator f;
        firn_verify_result r;
        fail_allocation(&f, n);
        firn_status status = firn_verify(&(firn_verify_options){COOKIE(verify), .folder = run_made.a}, &r);
        firn_set_allocator(NULL);
        enough = f.calls < n;
        assert_int_equal(status, enough ? FIRN_OK : FIRN_NO_MEMORY);
        assert_int_equal(r.damaged, 0);
        assert_int_equal(mem_in_use(), before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_foreign_and_swapped),
        cmocka_unit_test(test_no_run),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, make_run, remove_run);
}
