// Whether the caller wants what is being built at all (firn_set_stop). Ask between pieces of work of some
// milliseconds wherever building a world may take longer than a tenth of a second.
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdatomic.h>

#include "base/status.h"

bool stop_asked(void);         // on this thread
firn_status stop_failed(void); // FIRN_INTERRUPTED with its message
firn_status stop_check(void);  // that if asked: `TRY(stop_check());`

// For work on all threads: only the thread that made the call has a hook to ask, the others see its answer.
// A task that gets true returns at once; afterwards the caller ends with `TRY(stop_status(&watch))`.
typedef struct stop_watch {
    atomic_bool asked;
} stop_watch;
bool stop_seen(stop_watch *watch);
firn_status stop_status(stop_watch *watch);

#endif
