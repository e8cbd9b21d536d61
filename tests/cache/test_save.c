// firn-test: threaded
// A program saves a world and goes on from there.
#include "worlds.h"

#include "base/file.h"
#include "base/memory.h"

static const char scene[] = "firn: 1\n"
                            "fps: 50\n"
                            "bodies:\n"
                            "  ground: {shape: plane}\n"
                            "  ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 60 cm, 0], motion: dynamic}\n"
                            "mpm:\n"
                            "  cell: 5 cm\n"
                            "  snow:\n"
                            "    heap: {shape: {box: {size: [40 cm, 20 cm, 40 cm]}}, at: [0, 12 cm, 0]}\n";

static void test_goes_on_with_the_same_bits(void **state) {
    (void)state;
    firn_world *a = open_text(scene), *b = open_text(scene);
    void *data;
    size_t bytes;
    frames(a, 5);
    assert_ok(firn_world_step(a)); // in the middle of a frame
    assert_ok(firn_world_save(a, &data, &bytes));
    uint64_t saved = firn_world_hash(a);
    frames(a, 5);
    uint64_t end = firn_world_hash(a);
    assert_ok(firn_world_load(b, data, bytes)); // another world
    assert_true(firn_world_hash(b) == saved);
    frames(b, 5);
    assert_true(firn_world_hash(b) == end);
    assert_ok(firn_world_load(a, data, bytes)); // back in time
    assert_true(firn_world_hash(a) == saved);
    firn_set_threads(3);
    frames(a, 5);
    firn_set_threads(0);
    assert_true(firn_world_hash(a) == end);
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
}

static void test_files(void **state) {
    (void)state;
    char folder[] = "/tmp/firn-save-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.h5", folder);
    firn_world *a = open_text(scene), *b = open_text(scene);
    frames(a, 3);
    assert_ok(firn_world_save_file(a, path));
    assert_ok(firn_world_load_file(b, path));
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    assert_int_equal(firn_world_load_file(b, "/tmp/firn-save-none/none.h5"), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    assert_ok(file_remove(path));
    assert_int_equal(rmdir(folder), 0);
    firn_world_close(a);
    firn_world_close(b);
}

static void test_damage_and_other_scenes_change_nothing(void **state) {
    (void)state;
    firn_world *a = open_text(scene), *other = open_text("firn: 1\nbodies: {ground: {shape: plane}}\n");
    void *data;
    size_t bytes;
    frames(a, 2);
    assert_ok(firn_world_save(a, &data, &bytes));
    frames(a, 1);
    uint64_t now = firn_world_hash(a), bare = firn_world_hash(other);
    assert_int_equal(firn_world_load(other, data, bytes), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "another scene"));
    assert_true(firn_world_hash(other) == bare);
    assert_int_equal(firn_world_load(a, data, bytes - 1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_load(a, data, 10), FIRN_BAD_INPUT);
    ((char *)data)[bytes / 2] ^= 1;
    assert_int_equal(firn_world_load(a, data, bytes), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(a) == now);
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(other);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *a = open_text(scene);
    void *data, *none;
    size_t bytes, zero;
    frames(a, 1);
    assert_ok(firn_world_save(a, &data, &bytes));
    frames(a, 1);
    uint64_t now = firn_world_hash(a);
    size_t before = mem_in_use(), n = 0;
    firn_status status = FIRN_NO_MEMORY;
    for (n = 1; status != FIRN_OK && n < 500; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        status = firn_world_save(a, &none, &zero);
        if (status == FIRN_OK) firn_data_free(none);
        firn_set_allocator(NULL);
        assert_int_equal(mem_in_use(), before);
        assert_true(firn_world_hash(a) == now);
    }
    assert_int_equal(status, FIRN_OK);
    firn_data_free(data);
    firn_world_close(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_goes_on_with_the_same_bits),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_damage_and_other_scenes_change_nothing),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
