#include "par/pool.h"

#include "base/status.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

// Each thread starts with its own slice of the tasks, so that it sees the same data in every pass, and steals
// from the others when done. One cache line each.
typedef struct slice {
    _Alignas(64) atomic_size_t next;
    size_t end;
} slice;

// The state word: number of active workers, whether the gate is open, and number of the dispatch. A worker
// that wakes too late sees the gate closed and goes back to sleep: nobody waits for a thread that has not
// started.
enum { INSIDE_BITS = 16 };
#define INSIDE_MASK (((uint64_t)1 << INSIDE_BITS) - 1)
#define OPEN_BIT ((uint64_t)1 << INSIDE_BITS)
#define DISPATCH_ONE ((uint64_t)1 << (INSIDE_BITS + 1))
static uint64_t dispatch_of(uint64_t state) { return state / DISPATCH_ONE; }

static struct {
    _Alignas(64) _Atomic uint64_t state;
    atomic_int sleepers;        // workers that need a wake-up
    atomic_bool caller_waiting; // the caller needs one
    pthread_mutex_t sleep_lock;
    pthread_cond_t work, done;

    // Written by the caller while the gate is closed.
    void (*fn)(void *context, size_t i);
    void *context;
    size_t slices_used;
    bool stopping;
    int spins;
    uint64_t first_dispatch; // last dispatch before the workers were started

    int workers, threads_asked;
    pthread_t thread[POOL_MAX_THREADS];
    slice slices[POOL_MAX_THREADS];
} pool = {.sleep_lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

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

static void work_through(size_t first) {
    size_t used = pool.slices_used;
    for (size_t k = 0; k < used; k++) {
        slice *s = &pool.slices[(first + k) % used];
        for (;;) {
            size_t i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
            if (i >= s->end) break;
            pool.fn(pool.context, i);
        }
    }
}

// The state of the next dispatch. Spins a little first: passes follow each other within microseconds.
static uint64_t wait_for_dispatch(uint64_t seen) {
    uint64_t state;
    for (int i = 0; i < pool.spins; i++) {
        state = atomic_load_explicit(&pool.state, memory_order_acquire);
        if (dispatch_of(state) != seen) return state;
        pause_briefly();
    }
    pthread_mutex_lock(&pool.sleep_lock);
    atomic_fetch_add(&pool.sleepers, 1);
    while (dispatch_of(state = atomic_load(&pool.state)) == seen)
        pthread_cond_wait(&pool.work, &pool.sleep_lock);
    atomic_fetch_sub(&pool.sleepers, 1);
    pthread_mutex_unlock(&pool.sleep_lock);
    return state;
}

static bool enter(uint64_t *state) {
    uint64_t expected = *state;
    while (expected & OPEN_BIT && dispatch_of(expected) == dispatch_of(*state))
        if (atomic_compare_exchange_weak(&pool.state, &expected, expected + 1)) return true;
    return false;
}

static void leave(void) {
    uint64_t now = atomic_fetch_sub(&pool.state, 1) - 1;
    if (now & (OPEN_BIT | INSIDE_MASK) || !atomic_load(&pool.caller_waiting)) return;
    pthread_mutex_lock(&pool.sleep_lock);
    pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.sleep_lock);
}

static void *worker_body(void *argument) {
    size_t self = (size_t)(uintptr_t)argument;
    uint64_t seen = pool.first_dispatch;
    for (;;) {
        uint64_t state = wait_for_dispatch(seen);
        seen = dispatch_of(state);
        if (!enter(&state)) continue;
        if (pool.stopping) break;
        work_through(self);
        leave();
    }
    fail_forget();
    leave();
    return NULL;
}

static void open_door(void) {
    uint64_t closed = atomic_load_explicit(&pool.state, memory_order_relaxed);
    atomic_store(&pool.state, closed + DISPATCH_ONE + OPEN_BIT);
    if (atomic_load(&pool.sleepers) == 0) return;
    pthread_mutex_lock(&pool.sleep_lock);
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.sleep_lock);
}

static bool anyone_inside(void) { return (atomic_load(&pool.state) & INSIDE_MASK) != 0; }

static void close_door(void) {
    atomic_fetch_and(&pool.state, ~OPEN_BIT);
    for (int i = 0; i < pool.spins; i++) {
        if (!anyone_inside()) return;
        pause_briefly();
    }
    pthread_mutex_lock(&pool.sleep_lock);
    atomic_store(&pool.caller_waiting, true);
    while (anyone_inside()) pthread_cond_wait(&pool.done, &pool.sleep_lock);
    atomic_store(&pool.caller_waiting, false);
    pthread_mutex_unlock(&pool.sleep_lock);
}

void pool_stop(void) {
    if (pool.workers > 0) {
        pool.stopping = true;
        open_door();
        for (int i = 0; i < pool.workers; i++) pthread_join(pool.thread[i], NULL);
        close_door();
    }
    pool.stopping = false;
    pool.workers = pool.threads_asked = 0;
}

void pool_forget(void) {
    pthread_mutex_init(&pool.sleep_lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    atomic_store(&pool.state, 0);
    atomic_store(&pool.sleepers, 0);
    atomic_store(&pool.caller_waiting, false);
    pool.stopping = false;
    pool.workers = pool.threads_asked = 0;
}

// If a thread cannot be started, the others take its share.
static void pool_start(int threads) {
    if (pool.threads_asked == threads) return;
    pool_stop();
    pool.threads_asked = threads;
    pool.first_dispatch = dispatch_of(atomic_load(&pool.state));
    // About 20 microseconds; with more threads than cores spinning would only block the others.
    pool.spins = threads <= pool_cores() ? 1500 : 1;
    for (int i = 1; i < threads; i++)
        if (thread_start(worker_body, (void *)(uintptr_t)i, &pool.thread[pool.workers])) pool.workers++;
}

void pool_run(int threads, size_t count, void (*fn)(void *context, size_t i), void *context) {
    pool_start(threads);
    size_t used = count < (size_t)threads ? count : (size_t)threads;
    for (size_t k = 0; k < used; k++) {
        size_t share = count / used, extra = count % used;
        size_t begin = k * share + (k < extra ? k : extra);
        atomic_store_explicit(&pool.slices[k].next, begin, memory_order_relaxed);
        pool.slices[k].end = begin + share + (k < extra);
    }
    pool.slices_used = used;
    pool.fn = fn;
    pool.context = context;
    open_door();
    work_through(0);
    close_door();
}
