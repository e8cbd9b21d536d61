// Files are whole or absent, whichever call fails.
#include "base/file.h"
#include "base/memory.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
static int open_f(int in, const char *path) { return now_fails() ? -1 : file_system.open_new(in, path); }
static long write_f(int file, const void *data, size_t bytes) { // and it writes in small bites
    return now_fails() ? -1 : file_system.write(file, data, bytes < 3 ? bytes : 3);
}
static int sync_f(int file) { return now_fails() ? -1 : file_system.sync(file); }
static int close_f(int file) {
    int closed = file_system.close(file);
    return now_fails() ? -1 : closed;
}
static int rename_f(int in, const char *from, const char *to) {
    return now_fails() ? -1 : file_system.rename(in, from, to);
}
static int sync_folder_f(int file) { return now_fails() ? -1 : file_system.sync_folder(file); }
static file_table failing_system(void) {
    file_table table = file_system;
    table.open_new = open_f;
    table.write = write_f;
    table.sync = sync_f;
    table.close = close_f;
    table.rename = rename_f;
    table.sync_folder = sync_folder_f;
    return table;
}

enum { CALLS = 9 }; // open, four writes, sync, close, rename, sync of the folder

static firn_status write_with_failure(int n, int error, const char *name, const char *content) {
    file_table failing = failing_system();
    calls = 0, fail_at = n, fail_with = error;
    file_use(&failing);
    firn_status status = file_write_text(in_folder(name), content);
    file_use(NULL);
    return status;
}

static void whichever_call_fails_the_old_file_stays(void **state) {
    (void)state;
    assert_ok(file_write_text(in_folder("kept"), "old content"));
    for (int n = 1; n <= CALLS; n++) {
        assert_int_equal(write_with_failure(n, ENOSPC, "kept", "new content"), FIRN_IO);
        assert_non_null(strstr(firn_last_error(), "disk full"));
        assert_non_null(strstr(firn_last_error(), "kept"));
        // Only after the rename it is the new one, and its folder may not be on disk yet.
        assert_content(in_folder("kept"), n < CALLS ? "old content" : "new content");
        assert_int_equal(files_in_folder(), 1); // no temporary file is left
    }
    assert_ok(write_with_failure(CALLS + 1, ENOSPC, "kept", "new content"));
    assert_int_equal(calls, CALLS);
    assert_content(in_folder("kept"), "new content");
    assert_ok(file_remove(in_folder("kept")));
    assert_int_equal(mem_in_use(), 0);
}

static void interrupted_calls_go_on(void **state) {
    (void)state;
    for (int n = 1; n <= CALLS; n++) {
        if (n == 8) continue; // rename is never interrupted
        assert_ok(write_with_failure(n, EINTR, "eintr", "new content"));
        assert_content(in_folder("eintr"), "new content");
    }
    assert_ok(file_remove(in_folder("eintr")));
}

static void folders_that_cannot_be_synced(void **state) {
    (void)state;
    assert_ok(write_with_failure(CALLS, EINVAL, "f", "new content"));
    assert_ok(write_with_failure(CALLS, EOPNOTSUPP, "f", "new content"));
    assert_int_equal(write_with_failure(CALLS, EIO, "f", "new content"), FIRN_IO);
    assert_non_null(strstr(firn_last_error(), "/f'"));
    assert_ok(file_remove(in_folder("f")));
}

// What another user could plant in a folder that both write to.
static char planted[PATH_ROOM];
static int plants;
static int open_planted(int in, const char *path) {
    if (plants++ < 3) {
        assert_int_equal(symlink("target", path), 0);
        snprintf(planted, sizeof planted, "%s", path);
    }
    return file_system.open_new(in, path);
}

static void links_are_not_followed(void **state) {
    (void)state;
    assert_ok(file_write_text(in_folder("target"), "precious"));
    file_table table = file_system;
    table.open_new = open_planted;
    file_use(&table);
    assert_ok(file_write_text(in_folder("plot"), "drawn"));
    file_use(NULL);
    assert_int_equal(plants, 4);
    assert_content(in_folder("plot"), "drawn");
    assert_content(in_folder("target"), "precious");
    assert_true(file_is_temporary(planted));
    file_sweep(NULL, folder); // links are not ours
    assert_int_equal(files_in_folder(), 5);
    remove_folder(NULL);
    make_folder_for_tests(NULL);
}

static void temporary_names_cannot_be_guessed(void **state) {
    (void)state;
    plants = 3;
    assert_true(file_is_temporary("m.mp4.firn-0123456789abcdef.tmp"));
    assert_false(file_is_temporary("m.mp4.firn-0123456789abcde.tmp"));
    assert_false(file_is_temporary("m.mp4.firn-0123456789abcdeg.tmp"));
    assert_false(file_is_temporary(".firn-0123456789abcdef.tmp"));
    assert_false(file_is_temporary("m.mp4.0123456789abcdef.tmp"));
    file_stream *s[2];
    file_names names;
    for (int i = 0; i < 2; i++) assert_ok(file_stream_open(in_folder("same"), &s[i]));
    assert_ok(file_list(folder, "", &names));
    assert_int_equal(names.count, 2);
    assert_string_not_equal(names.items[0], names.items[1]);
    file_names_free(&names);
    for (int i = 0; i < 2; i++) file_stream_abandon(s[i]);
}

