// Defs of the C API carry a cookie: their ..._default() sets it, and the functions that take them look at it
// before anything else in them.
#ifndef BASE_COOKIE_H
#define BASE_COOKIE_H

#include "base/status.h"

// Another one for every struct, and for every layout of it.
static inline uint32_t cookie_of(const char *struct_name, size_t size) {
    uint32_t hash = UINT32_C(2166136261) ^ (uint32_t)size; // FNV-1a
    for (const char *c = struct_name; *c; c++) hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
    return hash | 1; // never 0
}

#define COOKIE_OF(struct_type) cookie_of(#struct_type, sizeof(struct_type))
#define COOKIE_MISSING "%s has no cookie; begin with %s_default()"

// First in public functions, for a def that is not NULL.
#define NEED_COOKIE(struct_type, def)                                                                        \
    do {                                                                                                     \
        if ((def)->cookie != COOKIE_OF(struct_type))                                                         \
            return fail(FIRN_BAD_INPUT, "%s: " COOKIE_MISSING, __func__, #def, #struct_type);                \
    } while (0)

// The public ..._default() of a struct without a parameter table; the arguments are members that do not begin
// as zero.
#define DEFAULT_COOKIE(struct_type, ...)                                                                     \
    struct_type struct_type##_default(void) {                                                                \
        return (struct_type){.cookie = COOKIE_OF(struct_type), __VA_ARGS__};                                 \
    }

#endif
