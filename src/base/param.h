// One table per parameter set. The scene reader, `firn explain`, error messages, saved settings, defaults of
// the C API and the docs all read these tables; no parameter exists anywhere else.
#ifndef BASE_PARAM_H
#define BASE_PARAM_H

#include <firn/param.h>

#include "base/memory.h"
#include "base/units.h"

// The types are public (firn/param.h), for models from outside; in here they go by shorter names.
typedef firn_param_type param_type;
typedef firn_param_variant param_variant;
typedef firn_param_row param_row;
typedef firn_param_report param_report;
typedef firn_param_table param_table;
#define PARAM_BOOL FIRN_PARAM_BOOL
#define PARAM_INT FIRN_PARAM_INT
#define PARAM_REAL FIRN_PARAM_REAL
#define PARAM_VEC3 FIRN_PARAM_VEC3
#define PARAM_COLOR FIRN_PARAM_COLOR
#define PARAM_TEXT FIRN_PARAM_TEXT
#define PARAM_FILE FIRN_PARAM_FILE
#define PARAM_CHOICE FIRN_PARAM_CHOICE
#define PARAM_WORD FIRN_PARAM_WORD
#define PARAM_TABLE FIRN_PARAM_TABLE
#define PARAM_OPTIONAL FIRN_PARAM_OPTIONAL
#define PARAM_MERGE FIRN_PARAM_MERGE
#define PARAM_LIST FIRN_PARAM_LIST
#define PARAM_MAP FIRN_PARAM_MAP
#define PARAM_VARIANT FIRN_PARAM_VARIANT

// Fills a struct with the defaults of its table (nested ones too); strings are literals.
void param_defaults(const param_table *table, void *item);
// The cookie of a struct, where its table has one: sets it; whether it is there.
void param_set_cookie(const param_table *table, void *item);
bool param_has_cookie(const param_table *table, const void *item);
// Cookies, ranges, choices and checks of a struct that did not come from a file (C API). The message names
// the key.
firn_status param_validate(const param_table *table, const void *item);
// A copy of a struct and of all that it points to, in the arena; NULL: out of memory.
void *param_copy(const param_table *table, const void *item, arena *a);
// All values of a struct as bytes, with what it points to; and back, into memory of the arena. The name of a
// map's item is not one of its values.
void param_pack(text *t, const param_table *table, const void *item);
firn_status param_unpack(const param_table *table, const void *data, size_t bytes, arena *a, void *item);
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
// The present spelling of a dotted name with a key of older scenes (`was`): "mpm.step", "mpm.max_step".
// false: it has none.
bool param_renamed(const param_table *root, const char *name, text *now);

// The value of a dotted name ("bodies.ball.friction") in a struct, and its row; NULL: there is none. Items of
// maps are named, those of lists counted from 1: "pbd.box.walls[1].low".
void *param_locate(const param_table *table, void *item, const char *name, const param_row **row);
// Calls visit for every row that holds a value (no table, list, map or variant), in the order of the tables;
// name: as param_locate takes it.
typedef void param_visit(void *context, const char *name, const param_row *row, void *at);
void param_visit_values(const param_table *table, void *item, param_visit *visit, void *context);

// For readers and writers of files.

// The row of that name in a table or in what it merges; *base is the struct its offset counts from (item may
// be NULL).
const param_row *param_row_find(const param_table *table, void *item, const char *name, void **base);
// The row that had this key in older scenes (`was`), or NULL.
const param_row *param_row_renamed(const param_table *table, const char *name);
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
// A WORD of row->words() or of `own`, words of the scene that it stands in (ends in NULL; NULL: none).
bool param_read_word(const param_row *row, const char *path, const char *written, const char *const *own,
                     const char **out, param_fault *fault);
// One component of a VEC3 or COLOR.
bool param_read_component(const param_row *row, const char *path, const char *written, double *value,
                          param_fault *fault);
// The same for any value that is no table, list, map or variant; a vector is "[x, y, z]".
bool param_read_value(const param_row *row, const char *path, const char *written, void *at,
                      param_fault *fault);
// Writes a number, vector or word so that param_read_value gives back the same bits.
void param_write_value(text *t, const param_row *row, const void *at);
// A BOOL, INT, REAL or CHOICE as x, a VEC3 as it is.
firn_vec3 param_get_number(const param_row *row, const void *at);
void param_set_number(const param_row *row, void *at, firn_vec3 value);
// Adds the words of a list that ends in NULL: "a, b, c".
void param_words_add(text *t, const char *const *words);
// Adds "did you mean 'x'?" or "allowed: a, b, c" for a word that is not in the list.
void param_nearest_add(text *t, const char *word, const char *const *words);
// The value is FIRN_AUTO, and the row allows it.
bool param_is_auto(const param_row *row, double value);
// Names of items: letters, digits, '_', '-', and anything beyond ASCII; at most 63 bytes; not starting with
// '-'.
bool param_name_allowed(const char *name);
size_t param_choice_count(const param_row *row);

#endif
