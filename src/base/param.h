// One table per parameter set. The scene reader, `firn explain`, error messages, saved settings, defaults of
// the C API and the docs all read these tables; no parameter exists anywhere else.
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include "base/memory.h"
#include "base/units.h"

typedef enum param_type {
    PARAM_BOOL,   // bool; true/false, yes/no, on/off
    PARAM_INT,    // int32_t
    PARAM_REAL,   // double, with a dimension
    PARAM_VEC3,   // firn_vec3, with a dimension: [x, y, z]
    PARAM_COLOR,  // firn_vec3, linear RGB: [r, g, b] in 0..1, "#rrggbb" (sRGB) or a colour's name; never part
                  // of a scene's hash
    PARAM_TEXT,   // const char *
    PARAM_FILE,   // const char *: an existing file, relative to the scene's folder; made absolute
    PARAM_CHOICE, // an enum (int): one word of `choices`
    PARAM_WORD,   // const char *: one word of `words()` (snow types); NULL when absent
    PARAM_TABLE,  // a struct at offset, described by `table`
    PARAM_OPTIONAL, // const T *: a struct described by `table`, NULL when the key is absent
    PARAM_MERGE,    // a struct at offset whose rows stand at the same level of the file (no key of its own)
    PARAM_LIST,     // {const T *items; size_t count}: a sequence of structs described by `table`
    PARAM_MAP, // {const T *items; size_t count}: named structs described by `table`; each starts with const
               // char *name
    PARAM_VARIANT, // a struct at offset that starts with an enum (int) kind: a word, or {word: {rows}}, of
                   // `variants`
} param_type;

typedef struct param_table param_table;

// One of the forms of a PARAM_VARIANT: "sphere" -> kind FIRN_SHAPE_SPHERE, rows of `table` (offsets into the
// variant's struct). If `list` is set, a bare sequence in the file means this variant, and `table` has that
// one PARAM_LIST row.
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
    const char *fallback; // the default, as it would stand in a file: "5 cm", "[0, 0, 0]", "plane" (a
                          // variant's word); NULL: none, and the key must be given if `required`; otherwise
                          // memory stays zero. "auto" (REAL, VEC3, COLOR): PARAM_AUTO inside, chosen by the
                          // program; `auto` may then stand in a file too
    double min, max; // allowed range in SI, inclusive; both 0: no limit; +-INFINITY: open. For vectors each
                     // component. The default itself is always allowed.
    bool required;
    bool live;     // may change while a world runs, by a call or by keyframes (BOOL, INT, REAL, VEC3)
    bool unhashed; // does not affect the simulation and its hash (name, duration, camera)
    const char *const *choices;        // PARAM_CHOICE: words in the order of the enum, ends in NULL
    const char *const *(*words)(void); // PARAM_WORD: the words now known, ends in NULL
    const param_table *table;          // PARAM_TABLE, OPTIONAL, MERGE, LIST, MAP
    const param_variant *variants;     // PARAM_VARIANT, ends in a NULL name
    bool run;                          // PARAM_FILE: a frame of a run; its folder stands for the last one
    const char *help;                  // one line of description
    const char *range_note;            // shown when out of range: "fresh snow: about 10 kPa"; may be NULL
} param_row;

// Collects the errors of a check; key is the name of a row, or "" for the whole table.
typedef struct param_report {
    void (*add)(struct param_report *report, const char *key, const char *message);
} param_report;

struct param_table {
    const char
        *name; // full dotted name as in a file, items of maps left out: "bodies", "bodies.shape.sphere"
    const char *help;
    const param_row *rows; // ends in a NULL name
    size_t size;           // of the struct
    // Constraints beyond ranges ("a plane cannot be dynamic"); may be NULL. Runs after all rows were read
    // without errors.
    void (*check)(const void *item, param_report *report);
};

#define PARAM_AUTO (-1.0)
#define PARAM_AUTO_TEMPERATURE (-1000.0) // for rows with DIM_TEMPERATURE: below absolute zero

// Fills a struct with the defaults of its table (nested ones too); strings are literals.
void param_defaults(const param_table *table, void *item);
// Ranges, choices and checks of a struct that did not come from a file (C API). The message names the key.
firn_status param_validate(const param_table *table, const void *item);
// A copy of a struct and of all that it points to, in the arena; NULL: out of memory.
void *param_copy(const param_table *table, const void *item, arena *a);
// What stands for the content of a file.
typedef firn_status (*param_file_hash)(void *context, const char *path, uint64_t *hash);
// A hash of all values by name; rows marked `unhashed` and colours are left out, unless `all`. content: asked
// for every file that a value names; NULL: files do not count.
firn_status param_hash(const param_table *table, const void *item, bool all, param_file_hash content,
                       void *context, uint64_t *hash);
// The row of a dotted name below a table, or NULL: ("bodies.friction"), through maps, lists and variants.
// Names of items may be given or left out: "bodies.ball.friction". *table (may be NULL) is the one the row
// stands in.
const param_row *param_find(const param_table *root, const char *name, const param_table **table);

// The value of a dotted name ("bodies.ball.friction") in a struct, and its row; NULL: there is none. Items of
// maps are named; of lists they are not found.
void *param_locate(const param_table *table, void *item, const char *name, const param_row **row);
// Calls visit for every row that holds a value (no table, list, map or variant), in the order of the tables.
typedef void param_visit(void *context, const param_row *row, void *at);
void param_visit_values(const param_table *table, void *item, param_visit *visit, void *context);

// For readers and writers of files.

// The row of that name in a table or in what it merges; *base is the struct its offset counts from (item may
// be NULL).
const param_row *param_row_find(const param_table *table, void *item, const char *name, void **base);
// Makes a PARAM_VARIANT at `at` the given one, with that one's defaults.
void param_variant_set(const param_row *row, const param_variant *variant, void *at);
const param_variant *param_variant_find(const param_row *row, const char *name); // NULL: none
const param_variant *param_variant_of(const param_row *row,
                                      const void *at); // the present one; NULL: bad kind
// Error message for a value: `why` is the sentence, `hint` what is allowed or probably meant (may be empty).
typedef struct param_fault {
    text why, hint;
} param_fault;
void param_fault_free(param_fault *fault);
// Reads a value that stands as one word or number in a file (BOOL, INT, REAL, COLOR, TEXT, FILE, CHOICE,
// WORD; "auto" of a VEC3). path is its name in messages. TEXT, FILE and WORD keep the pointer `written`.
// false: fault says why.
bool param_read(const param_row *row, const char *path, const char *written, void *at, param_fault *fault);
// One component of a VEC3 or COLOR.
bool param_read_component(const param_row *row, const char *path, const char *written, double *value,
                          param_fault *fault);
// Adds the words of a list that ends in NULL: "a, b, c".
void param_words_add(text *t, const char *const *words);
// Adds "did you mean 'x'?" or "allowed: a, b, c" for a word that is not in the list.
void param_nearest_add(text *t, const char *word, const char *const *words);
// A default that is written "auto" and is still in place.
bool param_is_auto(const param_row *row, double value);
// Names of items: letters, digits, '_', '-', and anything beyond ASCII; at most 63 bytes; not starting with
// '-'.
bool param_name_allowed(const char *name);
size_t param_choice_count(const param_row *row);

#endif
