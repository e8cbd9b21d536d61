// One pool of threads: blocks are handed out by an atomic counter; idle workers spin, then sleep.
#include "par/pool.h"

#include "base/status.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The state word: number of active workers, whether the gate is open, and number of the dispatch. A worker
// that wakes too late sees the gate closed and goes back to sleep: nobody waits for a thread that has not
// started.
enum { INSIDE_BITS = 16 };
#define INSIDE_MASK (((uint64_t)1 << INSIDE_BITS) - 1)
#define OPEN_BIT ((uint64_t)1 << INSIDE_BITS)
#define DISPATCH_ONE ((uint64_t)1 << (INSIDE_BITS + 1))
static uint64_t dispatch_of(uint64_t state) { return state / DISPATCH_ONE; }

static atomic_int running; // pools that work now

static int spins_of(const pool *p) { return atomic_load_explicit(&p->spins, memory_order_relaxed); }

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

int pool_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (int)online;
}

bool thread_start(void *(*body)(void *), void *argument, pthread_t *thread) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void work_through(pool *p, size_t first) {
    size_t used = p->slices_used;
    for (size_t k = 0; k < used; k++) {
        pool_slice *s = &p->slices[(first + k) % used];
        for (;;) {
            size_t i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
            if (i >= s->end) break;
            p->fn(p->context, i);
        }
    }
}

// The state of the next dispatch. Spins a little first: passes follow each other within microseconds.
static uint64_t wait_for_dispatch(pool *p, uint64_t seen) {
    uint64_t state;
    for (int i = 0, spins = spins_of(p); i < spins; i++) {
        state = atomic_load_explicit(&p->state, memory_order_acquire);
        if (dispatch_of(state) != seen) return state;
        pause_briefly();
    }
    pthread_mutex_lock(&p->sleep_lock);
    atomic_fetch_add(&p->sleepers, 1);
    while (dispatch_of(state = atomic_load(&p->state)) == seen) pthread_cond_wait(&p->work, &p->sleep_lock);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->sleep_lock);
    return state;
}

static bool enter(pool *p, uint64_t *state) {
    uint64_t expected = *state;
    while (expected & OPEN_BIT && dispatch_of(expected) == dispatch_of(*state))
        if (atomic_compare_exchange_weak(&p->state, &expected, expected + 1)) return true;
    return false;
}

static void leave(pool *p) {
    uint64_t now = atomic_fetch_sub(&p->state, 1) - 1;
    if (now & (OPEN_BIT | INSIDE_MASK) || !atomic_load(&p->caller_waiting)) return;
    pthread_mutex_lock(&p->sleep_lock);
    pthread_cond_signal(&p->done);
    pthread_mutex_unlock(&p->sleep_lock);
}

// Notes how long the worker had work but no core.
static void work_watched(pool *p, size_t first) {
    int64_t wall = nanoseconds(CLOCK_MONOTONIC), own = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    work_through(p, first);
    own = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - own, wall = nanoseconds(CLOCK_MONOTONIC) - wall;
    int64_t most = atomic_load(&p->held_up);
    while (wall - own > most && !atomic_compare_exchange_weak(&p->held_up, &most, wall - own)) {
    }
}

static void *worker_body(void *argument) {
    const pool_worker *worker = argument;
    pool *p = worker->owner;
    uint64_t seen = p->first_dispatch;
    for (;;) {
        uint64_t state = wait_for_dispatch(p, seen);
        seen = dispatch_of(state);
        if (!enter(p, &state)) continue;
        if (p->stopping) break;
        work_watched(p, worker->number);
        leave(p);
    }
    fail_forget();
    leave(p);
    return NULL;
}

static void open_door(pool *p) {
    uint64_t closed = atomic_load_explicit(&p->state, memory_order_relaxed);
    atomic_store(&p->state, closed + DISPATCH_ONE + OPEN_BIT);
    if (atomic_load(&p->sleepers) == 0) return;
    pthread_mutex_lock(&p->sleep_lock);
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->sleep_lock);
}

static bool anyone_inside(const pool *p) { return (atomic_load(&p->state) & INSIDE_MASK) != 0; }

static void close_door(pool *p) {
    atomic_fetch_and(&p->state, ~OPEN_BIT);
    for (int i = 0, spins = spins_of(p); i < spins; i++) {
        if (!anyone_inside(p)) return;
        pause_briefly();
    }
    pthread_mutex_lock(&p->sleep_lock);
    atomic_store(&p->caller_waiting, true);
    while (anyone_inside(p)) pthread_cond_wait(&p->done, &p->sleep_lock);
    atomic_store(&p->caller_waiting, false);
    pthread_mutex_unlock(&p->sleep_lock);
}

void pool_stop(pool *p) {
    if (p->workers > 0) {
        p->stopping = true;
        open_door(p);
        for (int i = 0; i < p->workers; i++) pthread_join(p->worker[i].thread, NULL);
        close_door(p);
    }
    p->stopping = false;
    p->workers = p->threads_asked = 0;
}

void pool_init(pool *p) {
    memset(p, 0, sizeof *p);
    pthread_mutex_init(&p->sleep_lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->done, NULL);
}

// If a thread cannot be started, the others take its share.
static void pool_start(pool *p, int threads) {
    if (p->threads_asked == threads) return;
    pool_stop(p);
    p->threads_asked = threads;
    p->first_dispatch = dispatch_of(atomic_load(&p->state));
    p->cores = pool_cores();
    for (int i = 1; i < threads; i++) {
        pool_worker *worker = &p->worker[p->workers];
        worker->owner = p;
        worker->number = (size_t)i;
        if (thread_start(worker_body, worker, &worker->thread)) p->workers++;
    }
}

// Another program may take the core of a worker in the middle of a block; all then wait for it, for
// milliseconds, in a dispatch that takes microseconds. What was lost so is won back by working alone for some
// time, a tenth of a second at most: a machine that slept or a slow sanitizer must not leave a core idle for
// long.
static void run_dispatch(pool *p) {
    enum { ALONE_FOR = 4, ALONE_AT_MOST = 100000000 };
    int64_t start = nanoseconds(CLOCK_MONOTONIC);
    if (start < p->alone_until) {
        work_through(p, 0);
        return;
    }
    atomic_store(&p->held_up, 0);
    open_door(p);
    work_through(p, 0);
    int64_t work = nanoseconds(CLOCK_MONOTONIC) - start;
    close_door(p);
    int64_t lost = atomic_load(&p->held_up) - work;
    int64_t alone = ALONE_FOR * lost < ALONE_AT_MOST ? ALONE_FOR * lost : ALONE_AT_MOST;
    if (lost > 0) p->alone_until = nanoseconds(CLOCK_MONOTONIC) + alone;
}

void pool_run(pool *p, int threads, size_t count, void (*fn)(void *context, size_t i), void *context) {
    pool_start(p, threads);
    // About 20 microseconds; with more threads than cores spinning would only block the others.
    int others = atomic_fetch_add(&running, 1);
    atomic_store_explicit(&p->spins, threads * (1 + others) <= p->cores ? 1500 : 1, memory_order_relaxed);
    size_t used = count < (size_t)threads ? count : (size_t)threads;
    for (size_t k = 0; k < used; k++) {
        size_t share = count / used, extra = count % used;
        size_t begin = k * share + (k < extra ? k : extra);
        atomic_store_explicit(&p->slices[k].next, begin, memory_order_relaxed);
        p->slices[k].end = begin + share + (k < extra);
    }
    p->slices_used = used;
    p->fn = fn;
    p->context = context;
    run_dispatch(p);
    atomic_fetch_sub(&running, 1);
}
