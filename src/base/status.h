// One way to fail: `return fail(FIRN_IO, "cannot open '%s': %s", path, why);`
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <firn/base.h>

// Sets this thread's message and returns `status`.
firn_status fail(firn_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same for a text of any length (a whole error report); copied, cut only if memory is short.
firn_status fail_text(firn_status status, const char *text);
// Frees this thread's message; worker threads call this before they exit.
void fail_forget(void);
// FIRN_BAD_INPUT: a required argument is NULL ("firn_world_create: def is NULL").
firn_status fail_null(const char *function, const char *argument);
// "out of memory while <doing>, <bytes> bytes"
firn_status fail_memory(const char *doing, size_t bytes);

#ifdef __clang_analyzer__
// The analyzer reads one file at a time, and would follow every path on which a failure is FIRN_OK.
// An expression, because it follows calls only so deep.
#define FAIL_NEVER_OK(call)                                                                                  \
    ({                                                                                                       \
        firn_status never_ok = (call);                                                                       \
        if (never_ok == FIRN_OK) __builtin_unreachable();                                                    \
        never_ok;                                                                                            \
    })
#define fail(...) FAIL_NEVER_OK(fail(__VA_ARGS__))
#define fail_text(...) FAIL_NEVER_OK(fail_text(__VA_ARGS__))
#define fail_null(...) FAIL_NEVER_OK(fail_null(__VA_ARGS__))
#define fail_memory(...) FAIL_NEVER_OK(fail_memory(__VA_ARGS__))
#endif

void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_silence(bool silent); // notes and warnings of this thread go nowhere
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

// First in public functions (the rule stands in firn/base.h).
#define NEED(pointer)                                                                                        \
    do {                                                                                                     \
        if (!(pointer)) return fail_null(__func__, #pointer);                                                \
    } while (0)
#define NEED_OR(pointer, value)                                                                              \
    do {                                                                                                     \
        if (!(pointer)) return fail_null(__func__, #pointer), (value);                                       \
    } while (0)

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        firn_status try_status = (call);                                                                     \
        if (try_status != FIRN_OK) return try_status;                                                        \
    } while (0)

#endif
