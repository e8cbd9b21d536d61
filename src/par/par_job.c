// Locks and background jobs.
#include "par/par.h"

#include "base/context.h"
#include "base/memory.h"
#include "par/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

// With glibc and musl a mutex of zero bytes is an unlocked one, so that PAR_LOCK_INIT can be {0}.
_Static_assert(sizeof(pthread_mutex_t) <= sizeof(par_lock) && _Alignof(pthread_mutex_t) <= 8,
               "a lock holds a mutex");

void par_lock_take(par_lock *lock) {
    int status = pthread_mutex_lock((pthread_mutex_t *)(void *)lock->opaque);
    assert(status == 0);
    (void)status;
}

void par_lock_release(par_lock *lock) {
    int status = pthread_mutex_unlock((pthread_mutex_t *)(void *)lock->opaque);
    assert(status == 0);
    (void)status;
}

struct par_job {
    pthread_t thread;
    void (*fn)(void *context);
    void *context;
    firn_context *here;
    atomic_bool done;
};

static void *job_body(void *argument) {
    par_job *job = argument;
    par_work_alone();
    USE_CONTEXT(job->here);
    job->fn(job->context);
    fail_forget();
    atomic_store(&job->done, true);
    return NULL;
}

firn_status par_job_start(void (*fn)(void *context), void *context, par_job **job) {
    *job = NULL;
    par_job *made = mem_alloc(sizeof *made);
    if (!made) return fail_memory("starting a background job", sizeof *made);
    made->fn = fn;
    made->context = context;
    made->here = context_here();
    atomic_init(&made->done, false);
    if (!thread_start(job_body, made, &made->thread)) {
        mem_free(made);
        return fail(FIRN_NO_MEMORY, "cannot start a thread for a background job");
    }
    *job = made;
    return FIRN_OK;
}

bool par_job_done(const par_job *job) { return atomic_load(&job->done); }

void par_job_wait(par_job *job) {
    if (!job) return;
    pthread_join(job->thread, NULL);
    mem_free(job);
}
