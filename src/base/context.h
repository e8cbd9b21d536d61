// Whose memory, threads and log a call uses (firn_context in firn/base.h). Each thread has a present context:
// the one of firn_set_context, or, during a call on a world, that of the world. Worker threads and background
// jobs take over the context of the call that gave them work.
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <stdatomic.h>

#include "base/status.h"

struct firn_context {
    firn_allocator allocator; // allocate NULL: the process's
    firn_log_handler log;     // NULL: the process's
    void *log_context;
    atomic_size_t blocks, in_use, peak; // allocations that are not yet freed; their bytes; the most bytes
    atomic_bool misaligned;             // the allocator has returned a block that is not aligned to 64 bytes
    struct par_crew *crew;              // src/par: its threads; NULL: the process's
    struct {
        struct solid_entry *first; // src/geom: solids that worlds of this context share
        size_t holds;
    } solids;
};

extern firn_context process_context; // what the firn_set_* functions configure

firn_context *context_here(void); // never NULL
// Sets the present context of this thread and returns the one before; NULL: the process's.
firn_context *context_enter(firn_context *context);
void context_leave(firn_context **before); // back to it

// A context with its allocator, at the beginning of `bytes` of zeroed memory that it gave and gets back; the
// context does not count it.
firn_status context_alloc(const firn_allocator *allocator, size_t bytes, firn_context **out);
void context_free(firn_context *context);

// From here to the end of the block.
#define USE_CONTEXT(context)                                                                                 \
    firn_context *context_before __attribute__((cleanup(context_leave), unused)) = context_enter(context)

#endif
