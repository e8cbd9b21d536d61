// Small scenes and runs of them, for the tests of the cache.
#ifndef TESTS_CACHE_RUNS_H
#define TESTS_CACHE_RUNS_H

#include "cache/folders.h"

#include <sys/wait.h>

#include "cache/frame.h"

static const char small_scene[] = "firn: 1\n"
                                  "name: Small tumble\n"
                                  "duration: 0.4 s\n"
                                  "fps: 25\n"
                                  "seed: 7\n"
                                  "checkpoint: 3\n"
                                  "bodies:\n"
                                  "  ground: {shape: plane}\n"
                                  "  ball:\n"
                                  "    shape: {sphere: {radius: 20 cm}}\n"
                                  "    at: [0, 60 cm, 0]\n"
                                  "    motion: dynamic\n"
                                  "    velocity: [1, 0, 0.5]\n"
                                  "  box:\n"
                                  "    shape: {box: {size: [30 cm, 20 cm, 30 cm]}}\n"
                                  "    at: [0.1, 1.2, 0]\n"
                                  "    rotate: [20 deg, 0, 30 deg]\n"
                                  "    motion: dynamic\n"
                                  "grains:\n"
                                  "  fill:\n"
                                  "    heap:\n"
                                  "      shape: {box: {size: [30 cm, 30 cm, 30 cm]}}\n"
                                  "      at: [0.5, 0.3, 0]\n"
                                  "      spacing: 3 cm\n"
                                  "      pattern: jittered\n";
enum { SMALL_FRAMES = 10 }; // and the one at time 0

// Grains that fall past a block and out of the world.
static const char leaving_scene[] = "firn: 1\n"
                                    "duration: 0.4 s\n"
                                    "fps: 25\n"
                                    "checkpoint: 3\n"
                                    "bodies:\n"
                                    "  block: {shape: {box: {size: [10 cm, 10 cm, 10 cm]}}, at: [2, 0, 0]}\n"
                                    "grains:\n"
                                    "  floor: -20 cm\n"
                                    "  fill:\n"
                                    "    heap:\n"
                                    "      shape: {box: {size: [30 cm, 30 cm, 30 cm]}}\n"
                                    "      spacing: 5 cm\n";

typedef struct run_test {
    temporary folder;
    char scene[300], a[300], b[300];
} run_test;

static inline run_test run_test_make(const char *yaml) {
    run_test t = {.folder = temporary_make()};
    snprintf(t.scene, sizeof t.scene, "%s/scene.yaml", t.folder.path);
    snprintf(t.a, sizeof t.a, "%s/a", t.folder.path);
    snprintf(t.b, sizeof t.b, "%s/b", t.folder.path);
    file_put(t.scene, yaml, strlen(yaml));
    return t;
}

static inline void run_test_end(const run_test *t) { temporary_remove(&t->folder); }

static inline firn_status run_to(const char *path, const char *folder) {
    return firn_run(&(firn_run_options){COOKIE(run), .scene = path, .folder = folder});
}

static inline void expect_message(const char *part) {
    if (!strstr(firn_last_error(), part)) fail_msg("'%s' is not in the message: %s", part, firn_last_error());
}

static inline void frame_file(const char *folder, unsigned frame, char out[400]) {
    snprintf(out, 400, "%s/frames/%06u.h5", folder, frame);
}

// The newest checkpoint (0), the one before (1), ...
static inline void checkpoint_file(const char *folder, size_t back, char out[400]) {
    file_names names;
    snprintf(out, 400, "%s/checkpoints", folder);
    assert_ok(file_list(out, ".h5", &names));
    assert_true(names.count > back);
    snprintf(out, 400, "%s/checkpoints/%s", folder, names.items[names.count - 1 - back]);
    file_names_free(&names);
}

// All frames and checkpoints of two runs are the same bytes.
static inline void expect_same_files(const char *a, const char *b, const char *part) {
    char pa[400], pb[400];
    file_names names;
    snprintf(pa, sizeof pa, "%s/%s", a, part);
    snprintf(pb, sizeof pb, "%s/%s", b, part);
    assert_ok(file_list(pa, "", &names));
    assert_int_equal(count_files(pb, ""), names.count);
    for (size_t i = 0; i < names.count; i++) {
        char fa[800], fb[800];
        snprintf(fa, sizeof fa, "%s/%s", pa, names.items[i]);
        snprintf(fb, sizeof fb, "%s/%s", pb, names.items[i]);
        if (!files_equal(fa, fb)) fail_msg("%s and %s differ", fa, fb);
    }
    file_names_free(&names);
}

static inline void expect_same_runs(const char *a, const char *b) {
    expect_same_files(a, b, "frames");
    expect_same_files(a, b, "checkpoints");
}

// Whole files only: every frame and checkpoint that has its final name can be read, nothing temporary is
// left.
static inline void expect_no_partial_files(const char *folder) {
    static const char *const parts[] = {"frames", "checkpoints"};
    for (int i = 0; i < 2; i++) {
        char path[400];
        file_names names;
        snprintf(path, sizeof path, "%s/%s", folder, parts[i]);
        if (!folder_exists(path)) continue;
        assert_int_equal(count_files(path, ".tmp"), 0);
        assert_ok(file_list(path, ".h5", &names));
        for (size_t j = 0; j < names.count; j++) {
            char file[800], *data;
            size_t bytes;
            frame_block block;
            snprintf(file, sizeof file, "%s/%s", path, names.items[j]);
            data = file_get(file, &bytes);
            assert_ok(frame_verify(data, bytes, file, i ? CACHE_CHECKPOINT : CACHE_FRAME, &block));
            mem_free(data);
        }
        file_names_free(&names);
    }
    assert_int_equal(folder_exists(folder) ? count_files(folder, ".tmp") : 0, 0);
}

// One run for all tests of a file: its folder, and what each of them exports.
static run_test run_made;

static inline int run_made_of(const char *yaml) {
    run_made = run_test_make(yaml);
    return run_to(run_made.scene, run_made.a) == FIRN_OK ? 0 : -1;
}
static inline int remove_run(void **state) {
    (void)state;
    run_test_end(&run_made);
    return 0;
}
static inline int remove_output(void **state) {
    (void)state;
    folder_remove(run_made.b);
    return 0;
}

#endif
