// Deep copies of parameter structs into an arena.
#include <string.h>

#include "base/param.h"

static bool copy_rows(const param_table *table, char *item, arena *a);

static bool copy_text(char *at, arena *a) {
    const char *from = *(const char *const *)at;
    if (!from) return true;
    const char *copy = arena_text(a, from, strlen(from));
    memcpy(at, &copy, sizeof copy);
    return copy != NULL;
}

static bool copy_items(const param_row *row, char *at, arena *a) {
    struct {
        const char *items;
        size_t count;
    } array;
    memcpy(&array, at, sizeof array);
    if (array.count == 0) return true;
    size_t size = row->table->size;
    char *items = arena_alloc(a, array.count * size);
    if (!items) return false;
    memcpy(items, array.items, array.count * size);
    memcpy(at, &items, sizeof items);
    for (size_t i = 0; i < array.count; i++) {
        if (row->type == PARAM_MAP && !copy_text(items + i * size, a)) return false;
        if (!copy_rows(row->table, items + i * size, a)) return false;
    }
    return true;
}

static bool copy_optional(const param_row *row, char *at, arena *a) {
    const void *from = *(const void *const *)at;
    if (!from) return true;
    const void *copy = param_copy(row->table, from, a);
    memcpy(at, &copy, sizeof copy);
    return copy != NULL;
}

// The struct at `item` is a copy already; what it points to is not.
static bool copy_rows(const param_table *table, char *item, arena *a) {
    for (const param_row *row = table->rows; row->name; row++) {
        char *at = item + row->offset;
        const param_variant *variant;
        bool good = true;
        switch (row->type) {
        case PARAM_TEXT:
        case PARAM_FILE:
        case PARAM_WORD: good = copy_text(at, a); break;
        case PARAM_TABLE:
        case PARAM_MERGE: good = copy_rows(row->table, at, a); break;
        case PARAM_OPTIONAL: good = copy_optional(row, at, a); break;
        case PARAM_LIST:
        case PARAM_MAP: good = copy_items(row, at, a); break;
        case PARAM_VARIANT:
            variant = param_variant_of(row, at);
            good = !variant || !variant->table || copy_rows(variant->table, at, a);
            break;
        case PARAM_BOOL:
        case PARAM_INT:
        case PARAM_REAL:
        case PARAM_VEC3:
        case PARAM_COLOR:
        case PARAM_CHOICE: break;
        }
        if (!good) return false;
    }
    return true;
}

void *param_copy(const param_table *table, const void *item, arena *a) {
    char *copy = arena_alloc(a, table->size);
    if (!copy) return NULL;
    memcpy(copy, item, table->size);
    return copy_rows(table, copy, a) ? copy : NULL;
}
