// Hashes of parameter structs: every value with its name.
#include <string.h>

#include "base/hash.h"
#include "base/param.h"

typedef struct hasher {
    uint64_t hash;
    bool all;
    firn_status status;
    param_file_hash content;
    void *context;
} hasher;

static void add_bytes(hasher *h, const void *data, size_t bytes) { h->hash = hash64(data, bytes, h->hash); }

static void add_text(hasher *h, const char *words) {
    uint8_t there = words != NULL;
    add_bytes(h, &there, 1);
    if (words) h->hash = hash64_text(words, h->hash);
}

static void add_table(hasher *h, const param_table *table, const char *item);

static void add_items(hasher *h, const param_row *row, const char *at) {
    struct {
        const char *items;
        size_t count;
    } array;
    memcpy(&array, at, sizeof array);
    uint64_t count = array.count;
    add_bytes(h, &count, sizeof count);
    for (size_t i = 0; i < array.count; i++) {
        const char *item = array.items + i * row->table->size;
        if (row->type == PARAM_MAP) add_text(h, *(const char *const *)item);
        add_table(h, row->table, item);
    }
}

static void add_file(hasher *h, const char *path) {
    if (h->all || !path) add_text(h, path);
    if (!path || !h->content || h->status != FIRN_OK) return;
    uint64_t content;
    h->status = h->content(h->context, path, &content);
    if (h->status == FIRN_OK) add_bytes(h, &content, sizeof content);
}

static void add_optional(hasher *h, const param_row *row, const char *item) {
    uint8_t there = item != NULL;
    add_bytes(h, &there, 1);
    if (item) add_table(h, row->table, item);
}

static void add_value(hasher *h, const param_row *row, const char *at) {
    switch (row->type) {
    case PARAM_BOOL: add_bytes(h, at, sizeof(bool)); break;
    case PARAM_INT: add_bytes(h, at, sizeof(int32_t)); break;
    case PARAM_REAL: add_bytes(h, at, sizeof(double)); break;
    case PARAM_CHOICE: add_bytes(h, at, sizeof(int)); break;
    case PARAM_VEC3:
    case PARAM_COLOR: add_bytes(h, at, sizeof(firn_vec3)); break;
    case PARAM_TEXT:
    case PARAM_WORD: add_text(h, *(const char *const *)at); break;
    case PARAM_FILE: add_file(h, *(const char *const *)at); break;
    case PARAM_TABLE:
    case PARAM_MERGE: add_table(h, row->table, at); break;
    case PARAM_OPTIONAL: add_optional(h, row, *(const char *const *)at); break;
    case PARAM_LIST:
    case PARAM_MAP: add_items(h, row, at); break;
    case PARAM_VARIANT: {
        const param_variant *variant = param_variant_of(row, at);
        add_text(h, variant->name);
        if (variant->table) add_table(h, variant->table, at);
        break;
    }
    }
}

static bool is_empty(const param_row *row, const char *at) {
    size_t count;
    if (row->type == PARAM_OPTIONAL) return *(const char *const *)at == NULL;
    memcpy(&count, at + sizeof(void *), sizeof count);
    return count == 0;
}

static void add_table(hasher *h, const param_table *table, const char *item) {
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->sparse && is_empty(row, item + row->offset)) continue;
        if (!h->all && (row->unhashed || row->type == PARAM_COLOR)) continue;
        if (row->type != PARAM_MERGE) add_text(h, row->name);
        add_value(h, row, item + row->offset);
    }
}

firn_status param_hash(const param_table *table, const void *item, bool all, param_file_hash content,
                       void *context, uint64_t *hash) {
    hasher h = {.hash = 1, .all = all, .status = FIRN_OK, .content = content, .context = context};
    add_table(&h, table, item);
    *hash = h.hash;
    return h.status;
}
