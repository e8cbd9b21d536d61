// A context: its allocator, its threads and its log handler.
#include "base/cookie.h"
#include "par/crew.h"

typedef struct whole {
    firn_context context; // first: its address is that of the whole
    par_crew crew;
} whole;

DEFAULT_COOKIE(firn_context_def)

static firn_status check_def(const firn_context_def *def) {
    if (!def->allocator.allocate != !def->allocator.release)
        return fail(FIRN_BAD_INPUT, "firn_context_create: allocator.allocate or allocator.release is NULL");
    if (def->tasks.run && def->tasks.threads < 1)
        return fail(FIRN_BAD_INPUT, "firn_context_create: tasks.threads is %d: must be 1 or more",
                    def->tasks.threads);
    if (def->threads < 0)
        return fail(FIRN_BAD_INPUT,
                    "firn_context_create: threads is %d: must be 0 (as many as the process) or more",
                    def->threads);
    return FIRN_OK;
}

firn_status firn_context_create(const firn_context_def *def, firn_context **context) {
    NEED(context);
    *context = NULL;
    NEED(def);
    NEED_COOKIE(firn_context_def, def);
    TRY(check_def(def));
    firn_context *made;
    TRY(context_alloc(&def->allocator, sizeof(whole), &made));
    made->log = def->log;
    made->log_context = def->log_context;
    made->crew = &((whole *)made)->crew;
    made->crew->system = def->tasks;
    made->crew->threads = def->threads > POOL_MAX_THREADS ? POOL_MAX_THREADS : def->threads;
    crew_begin(made->crew);
    *context = made;
    return FIRN_OK;
}

firn_status firn_context_close(firn_context *context) {
    if (!context) return FIRN_OK;
    size_t left =
        atomic_load_explicit(&context->blocks, memory_order_acquire) - (size_t)crew_pools(context->crew);
    if (left)
        return fail(
            FIRN_BAD_INPUT,
            "firn_context_close: worlds, texts or data created in the context are not closed or freed "
            "yet: %zu blocks of memory",
            left);
    if (!crew_end(context->crew))
        return fail(FIRN_BAD_INPUT, "firn_context_close: another thread is in a call of the context");
    if (context_here() == context) firn_set_context(NULL);
    context_free(context);
    return FIRN_OK;
}
