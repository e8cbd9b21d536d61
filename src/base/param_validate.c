// Validation of structs filled in by a program; files are validated as they are read.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cookie.h"
#include "base/param.h"
#include "base/param_range.h"

enum { DEEPEST = 64 };

typedef struct checker {
    const param_table *root; // and the struct it describes: a row's words may be names of its items
    const void *root_item;
    text path;
    param_fault fault;
    int depth;
    bool no_memory;
} checker;

static size_t path_push(checker *c, const char *word) {
    size_t before = c->path.length;
    text_add(&c->path, before ? ".%s" : "%s", word);
    return before;
}

static void path_pop(checker *c, size_t before) {
    c->path.length = before;
    if (c->path.data) c->path.data[before] = 0;
}

static const char *path_of(checker *c) { return c->path.data ? c->path.data : ""; }

static bool wrong(checker *c, const char *what) {
    text_add(&c->fault.why, "%s %s", path_of(c), what);
    return false;
}

static bool check_table(checker *c, const param_table *table, const char *item);

static bool check_number(checker *c, const param_row *row, double value) {
    if (param_is_auto(row, value)) return true;
    if (!isfinite(value)) return wrong(c, "is not a finite number");
    text shown = {0};
    quantity_write(&shown, value, row->unit);
    bool good = param_in_range(row, path_of(c), shown.data ? shown.data : "?", value, &c->fault);
    c->no_memory |= shown.failed;
    text_free(&shown);
    return good;
}

static bool check_vector(checker *c, const param_row *row, firn_vec3 v) {
    if (param_is_auto(row, v.x)) return true;
    return check_number(c, row, v.x) && check_number(c, row, v.y) && check_number(c, row, v.z);
}

typedef struct item_array {
    const char *items;
    size_t count;
} item_array;

// Items without a name are reported where they stand.
static bool check_known(checker *c, const param_row *row, const char *word) {
    void *base;
    item_array array = {0};
    const char *known;
    const param_row *map =
        row->items ? param_row_find(c->root, (void *)c->root_item, row->items, &base) : NULL;
    if (map) memcpy(&array, (const char *)base + map->offset, sizeof array);
    const char **own = mem_zero(array.count + 1, sizeof *own);
    if (!own) return c->no_memory = true, false;
    for (size_t i = 0, n = 0; array.items && i < array.count; i++) {
        memcpy(&own[n], array.items + i * map->table->size, sizeof *own);
        if (own[n]) n++;
    }
    bool good = param_read_word(row, path_of(c), word, own, &known, &c->fault);
    mem_free(own);
    return good;
}

static bool check_word(checker *c, const param_row *row, const char *word) {
    if (!word) return !row->required || wrong(c, "must be given");
    return row->type != PARAM_WORD || check_known(c, row, word);
}

static bool check_choice(checker *c, const param_row *row, const char *at) {
    int value;
    memcpy(&value, at, sizeof value);
    return (value >= 0 && (size_t)value < param_choice_count(row)) || wrong(c, "is not one of its choices");
}

static bool check_variant(checker *c, const param_row *row, const char *at) {
    const param_variant *variant = param_variant_of(row, at);
    if (!variant) return wrong(c, "has an unknown kind");
    if (!variant->table) return true;
    size_t before = variant->list ? c->path.length : path_push(c, variant->name);
    bool good = check_table(c, variant->table, at);
    path_pop(c, before);
    return good;
}

static bool check_cookie(checker *c, const param_table *table, const char *item) {
    if (param_has_cookie(table, item)) return true;
    text_add(&c->fault.why, COOKIE_MISSING, path_of(c)[0] ? path_of(c) : table->def, table->def);
    return false;
}

// Before anything in the items is looked at: their names may be no pointers.
static bool check_cookies(checker *c, const param_row *row, item_array array) {
    for (size_t i = 0; i < array.count; i++) {
        size_t before = c->path.length;
        text_add(&c->path, "[%zu]", i + 1);
        if (!check_cookie(c, row->table, array.items + i * row->table->size)) return false;
        path_pop(c, before);
    }
    return true;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool check_names_differ(checker *c, const char **names, size_t count) {
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0) {
            text_add(&c->fault.why, "%s: two items are named '%s'", path_of(c), names[i]);
            return false;
        }
    return true;
}

