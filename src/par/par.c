#include "par/par.h"

#include "base/memory.h"
#include "par/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

// Settings of the embedding program.
static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
static firn_task_system task_system; // run == NULL: our own threads
static int threads_wanted;           // 0: one per core

// Held while tasks are dispatched; a caller that finds it taken (a background job, say) works serially
// instead of waiting.
static pthread_mutex_t dispatch_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool inside_task;

static void after_fork(void) {
    pthread_mutex_init(&settings_lock, NULL);
    pthread_mutex_init(&dispatch_lock, NULL);
    pool_forget();
}

__attribute__((constructor)) static void par_begin(void) { pthread_atfork(NULL, NULL, after_fork); }

// exit() from inside a task cannot wait for that task; the process ends anyway.
__attribute__((destructor)) static void par_end(void) {
    if (inside_task || pthread_mutex_trylock(&dispatch_lock) != 0) return;
    pool_stop();
    pthread_mutex_unlock(&dispatch_lock);
}

firn_status firn_set_task_system(const firn_task_system *system) {
    if (system && (!system->run || system->threads < 1))
        return fail(FIRN_BAD_INPUT, "firn_set_task_system: run is NULL or threads is %d", system->threads);
    pthread_mutex_lock(&settings_lock);
    task_system = system ? *system : (firn_task_system){0};
    pthread_mutex_unlock(&settings_lock);
    return FIRN_OK;
}

firn_status firn_set_threads(int threads) {
    if (threads < 0)
        return fail(FIRN_BAD_INPUT,
                    "firn_set_threads: invalid number of threads %d: must be 0 (one per core) or more",
                    threads);
    pthread_mutex_lock(&settings_lock);
    threads_wanted = threads > POOL_MAX_THREADS ? POOL_MAX_THREADS : threads;
    pthread_mutex_unlock(&settings_lock);
    return FIRN_OK;
}

static int current_settings(firn_task_system *system) {
    static atomic_int cores; // cached: the system call takes longer than a small pass
    pthread_mutex_lock(&settings_lock);
    *system = task_system;
    int threads = system->run ? system->threads : threads_wanted;
    pthread_mutex_unlock(&settings_lock);
    if (system->run) return threads < 1 ? 1 : threads;
    if (threads == 0 && atomic_load_explicit(&cores, memory_order_relaxed) == 0)
        atomic_store_explicit(&cores, pool_cores(), memory_order_relaxed);
    if (threads == 0) threads = atomic_load_explicit(&cores, memory_order_relaxed);
    return threads > POOL_MAX_THREADS ? POOL_MAX_THREADS : threads;
}

int firn_threads(void) {
    firn_task_system system;
    return current_settings(&system);
}

typedef struct task_call {
    void (*fn)(void *context, size_t i);
    void *context;
} task_call;

static void run_task(void *context, size_t i) {
    const task_call *call = context;
    bool before = inside_task;
    inside_task = true;
    call->fn(call->context, i);
    inside_task = before;
}

void par_work_alone(void) { inside_task = true; }

static void run_in_place(size_t count, const task_call *call) {
    for (size_t i = 0; i < count; i++) call->fn(call->context, i);
}

void par_tasks(size_t count, void (*fn)(void *context, size_t i), void *context) {
    task_call call = {fn, context};
    if (count <= 1 || inside_task) {
        run_in_place(count, &call);
        return;
    }
    firn_task_system system;
    int threads = current_settings(&system);
    if (threads == 1 || pthread_mutex_trylock(&dispatch_lock) != 0) {
        run_in_place(count, &call);
        return;
    }
    if (system.run)
        system.run(system.context, count, run_task, &call);
    else
        pool_run(threads, count, run_task, &call);
    pthread_mutex_unlock(&dispatch_lock);
}

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
