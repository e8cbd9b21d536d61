// Full disks, short memory, damaged files.
#include "cache/runs.h"

#include <signal.h>
#include <sys/resource.h>

static const char short_scene[] =
    "firn: 1\n"
    "name: Short\n"
    "duration: 0.1 s\n"
    "fps: 20\n"
    "checkpoint: 1\n"
    "max_step: 25 ms\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 1, 0], motion: dynamic}\n";

// Every call that writes, in turn: once, as a disk with a fault, and for good, as a full disk.
static void test_every_file_call_fails(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    assert_ok(run_to(t.scene, t.a));
    for (int stuck = 0; stuck < 2; stuck++) {
        firn_status status = FIRN_IO;
        size_t n = 0;
        while (status != FIRN_OK) {
            folder_remove(t.b);
            fail_file(++n, stuck);
            status = run_to(t.scene, t.b);
            bool failed = failing_files.calls >= n;
            file_use(NULL);
            assert_int_equal(status, failed ? FIRN_IO : FIRN_OK);
            if (failed) assert_true(strstr(firn_last_error(), t.b) != NULL);
            expect_no_partial_files(t.b);
            // And the same command goes on.
            if (failed && n % 5 == 0) {
                assert_ok(run_to(t.scene, t.b));
                expect_same_files(t.a, t.b, "frames");
            }
            assert_true(n < 500);
        }
        assert_true(n > 20);
    }
    run_test_end(&t);
}

static void test_disk_full_says_so(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    fail_file(30, true);
    assert_int_equal(run_to(t.scene, t.a), FIRN_IO);
    file_use(NULL);
    expect_message("disk full");
    expect_message("continues");
    run_test_end(&t);
}

// Frames that may be gone after a power cut are not passed over; what is there is whole, and the run goes on.
static size_t folder_syncs;
static int sync_no_folder(int folder) {
    (void)folder;
    errno = EIO;
    return ++folder_syncs == 5 ? -1 : 0;
}

static void test_a_folder_that_cannot_be_synced(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    file_table table = file_system;
    table.sync_folder = sync_no_folder;
    file_use(&table);
    assert_int_equal(run_to(t.scene, t.a), FIRN_IO);
    file_use(NULL);
    expect_message(t.a);
    assert_int_equal(folder_syncs, 5);
    assert_ok(run_to(t.scene, t.a));
    assert_ok(run_to(t.scene, t.b));
    expect_same_runs(t.a, t.b);
    run_test_end(&t);
}

static const char *large_scene(void) {
    return "firn: 1\n"
           "duration: 0.1 s\n"
           "fps: 20\n"
           "bodies:\n"
           "  ground: {shape: plane}\n"
           "grains:\n"
           "  fill:\n"
           "    heap: {shape: {box: {size: [1, 1, 1]}}, at: [0, 1, 0], spacing: 1.8 cm, pattern: regular}\n";
}

// In a child: the limit cannot be lifted again.
static int run_limited(const char *scene_path, const char *folder) {
    struct rlimit limit = {2 << 20, 2 << 20};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
    firn_status status = run_to(scene_path, folder);
    bool said = strstr(firn_last_error(), "file size") != NULL;
    return status == FIRN_IO && said ? 0 : 1;
}

static void test_limit_on_the_size_of_files(void **state) {
    (void)state;
    run_test t = run_test_make(large_scene());
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", "test_failures", t.scene, t.a, (char *)NULL);
        _exit(99);
    }
    int status;
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    expect_no_partial_files(t.a);
    char path[400];
    snprintf(path, sizeof path, "%s/frames", t.a);
    assert_int_equal(count_files(path, ""), 0);
    run_test_end(&t);
}

static void test_every_allocation_fails(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    assert_ok(run_to(t.scene, t.a));
    size_t before = mem_in_use();
    bool enough = false;
    for (size_t n = 1; n <= 200 || !enough; n += n < 200 ? 1 : 7) {
        folder_remove(t.b);
        failing_allocator f;
        fail_allocation(&f, n);
        firn_status status = run_to(t.scene, t.b);
        firn_set_allocator(NULL);
        enough = f.calls < n;
        if (status != FIRN_OK) assert_int_equal(status, FIRN_NO_MEMORY);
        if (enough) assert_int_equal(status, FIRN_OK);
        assert_int_equal(mem_in_use(), before);
        expect_no_partial_files(t.b);
        assert_true(n < 20000);
    }
    run_test_end(&t);
}

// Reading back with every allocation failing.
static void test_every_allocation_of_readers_fails(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    assert_ok(run_to(t.scene, t.a));
    size_t before = mem_in_use();
    bool enough = false;
    for (size_t n = 1; !enough; n += n < 300 ? 1 : 11) {
        failing_allocator f;
        char *said = NULL;
        fail_allocation(&f, n);
        firn_status info = firn_info(t.a, n % 2, &said);
        firn_text_free(said);
        firn_set_allocator(NULL);
        enough = f.calls < n;
        assert_int_equal(info, enough ? FIRN_OK : FIRN_NO_MEMORY);
        assert_int_equal(mem_in_use(), before);
        assert_true(n < 20000);
    }
    run_test_end(&t);
}

