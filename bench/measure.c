// Timing of workloads in medians of repetitions, and the two limits of the machine: memory and arithmetic.
#include "bench/measure.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/kernels.h"
#include "par/par.h"

#include <assert.h>
#include <stdlib.h>

enum { REPETITIONS = 7 };
static const double repetition_seconds = 0.04;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *value, size_t count) {
    qsort(value, count, sizeof *value, ascending);
    return value[count / 2];
}

static double time_calls(void (*fn)(void *), void *context, size_t calls) {
    double start = clock_seconds();
    for (size_t i = 0; i < calls; i++) fn(context);
    return (clock_seconds() - start) / (double)calls;
}

double measure_seconds(void (*fn)(void *context), void *context) {
    fn(context);
    double once = time_calls(fn, context, 1);
    size_t calls =
        once < repetition_seconds ? (size_t)(repetition_seconds / (once > 1e-9 ? once : 1e-9)) + 1 : 1;
    double seconds[REPETITIONS];
    for (int r = 0; r < REPETITIONS; r++) seconds[r] = time_calls(fn, context, calls);
    return measure_median(seconds, REPETITIONS);
}

void step_once(void *context) {
    stepping *s = context;
    if (s->status == FIRN_OK) s->status = firn_world_step(s->world);
}

enum { TURNS = 5 };

firn_status measure_in_turns(stepping *s, const int *step_count, int count, int warm, double *seconds) {
    assert(count <= MOST_TURNS);
    double time[MOST_TURNS][TURNS];
    for (int turn = -warm; turn < TURNS; turn++)
        for (int k = 0; k < count; k++) {
            double once = time_calls(step_once, &s[k], (size_t)step_count[k]);
            TRY(s[k].status);
            if (turn >= 0) time[k][turn] = once;
        }
    for (int k = 0; k < count; k++) seconds[k] = measure_median(time[k], TURNS);
    return FIRN_OK;
}

enum { TRIAD_FLOATS = 16 << 20, TRIAD_BLOCK = 1 << 16 }; // 64 MiB each: past any cache

typedef struct triad {
    float *a, *b, *c;
    int threads;
} triad;

static void triad_range(void *context, size_t begin, size_t end) {
    triad *t = context;
    ISA_PICK(kernel_triad)(end - begin, t->a + begin, t->b + begin, t->c + begin);
}

static void triad_once(void *context) {
    triad *t = context;
    if (t->threads == 1)
        triad_range(t, 0, TRIAD_FLOATS);
    else
        par_for(TRIAD_FLOATS, TRIAD_BLOCK, triad_range, t);
}

static double measure_triad(int threads) {
    triad t = {.threads = threads};
    t.a = mem_zero(TRIAD_FLOATS, sizeof(float));
    t.b = mem_zero(TRIAD_FLOATS, sizeof(float));
    t.c = mem_zero(TRIAD_FLOATS, sizeof(float));
    double seconds = t.a && t.b && t.c ? measure_seconds(triad_once, &t) : 0;
    mem_free(t.a);
    mem_free(t.b);
    mem_free(t.c);
    return seconds > 0 ? 12.0 * TRIAD_FLOATS / seconds : 0;
}

enum { FMA_ROUNDS = 1 << 18, FMA_TASKS = 8 }; // per thread

typedef struct fma_work {
    int threads;
    float sums[FMA_TASKS * 1024];
} fma_work;

static void fma_task(void *context, size_t i) {
    fma_work *w = context;
    w->sums[i % (FMA_TASKS * 1024)] = ISA_PICK(kernel_fma)(FMA_ROUNDS);
}

static void fma_once(void *context) {
    fma_work *w = context;
    size_t tasks = (size_t)w->threads * FMA_TASKS;
    if (w->threads == 1)
        for (size_t i = 0; i < tasks; i++) fma_task(w, i);
    else
        par_tasks(tasks, fma_task, w);
}

static double measure_fma(int threads) {
    fma_work w = {.threads = threads};
    double seconds = measure_seconds(fma_once, &w);
    return (double)ISA_PICK(kernel_fma_operations)() * FMA_ROUNDS * FMA_TASKS * threads / seconds;
}

// One remembered figure per limit for one thread and one for the last other count asked for.
typedef struct remembered {
    int threads;
    double value;
} remembered;

static double once_per_count(remembered *slots, int threads, double (*measure)(int)) {
    remembered *slot = &slots[threads == 1 ? 0 : 1];
    if (slot->threads != threads) *slot = (remembered){threads, measure(threads)};
    return slot->value;
}

double limit_triad(int threads) {
    static remembered slots[2];
    return once_per_count(slots, threads, measure_triad);
}

double limit_fma(int threads) {
    static remembered slots[2];
    return once_per_count(slots, threads, measure_fma);
}

void measure_result(bench_result *out, double items, double seconds, double bytes, double operations) {
    out->threads = firn_threads();
    out->rate = items / seconds;
    out->steps_per_second = 1 / seconds;
    out->bytes_per_item = bytes;
    double memory = limit_triad(out->threads), compute = limit_fma(out->threads);
    double memory_share = memory > 0 ? out->rate * bytes / memory : 0;
    double compute_share = compute > 0 ? out->rate * operations / compute : 0;
    out->limit = memory_share >= compute_share ? "triad" : "fma";
    out->limit_share = memory_share >= compute_share ? memory_share : compute_share;
}

// The limits themselves: for one thread and for all.
static void emit_limit(bench_emit emit, void *context, bool memory, int threads) {
    bench_result r = {.workload = memory ? "triad" : "fma", .threads = threads, .limit_share = 1};
    r.limit = r.workload;
    r.rate = memory ? limit_triad(threads) : limit_fma(threads);
    r.rate_unit = memory ? "B/s" : "FLOP/s";
    r.bytes_per_item = memory ? 12 : 0;
    double work = memory ? 12.0 * TRIAD_FLOATS
                         : (double)ISA_PICK(kernel_fma_operations)() * FMA_ROUNDS * FMA_TASKS * threads;
    r.steps_per_second = r.rate / work;
    emit(context, &r);
}

static firn_status emit_both(bench_emit emit, void *context, bool memory) {
    int threads = firn_threads();
    emit_limit(emit, context, memory, 1);
    if (threads > 1) emit_limit(emit, context, memory, threads);
    if (memory && !(limit_triad(threads) > 0))
        return fail_memory("measuring the triad", (size_t)12 * TRIAD_FLOATS);
    return FIRN_OK;
}

firn_status bench_triad(bench_emit emit, void *context) { return emit_both(emit, context, true); }
firn_status bench_fma(bench_emit emit, void *context) { return emit_both(emit, context, false); }
