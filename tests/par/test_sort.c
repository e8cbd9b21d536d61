// Scan and sort against plain versions. firn-test: threaded
#include "par/par.h"

#include "base/memory.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void scan_equals_plain_sums(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 5, 16384, 16385, 200003};
    const int threads[] = {1, 2, 3, 8};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int t = 0; t < 4; t++) {
            firn_set_threads(threads[t]);
            size_t n = counts[c];
            uint32_t *in = malloc((n + 1) * 4), *out = malloc((n + 1) * 4), total = 77, sum = 0;
            for (size_t i = 0; i < n; i++) in[i] = random_bits(11, i, 0, 0).v[0] % 1000;
            assert_int_equal(par_scan(in, out, n, &total), FIRN_OK);
            for (size_t i = 0; i < n; sum += in[i++]) assert_int_equal(out[i], sum);
            assert_int_equal(total, sum);
            assert_int_equal(par_scan(in, in, n, NULL), FIRN_OK);
            assert_memory_equal(in, out, n * 4);
            free(in);
            free(out);
        }
    firn_set_threads(0);
}

static void scan_refuses_sums_that_do_not_fit(void **state) {
    (void)state;
    enum { N = 40000 };
    uint32_t *in = calloc(N, 4), total = 5;
    in[3] = UINT32_MAX;
    assert_int_equal(par_scan(in, in, N, &total), FIRN_OK);
    assert_int_equal(total, UINT32_MAX);
    memset(in, 0, N * 4);
    in[3] = UINT32_MAX, in[39000] = 1;
    assert_int_equal(par_scan(in, in, N, &total), FIRN_BAD_INPUT);
    assert_int_equal(in[39000], 1); // untouched
    free(in);
}

#if defined(__SANITIZE_THREAD__)
enum { UNDER_TSAN = 1 };
#else
enum { UNDER_TSAN = 0 };
#endif

typedef struct pair {
    uint32_t key, index, masked, place;
} pair;

static int pair_order(const void *a, const void *b) {
    const pair *p = a, *q = b;
    if (p->masked != q->masked) return p->masked < q->masked ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

typedef enum keys_kind {
    KEYS_RANDOM,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_EQUAL,
    KEYS_FEW,
    KEYS_KINDS
} keys_kind;

static uint32_t make_key(keys_kind kind, size_t i, size_t n) {
    uint32_t r = random_bits(5, i, 0, 0).v[0];
    switch (kind) {
    case KEYS_SORTED: return (uint32_t)i;
    case KEYS_REVERSED: return (uint32_t)(n - i);
    case KEYS_EQUAL: return 0x80402010u;
    case KEYS_FEW: return r % 5 * 0x01010101u;
    default: return r;
    }
}

static void check_sort(keys_kind kind, size_t n, unsigned bits) {
    uint32_t *arrays[4], mask = bits == 0 ? 0 : UINT32_MAX >> (32 - bits);
    for (int i = 0; i < 4; i++) arrays[i] = malloc((n + 1) * 4);
    pair *pairs = malloc((n + 1) * sizeof *pairs);
    for (size_t i = 0; i < n; i++) {
        arrays[0][i] = make_key(kind, i, n);
        arrays[1][i] = (uint32_t)(i * 2654435761u);
        pairs[i] = (pair){arrays[0][i], arrays[1][i], arrays[0][i] & mask, (uint32_t)i};
    }
    qsort(pairs, n, sizeof *pairs, pair_order);
    assert_int_equal(par_sort(arrays[0], arrays[1], arrays[2], arrays[3], n, bits), FIRN_OK);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(arrays[0][i], pairs[i].key);
        assert_int_equal(arrays[1][i], pairs[i].index);
    }
    for (int i = 0; i < 4; i++) free(arrays[i]);
    free(pairs);
}

static void sort_is_stable_and_right(void **state) {
    (void)state;
    const size_t counts[] = {0, 1, 2, 48, 49, 1000, 16385, 60001};
    const unsigned bits[] = {0, 1, 8, 11, 12, 22, 23, 32};
    const int threads[] = {1, 3};
    for (keys_kind kind = 0; kind < KEYS_KINDS; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
                if (UNDER_TSAN && counts[c] > 1000 && (b + kind) % 4) continue; // for the time
                firn_set_threads(threads[(c + b) % 2]);
                check_sort(kind, counts[c], bits[b]);
            }
    firn_set_threads(8);
    check_sort(KEYS_RANDOM, 300000, 32);
    if (!UNDER_TSAN) check_sort(KEYS_FEW, 1100000, 27); // blocks longer than the least
    firn_set_threads(0);
    assert_int_equal(mem_in_use(), 0);
}

static void *no_memory(void *context, size_t bytes) {
    (void)context;
    (void)bytes;
    return NULL;
}

static void no_release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)memory;
    (void)bytes;
}

static void without_memory_there_is_an_error(void **state) {
    (void)state;
    firn_allocator none = {no_memory, no_release, NULL};
    firn_set_allocator(&none);
    enum { N = 40000 };
    uint32_t *a = calloc(N * 4, 4);
    assert_int_equal(par_sort(a, a + N, a + 2 * N, a + 3 * N, N, 32), FIRN_NO_MEMORY);
    assert_int_equal(par_scan(a, a + N, N, NULL), FIRN_NO_MEMORY);
    firn_set_allocator(NULL);
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scan_equals_plain_sums),
        cmocka_unit_test(scan_refuses_sums_that_do_not_fit),
        cmocka_unit_test(sort_is_stable_and_right),
        cmocka_unit_test(without_memory_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
