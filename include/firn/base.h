/* firn: status values, version, and the services an embedding program may replace. */
#ifndef FIRN_BASE_H
#define FIRN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(FIRN_BUILDING) && defined(__GNUC__)
#define FIRN_API __attribute__((visibility("default")))
#else
#define FIRN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_status {
    FIRN_OK = 0,
    FIRN_BAD_INPUT,   /* a scene, a file, a parameter or a call is wrong; nothing was done */
    FIRN_NO_MEMORY,   /* an allocation failed */
    FIRN_IO,          /* a file could not be read or written */
    FIRN_UNSTABLE,    /* the watchdog stopped the simulation; the message names model, item and step */
    FIRN_INTERRUPTED, /* asked to stop; the state was saved, or nothing had been begun */
    FIRN_UNSUPPORTED, /* this build or machine lacks a part, such as OpenGL or FFmpeg */
} firn_status;

/* One rule for invalid calls, in the whole library: when a required pointer is NULL, an index is out of range
   or a number is invalid, the call does nothing, firn_last_error() says why, and it returns FIRN_BAD_INPUT; a
   function that returns no status returns NULL, 0 or a struct of zeros (where 0 is a valid result, its
   comment names another value). Pointers that may be NULL are marked so. Closing or freeing NULL does
   nothing. Use of a closed world or of freed memory cannot be detected. */

/* Which thread may call a function is written at each:
   - [any]: any thread, at any time
   - [read]: any thread, several at once too, while no [world] call on the same world is in progress
   - [world]: any thread, one at a time for each world, and no [read] call beside it; two worlds are
     independent of each other, also when they share a context
   - [setup]: while no other call is in progress, as a rule before the first world is created

   Functions whose names end in _default are [any]. Callbacks (log, stop, progress, tasks) are called within
   the call that needs them: stop and progress on its thread, log and tasks also on threads of the library,
   several at once; they may call what is [any]. */

/* What went wrong in the last call that failed on this thread; never NULL. */
FIRN_API const char *firn_last_error(void); /* [any] */

/* The version of these headers; that of the library in use is firn_version(). Until 1.0 a new minor version
   may change the API and has another SONAME (libfirn.so.0.1); a new patch version changes neither API nor
   ABI. */
#define FIRN_VERSION_MAJOR 0
#define FIRN_VERSION_MINOR 1
#define FIRN_VERSION_PATCH 0

/* The version of the library: "0.1.0". */
FIRN_API const char *firn_version(void); /* [any] */

/* A point or vector, x, y, z; y is up. */
typedef struct firn_vec3 {
    double x, y, z;
} firn_vec3;

/* Unit quaternion, w + xi + yj + zk. */
typedef struct firn_quat {
    double w, x, y, z;
} firn_quat;

/* The value of a def member that firn is to choose: a particular NaN, the only one that a def may hold (of a
   vector or colour, the first component counts). It equals no number: test with firn_is_auto, not ==. Its
   bits are 0x7ff800006175746f, in any language. */
#define FIRN_AUTO firn_auto()
/* FIRN_AUTO as a function, for languages and debuggers without macros. [any] */
static inline double firn_auto(void) {
    const uint64_t bits = UINT64_C(0x7ff800006175746f);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
/* Whether a number is FIRN_AUTO. [any] */
static inline bool firn_is_auto(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits == UINT64_C(0x7ff800006175746f);
}

/* Memory. All of the library's own allocations go through this table, from any thread; set it before any
   other call.
   allocate returns memory aligned to 64 bytes, or NULL; if it is not aligned, the call that needed it fails
   with a message. FIRN_BAD_INPUT, and nothing changes, if a function is missing. */
typedef struct firn_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory, size_t bytes);
    void *context;
} firn_allocator;
FIRN_API firn_status
firn_set_allocator(const firn_allocator *allocator); /* [setup] NULL: back to the default */

/* Tasks. run() calls task(task_context, i) for every i in [0, count), in any order, on any threads, and
   returns when all have ended. Results never depend on the order. threads is how many run at once, at
   least 1. When several threads use worlds at the same time, run() is called by several threads at once. */
