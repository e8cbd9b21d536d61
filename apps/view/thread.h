// Threads of the viewer. The only file of apps/ that names threads is thread.c.
#ifndef VIEW_THREAD_H
#define VIEW_THREAD_H

#include <stdbool.h>

// A mutex with a condition.
typedef struct monitor monitor;
monitor *monitor_create(void); // NULL: no memory
void monitor_free(monitor *m); // NULL is fine
void monitor_enter(monitor *m);
void monitor_leave(monitor *m);
// Inside: waits for monitor_wake, at most `seconds`; may return earlier.
void monitor_wait(monitor *m, double seconds);
void monitor_wake(monitor *m); // all who wait

typedef struct worker worker;
worker *worker_start(void (*run)(void *context), void *context); // NULL: it could not be started
void worker_join(worker *w); // waits for its end and frees it; NULL is fine

#endif