static bool check_names(checker *c, const param_row *row, item_array array) {
    const char **names = mem_zero(array.count, sizeof *names);
    if (!names) return c->no_memory = true, false;
    bool good = true;
    for (size_t i = 0; good && i < array.count; i++) {
        memcpy(&names[i], array.items + i * row->table->size, sizeof *names);
        if (names[i] && param_name_allowed(names[i])) continue;
        text_add(&c->fault.why, "%s: item %zu has %s; names are letters, digits, '_' and '-'", path_of(c),
                 i + 1, names[i] ? "a name that is not allowed" : "no name");
        good = false;
    }
    good = good && check_names_differ(c, names, array.count);
    mem_free(names);
    return good;
}

static bool check_items(checker *c, const param_row *row, const char *at) {
    item_array array;
    memcpy(&array, at, sizeof array);
    if (array.count == 0) return true;
    if (!array.items) return wrong(c, "has a count but no items");
    if (!check_cookies(c, row, array)) return false;
    if (row->type == PARAM_MAP && !check_names(c, row, array)) return false;
    for (size_t i = 0; i < array.count; i++) {
        const char *item = array.items + i * row->table->size;
        size_t before = c->path.length;
        if (row->type == PARAM_MAP)
            path_push(c, *(const char *const *)item);
        else
            text_add(&c->path, "[%zu]", i + 1);
        if (!check_table(c, row->table, item)) return false;
        path_pop(c, before);
    }
    return true;
}

static bool check_row(checker *c, const param_row *row, const char *at) {
    switch (row->type) {
    case PARAM_BOOL: return true;
    case PARAM_INT: return check_number(c, row, *(const int32_t *)at);
    case PARAM_REAL: return check_number(c, row, *(const double *)at);
    case PARAM_VEC3:
    case PARAM_COLOR: return check_vector(c, row, *(const firn_vec3 *)at);
    case PARAM_TEXT:
    case PARAM_FILE:
    case PARAM_WORD: return check_word(c, row, *(const char *const *)at);
    case PARAM_CHOICE: return check_choice(c, row, at);
    case PARAM_TABLE:
    case PARAM_MERGE: return check_table(c, row->table, at);
    case PARAM_OPTIONAL: {
        const char *item = *(const char *const *)at;
        return item ? check_table(c, row->table, item) : !row->required || wrong(c, "must be given");
    }
    case PARAM_LIST:
    case PARAM_MAP: return check_items(c, row, at);
    case PARAM_VARIANT: return check_variant(c, row, at);
    }
    return true;
}

typedef struct first_report {
    param_report report; // first: a check hands back its address
    checker *c;
    bool any;
} first_report;

static void keep_first(param_report *report, const char *key, const char *message) {
    first_report *r = (first_report *)report;
    if (r->any) return;
    r->any = true;
    size_t before = key[0] ? path_push(r->c, key) : r->c->path.length;
    text_add(&r->c->fault.why, path_of(r->c)[0] ? "%s: %s" : "%s%s", path_of(r->c), message);
    path_pop(r->c, before);
}

static bool check_table(checker *c, const param_table *table, const char *item) {
    if (c->depth >= DEEPEST) return wrong(c, "is nested too deeply");
    if (!check_cookie(c, table, item)) return false;
    c->depth++;
    for (const param_row *row = table->rows; row->name; row++) {
        size_t before = row->type == PARAM_MERGE ? c->path.length : path_push(c, row->name);
        if (!check_row(c, row, item + row->offset)) return false;
        path_pop(c, before);
    }
    first_report report = {{keep_first}, c, false};
    if (table->check) table->check(item, &report.report);
    c->depth--;
    return !report.any;
}

firn_status param_validate(const param_table *table, const void *item) {
    checker c = {.root = table, .root_item = item};
    if (table->name && table->name[0]) path_push(&c, table->name);
    firn_status status = FIRN_OK;
    bool good = check_table(&c, table, item);
    if (!good || c.no_memory || c.path.failed) {
        if (c.no_memory || c.fault.why.failed || c.path.failed)
            status = fail_memory("checking parameters", 0);
        else if (c.fault.hint.data)
            status = fail(FIRN_BAD_INPUT, "%s (%s)", c.fault.why.data, c.fault.hint.data);
        else
            status = fail(FIRN_BAD_INPUT, "%s", c.fault.why.data);
    }
    text_free(&c.path);
    param_fault_free(&c.fault);
    return status;
}