// A file with bits flipped, bytes overwritten, cut or grown.
static size_t mutate(char *data, size_t bytes, size_t room, uint64_t i) {
    random4 r = random_bits(99, i, 0, 0), q = random_bits(99, i, 1, 0); // seed 99
    switch (i % 5) {
    case 0: data[r.v[0] % bytes] ^= (char)(1 << (r.v[1] % 8)); break;
    case 1: // the block, where the lengths and hashes are
        data[r.v[0] % 160] ^= (char)(1 << (r.v[1] % 8));
        break;
    case 2:
        for (size_t k = 0; k < 1 + r.v[1] % 64; k++) data[(r.v[0] + k) % bytes] ^= (char)(q.v[k % 4] | 1);
        break;
    case 3: return r.v[0] % bytes;
    default: memset(data + bytes, (int)r.v[1], room - bytes); return bytes + 1 + r.v[0] % (room - bytes);
    }
    return bytes;
}

static void test_ten_thousand_damaged_files(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    assert_ok(run_to(t.scene, t.a));
    scene *s;
    firn_world *world;
    assert_ok(scene_open(t.scene, (firn_overrides){0}, &s));
    assert_ok(firn_world_create(&s->def.world, &world));
    char path[400], mutant[400];
    checkpoint_file(t.a, 0, path);
    enum { MORE = 512 };
    for (int kind = 0; kind < 2; kind++) {
        if (kind == CACHE_FRAME) frame_file(t.a, 1, path);
        size_t bytes;
        char *good = file_get(path, &bytes), *data = malloc(bytes + MORE);
        assert_non_null(data);
        cache_kind as = strstr(path, "frames") ? CACHE_FRAME : CACHE_CHECKPOINT;
        assert_ok(cache_read(path, world, s->hash, as));
        uint64_t hash = firn_world_hash(world);
        size_t before = mem_in_use();
        snprintf(mutant, sizeof mutant, "%s/mutant.h5", t.folder.path);
        for (uint64_t i = 0; i < 5000; i++) {
            memcpy(data, good, bytes);
            size_t length = mutate(data, bytes, bytes + MORE, i);
            firn_status status;
            if (i % 10 == 0) {
                file_put(mutant, data, length);
                status = cache_read(mutant, world, s->hash, as);
            } else {
                status = cache_parse(data, length, "mutant", world, s->hash, as);
            }
            if (status != FIRN_BAD_INPUT)
                fail_msg("mutation %d of %s gave status %d", (int)i, path, (int)status);
        }
        assert_int_equal(mem_in_use(), before);
        assert_true(firn_world_hash(world) == hash); // nothing of them was taken over
        mem_free(good);
        free(data);
    }
    firn_world_close(world);
    scene_close(s);
    run_test_end(&t);
}

static void test_files_of_another_scene(void **state) {
    (void)state;
    run_test t = run_test_make(short_scene);
    assert_ok(run_to(t.scene, t.a));
    char more[2000];
    snprintf(more, sizeof more, "%s  cube: {shape: {box: {size: [1, 1, 1]}}, at: [3, 3, 3]}\n", short_scene);
    scene *s;
    firn_world *world;
    assert_ok(scene_parse(more, strlen(more), "more", (firn_overrides){0}, &s));
    assert_ok(firn_world_create(&s->def.world, &world));
    char path[400];
    cache_summary summary;
    frame_file(t.a, 1, path);
    assert_ok(cache_read_summary(path, &summary));
    assert_true(summary.scene_hash != s->hash);
    assert_int_equal(cache_read(path, world, s->hash, CACHE_FRAME), FIRN_BAD_INPUT);
    expect_message("another scene");
    // Even if the hash were the same: three bodies are not two.
    assert_int_equal(cache_read(path, world, summary.scene_hash, CACHE_FRAME), FIRN_BAD_INPUT);
    expect_message("bodies");
    assert_int_equal(cache_read(path, world, summary.scene_hash, CACHE_CHECKPOINT), FIRN_BAD_INPUT);
    cache_summary_free(&summary);
    firn_world_close(world);
    scene_close(s);
    run_test_end(&t);
}

int main(int argc, char **argv) {
    if (argc == 3) return run_limited(argv[1], argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_call_fails),
        cmocka_unit_test(test_disk_full_says_so),
        cmocka_unit_test(test_a_folder_that_cannot_be_synced),
        cmocka_unit_test(test_limit_on_the_size_of_files),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_every_allocation_of_readers_fails),
        cmocka_unit_test(test_ten_thousand_damaged_files),
        cmocka_unit_test(test_files_of_another_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
