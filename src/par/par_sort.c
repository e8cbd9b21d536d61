// Exclusive scan and radix sort. Their results are unique, so the blocks need not be fixed for equal bits.
#include "par/par.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { SCAN_BLOCK = 16384 };

typedef struct scan_call {
    const uint32_t *in;
    uint32_t *out;
    size_t count;
    uint64_t *sums; // per block, then its offset
} scan_call;

static size_t scan_end(const scan_call *call, size_t i) {
    size_t end = (i + 1) * SCAN_BLOCK;
    return end < call->count ? end : call->count;
}

static void scan_sum_block(void *context, size_t i) {
    const scan_call *call = context;
    uint64_t sum = 0;
    for (size_t k = i * SCAN_BLOCK, end = scan_end(call, i); k < end; k++) sum += call->in[k];
    call->sums[i] = sum;
}

static void scan_write_block(void *context, size_t i) {
    const scan_call *call = context;
    uint32_t sum = (uint32_t)call->sums[i];
    for (size_t k = i * SCAN_BLOCK, end = scan_end(call, i); k < end; k++) {
        uint32_t item = call->in[k];
        call->out[k] = sum;
        sum += item;
    }
}

firn_status par_scan(const uint32_t *in, uint32_t *out, size_t count, uint32_t *total) {
    size_t blocks = (count + SCAN_BLOCK - 1) / SCAN_BLOCK;
    uint64_t one, *sums = blocks <= 1 ? &one : mem_alloc(blocks * sizeof *sums);
    if (!sums) return fail_memory("adding up counts", blocks * sizeof *sums);
    scan_call call = {in, out, count, sums};
    par_tasks(blocks, scan_sum_block, &call);
    uint64_t sum = 0;
    for (size_t i = 0; i < blocks; i++) {
        uint64_t block = sums[i];
        sums[i] = sum;
        sum += block;
    }
    bool fits = sum <= UINT32_MAX;
    if (fits) par_tasks(blocks, scan_write_block, &call);
    if (sums != &one) mem_free(sums);
    if (!fits) return fail(FIRN_BAD_INPUT, "counts add up to more than 4294967295");
    if (total) *total = (uint32_t)sum;
    return FIRN_OK;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SORT_BLOCK = 16384, SORT_MAX_BLOCKS = 64, SORT_TINY = 48 };

typedef struct sort_call {
    const uint32_t *keys, *index;
    uint32_t *to_keys, *to_index;
    size_t count, block;
    unsigned shift;
    uint32_t digit_mask;
    uint32_t (*place)[DIGITS]; // per block: count of each digit, then its next offset
} sort_call;

static size_t sort_end(const sort_call *call, size_t i) {
    size_t end = (i + 1) * call->block;
    return end < call->count ? end : call->count;
}

static void sort_count_block(void *context, size_t i) {
    const sort_call *call = context;
    uint32_t *counts = call->place[i];
    memset(counts, 0, ((size_t)call->digit_mask + 1) * sizeof *counts);
    for (size_t k = i * call->block, end = sort_end(call, i); k < end; k++)
        counts[call->keys[k] >> call->shift & call->digit_mask]++;
}

static void sort_move_block(void *context, size_t i) {
    const sort_call *call = context;
    uint32_t *place = call->place[i];
    for (size_t k = i * call->block, end = sort_end(call, i); k < end; k++) {
        uint32_t key = call->keys[k], to = place[key >> call->shift & call->digit_mask]++;
        call->to_keys[to] = key;
        call->to_index[to] = call->index[k];
    }
}

// Turns counts into offsets. False if all keys have the same digit: the pass is skipped.
static bool sort_places(const sort_call *call, size_t blocks) {
    uint32_t sum = 0;
    for (size_t digit = 0; digit <= call->digit_mask; digit++) {
        uint32_t before = sum;
        for (size_t i = 0; i < blocks; i++) {
            uint32_t n = call->place[i][digit];
            call->place[i][digit] = sum;
            sum += n;
        }
        if (sum - before == call->count) return false;
    }
    return true;
}

static void sort_copy_block(void *context, size_t i) {
    const sort_call *call = context;
    size_t begin = i * call->block, bytes = (sort_end(call, i) - begin) * sizeof(uint32_t);
    memcpy(call->to_keys + begin, call->keys + begin, bytes);
    memcpy(call->to_index + begin, call->index + begin, bytes);
}

static void sort_tiny(uint32_t *keys, uint32_t *index, size_t count, uint32_t mask) {
    for (size_t i = 1; i < count; i++) {
        uint32_t key = keys[i], item = index[i];
        size_t k = i;
        for (; k > 0 && (keys[k - 1] & mask) > (key & mask); k--) {
            keys[k] = keys[k - 1];
            index[k] = index[k - 1];
        }
        keys[k] = key;
        index[k] = item;
    }
}

static void sort_passes(sort_call *call, size_t blocks, unsigned bits) {
    // Two passes of up to 11 bits or four of up to 8: an odd number would end in the scratch arrays.
    unsigned passes = bits <= DIGIT_BITS       ? 1
                      : bits <= 2 * DIGIT_BITS ? 2
                                               : 4,
             width = (bits + passes - 1) / passes;
    uint32_t *keys = (uint32_t *)call->keys, *index = (uint32_t *)call->index; // the caller's own arrays
    uint32_t *other_keys = call->to_keys, *other_index = call->to_index;
    for (unsigned done = 0; done < bits; done += width) {
        unsigned here = bits - done < width ? bits - done : width;
        *call = (sort_call){keys,        index,       other_keys, other_index,
                            call->count, call->block, done,       ((uint32_t)1 << here) - 1,
                            call->place};
        par_tasks(blocks, sort_count_block, call);
        if (!sort_places(call, blocks)) continue;
        par_tasks(blocks, sort_move_block, call);
        uint32_t *swap = keys;
        keys = other_keys, other_keys = swap;
        swap = index, index = other_index, other_index = swap;
    }
    call->keys = keys, call->index = index;
    call->to_keys = other_keys, call->to_index = other_index;
}

firn_status par_sort(uint32_t *keys, uint32_t *index, uint32_t *scratch_keys, uint32_t *scratch_index,
                     size_t count, unsigned bits) {
    assert(bits <= 32);
    if (count > UINT32_MAX) return fail(FIRN_BAD_INPUT, "cannot sort more than 4294967295 items");
    if (bits == 0 || count < 2) return FIRN_OK;
    if (count <= SORT_TINY) {
        sort_tiny(keys, index, count, UINT32_MAX >> (32 - bits));
        return FIRN_OK;
    }
    size_t block = count / SORT_MAX_BLOCKS + 1;
    if (block < SORT_BLOCK) block = SORT_BLOCK;
    size_t blocks = (count + block - 1) / block;
    sort_call call = {keys, index, scratch_keys, scratch_index, count, block, 0, 0, NULL};
    call.place = mem_alloc(blocks * sizeof *call.place);
    if (!call.place) return fail_memory("sorting", blocks * sizeof *call.place);
    sort_passes(&call, blocks, bits);
    if (call.keys != keys) par_tasks(blocks, sort_copy_block, &call);
    mem_free(call.place);
    return FIRN_OK;
}
