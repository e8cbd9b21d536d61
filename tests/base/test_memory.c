// Memory: alignment, sizes, growth, arenas, and failure of any allocation.
#include "base/memory.h"
#include "support.h"

static void blocks_are_aligned_and_counted(void **state) {
    (void)state;
    size_t before = mem_in_use();
    char *blocks[50];
    size_t sum = 0;
    for (size_t i = 0; i < 50; i++) {
        blocks[i] = mem_alloc(i * 13);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 64, 0);
        memset(blocks[i], (int)i, i * 13);
        sum += i * 13;
    }
    assert_int_equal(mem_in_use() - before, sum);
    for (size_t i = 0; i < 50; i++)
        for (size_t k = 0; k < i * 13; k++) assert_int_equal(blocks[i][k], (char)i);
    for (size_t i = 0; i < 50; i++) mem_free(blocks[i]);
    mem_free(NULL);
    assert_int_equal(mem_in_use(), before);
}

static void zeroed_and_resized(void **state) {
    (void)state;
    unsigned char *a = mem_zero(100, 3);
    for (int i = 0; i < 300; i++) assert_int_equal(a[i], 0);
    for (int i = 0; i < 300; i++) a[i] = (unsigned char)i;
    a = mem_resize(a, 1000);
    for (int i = 0; i < 300; i++) assert_int_equal(a[i], (unsigned char)i);
    a = mem_resize(a, 10);
    for (int i = 0; i < 10; i++) assert_int_equal(a[i], i);
    mem_free(a);
    a = mem_resize(NULL, 5);
    assert_non_null(a);
    mem_free(a);
}

// A part of a large array: only what is asked for is counted; what was cleared is 0 again.
static void parts_of_large_arrays(void **state) {
    (void)state;
    enum { COUNT = 1 << 30, FIRST = 123456789, END = FIRST + 100000 };
    size_t before = mem_in_use();
    unsigned char *a = mem_part(COUNT, 8, 1000);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal(mem_in_use() - before, 1000);
    for (size_t i = FIRST; i < END; i++) {
        assert_int_equal(a[i], 0);
        a[i] = 7;
    }
    mem_part_clear(a, FIRST + 10, FIRST + 20);
    mem_part_clear(a, FIRST + 1001, END - 1001);
    for (size_t i = FIRST; i < END; i++) {
        bool cleared = (i >= FIRST + 10 && i < FIRST + 20) || (i >= FIRST + 1001 && i < END - 1001);
        assert_int_equal(a[i], cleared ? 0 : 7);
    }
    mem_free(a);
    assert_int_equal(mem_in_use(), before);
    assert_null(mem_part(SIZE_MAX / 2, 4, 0));
}

static void sizes_that_cannot_be_are_refused(void **state) {
    (void)state;
    assert_null(mem_alloc(SIZE_MAX));
    assert_null(mem_alloc(SIZE_MAX - 63));
    assert_null(mem_zero(SIZE_MAX / 8, 16));
    assert_null(mem_zero(SIZE_MAX, SIZE_MAX));
    char *list = NULL;
    size_t capacity = 0;
    assert_false(array_reserve(&list, &capacity, SIZE_MAX / 4, 16));
    assert_true(list == NULL && capacity == 0);
    arena a = {0};
    assert_null(arena_alloc(&a, SIZE_MAX / 2));
    assert_null(a.chunks);
}

static void arrays_grow_and_keep_their_items(void **state) {
    (void)state;
    int *list = NULL;
    size_t capacity = 0, moves = 0;
    for (int i = 0; i < 10000; i++) {
        const int *before = list;
        assert_true(array_reserve(&list, &capacity, (size_t)i + 1, sizeof *list));
        moves += list != before;
        list[i] = 3 * i;
    }
    for (int i = 0; i < 10000; i++) assert_int_equal(list[i], 3 * i);
    assert_true(capacity >= 10000 && moves < 40);
    mem_free(list);
}

static void failed_growth_keeps_the_old(void **state) {
    (void)state;
    failing_allocator f;
    fail_allocation(&f, 2);
    int *list = NULL;
    size_t capacity = 0;
    assert_true(array_reserve(&list, &capacity, 4, sizeof *list));
    for (int i = 0; i < 4; i++) list[i] = i;
    const int *before = list;
    size_t room = capacity;
    assert_false(array_reserve(&list, &capacity, 1000, sizeof *list));
    assert_true(list == before && capacity == room && list[3] == 3);
    assert_true(array_reserve(&list, &capacity, 1000, sizeof *list)); // the next one works again
    mem_free(list);
    firn_set_allocator(NULL);
}

static void arenas_hold_small_and_large(void **state) {
    (void)state;
    size_t before = mem_in_use();
    arena a = {0};
    unsigned char *items[200];
    for (size_t i = 0; i < 200; i++) {
        size_t bytes = i % 50 == 0 ? 40000 : i * 3;
        items[i] = arena_alloc(&a, bytes);
        assert_non_null(items[i]);
        assert_int_equal((uintptr_t)items[i] % 16, 0);
        for (size_t k = 0; k < bytes; k++) assert_int_equal(items[i][k], 0);
        memset(items[i], (int)i, bytes);
    }
    for (size_t i = 0; i < 200; i++) {
        size_t bytes = i % 50 == 0 ? 40000 : i * 3;
        for (size_t k = 0; k < bytes; k++) assert_int_equal(items[i][k], (unsigned char)i);
    }
    assert_string_equal(arena_text(&a, "firnspiegel", 4), "firn");
    assert_string_equal(arena_text(&a, NULL, 0), "");
    arena_free(&a);
    assert_int_equal(mem_in_use(), before);
    arena_free(&a); // twice is fine
}

static void an_arena_without_memory_returns_null(void **state) {
    (void)state;
    failing_allocator f;
    fail_allocation(&f, 2);
    arena a = {0};
    assert_non_null(arena_alloc(&a, 16000));
    assert_null(arena_alloc(&a, 16000));
    assert_null(arena_text(&a, "x", SIZE_MAX - 1));
    assert_non_null(arena_alloc(&a, 16000));
    arena_free(&a);
    firn_set_allocator(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_counted),
        cmocka_unit_test(zeroed_and_resized),
        cmocka_unit_test(parts_of_large_arrays),
        cmocka_unit_test(sizes_that_cannot_be_are_refused),
        cmocka_unit_test(arrays_grow_and_keep_their_items),
        cmocka_unit_test(failed_growth_keeps_the_old),
        cmocka_unit_test(arenas_hold_small_and_large),
        cmocka_unit_test(an_arena_without_memory_returns_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
