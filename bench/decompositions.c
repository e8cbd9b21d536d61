// Small matrices by the million.
#include "bench/measure.h"
#include "bench/svd3.h"

#include "base/memory.h"
#include "base/random.h"
#include "par/par.h"

enum { MATRICES = 1 << 20, BLOCK = 1 << 12 };

typedef struct matrices {
    float *a[9], *s[3];
} matrices;

static void svd3_range(void *context, size_t begin, size_t end) {
    matrices *m = context;
    float *a[9], *s[3];
    for (int i = 0; i < 9; i++) a[i] = m->a[i] + begin;
    for (int i = 0; i < 3; i++) s[i] = m->s[i] + begin;
    ISA_PICK(kernel_svd3)(end - begin, a, s);
}

static void svd3_once(void *context) { par_for(MATRICES, BLOCK, svd3_range, context); }

static firn_status matrices_create(matrices *m) {
    for (int i = 0; i < 12; i++) {
        float **array = i < 9 ? &m->a[i] : &m->s[i - 9];
        if (!(*array = mem_zero(MATRICES, sizeof(float))))
            return fail_memory("preparing matrices", MATRICES * sizeof(float));
        for (uint32_t k = 0; i < 9 && k < MATRICES; k++)
            (*array)[k] = 2 * random_unit(random_bits(5, k, (uint32_t)i, 0), 0) - 1;
    }
    return FIRN_OK;
}

firn_status bench_svd3(bench_emit emit, void *context) {
    matrices m = {0};
    firn_status status = matrices_create(&m);
    if (status == FIRN_OK) {
        bench_result r = {.workload = "svd3", .rate_unit = "matrices/s"};
        // A turn of a pair of columns is about 70 operations with v; three turns a sweep, four sweeps.
        measure_result(&r, MATRICES, measure_seconds(svd3_once, &m), 48, 3 * 4 * 70);
        emit(context, &r);
    }
    for (int i = 0; i < 12; i++) mem_free(i < 9 ? m.a[i] : m.s[i - 9]);
    return status;
}
