// Libraries that few commands need, opened when first used: FFmpeg's four alone bring 130 others, which took
// most of the time of `firn --help`. A user lists the functions it calls once:
//
//     #define LIBZ_CALLS(X) X(compress2) X(uncompress)
//     typedef struct libz {
//         LIBZ_CALLS(LIBRARY_CALL)
//     } libz;
//     static const char *const files[] = {"libz.so.1", NULL}, *const names[] = {LIBZ_CALLS(LIBRARY_NAME)
//     NULL}; libz z; TRY(library_open(&(library){files, names, "compress", "zlib1g"}, &z)); // then
//     z.compress2(...)
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "base/status.h"

#define LIBRARY_CALL(name) __typeof__(name) *name;
#define LIBRARY_NAME(name) #name,
#define LIBRARY_TEXT(x) LIBRARY_TEXT_OF(x) // of a macro's value
#define LIBRARY_TEXT_OF(x) #x

typedef struct library {
    const char *const *files, *const *names; // shared objects and functions; both end with NULL
    const char *use, *package;               // what cannot be done without it; what to install
} library;

// Fills one pointer for each name, in their order. NULL: only brings the files into memory, where they stay.
// FIRN_UNSUPPORTED: a file or a function is missing.
firn_status library_open(const library *l, void *calls);

#endif
