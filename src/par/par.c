// Parallel loops over blocks, and reductions in block order.
#include "par/par.h"

#include <firn/model.h>

#include "base/memory.h"
#include "par/crew.h"

#include <assert.h>
#include <string.h>

static size_t block_count(size_t count, size_t block) {
    assert(block > 0);
    return count / block + (count % block != 0);
}

typedef struct range_call {
    par_range fn;
    void *context;
    size_t count, block;
} range_call;

static void run_block(void *context, size_t i) {
    const range_call *call = context;
    size_t begin = i * call->block, left = call->count - begin;
    call->fn(call->context, begin, begin + (left < call->block ? left : call->block));
}

void par_for(size_t count, size_t block, par_range fn, void *context) {
    range_call call = {fn, context, count, block};
    par_tasks(block_count(count, block), run_block, &call);
}

typedef struct part_call {
    par_range fn;
    void *context;
    size_t from;
} part_call;

static void run_part(void *context, size_t begin, size_t end) {
    const part_call *call = context;
    call->fn(call->context, call->from + begin, call->from + end);
}

void par_for_part(size_t begin, size_t end, size_t block, par_range fn, void *context) {
    if (begin < end) par_for(end - begin, block, run_part, &(part_call){fn, context, begin});
}

// Reductions process the blocks in batches, so that memory does not grow with the count.
enum { BATCH = 512 };

typedef struct value_call {
    double (*fn)(void *context, size_t begin, size_t end);
    void *context;
    size_t count, block, first;
    double *values;
} value_call;

static void run_value(void *context, size_t i) {
    const value_call *call = context;
    size_t begin = (call->first + i) * call->block, left = call->count - begin;
    call->values[i] = call->fn(call->context, begin, begin + (left < call->block ? left : call->block));
}

static double join_values(value_call call, double start, double (*join)(double a, double b)) {
    double values[BATCH];
    call.values = values;
    size_t blocks = block_count(call.count, call.block);
    for (call.first = 0; call.first < blocks; call.first += BATCH) {
        size_t batch = blocks - call.first < BATCH ? blocks - call.first : BATCH;
        par_tasks(batch, run_value, &call);
        for (size_t i = 0; i < batch; i++) start = call.first + i == 0 ? values[0] : join(start, values[i]);
    }
    return start;
}

static double join_sum(double a, double b) { return a + b; }
// NaN propagates, so that checks for invalid values see it.
static double join_max(double a, double b) { return b > a || b != b ? b : a; }

double par_sum(size_t count, size_t block, double (*fn)(void *context, size_t begin, size_t end),
               void *context) {
    value_call call = {.fn = fn, .context = context, .count = count, .block = block};
    return join_values(call, 0, join_sum);
}

double par_max(size_t count, size_t block, double (*fn)(void *context, size_t begin, size_t end),
               void *context) {
    value_call call = {.fn = fn, .context = context, .count = count, .block = block};
    return join_values(call, 0, join_max);
}

typedef struct partial_call {
    void (*fn)(void *context, size_t begin, size_t end, void *partial);
    void *context;
    size_t count, block, first, size;
    char *partials;
} partial_call;

static void run_partial(void *context, size_t i) {
    const partial_call *call = context;
    size_t begin = (call->first + i) * call->block, left = call->count - begin;
    char *partial = call->partials + i * call->size;
    memset(partial, 0, call->size);
    call->fn(call->context, begin, begin + (left < call->block ? left : call->block), partial);
}

firn_status par_reduce(size_t count, size_t block, size_t size,
                       void (*fn)(void *context, size_t begin, size_t end, void *partial),
                       void (*join)(void *into, const void *from), void *context, void *result) {
    memset(result, 0, size);
    size_t blocks = block_count(count, block), room = blocks < BATCH ? blocks : BATCH;
    if (blocks == 0) return FIRN_OK;
    partial_call call = {.fn = fn, .context = context, .count = count, .block = block, .size = size};
    call.partials = mem_zero(room, size);
    if (!call.partials) return fail_memory("summing up", room * size);
    for (call.first = 0; call.first < blocks; call.first += BATCH) {
        size_t batch = blocks - call.first < BATCH ? blocks - call.first : BATCH;
        par_tasks(batch, run_partial, &call);
        bool first = call.first == 0;
        if (first) memcpy(result, call.partials, size);
        for (size_t i = first; i < batch; i++) join(result, call.partials + i * size);
    }
    mem_free(call.partials);
    return FIRN_OK;
}

firn_status firn_parallel_for(size_t count, size_t block,
                              void (*task)(void *context, size_t begin, size_t end), void *context) {
    NEED(task);
    if (block == 0) return fail(FIRN_BAD_INPUT, "firn_parallel_for: a block must have at least one item");
    par_for(count, block, task, context);
    return FIRN_OK;
}
