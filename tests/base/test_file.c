// Files are whole or absent, whichever call fails.
#include "base/file.h"
#include "base/memory.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char folder[64];

static int make_folder_for_tests(void **state) {
    (void)state;
    strcpy(folder, "/tmp/firn-test-file-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    file_use(NULL);
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name) {
    static char paths[4][PATH_ROOM];
    static int turn;
    turn = (turn + 1) % 4;
    path_join(folder, name, paths[turn], sizeof paths[0]);
    return paths[turn];
}

static void assert_content(const char *path, const char *expected) {
    char *data;
    size_t bytes;
    assert_ok(file_read_whole(path, 1 << 20, &data, &bytes));
    assert_int_equal(bytes, strlen(expected));
    assert_string_equal(data, expected); // a 0 follows
    mem_free(data);
}

static size_t files_in_folder(void) {
    file_names names;
    assert_ok(file_list(folder, "", &names));
    size_t count = names.count;
    file_names_free(&names);
    return count;
}

static void parts_become_one_file(void **state) {
    (void)state;
    file_part parts[] = {{"one ", 4}, {"", 0}, {"two", 3}};
    assert_ok(file_write_whole(in_folder("parts.txt"), parts, 3));
    assert_content(in_folder("parts.txt"), "one two");
    assert_ok(file_write_text(in_folder("parts.txt"), "new")); // replaces
    assert_content(in_folder("parts.txt"), "new");
    assert_ok(file_write_text(in_folder("empty"), ""));
    assert_content(in_folder("empty"), "");
    assert_ok(file_remove(in_folder("parts.txt")));
    assert_ok(file_remove(in_folder("parts.txt"))); // missing is fine
    assert_ok(file_remove(in_folder("empty")));
    assert_int_equal(files_in_folder(), 0);
}

// A file system of which the n-th call fails.
static int fail_at, calls;
static int fail_with = ENOSPC;
static bool now_fails(void) {
    errno = fail_with;
    return ++calls == fail_at;
}
static int open_f(const char *path) { return now_fails() ? -1 : file_system.open_new(path); }
static long write_f(int file, const void *data, size_t bytes) { // and it writes in small bites
    return now_fails() ? -1 : file_system.write(file, data, bytes < 3 ? bytes : 3);
}
static int sync_f(int file) { return now_fails() ? -1 : file_system.sync(file); }
static int close_f(int file) {
    int closed = file_system.close(file);
    return now_fails() ? -1 : closed;
}
static int rename_f(const char *from, const char *to) {
    return now_fails() ? -1 : file_system.rename(from, to);
}
static const file_table failing = {open_f, write_f, sync_f, close_f, rename_f, unlink, NULL};

static void whichever_call_fails_the_old_file_stays(void **state) {
    (void)state;
    assert_ok(file_write_text(in_folder("kept"), "old content"));
    int n = 1;
    for (firn_status status = FIRN_IO; status != FIRN_OK; n++) {
        calls = 0, fail_at = n;
        file_use(&failing);
        status = file_write_text(in_folder("kept"), "new content");
        file_use(NULL);
        if (status == FIRN_OK) break;
        assert_int_equal(status, FIRN_IO);
        assert_non_null(strstr(firn_last_error(), "disk full"));
        assert_non_null(strstr(firn_last_error(), "kept"));
        assert_content(in_folder("kept"), "old content");
        assert_int_equal(files_in_folder(), 1); // no temporary file is left
        assert_true(n < 50);
    }
    assert_true(n > 6); // open, four writes, sync, close, rename
    assert_content(in_folder("kept"), "new content");
    assert_ok(file_remove(in_folder("kept")));
    assert_int_equal(mem_in_use(), 0);
}

static void interrupted_writes_go_on(void **state) {
    (void)state;
    fail_with = EINTR;
    calls = 0, fail_at = 3;
    file_use(&failing);
    assert_ok(file_write_text(in_folder("eintr"), "content"));
    file_use(NULL);
    fail_with = ENOSPC;
    assert_content(in_folder("eintr"), "content");
    assert_ok(file_remove(in_folder("eintr")));
}

static void without_memory_nothing_is_left(void **state) {
    (void)state;
    assert_ok(file_write_text(in_folder("a.txt"), "a"));
    for (size_t n = 1; n < 8; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        char *data = NULL;
        size_t bytes;
        file_names names;
        firn_status wrote = file_write_text(in_folder("b.txt"), "b");
        firn_status read = file_read_whole(in_folder("a.txt"), 100, &data, &bytes);
        firn_status listed = file_list(folder, ".txt", &names);
        assert_int_equal((wrote != FIRN_OK) + (read != FIRN_OK) + (listed != FIRN_OK), n <= f.calls);
        mem_free(data);
        file_names_free(&names);
        assert_int_equal(mem_in_use(), 0);
        firn_set_allocator(NULL);
        assert_ok(file_remove(in_folder("b.txt")));
    }
    assert_ok(file_remove(in_folder("a.txt")));
}

static void streams_write_anywhere_and_can_be_abandoned(void **state) {
    (void)state;
    file_stream *s;
    assert_ok(file_stream_open(in_folder("movie"), &s));
    assert_ok(file_stream_write(s, 0, "????body", 8));
    assert_ok(file_stream_write(s, 8, "+tail", 5));
    assert_ok(file_stream_write(s, 0, "head", 4)); // the header comes last
    assert_false(file_exists(in_folder("movie")));
    assert_ok(file_stream_finish(s));
    assert_content(in_folder("movie"), "headbody+tail");
    assert_ok(file_stream_open(in_folder("movie"), &s));
    assert_ok(file_stream_write(s, 0, "half", 4));
    file_stream_abandon(s);
    file_stream_abandon(NULL);
    assert_content(in_folder("movie"), "headbody+tail");
    assert_int_equal(files_in_folder(), 1);
    assert_ok(file_remove(in_folder("movie")));
}

static void bad_places_are_errors(void **state) {
    (void)state;
    char *data;
    size_t bytes;
    assert_int_equal(file_read_whole(in_folder("missing"), 100, &data, &bytes), FIRN_BAD_INPUT);
    assert_true(data == NULL && bytes == 0);
    assert_int_equal(file_read_whole(folder, 100, &data, &bytes), FIRN_BAD_INPUT);
    assert_int_equal(file_read_whole("/dev/zero", 100, &data, &bytes), FIRN_BAD_INPUT);
    assert_ok(file_write_text(in_folder("f"), "12345"));
    assert_int_equal(file_read_whole(in_folder("f"), 4, &data, &bytes), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "too large"));
    assert_int_equal(file_write_text(in_folder("no/such/folder"), "x"), FIRN_IO);
    assert_int_equal(file_write_text(in_folder("f/under-a-file"), "x"), FIRN_IO);
    assert_int_equal(file_make_folders(in_folder("f/g")), FIRN_IO);
    assert_int_equal(file_make_folders(in_folder("f")), FIRN_IO);
    assert_int_equal(file_make_folders(""), FIRN_BAD_INPUT);
    char long_path[2 * PATH_ROOM];
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    assert_int_equal(file_write_text(long_path, "x"), FIRN_BAD_INPUT);
    assert_int_equal(file_make_folders(long_path), FIRN_BAD_INPUT);
    file_names names;
    assert_int_equal(file_list(in_folder("missing"), "", &names), FIRN_IO);
    assert_int_equal(names.count, 0);
    assert_ok(file_remove(in_folder("f")));
}

