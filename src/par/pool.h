// Thread pools: threads are started with the first work and sleep while there is none.
#ifndef PAR_POOL_H
#define PAR_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POOL_MAX_THREADS = 256 };

// Each thread starts with its own slice of the tasks, so that it sees the same data in every pass, and steals
// from the others when done. One cache line each.
typedef struct pool_slice {
    _Alignas(64) atomic_size_t next;
    size_t end;
} pool_slice;

typedef struct pool pool;
typedef struct pool_worker {
    pool *owner;
    size_t number;
    pthread_t thread;
} pool_worker;

struct pool {
    _Alignas(64) _Atomic uint64_t state;
    atomic_int sleepers;        // workers that need a wake-up
    atomic_bool caller_waiting; // the caller needs one
    atomic_int spins;
    _Atomic int64_t held_up; // ns, longest of this dispatch: a worker had work but no core
    int64_t alone_until;     // ns, monotonic clock
    pthread_mutex_t sleep_lock;
    pthread_cond_t work, done;

    // Written by the caller while the gate is closed.
    void (*fn)(void *context, size_t i);
    void *context;
    size_t slices_used;
    bool stopping;
    uint64_t first_dispatch; // last dispatch before the workers were started

    int workers, threads_asked, cores;
    pool_worker worker[POOL_MAX_THREADS];
    pool_slice slices[POOL_MAX_THREADS];

    pool *next_idle, *next; // par.c's lists
};

void pool_init(pool *p);
// fn(context, i) for each i in [0, count) on up to `threads` threads, the caller's included. Calls with the
// same pool must not overlap.
void pool_run(pool *p, int threads, size_t count, void (*fn)(void *context, size_t i), void *context);
// Joins the threads; pool_run starts them again.
void pool_stop(pool *p);
// Cores this process may use.
int pool_cores(void);
// From now on parallel calls of the calling thread run serially in place.
void par_work_alone(void);
// Starts a thread with all signals blocked, so that they go to the embedding program's threads.
bool thread_start(void *(*body)(void *), void *argument, pthread_t *thread);

#endif
