// Sorting and summing lists of numbers.
#include "bench/measure.h"

#include "base/memory.h"
#include "base/random.h"
#include "par/par.h"

#include <string.h>

enum { SORT_COUNT = 4 << 20, SCAN_COUNT = 16 << 20, BITS = 24 }; // the scan's lists are past any cache

typedef struct lists {
    size_t count;
    uint32_t *source, *keys, *index, *scratch_keys, *scratch_index;
    firn_status status;
} lists;

static firn_status lists_create(lists *l, size_t count) {
    *l = (lists){.count = count};
    uint32_t **arrays[] = {&l->source, &l->keys, &l->index, &l->scratch_keys, &l->scratch_index};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!(*arrays[i] = mem_zero(count, sizeof(uint32_t))))
            return fail_memory("preparing a list", count * sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) l->source[i] = random_bits(7, i, 0, 0).v[0] & ((1u << BITS) - 1);
    return FIRN_OK;
}

static void lists_free(lists *l) {
    mem_free(l->source);
    mem_free(l->keys);
    mem_free(l->index);
    mem_free(l->scratch_keys);
    mem_free(l->scratch_index);
}

static void restore(void *context) {
    lists *l = context;
    memcpy(l->keys, l->source, l->count * sizeof(uint32_t));
}

static void sort_once(void *context) {
    lists *l = context;
    restore(l);
    firn_status status = par_sort(l->keys, l->index, l->scratch_keys, l->scratch_index, l->count, BITS);
    if (status != FIRN_OK) l->status = status;
}

static void scan_once(void *context) {
    lists *l = context;
    firn_status status = par_scan(l->source, l->keys, l->count, NULL);
    if (status != FIRN_OK) l->status = status;
}

firn_status bench_sort(bench_emit emit, void *context) {
    lists l;
    firn_status status = lists_create(&l, SORT_COUNT);
    if (status == FIRN_OK) {
        bench_result r = {.workload = "sort", .rate_unit = "items/s"};
        double seconds = measure_seconds(sort_once, &l) - measure_seconds(restore, &l);
        // Three digits of 8 bits; each reads and writes key and index once and reads the keys once more to
        // count.
        measure_result(&r, SORT_COUNT, seconds, 3 * 16, 0);
        status = l.status;
        if (status == FIRN_OK) emit(context, &r);
    }
    lists_free(&l);
    return status;
}

firn_status bench_scan(bench_emit emit, void *context) {
    lists l;
    firn_status status = lists_create(&l, SCAN_COUNT);
    if (status == FIRN_OK) {
        bench_result r = {.workload = "scan", .rate_unit = "items/s"};
        for (size_t i = 0; i < SCAN_COUNT; i++) l.source[i] &= 255; // so that the total fits
        // What must be moved: a count in, a sum out.
        measure_result(&r, SCAN_COUNT, measure_seconds(scan_once, &l), 8, 0);
        status = l.status;
        if (status == FIRN_OK) emit(context, &r);
    }
    lists_free(&l);
    return status;
}
