// From names to values, and over all values.
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
        } else if (starts_with(name, row->name, &rest)) {
            *found = row;
            return *rest ? locate_below(row, at, rest, found) : at;
        }
    }
    return NULL;
}

void param_visit_values(const param_table *table, void *item, param_visit *visit, void *context) {
    for (const param_row *row = table->rows; row->name; row++) {
        char *at = (char *)item + row->offset;
        const param_variant *variant;
        item_array array;
        void *optional;
        switch (row->type) {
        case PARAM_TABLE:
        case PARAM_MERGE: param_visit_values(row->table, at, visit, context); break;
        case PARAM_OPTIONAL:
            memcpy(&optional, at, sizeof optional);
            if (optional) param_visit_values(row->table, optional, visit, context);
            break;
        case PARAM_LIST:
        case PARAM_MAP:
            array = array_at(at);
            for (size_t i = 0; i < array.count; i++)
                param_visit_values(row->table, array.items + i * row->table->size, visit, context);
            break;
        case PARAM_VARIANT:
            variant = param_variant_of(row, at);
            if (variant && variant->table) param_visit_values(variant->table, at, visit, context);
            break;
        default: visit(context, row, at); break;
        }
    }
}
