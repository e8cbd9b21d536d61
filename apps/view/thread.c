// Threads of the viewer: over POSIX threads.
#include "thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct monitor {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

monitor *monitor_create(void) {
    monitor *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool good =
        pthread_mutex_init(&m->mutex, NULL) == 0 && pthread_cond_init(&m->condition, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (good) return m;
    free(m);
    return NULL;
}

void monitor_free(monitor *m) {
    if (!m) return;
    pthread_cond_destroy(&m->condition);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

void monitor_enter(monitor *m) { pthread_mutex_lock(&m->mutex); }
void monitor_leave(monitor *m) { pthread_mutex_unlock(&m->mutex); }
void monitor_wake(monitor *m) { pthread_cond_broadcast(&m->condition); }

void monitor_wait(monitor *m, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long whole = (long)seconds, nano = until.tv_nsec + (long)((seconds - (double)whole) * 1e9);
    until.tv_sec += whole + nano / 1000000000;
    until.tv_nsec = nano % 1000000000;
    pthread_cond_timedwait(&m->condition, &m->mutex, &until);
}

struct worker {
    pthread_t thread;
    void (*run)(void *context);
    void *context;
};

static void *begin(void *argument) {
    worker *w = argument;
    w->run(w->context);
    return NULL;
}

worker *worker_start(void (*run)(void *context), void *context) {
    worker *w = malloc(sizeof *w);
    if (!w) return NULL;
    *w = (worker){.run = run, .context = context};
    if (pthread_create(&w->thread, NULL, begin, w) == 0) return w;
    free(w);
    return NULL;
}

void worker_join(worker *w) {
    if (!w) return;
    pthread_join(w->thread, NULL);
    free(w);
}
