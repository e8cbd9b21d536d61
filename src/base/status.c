// The last error of each thread, and the log.
#include "base/memory.h"

#include <firn/model.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/plain.h"

enum { SHORT_MESSAGE = 2000 };

// A report longer than SHORT_MESSAGE lives on the heap; plain malloc, because the allocator table may be the
// very thing that failed.
static _Thread_local char short_message[SHORT_MESSAGE];
static _Thread_local char *long_message;

static _Thread_local bool log_silent;

const char *firn_last_error(void) { return long_message ? long_message : short_message; }

const char *firn_version(void) { return FIRN_VERSION_TEXT; }

void firn_set_log(firn_log_handler handler, void *context) {
    process_context.log = handler;
    process_context.log_context = context;
}

static void forget_long_message(void) {
    free(long_message);
    long_message = NULL;
}

// Names in brackets: base/status.h may have macros of them.
firn_status(fail)(firn_status status, const char *format, ...) {
    char text[SHORT_MESSAGE]; // the arguments may point into the old message
    va_list args;
    va_start(args, format);
    plain_vprint(text, sizeof text, format, args);
    va_end(args);
    forget_long_message();
    memcpy(short_message, text, sizeof text);
    return status;
}

firn_status firn_fail(firn_status status, const char *format, ...) {
    char text[SHORT_MESSAGE];
    va_list args;
    if (!format) return fail_null(__func__, "format");
    va_start(args, format);
    plain_vprint(text, sizeof text, format, args);
    va_end(args);
    return (fail_text)(status, text);
}

firn_status(fail_text)(firn_status status, const char *text) {
    size_t length = strlen(text);
    char *copy = length < SHORT_MESSAGE ? NULL : malloc(length + 1);
    if (copy) memcpy(copy, text, length + 1);
    if (!copy) { // text may be the old message itself
        size_t kept = length < SHORT_MESSAGE ? length : SHORT_MESSAGE - 1;
        memmove(short_message, text, kept);
        short_message[kept] = 0;
    }
    forget_long_message();
    long_message = copy;
    return status;
}

void fail_forget(void) {
    forget_long_message();
    short_message[0] = 0;
}

firn_status(fail_null)(const char *function, const char *argument) {
    return fail(FIRN_BAD_INPUT, "%s: %s is NULL", function, argument);
}

firn_status(fail_memory)(const char *doing, size_t bytes) {
    if (mem_misaligned())
        return fail(FIRN_BAD_INPUT, "the allocator returned memory that is not aligned to 64 bytes");
    return fail(FIRN_NO_MEMORY, "out of memory while %s (%zu bytes requested)", doing, bytes);
}

void log_silence(bool silent) { log_silent = silent; }

static void log_write(firn_log_level level, const char *format, va_list args) {
    const firn_context *context = context_here();
    if (!context->log) context = &process_context;
    if (!context->log || log_silent) return;
    char text[SHORT_MESSAGE];
    plain_vprint(text, sizeof text, format, args);
    context->log(context->log_context, level, text);
}

void log_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_write(FIRN_LOG_NOTE, format, args);
    va_end(args);
}

void log_warning(const char *format, ...) {
    va_list args;
    va_start(args, format);
    log_write(FIRN_LOG_WARNING, format, args);
    va_end(args);
}
