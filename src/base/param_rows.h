// How the rows of a parameter table are written: one line for a parameter, one for its help.
//
//     REAL_ROW(pour_def, radius, DIM_LENGTH, "5 cm", 0, 1e4, "of the spout"),
//
// The key of a file is the name of the struct's member. `start` is the default as it would stand in a file,
// or NULL; `low` and `high` are the range in SI, both 0: no limit. After the help any other member of
// param_row may follow: .live = true, .required = true, .range_note = "...".
#ifndef BASE_PARAM_ROWS_H
#define BASE_PARAM_ROWS_H

#include <stddef.h>

#include "base/param.h"

// What the macros below have in common; the last arguments are the help and what follows it.
#define ROW_OF(struct_type, member, kind)                                                                    \
    .name = #member, .type = kind, .offset = offsetof(struct_type, member)

#define BOOL_ROW(struct_type, member, start, ...)                                                            \
    { ROW_OF(struct_type, member, PARAM_BOOL), .fallback = start, .help = __VA_ARGS__ }
#define INT_ROW(struct_type, member, start, low, high, ...)                                                  \
    {                                                                                                        \
        ROW_OF(struct_type, member, PARAM_INT), .fallback = start, .min = low, .max = high,                  \
                                                .help = __VA_ARGS__                                          \
    }
#define REAL_ROW(struct_type, member, dim, start, low, high, ...)                                            \
    {                                                                                                        \
        ROW_OF(struct_type, member, PARAM_REAL), .unit = dim, .fallback = start, .min = low, .max = high,    \
                                                 .help = __VA_ARGS__                                         \
    }
#define VEC3_ROW(struct_type, member, dim, start, low, high, ...)                                            \
    {                                                                                                        \
        ROW_OF(struct_type, member, PARAM_VEC3), .unit = dim, .fallback = start, .min = low, .max = high,    \
                                                 .help = __VA_ARGS__                                         \
    }
#define COLOR_ROW(struct_type, member, start, ...)                                                           \
    { ROW_OF(struct_type, member, PARAM_COLOR), .fallback = start, .help = __VA_ARGS__ }
#define TEXT_ROW(struct_type, member, ...)                                                                   \
    { ROW_OF(struct_type, member, PARAM_TEXT), .help = __VA_ARGS__ }
#define FILE_ROW(struct_type, member, ...)                                                                   \
    { ROW_OF(struct_type, member, PARAM_FILE), .help = __VA_ARGS__ }
#define CHOICE_ROW(struct_type, member, start, list, ...)                                                    \
    { ROW_OF(struct_type, member, PARAM_CHOICE), .fallback = start, .choices = list, .help = __VA_ARGS__ }
#define WORD_ROW(struct_type, member, start, list, ...)                                                      \
    { ROW_OF(struct_type, member, PARAM_WORD), .fallback = start, .words = list, .help = __VA_ARGS__ }
#define VARIANT_ROW(struct_type, member, start, list, ...)                                                   \
    { ROW_OF(struct_type, member, PARAM_VARIANT), .fallback = start, .variants = list, .help = __VA_ARGS__ }
// Structs within structs; `of` is the address of their table.
#define TABLE_ROW(struct_type, member, of, ...)                                                              \
    { ROW_OF(struct_type, member, PARAM_TABLE), .table = of, .help = __VA_ARGS__ }
#define OPTIONAL_ROW(struct_type, member, of, ...)                                                           \
    { ROW_OF(struct_type, member, PARAM_OPTIONAL), .table = of, .help = __VA_ARGS__ }
#define LIST_ROW(struct_type, member, of, ...)                                                               \
    { ROW_OF(struct_type, member, PARAM_LIST), .table = of, .help = __VA_ARGS__ }
#define MAP_ROW(struct_type, member, of, ...)                                                                \
    { ROW_OF(struct_type, member, PARAM_MAP), .table = of, .help = __VA_ARGS__ }
#define MERGE_ROW(struct_type, member, of)                                                                   \
    { ROW_OF(struct_type, member, PARAM_MERGE), .table = of }

// A table: its name as in a file ("mpm.emit"), its help, its rows; then, if any, .check = function.
#define TABLE_OF(struct_type, title, text, ...)                                                              \
    { .size = sizeof(struct_type), .name = title, .help = text, .rows = __VA_ARGS__ }
// The same for a def of the C API that carries a cookie.
#define DEF_TABLE_OF(struct_type, title, text, ...)                                                          \
    {                                                                                                        \
        .size = sizeof(struct_type), .def = #struct_type, .cookie = offsetof(struct_type, cookie),           \
        .name = title, .help = text, .rows = __VA_ARGS__                                                     \
    }
// The public function that returns a struct with the defaults of its table: firn_mpm_def_default().
#define DEFAULT_OF(struct_type, of)                                                                          \
    struct_type struct_type##_default(void) {                                                                \
        struct_type def;                                                                                     \
        param_defaults(&of, &def);                                                                           \
        return def;                                                                                          \
    }

#endif
