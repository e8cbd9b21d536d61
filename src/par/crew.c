// The pools of threads of each context, and who gets which.
#include "par/crew.h"

#include "base/memory.h"
#include "par/par.h"

#include <assert.h>

// The process's pools need no allocator, so that a program may set one at any time.
static pool process_pools[CREW_POOLS];
static par_crew process_crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t crews_lock = PTHREAD_MUTEX_INITIALIZER; // of the lists of crews and of all their pools
static par_crew *crews = &process_crew;

static _Thread_local bool inside_task;

static void before_fork(void) { pthread_mutex_lock(&crews_lock); }
static void after_fork(void) { pthread_mutex_unlock(&crews_lock); }

// In a child only the calling thread survives; a pool that another one was making is lost.
static void child_after_fork(void) {
    pthread_mutex_init(&crews_lock, NULL);
    for (par_crew *crew = crews; crew; crew = crew->next) {
        pthread_mutex_init(&crew->lock, NULL);
        crew->idle = NULL;
        int found = 0;
        for (pool *p = crew->all; p; p = p->next, found++) {
            pool *next = p->next;
            pool_init(p);
            p->next = next;
            p->next_idle = crew->idle;
            crew->idle = p;
        }
        if (crew != &process_crew) crew->pools = found; // the process's are numbered
    }
}

__attribute__((constructor)) static void crews_start(void) {
    pthread_atfork(before_fork, after_fork, child_after_fork);
}

static pool *take_all_idle(par_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    pool *idle = crew->idle;
    crew->idle = NULL;
    pthread_mutex_unlock(&crew->lock);
    return idle;
}

// exit() from inside a task cannot wait for that task; the process ends anyway.
__attribute__((destructor)) static void crews_stop(void) {
    if (inside_task || pthread_mutex_trylock(&crews_lock) != 0) return;
    for (par_crew *crew = crews; crew; crew = crew->next)
        for (pool *p = take_all_idle(crew); p; p = p->next_idle) pool_stop(p);
    pthread_mutex_unlock(&crews_lock);
}

void crew_begin(par_crew *crew) {
    pthread_mutex_init(&crew->lock, NULL);
    pthread_mutex_lock(&crews_lock);
    crew->next = crews;
    crews = crew;
    pthread_mutex_unlock(&crews_lock);
}

int crew_pools(par_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    int pools = crew->pools;
    pthread_mutex_unlock(&crew->lock);
    return pools;
}

bool crew_end(par_crew *crew) {
    int idle = 0;
    pthread_mutex_lock(&crew->lock);
    for (const pool *p = crew->idle; p; p = p->next_idle) idle++;
    bool free = idle == crew->pools;
    if (free) crew->idle = NULL, crew->pools = 0;
    pthread_mutex_unlock(&crew->lock);
    if (!free) return false;
    pthread_mutex_lock(&crews_lock);
    par_crew **link = &crews;
    while (*link != crew) link = &(*link)->next;
    *link = crew->next;
    pthread_mutex_unlock(&crews_lock);
    while (crew->all) {
        pool *p = crew->all;
        crew->all = p->next;
        pool_stop(p);
        mem_free(p);
    }
    pthread_mutex_destroy(&crew->lock);
    return true;
}

static par_crew *crew_here(void) {
    par_crew *crew = context_here()->crew;
    return crew ? crew : &process_crew;
}

firn_status firn_set_task_system(const firn_task_system *system) {
    if (system && (!system->run || system->threads < 1))
        return fail(FIRN_BAD_INPUT, "firn_set_task_system: run is NULL or threads is %d", system->threads);
    pthread_mutex_lock(&process_crew.lock);
    process_crew.system = system ? *system : (firn_task_system){0};
    pthread_mutex_unlock(&process_crew.lock);
    return FIRN_OK;
}

firn_status firn_set_threads(int threads) {
    if (threads < 0)
        return fail(FIRN_BAD_INPUT,
                    "firn_set_threads: invalid number of threads %d: must be 0 (one per core) or more",
                    threads);
    pthread_mutex_lock(&process_crew.lock);
    process_crew.threads = threads > POOL_MAX_THREADS ? POOL_MAX_THREADS : threads;
    pthread_mutex_unlock(&process_crew.lock);
    return FIRN_OK;
}

static int settings_of(par_crew *crew, firn_task_system *system) {
    static atomic_int cores; // cached: the system call takes longer than a small pass
    pthread_mutex_lock(&crew->lock);
    *system = crew->system;
    int threads = system->run ? system->threads : crew->threads;
    pthread_mutex_unlock(&crew->lock);
    if (threads == 0 && crew != &process_crew) return settings_of(&process_crew, system);
    if (threads == 0 && atomic_load_explicit(&cores, memory_order_relaxed) == 0)
        atomic_store_explicit(&cores, pool_cores(), memory_order_relaxed);
    if (threads == 0) threads = atomic_load_explicit(&cores, memory_order_relaxed);
    return threads > POOL_MAX_THREADS && !system->run ? POOL_MAX_THREADS : threads;
}

int firn_threads(void) {
    firn_task_system system;
    return settings_of(crew_here(), &system);
}

// The pool of this number, from 0; NULL: no memory.
static pool *new_pool(par_crew *crew, int number) {
    pool *p = crew == &process_crew ? &process_pools[number] : mem_alloc(sizeof *p);
    if (!p) return NULL;
    pool_init(p);
    pthread_mutex_lock(&crews_lock);
    p->next = crew->all;
    crew->all = p;
    pthread_mutex_unlock(&crews_lock);
    return p;
}

// NULL: all are at work, and there may be no more.
static pool *take_pool(par_crew *crew) {
    pthread_mutex_lock(&crew->lock);
    pool *p = crew->idle;
    bool more = !p && crew->pools < CREW_POOLS;
    int number = crew->pools;
    if (p) crew->idle = p->next_idle;
    if (more) crew->pools++;
    pthread_mutex_unlock(&crew->lock);
    if (!more) return p;
    p = new_pool(crew, number);
    if (p) return p;
    pthread_mutex_lock(&crew->lock);
    crew->pools--;
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

// First in the list: its threads are awake.
static void put_pool(par_crew *crew, pool *p) {
    pthread_mutex_lock(&crew->lock);
    p->next_idle = crew->idle;
    crew->idle = p;
    pthread_mutex_unlock(&crew->lock);
}

typedef struct task_call {
    void (*fn)(void *context, size_t i);
    void *context;
    firn_context *here;
} task_call;

static void run_task(void *context, size_t i) {
    const task_call *call = context;
    bool before = inside_task;
    USE_CONTEXT(call->here);
    inside_task = true;
    call->fn(call->context, i);
    inside_task = before;
}

void par_work_alone(void) { inside_task = true; }

static void run_in_place(size_t count, const task_call *call) {
    for (size_t i = 0; i < count; i++) call->fn(call->context, i);
}

void par_tasks(size_t count, void (*fn)(void *context, size_t i), void *context) {
    task_call call = {fn, context, context_here()};
    if (count <= 1 || inside_task) {
        run_in_place(count, &call);
        return;
    }
    par_crew *crew = crew_here();
    firn_task_system system;
    int threads = settings_of(crew, &system);
    pool *p = NULL;
    if (threads == 1 || (!system.run && !(p = take_pool(crew)))) {
        run_in_place(count, &call);
        return;
    }
    if (system.run) {
        system.run(system.context, count, run_task, &call);
        return;
    }
    pool_run(p, threads, count, run_task, &call);
    put_pool(crew, p);
}
