// From names to values, and over all values.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"

typedef struct item_array {
    char *items;
    size_t count;
} item_array;

static item_array array_at(const void *at) {
    item_array array;
    memcpy(&array, at, sizeof array);
    return array;
}

// Whether the first word of a dotted name is `word`; *rest is what follows it.
static bool starts_with(const char *name, const char *word, const char **rest) {
    size_t length = strcspn(name, ".");
    if (strlen(word) != length || strncmp(name, word, length) != 0) return false;
    *rest = name[length] ? name + length + 1 : name + length;
    return true;
}

static void *locate_item(const param_row *row, const void *at, const char *name, const param_row **found) {
    item_array array = array_at(at);
    const char *rest;
    for (size_t i = 0; i < array.count; i++) {
        char *item = array.items + i * row->table->size;
        if (starts_with(name, *(const char *const *)item, &rest))
            return param_locate(row->table, item, rest, found);
    }
    return NULL;
}

// Of a list: "[2].low" is the second item's.
static void *locate_number(const param_row *row, const void *at, const char *name, const param_row **found) {
    item_array array = array_at(at);
    char *end;
    unsigned long number = strtoul(name + 1, &end, 10);
    if (name[1] < '1' || name[1] > '9' || end[0] != ']' || end[1] != '.' || number > array.count) return NULL;
    return param_locate(row->table, array.items + (number - 1) * row->table->size, end + 2, found);
}

static void *locate_below(const param_row *row, char *at, const char *name, const param_row **found) {
    const char *rest;
    const param_variant *variant;
    void *item;
    switch (row->type) {
    case PARAM_TABLE: return param_locate(row->table, at, name, found);
    case PARAM_OPTIONAL:
        memcpy(&item, at, sizeof item);
        return item ? param_locate(row->table, item, name, found) : NULL;
    case PARAM_MAP: return locate_item(row, at, name, found);
    case PARAM_VARIANT:
        variant = param_variant_of(row, at);
        if (!variant || !variant->table || !starts_with(name, variant->name, &rest)) return NULL;
        return param_locate(variant->table, at, rest, found);
    default: return NULL;
    }
}

void *param_locate(const param_table *table, void *item, const char *name, const param_row **found) {
    for (const param_row *row = table->rows; row->name; row++) {
        char *at = (char *)item + row->offset;
        const char *rest;
        if (row->type == PARAM_MERGE) {
            void *inside = param_locate(row->table, at, name, found);
            if (inside) return inside;
        } else if (row->type == PARAM_LIST && strncmp(name, row->name, strlen(row->name)) == 0 &&
                   name[strlen(row->name)] == '[') {
            return locate_number(row, at, name + strlen(row->name), found);
        } else if (starts_with(name, row->name, &rest)) {
            *found = row;
            return *rest ? locate_below(row, at, rest, found) : at;
        }
    }
    return NULL;
}

typedef struct visitor {
    param_visit *visit;
    void *context;
    char name[512]; // longer ones are cut
    size_t length;
} visitor;

static void visit_table(visitor *v, const param_table *table, char *item);

// Adds ".word", or "[number]" without a word; returns the length before.
static size_t push_name(visitor *v, const char *word, size_t number) {
    size_t before = v->length, room = sizeof v->name - before;
    int n = word ? snprintf(v->name + before, room, "%s%s", before ? "." : "", word)
                 : snprintf(v->name + before, room, "[%zu]", number);
    v->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    return before;
}

static void visit_items(visitor *v, const param_row *row, const void *at) {
    item_array array = array_at(at);
    for (size_t i = 0; i < array.count; i++) {
        char *item = array.items + i * row->table->size;
        size_t before =
            row->type == PARAM_MAP ? push_name(v, *(const char *const *)item, 0) : push_name(v, NULL, i + 1);
        visit_table(v, row->table, item);
        v->length = before;
    }
}

static void visit_variant(visitor *v, const param_row *row, char *at) {
    const param_variant *variant = param_variant_of(row, at);
    if (!variant || !variant->table) return;
    size_t before = push_name(v, variant->name, 0);
    visit_table(v, variant->table, at);
    v->length = before;
}

static void visit_row(visitor *v, const param_row *row, char *at) {
    void *optional;
    switch (row->type) {
    case PARAM_TABLE:
    case PARAM_MERGE: visit_table(v, row->table, at); break;
    case PARAM_OPTIONAL:
        memcpy(&optional, at, sizeof optional);
        if (optional) visit_table(v, row->table, optional);
        break;
    case PARAM_LIST:
    case PARAM_MAP: visit_items(v, row, at); break;
    case PARAM_VARIANT: visit_variant(v, row, at); break;
    default:
        v->name[v->length] = 0;
        v->visit(v->context, v->name, row, at);
        break;
    }
}

static void visit_table(visitor *v, const param_table *table, char *item) {
    for (const param_row *row = table->rows; row->name; row++) {
        size_t before = v->length;
        if (row->type != PARAM_MERGE) push_name(v, row->name, 0);
        visit_row(v, row, item + row->offset);
        v->length = before;
    }
}

void param_visit_values(const param_table *table, void *item, param_visit *visit, void *context) {
    visitor v = {.visit = visit, .context = context};
    visit_table(&v, table, item);
}