typedef struct firn_task_system {
    void (*run)(void *context, size_t count, void (*task)(void *task_context, size_t i), void *task_context);
    int threads;
    void *context;
} firn_task_system;
FIRN_API firn_status
firn_set_task_system(const firn_task_system *system); /* [setup] NULL: back to the library's own threads */

/* Number of the library's own threads; 0: one per core; at most 256. Results do not depend on it. When
   several threads use worlds at the same time, each of them has this many (from the ninth on: one). */
FIRN_API firn_status firn_set_threads(int threads); /* [any] */
/* How many threads the calls of this thread use: of its context (firn_set_context), or of the process. */
FIRN_API int firn_threads(void); /* [any] */

/* The instruction set in use: "base", "avx2" or "avx512"; the best that the machine has, or the one named by
   the environment variable FIRN_ISA. FIRN_BAD_INPUT if that is unknown or not available: then no world can be
   created either. name may be NULL. */
FIRN_API firn_status firn_instruction_set(const char **name); /* [any] */

/* Interrupting long calls. Calls of this thread that build something (firn_world_open, firn_world_create,
   firn_scene_check, firn_hash, firn_info; firn_run, firn_render and firn_export until they begin) call `stop`
   several times a second, on this thread; true ends them with FIRN_INTERRUPTED, and nothing is left behind.
   Each thread has its own; NULL: none (default). */
FIRN_API void firn_set_stop(bool (*stop)(void *context), void *context); /* [any] */

/* A folder where level sets of meshes and generated shapes are cached, so that the next program need not
   build them again: written completely or not at all, checked when read, safe to share between programs. The
   least recently used are removed when they take more than `bytes`. A folder that cannot be used is reported
   by a note. NULL or 0: none (default); the command uses ~/.cache/firn. Results do not depend on it. */
FIRN_API void firn_set_cache(const char *folder, uint64_t bytes); /* [any] */

/* Notes and warnings of the library; it never prints by itself. */
typedef enum firn_log_level { FIRN_LOG_NOTE, FIRN_LOG_WARNING } firn_log_level;
/* message: one sentence; valid until the handler returns. */
typedef void (*firn_log_handler)(void *context, firn_log_level level, const char *message);
FIRN_API void firn_set_log(firn_log_handler handler, void *context); /* [setup] NULL: silent (default) */

/* A context: the memory, threads and log handler that a call uses. Without one they are those of the process,
   set by the functions above. A world belongs to the context in which it was created: all calls on it, from
   any thread, use that context. Two worlds with a context each share nothing but what the libraries
   underneath share behind locks (contacts of bodies in ODE, files in HDF5). Results do not depend on it. */
typedef struct firn_context firn_context;
typedef struct firn_context_def {
    uint32_t cookie;          /* set by firn_context_def_default() */
    firn_allocator allocator; /* no functions: that of the process */
    firn_task_system tasks;   /* run NULL: threads of its own */
    int threads;              /* number of its own threads; 0: as set for the process */
    firn_log_handler log;     /* NULL: that of the process */
    void *log_context;
} firn_context_def;
FIRN_API firn_context_def firn_context_def_default(void);
/* The memory of the context itself comes from its allocator, too. Its threads start with the first work. */
FIRN_API firn_status firn_context_create(const firn_context_def *def, firn_context **context); /* [any] */
/* Ends its threads and releases all its memory. FIRN_BAD_INPUT, and the context stays, while a world, text or
   data created in it is not yet closed or freed, or a call is in progress in it. No other thread may have it
   as its context. */
FIRN_API firn_status firn_context_close(firn_context *context); /* [any] NULL is fine */
/* From now on, calls of this thread that take no world (firn_world_open, firn_world_create, firn_run,
   firn_scene_check, ...) use this context, and worlds that they create belong to it. Texts and data are
   released to the context that they came from, on whatever thread they are freed. Each thread has its own;
   NULL: that of the process (default). */
FIRN_API void firn_set_context(firn_context *context); /* [any] */

/* The one of `count` words that a misspelt `word` probably means; NULL if none is similar. */
FIRN_API const char *firn_nearest_word(const char *word, const char *const *words, size_t count); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
