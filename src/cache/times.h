// How long the steps of a run took, frame by frame: DIR/times.csv. Not part of frames, which do not depend on
// the clock.
#ifndef CACHE_TIMES_H
#define CACHE_TIMES_H

#include "base/file.h"

#define TIMES_FILE "times.csv"

enum { TIMES_MODELS = 16, TIMES_NAME = 32 };
typedef struct run_time {
    uint64_t frame, steps;      // that led to the frame
    double seconds;             // of wall time, for these steps
    double model[TIMES_MODELS]; // s, of each model in them
} run_time;
typedef struct run_times {
    run_time *items; // by frame
    size_t count, capacity;
    char model[TIMES_MODELS][TIMES_NAME]; // names of the models; the first `models` are there
    size_t models;
} run_times;

// The frame's row: a new one, or in place of what was there.
firn_status times_set(run_times *t, run_time item);
firn_status times_write(const run_times *t, const file_folder *folder);
// Seconds of all frames together that a model took; 0: unknown.
double times_of_model(const run_times *t, const char *model);
// A missing file has no times. Malformed rows, and rows out of order, are skipped and set *damaged (may be
// NULL).
firn_status times_read(const file_folder *folder, run_times *out, bool *damaged);
void times_free(run_times *t);

#endif
