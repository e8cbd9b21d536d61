// The callback that may stop long calls, per thread.
#include "base/stop.h"

static _Thread_local struct {
    bool (*stop)(void *context);
    void *context;
} here;

void firn_set_stop(bool (*stop)(void *context), void *context) {
    here.stop = stop;
    here.context = context;
}

bool stop_asked(void) { return here.stop && here.stop(here.context); }

firn_status stop_failed(void) { return fail(FIRN_INTERRUPTED, "stopped before anything was written"); }

firn_status stop_check(void) { return stop_asked() ? stop_failed() : FIRN_OK; }

bool stop_seen(stop_watch *watch) {
    if (atomic_load_explicit(&watch->asked, memory_order_relaxed)) return true;
    if (!stop_asked()) return false;
    atomic_store_explicit(&watch->asked, true, memory_order_relaxed);
    return true;
}

firn_status stop_status(stop_watch *watch) { return stop_seen(watch) ? stop_failed() : FIRN_OK; }
