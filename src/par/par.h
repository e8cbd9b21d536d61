// Parallel loops, reductions, scan and sort. The same bits for any number of threads: blocks are fixed by the
// caller, sums are combined in block order. The only folder that uses threads.
#ifndef PAR_PAR_H
#define PAR_PAR_H

#include "base/status.h"

// fn(context, begin, end) for each block of `block` items of [0, count); blocks do not depend on the threads.
typedef void (*par_range)(void *context, size_t begin, size_t end);
void par_for(size_t count, size_t block, par_range fn, void *context);
// The same for items [begin, end); blocks are counted from `begin`.
void par_for_part(size_t begin, size_t end, size_t block, par_range fn, void *context);
// fn(context, i) for each i in [0, count), one task each, in the context of the caller. Calls from
// inside a task run serially in place.
void par_tasks(size_t count, void (*fn)(void *context, size_t i), void *context);

// Sum of fn over blocks, combined in block order; fn returns the partial of [begin, end).
double par_sum(size_t count, size_t block, double (*fn)(void *context, size_t begin, size_t end),
               void *context);
double par_max(size_t count, size_t block, double (*fn)(void *context, size_t begin, size_t end),
               void *context); // 0 if count is 0; NaN wins
// General form: fn writes its partial (`size` bytes, zeroed before), join(into, from) adds one partial to
// another. *result is all zero if count is 0.
firn_status par_reduce(size_t count, size_t block, size_t size,
                       void (*fn)(void *context, size_t begin, size_t end, void *partial),
                       void (*join)(void *into, const void *from), void *context, void *result);

// out[i] = in[0] + ... + in[i-1]; in == out is allowed. Returns the total through *total (may be NULL).
firn_status par_scan(const uint32_t *in, uint32_t *out, size_t count, uint32_t *total);

// Stable sort of (key, index) pairs by the low `bits` bits of key. scratch_* are as long; the result is in
// keys, index.
firn_status par_sort(uint32_t *keys, uint32_t *index, uint32_t *scratch_keys, uint32_t *scratch_index,
                     size_t count, unsigned bits);

// A mutex, for libraries with global state (ODE's random numbers, HDF5).
typedef struct par_lock par_lock;
#define PAR_LOCK_INIT                                                                                        \
    { 0 }
struct par_lock {
    _Alignas(8) unsigned char opaque[64];
};
void par_lock_take(par_lock *lock);
void par_lock_release(par_lock *lock);

// A background job beside the simulation (encoding a picture, building a surface) on its own thread, in
// the context of the caller. Its par_for calls run serially on that thread; the pool stays with the
// simulation.
typedef struct par_job par_job;
firn_status par_job_start(void (*fn)(void *context), void *context, par_job **job);
bool par_job_done(const par_job *job); // par_job_wait then returns at once; does not block
void par_job_wait(par_job *job);       // joins and frees; NULL is allowed

#endif