static void a_size_limit_ends_in_a_message(void **state) {
    (void)state;
    char *large = calloc(1, 200001);
    memset(large, 'x', 200000);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    firn_status status = file_write_text(in_folder("large"), large);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, FIRN_IO);
    assert_non_null(strstr(firn_last_error(), "file size"));
    assert_int_equal(files_in_folder(), 0);
    free(large);
}

static void folders_and_lists(void **state) {
    (void)state;
    assert_ok(file_make_folders(in_folder("run/frames//deep/")));
    assert_ok(file_make_folders(in_folder("run/frames")));
    assert_true(folder_exists(in_folder("run/frames/deep")) && !file_exists(in_folder("run")));
    const char *const names[] = {"run/b.h5", "run/a.h5", "run/c.txt", "run/.hidden.h5", "run/a.h5.123.tmp"};
    for (int i = 0; i < 5; i++) assert_ok(file_write_text(in_folder(names[i]), "x"));
    file_names found;
    assert_ok(file_list(in_folder("run"), ".h5", &found));
    assert_int_equal(found.count, 2);
    assert_string_equal(found.items[0], "a.h5");
    assert_string_equal(found.items[1], "b.h5");
    file_names_free(&found);
    assert_true(file_exists(in_folder("run/a.h5")) && !folder_exists(in_folder("run/a.h5")));
    assert_true(file_free_space(in_folder("run")) > 0);
    assert_true(file_free_space(in_folder("not/yet/there")) == file_free_space(folder) ||
                file_free_space(folder) > 0);
    assert_int_equal(mem_in_use(), 0);
}

static void paths(void **state) {
    (void)state;
    const struct {
        const char *path, *folder;
    } folders[] = {{"a/b/c.yaml", "a/b"}, {"c.yaml", "."}, {"/c", "/"}, {"/", "/"}, {"", "."}, {"a/", "a"}};
    char out[PATH_ROOM];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        path_folder(folders[i].path, out, sizeof out);
        assert_string_equal(out, folders[i].folder);
    }
    path_join("a/b", "c", out, sizeof out);
    assert_string_equal(out, "a/b/c");
    path_join("a", "/etc/x", out, sizeof out);
    assert_string_equal(out, "/etc/x");
    path_join(".", "c", out, sizeof out);
    assert_string_equal(out, "c");
    path_join(NULL, "c", out, sizeof out);
    assert_string_equal(out, "c");
    path_join("aaaa", "bbbb", out, 6); // cut, never overrun
    assert_string_equal(out, "aaaa/");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_become_one_file),
        cmocka_unit_test(whichever_call_fails_the_old_file_stays),
        cmocka_unit_test(interrupted_writes_go_on),
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(streams_write_anywhere_and_can_be_abandoned),
        cmocka_unit_test(bad_places_are_errors),
        cmocka_unit_test(a_size_limit_ends_in_a_message),
        cmocka_unit_test(folders_and_lists),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, make_folder_for_tests, remove_folder);
}
