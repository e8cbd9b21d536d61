// One table per parameter set. The scene reader, `firn explain`, error messages, saved settings, defaults of the C API
// and the docs all read these tables; no parameter exists anywhere else.
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include "base/memory.h"
#include "base/units.h"

typedef enum param_type {
    PARAM_BOOL,    // bool; true/false, yes/no, on/off
    PARAM_INT,     // int32_t
    PARAM_REAL,    // double, with a dimension
    PARAM_VEC3,    // firn_vec3, with a dimension: [x, y, z]
    PARAM_COLOR,   // firn_vec3, linear RGB: [r, g, b] in 0..1, "#rrggbb" (sRGB) or a colour's name
    PARAM_TEXT,    // const char *
    PARAM_FILE,    // const char *: an existing file, relative to the scene's folder; made absolute
    PARAM_CHOICE,  // an enum (int): one word of `choices`
    PARAM_WORD,    // const char *: one word of `words()` (snow types); NULL when absent
    PARAM_TABLE,   // a struct at offset, described by `table`
    PARAM_OPTIONAL,// const T *: a struct described by `table`, NULL when the key is absent
    PARAM_MERGE,   // a struct at offset whose rows stand at the same level of the file (no key of its own)
    PARAM_LIST,    // {const T *items; size_t count}: a sequence of structs described by `table`
    PARAM_MAP,     // {const T *items; size_t count}: named structs described by `table`; each starts with const char *name
    PARAM_VARIANT, // a struct at offset that starts with an enum (int) kind: a word, or {word: {rows}}, of `variants`
} param_type;

typedef struct param_table param_table;

// One of the forms of a PARAM_VARIANT: "sphere" -> kind FIRN_SHAPE_SPHERE, rows of `table` (offsets into the variant's
// struct). If `list` is set, a bare sequence in the file means this variant, and `table` has that one PARAM_LIST row.
typedef struct param_variant {
    const char *name;
    int kind;
    const param_table *table; // NULL: no parameters
    const char *help;
    bool list;
} param_variant;

typedef struct param_row {
    const char *name;
    param_type type;
    size_t offset;
    dimension unit;
    const char *fallback; // the default, as it would stand in a file: "5 cm", "[0, 0, 0]"; NULL: none, and the key must be
                          // given if `required`; otherwise memory stays zero
    double min, max;      // allowed range in SI, inclusive; both 0: no limit. For vectors each component.
    bool required;
    const char *const *choices;              // PARAM_CHOICE: words in the order of the enum, ends in NULL
    const char *const *(*words)(void);       // PARAM_WORD: the words now known, ends in NULL
    const param_table *table;                // PARAM_TABLE, OPTIONAL, MERGE, LIST, MAP
    const param_variant *variants;           // PARAM_VARIANT, ends in a NULL name
    const char *help;                        // one line; what it does
    const char *range_note;                  // said when out of range: "fresh snow: about 10 kPa"; may be NULL
} param_row;

// Where a check puts what it found wrong; key is a row's name of the table, or "" for the whole.
typedef struct param_report {
    void (*add)(struct param_report *report, const char *key, const char *message);
} param_report;

struct param_table {
    const char *name; // full dotted name as in a file, items of maps left out: "bodies", "bodies.shape.sphere"
    const char *help;
    const param_row *rows; // ends in a NULL name
    size_t size;           // of the struct
    // What ranges cannot say ("a plane cannot be dynamic"); may be NULL. Runs after all rows are read without error.
    void (*check)(const void *item, param_report *report);
};

// Fills a struct with the defaults of its table (nested ones too); strings are literals or live in `a` (may be NULL: only
// literals are used as defaults).
void param_defaults(const param_table *table, void *item);
// Ranges, choices and checks of a struct that did not come from a file (C API). The message names the key.
firn_status param_validate(const param_table *table, const void *item);
// The row of a dotted name below a table, or NULL: ("bodies.friction"), through maps, lists and variants.
const param_row *param_find(const param_table *root, const char *name, const param_table **table);

#endif