// A child that ends in the middle of a file leaves it to the next who writes there; a living one does not.
static void leftovers_are_swept(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        file_stream *s;
        _exit(file_stream_open(in_folder("movie.mp4"), &s) == FIRN_OK ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_ok(file_write_text(in_folder("thesis.tmp"), "years"));
    file_stream *living;
    assert_ok(file_stream_open(in_folder("other.mp4"), &living));
    assert_int_equal(files_in_folder(), 3);
    file_sweep(NULL, folder);
    assert_int_equal(files_in_folder(), 2);
    assert_true(file_exists(in_folder("thesis.tmp")));
    assert_ok(file_stream_finish(living));
    assert_true(file_exists(in_folder("other.mp4")));
    assert_ok(file_remove(in_folder("thesis.tmp")));
    assert_ok(file_remove(in_folder("other.mp4")));
    file_sweep(NULL, in_folder("missing"));
}

// A folder that is held stays the same one, wherever it is moved.
static void folders_are_held(void **state) {
    (void)state;
    file_folder held;
    char *data;
    size_t bytes;
    file_names names;
    assert_ok(file_make_folders(in_folder("run")));
    assert_ok(file_folder_open(in_folder("run"), &held));
    assert_int_equal(rename(in_folder("run"), in_folder("moved")), 0);
    assert_ok(file_make_folders(in_folder("run/sub")));
    assert_ok(file_write_text(in_folder("run/sub/x"), "of another"));
    assert_ok(file_make_folder_in(&held, "sub"));
    assert_ok(file_make_folder_in(&held, "sub"));
    assert_ok(file_write_text_in(&held, "sub/x", "ours"));
    assert_content(in_folder("moved/sub/x"), "ours");
    assert_ok(file_read_in(&held, "sub/x", 100, &data, &bytes));
    assert_string_equal(data, "ours");
    mem_free(data);
    assert_ok(file_list_in(&held, "sub", "", &names));
    assert_int_equal(names.count, 1);
    file_names_free(&names);
    assert_true(file_exists_in(&held, "sub/x") && folder_exists_in(&held, "sub"));
    assert_ok(file_remove_in(&held, "sub/x"));
    assert_false(file_exists(in_folder("moved/sub/x")));
    assert_content(in_folder("run/sub/x"), "of another");
    assert_int_equal(file_read_in(&held, "sub/x", 100, &data, &bytes), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "run/sub/x"));
    file_folder_close(&held);
    assert_int_equal(file_folder_open(in_folder("missing"), &held), FIRN_BAD_INPUT);
    remove_folder(NULL);
    make_folder_for_tests(NULL);
}

// Without an answer within the time of the test it would hang.
static void only_regular_files_are_read(void **state) {
    (void)state;
    char *data;
    size_t bytes;
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    const char *paths[] = {in_folder("fifo"), folder, "/dev/zero", "/dev/tty"};
    const char *words[] = {"FIFO", "folder", "device", "device"};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(file_read_whole(paths[i], 100, &data, &bytes), FIRN_BAD_INPUT);
        assert_non_null(strstr(firn_last_error(), words[i]));
        assert_string_equal(file_odd_kind(paths[i]), words[i]);
    }
    assert_null(file_odd_kind(in_folder("missing")));
    assert_int_equal(unlink(in_folder("fifo")), 0);
}

static void a_pipe_is_read_to_its_end(void **state) {
    (void)state;
    enum { MUCH = 60000 };
    static char much[MUCH];
    char *data;
    size_t bytes;
    for (int long_one = 0; long_one < 2; long_one++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        memset(much, 'x', sizeof much);
        assert_int_equal(write(ends[1], much, MUCH), MUCH);
        close(ends[1]);
        firn_status status =
            file_read_descriptor(ends[0], "stdin", long_one ? MUCH - 1 : MUCH, &data, &bytes);
        close(ends[0]);
        assert_int_equal(status, long_one ? FIRN_BAD_INPUT : FIRN_OK);
        if (status != FIRN_OK) continue;
        assert_int_equal(bytes, MUCH);
        assert_int_equal(strlen(data), MUCH);
        mem_free(data);
    }
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
    assert_true(file_free_space(in_folder("not/yet/there")) < UINT64_MAX);
    assert_true(file_free_space("/proc/self") == UINT64_MAX); // not counted there
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
        cmocka_unit_test(interrupted_calls_go_on),
        cmocka_unit_test(folders_that_cannot_be_synced),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(temporary_names_cannot_be_guessed),
        cmocka_unit_test(leftovers_are_swept),
        cmocka_unit_test(folders_are_held),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(a_pipe_is_read_to_its_end),
        cmocka_unit_test(without_memory_nothing_is_left),
        cmocka_unit_test(streams_write_anywhere_and_can_be_abandoned),
        cmocka_unit_test(bad_places_are_errors),
        cmocka_unit_test(a_size_limit_ends_in_a_message),
        cmocka_unit_test(folders_and_lists),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, make_folder_for_tests, remove_folder);
}
