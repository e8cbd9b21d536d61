// Messages between ranks. `test_net_ranks` is one rank; tests/net/ranks runs it under mpirun with 1 to 4.
#include "support.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/net_slabs.h"

static void broadcast_and_maximum(void **state) {
    (void)state;
    size_t ranks = net_count(), me = net_rank();
    for (size_t root = 0; root < ranks; root++) {
        uint64_t word = me == root ? 1000 + root : 0;
        net_broadcast(&word, sizeof word, ranks == 1 ? 0 : root);
        assert_int_equal(word, 1000 + root);
    }
    double most[2] = {(double)me, -(double)me};
    net_max(most, 2);
    assert_true(most[0] == (double)(ranks - 1) && most[1] == 0);
}

static void gathers_in_order_of_ranks(void **state) {
    (void)state;
    size_t ranks = net_count(), me = net_rank(), sizes[64];
    net_buffer all = {0};
    char own[64];
    for (size_t i = 0; i < me; i++) own[i] = (char)('a' + me); // of rank 0 nothing
    net_gather_all(own, me, &all, sizes);
    char *at = all.data;
    for (size_t r = 0; r < ranks; r++) {
        assert_int_equal(sizes[r], r);
        for (size_t i = 0; i < r; i++) assert_int_equal(*at++, 'a' + r);
    }
    assert_int_equal(all.bytes, ranks * (ranks - 1) / 2);
    net_buffer_free(&all);
}

// Message of rank r to rank q: (r + 1) * q words with the value 100 r + q.
static void exchanges_messages_of_any_length(void **state) {
    (void)state;
    size_t ranks = net_count(), me = net_rank();
    net_buffer *out = calloc(ranks, sizeof *out), *in = calloc(ranks, sizeof *in);
    for (int known = 0; known < 2; known++) {
        for (size_t q = 0; q < ranks; q++) {
            out[q].bytes = 0;
            for (size_t i = 0; i < (me + 1) * q; i++)
                net_buffer_add(&out[q], &(uint64_t){100 * me + q}, sizeof(uint64_t));
        }
        for (size_t r = 0; r < ranks && known; r++) in[r].bytes = (r + 1) * me * sizeof(uint64_t);
        if (known)
            net_exchange_known(out, in);
        else
            net_exchange(out, in);
        for (size_t r = 0; r < ranks; r++) {
            assert_int_equal(in[r].bytes, (r + 1) * me * sizeof(uint64_t));
            for (size_t i = 0; i < in[r].bytes / 8; i++)
                assert_int_equal(((uint64_t *)(void *)in[r].data)[i], 100 * r + me);
        }
    }
    for (size_t r = 0; r < ranks; r++) net_buffer_free(&out[r]), net_buffer_free(&in[r]);
    free(out);
    free(in);
}

// A sum whose value depends on the order: 1e16 first, then ones, which are lost one by one.
static void add_own(void *context, void *data) {
    (void)context;
    *(double *)data += net_rank() == 0 ? 1e16 : 1;
}
static void sums_in_order(void **state) {
    (void)state;
    double sum = 0, expected = 1e16;
    for (size_t r = 1; r < net_count(); r++) expected += 1;
    net_in_order(&sum, sizeof sum, add_own, NULL);
    assert_true(sum == expected);
}

static void failures_are_agreed_upon(void **state) {
    (void)state;
    size_t last = net_count() - 1;
    assert_int_equal(net_agree(FIRN_OK), FIRN_OK);
    firn_status mine = net_rank() == last ? fail(FIRN_IO, "disk of rank %zu is full", last) : FIRN_OK;
    assert_int_equal(net_agree(mine), FIRN_IO);
    assert_non_null(strstr(firn_last_error(), "is full"));
}

enum { PLANES = 26, ITEMS = 5 };

static uint32_t value_of(int32_t plane, int32_t item) { return (uint32_t)(1000 * plane + item + 1); }

static void expect_planes(const uint32_t *array, int32_t low, int32_t high) {
    for (int32_t k = 0; k < PLANES + 2; k++)
        for (int32_t i = 0; i < ITEMS; i++)
            assert_int_equal(array[k * ITEMS + i], k >= low && k < high ? value_of(k, i) : 0);
}

// Planes beside those of a rank, from one or more ranks; all from rank 0, and back.
static void planes_go_to_ranks(void **state) {
    (void)state;
    uint32_t array[(PLANES + 2) * ITEMS] = {0}, whole[(PLANES + 2) * ITEMS] = {0};
    net_slabs s;
    assert_true(net_slabs_make(&s, net_count(), net_rank(), PLANES, 4));
    int32_t low, high, sum = 0, end = 0;
    for (size_t r = 0; r < net_count(); r++) {
        net_slabs_own(&s, r, &low, &high);
        assert_true(low == end && high > low && (r == 0 || (low - 1) % s.unit == 0));
        sum += high - low;
        end = high;
    }
    assert_int_equal(sum, PLANES + 2);
    net_slabs_own(&s, net_rank(), &low, &high);
    for (int32_t k = net_rank() == 0 ? 0 : PLANES + 2; k < PLANES + 2; k++)
        for (int32_t i = 0; i < ITEMS; i++) array[k * ITEMS + i] = value_of(k, i);
    net_slabs_scatter(&s, &(net_planes){array, ITEMS * sizeof *array}, 1);
    if (net_rank() > 0) expect_planes(array, low, high);
    for (int32_t k = low; k < high; k++) memcpy(whole + k * ITEMS, array + k * ITEMS, ITEMS * sizeof *array);
    net_slabs_fill(&s, 9, 2, &(net_planes){whole, ITEMS * sizeof *array}, 1);
    expect_planes(whole, low - 9, high + 2);
    memset(array, 0, sizeof array);
    for (int32_t k = low; k < high; k++) memcpy(array + k * ITEMS, whole + k * ITEMS, ITEMS * sizeof *array);
    net_slabs_gather(&s, &(net_planes){array, ITEMS * sizeof *array}, 1);
    if (net_rank() == 0) expect_planes(array, 0, PLANES + 2);
    net_slabs_free(&s);
}

int main(int argc, char **argv) {
    if (net_start(&argc, &argv) != FIRN_OK) {
        fprintf(stderr, "%s\n", firn_last_error());
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcast_and_maximum),
        cmocka_unit_test(gathers_in_order_of_ranks),
        cmocka_unit_test(exchanges_messages_of_any_length),
        cmocka_unit_test(sums_in_order),
        cmocka_unit_test(failures_are_agreed_upon),
        cmocka_unit_test(planes_go_to_ranks),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    net_end();
    return failed;
}
