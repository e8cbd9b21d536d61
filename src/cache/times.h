// How long the steps of a run took, frame by frame: DIR/times.csv. Not part of frames, which are the same
// whoever makes them.
#ifndef CACHE_TIMES_H
#define CACHE_TIMES_H

#include "base/status.h"

typedef struct run_time {
    uint64_t frame, steps; // that led to the frame
    double seconds;        // of wall time, for these steps
} run_time;
typedef struct run_times {
    run_time *items; // by frame
    size_t count, capacity;
} run_times;

firn_status times_add(run_times *t, run_time item);
void times_cut(run_times *t, uint64_t frame); // forgets what is later
firn_status times_write(const run_times *t, const char *folder);
// A missing file has no times, and what is no row of numbers is passed over.
firn_status times_read(const char *folder, run_times *out);
void times_free(run_times *t);

#endif
