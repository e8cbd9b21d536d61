// What this process may use: the least of the machine's memory and of the limits of every control group above
// it, read from a /proc and a /sys made up here.
#include "base/machine.h"

#include "../cache/folders.h"

enum { MIB = 1 << 20 };

static temporary root;

static int make_root(void **state) {
    (void)state;
    root = temporary_make();
    return 0;
}

static int remove_root(void **state) {
    (void)state;
    temporary_remove(&root);
    return 0;
}

static void put(const char *name, const char *text) {
    char path[512], folder[512];
    snprintf(path, sizeof path, "%s/%s", root.path, name);
    path_folder(path, folder, sizeof folder);
    assert_ok(file_make_folders(folder));
    file_put(path, text, strlen(text));
}

static void put_machine(void) {
    put("proc/meminfo",
        "MemTotal:  4096 kB\nMemFree: 1 kB\nMemAvailable:  3072 kB\nSwapTotal: 1024 kB\nSwapFree: 512 kB\n");
}

static void assert_memory(uint64_t limit, uint64_t available, const char *source) {
    machine_memory m = machine_memory_below(root.path);
    assert_int_equal(m.limit, limit);
    assert_int_equal(m.available, available);
    assert_non_null(strstr(m.source, source));
}

static void nothing_known(void **state) {
    (void)state;
    assert_memory(UINT64_MAX, UINT64_MAX, "this machine has");
}

static void memory_and_swap(void **state) {
    (void)state;
    put_machine();
    assert_memory(5 * MIB, 3 * MIB + MIB / 2, "this machine has");
}

static void groups_of_version_2(void **state) {
    (void)state;
    put_machine();
    put("proc/self/cgroup", "0::/user.slice/job\n");
    put("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
    put("sys/fs/cgroup/user.slice/job/memory.current", "1000\n");
    assert_memory(5 * MIB, 3 * MIB + MIB / 2, "this machine has"); // no group has a limit
    put("sys/fs/cgroup/user.slice/memory.max", "2097152\n");       // the one above ours
    put("sys/fs/cgroup/user.slice/memory.current", "1048576\n");
    assert_memory(2 * MIB, MIB, "cgroup");
    put("sys/fs/cgroup/user.slice/job/memory.max", "1048576\n"); // ours: less, but more of it is left
    assert_memory(MIB, MIB - 1000, "cgroup");
    put("sys/fs/cgroup/user.slice/memory.current", "3000000\n"); // more is used than may be
    assert_memory(MIB, 0, "cgroup");
}

static void groups_beside_ours_do_not_count(void **state) {
    (void)state;
    put_machine();
    put("proc/self/cgroup", "0::/user.slice/job\n");
    put("sys/fs/cgroup/user.slice/jo/memory.max", "1\n");
    put("sys/fs/cgroup/user.slice/job2/memory.max", "1\n");
    put("sys/fs/cgroup/user/memory.max", "1\n");
    assert_memory(5 * MIB, 3 * MIB + MIB / 2, "this machine has");
}

static void groups_of_version_1(void **state) {
    (void)state;
    put_machine();
    put("proc/self/cgroup", "9:name=systemd:/\n4:memory:/batch/17\n1:cpu:/\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"); // how version 1 says: none
    put("sys/fs/cgroup/memory/batch/17/memory.limit_in_bytes", "3145728\n");
    put("sys/fs/cgroup/memory/batch/17/memory.usage_in_bytes", "2097152\n");
    assert_memory(3 * MIB, MIB, "cgroup");
}

int main(void) {
    unsetenv("FIRN_MEMORY_LIMIT");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_known, make_root, remove_root),
        cmocka_unit_test_setup_teardown(memory_and_swap, make_root, remove_root),
        cmocka_unit_test_setup_teardown(groups_of_version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(groups_beside_ours_do_not_count, make_root, remove_root),
        cmocka_unit_test_setup_teardown(groups_of_version_1, make_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
