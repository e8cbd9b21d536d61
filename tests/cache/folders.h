// Temporary folders, files that fail, and Python for the tests of the cache.
#ifndef TESTS_CACHE_FOLDERS_H
#define TESTS_CACHE_FOLDERS_H

#include "support.h"

#include <errno.h>
#include <ftw.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

typedef struct temporary {
    char path[256];
} temporary;

static inline temporary temporary_make(void) {
    temporary t;
    // In memory if possible: these tests sync hundreds of files to disk.
    const char *base = getenv("TMPDIR");
    bool room = access("/dev/shm", W_OK | X_OK) == 0 && file_free_space("/dev/shm") > (uint64_t)256 << 20;
    if (!base || strlen(base) > 200) base = room ? "/dev/shm" : "/tmp";
    snprintf(t.path, sizeof t.path, "%s/firn-cache-XXXXXX", base);
    assert_non_null(mkdtemp(t.path));
    return t;
}

static inline int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline void folder_remove(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static inline void temporary_remove(const temporary *t) { folder_remove(t->path); }

static inline void file_put(const char *path, const void *data, size_t bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

// Not inlined: gcc 12 would take what it returns for a pointer into its frame.
__attribute__((noinline, unused)) static char *file_get(const char *path, size_t *bytes) {
    char *data = NULL;
    firn_status status = file_read_whole(path, (size_t)1 << 30, &data, bytes);
    if (status != FIRN_OK) fail_msg("%s", firn_last_error());
    return data;
}

static inline bool files_equal(const char *a, const char *b) {
    size_t n, m;
    char *p = file_get(a, &n), *q = file_get(b, &m);
    bool same = n == m && memcmp(p, q, n) == 0;
    mem_free(p);
    mem_free(q);
    return same;
}

// Entries of a folder whose names end in `ending`.
static inline size_t count_files(const char *folder, const char *ending) {
    file_names names;
    if (!folder_exists(folder)) return 0;
    assert_ok(file_list(folder, ending, &names));
    size_t count = names.count;
    file_names_free(&names);
    return count;
}

// Makes the n-th call to the table of files fail (1: the next), and if `stuck` all later ones that would
// create or grow something, as on a full disk.
static struct {
    size_t n, calls;
    bool stuck;
} failing_files;

static inline bool files_fail(void) {
    size_t call = ++failing_files.calls;
    bool bad =
        failing_files.n && (call == failing_files.n || (failing_files.stuck && call > failing_files.n));
    if (bad) errno = ENOSPC;
    return bad;
}
static inline int failing_open(int in, const char *p) {
    return files_fail() ? -1 : file_system.open_new(in, p);
}
// Half of what is asked for is written before the failure, as a real disk would.
static inline long failing_write(int f, const void *d, size_t n) {
    if (!files_fail()) return file_system.write(f, d, n);
    if (n > 1) file_system.write(f, d, n / 2);
    errno = ENOSPC;
    return -1;
}
static inline int failing_sync(int f) { return files_fail() ? -1 : file_system.sync(f); }
static inline int failing_close(int f) {
    int result = file_system.close(f);
    return files_fail() ? -1 : result;
}
static inline int failing_rename(int in, const char *a, const char *b) {
    return files_fail() ? -1 : file_system.rename(in, a, b);
}
static inline int failing_make(int in, const char *p) {
    return files_fail() ? -1 : file_system.make_folder(in, p);
}

static inline void fail_file(size_t n, bool stuck) {
    static file_table table;
    table = file_system;
    table.open_new = failing_open;
    table.write = failing_write;
    table.sync = failing_sync;
    table.close = failing_close;
    table.rename = failing_rename;
    table.make_folder = failing_make;
    failing_files.n = n;
    failing_files.calls = 0;
    failing_files.stuck = stuck;
    file_use(&table);
}

// Runs a Python script with h5py and numpy; false (with a line that says so) if this machine has none.
static inline bool python(const char *script, const char *argument) {
    static int there = -1;
    if (there < 0) there = system("/usr/bin/python3 -c 'import h5py, numpy' >/dev/null 2>&1") == 0;
    if (!there) {
        print_message("/usr/bin/python3 has no h5py and numpy: not read back from Python\n");
        return false;
    }
    char command[1024];
    temporary t = temporary_make();
    char path[300];
    snprintf(path, sizeof path, "%s/script.py", t.path);
    file_put(path, script, strlen(script));
    snprintf(command, sizeof command, "/usr/bin/python3 %s '%s'", path, argument);
    int result = system(command);
    temporary_remove(&t);
    if (result != 0) fail_msg("Python found something wrong in %s", argument);
    return true;
}

#endif
