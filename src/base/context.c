// The context (allocator, tasks, log) in which a thread works: the process's, or that of a world.
#include "base/context.h"

firn_context process_context;

static _Thread_local firn_context *here; // NULL: the process's

firn_context *context_here(void) { return here ? here : &process_context; }

firn_context *context_enter(firn_context *context) {
    firn_context *before = here;
    here = context;
    return before;
}

void context_leave(firn_context **before) { here = *before; }

void firn_set_context(firn_context *context) { here = context; }
