// What `firn bench` measures. A figure counts as a ratio inside one run: every rate is held against the
// machine's own limits, measured in the same process with the same number of threads.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <firn/base.h>

enum { BENCH_PASSES = 24 };

typedef struct bench_result {
    const char *workload;
    double rate; // items (or bytes, or operations) per second, median of the repetitions
    const char *rate_unit;
    double steps_per_second; // whole passes over the workload's data per second
    int threads;
    const char *limit;     // "triad", "fma", "embree"
    double limit_share;    // of that limit; 1 is all the machine can do
    double bytes_per_item; // memory that one item moves (limits, queries) or occupies (models)
    struct {
        const char *name;
        double share; // of the step's time
    } passes[BENCH_PASSES];
    int pass_count;
    double error;           // at which the rate holds, a share; 0: none is stated
    const char *error_name; // of what; NULL: the factor by which an estimate is off
    const char *note;       // a line on what else was found; NULL: nothing
} bench_result;

typedef void (*bench_emit)(void *context, const bench_result *result);

typedef struct bench_workload {
    const char *name, *help;
    // Emits one result or more.
    firn_status (*run)(bench_emit emit, void *context);
} bench_workload;
extern const bench_workload bench_workloads[]; // ends in a NULL name

#endif
