// A struct of a parameter table as bytes, with all that it points to, and back.
#include <string.h>

#include "base/param.h"

static void pack_rows(text *t, const param_table *table, const char *item);

static void pack_number(text *t, uint32_t n) { text_add_bytes(t, (const char *)&n, sizeof n); }

static void pack_text(text *t, const char *word) {
    pack_number(t, word ? (uint32_t)strlen(word) : UINT32_MAX);
    if (word) text_add_bytes(t, word, strlen(word));
}

static size_t value_size(const param_row *row) { // 0: no plain value
    switch (row->type) {
    case PARAM_BOOL: return sizeof(bool);
    case PARAM_INT: return sizeof(int32_t);
    case PARAM_REAL: return sizeof(double);
    case PARAM_VEC3:
    case PARAM_COLOR: return sizeof(firn_vec3);
    case PARAM_CHOICE: return sizeof(int);
    default: return 0;
    }
}

typedef struct item_array {
    char *items;
    size_t count;
} item_array;

static void pack_items(text *t, const param_row *row, const char *at) {
    item_array array;
    memcpy(&array, at, sizeof array);
    pack_number(t, (uint32_t)array.count);
    for (size_t i = 0; i < array.count; i++) {
        const char *item = array.items + i * row->table->size;
        if (row->type == PARAM_MAP) pack_text(t, *(const char *const *)item);
        pack_rows(t, row->table, item);
    }
}

static void pack_row(text *t, const param_row *row, const char *at) {
    const param_variant *variant;
    const char *optional;
    size_t size = value_size(row);
    if (size > 0) {
        text_add_bytes(t, at, size);
        return;
    }
    switch (row->type) {
    case PARAM_TABLE:
    case PARAM_MERGE: pack_rows(t, row->table, at); break;
    case PARAM_OPTIONAL:
        memcpy(&optional, at, sizeof optional);
        pack_number(t, optional != NULL);
        if (optional) pack_rows(t, row->table, optional);
        break;
    case PARAM_LIST:
    case PARAM_MAP: pack_items(t, row, at); break;
    case PARAM_VARIANT:
        text_add_bytes(t, at, sizeof(int));
        variant = param_variant_of(row, at);
        if (variant && variant->table) pack_rows(t, variant->table, at);
        break;
    default: pack_text(t, *(const char *const *)at); break;
    }
}

static void pack_rows(text *t, const param_table *table, const char *item) {
    for (const param_row *row = table->rows; row->name; row++) pack_row(t, row, item + row->offset);
}

void param_pack(text *t, const param_table *table, const void *item) { pack_rows(t, table, item); }

// ---- and back

typedef struct unpacker {
    const char *at, *end;
    arena *memory;
    bool damaged, no_memory;
} unpacker;

static bool take(unpacker *u, void *to, size_t bytes) {
    if (u->damaged || (size_t)(u->end - u->at) < bytes) return u->damaged = true, false;
    memcpy(to, u->at, bytes);
    u->at += bytes;
    return true;
}

static void *take_room(unpacker *u, size_t bytes) {
    void *room = arena_alloc(u->memory, bytes + 1);
    if (!room) return u->no_memory = u->damaged = true, NULL;
    return memset(room, 0, bytes);
}

static void unpack_rows(unpacker *u, const param_table *table, char *item);

static void unpack_text(unpacker *u, char *at) {
    uint32_t length;
    const char *copy = NULL;
    if (!take(u, &length, sizeof length)) return;
    if (length != UINT32_MAX) {
        if ((size_t)(u->end - u->at) < length) {
            u->damaged = true;
            return;
        }
        copy = arena_text(u->memory, u->at, length);
        if (!copy) u->no_memory = u->damaged = true;
        u->at += length;
    }
    memcpy(at, &copy, sizeof copy);
}

static void unpack_items(unpacker *u, const param_row *row, char *at) {
    uint32_t count;
    size_t size = row->table->size;
    if (!take(u, &count, sizeof count) || count == 0) return;
    if (count > (size_t)(u->end - u->at)) { // each takes a byte at least
        u->damaged = true;
        return;
    }
    item_array array = {take_room(u, count * size), count};
    for (size_t i = 0; i < count && !u->damaged; i++) {
        if (row->type == PARAM_MAP) unpack_text(u, array.items + i * size);
        unpack_rows(u, row->table, array.items + i * size);
    }
    memcpy(at, &array, sizeof array);
}

static void unpack_optional(unpacker *u, const param_row *row, char *at) {
    uint32_t there;
    if (!take(u, &there, sizeof there) || !there) return;
    char *item = take_room(u, row->table->size);
    if (item) unpack_rows(u, row->table, item);
    memcpy(at, &item, sizeof item);
}

static void unpack_row(unpacker *u, const param_row *row, char *at) {
    const param_variant *variant;
    size_t size = value_size(row);
    if (size > 0) {
        take(u, at, size);
        return;
    }
    switch (row->type) {
    case PARAM_TABLE:
    case PARAM_MERGE: unpack_rows(u, row->table, at); break;
    case PARAM_OPTIONAL: unpack_optional(u, row, at); break;
    case PARAM_LIST:
    case PARAM_MAP: unpack_items(u, row, at); break;
    case PARAM_VARIANT:
        if (!take(u, at, sizeof(int))) return;
        variant = param_variant_of(row, at);
        if (variant && variant->table) unpack_rows(u, variant->table, at);
        break;
    default: unpack_text(u, at); break;
    }
}

static void unpack_rows(unpacker *u, const param_table *table, char *item) {
    param_set_cookie(table, item);
    for (const param_row *row = table->rows; row->name && !u->damaged; row++)
        unpack_row(u, row, item + row->offset);
}

firn_status param_unpack(const param_table *table, const void *data, size_t bytes, arena *a, void *item) {
    unpacker u = {data, (const char *)data + bytes, a, false, false};
    memset(item, 0, table->size);
    unpack_rows(&u, table, item);
    if (u.no_memory) return fail_memory("reading parameters", bytes);
    return u.damaged || u.at != u.end
               ? fail(FIRN_BAD_INPUT, "packed parameters of '%s' are damaged", table->name)
               : FIRN_OK;
}
