// Thread pool: started with the first work, sleeps while there is none.
#ifndef PAR_POOL_H
#define PAR_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { POOL_MAX_THREADS = 256 };

// fn(context, i) for each i in [0, count) on up to `threads` threads, the caller's included. Calls must not
// overlap.
void pool_run(int threads, size_t count, void (*fn)(void *context, size_t i), void *context);
// Joins the threads; pool_run starts them again.
void pool_stop(void);
// For the child of a fork, where only the calling thread survives.
void pool_forget(void);
// Cores this process may use.
int pool_cores(void);
// From now on parallel calls of the calling thread run serially in place.
void par_work_alone(void);
// Starts a thread with all signals blocked, so that they go to the embedding program's threads.
bool thread_start(void *(*body)(void *), void *argument, pthread_t *thread);

#endif
