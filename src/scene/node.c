// Nodes of the YAML tree: lookup, building and merging of maps.
#include <string.h>

#include "base/hash.h"
#include "scene/node_index.h"

bool node_is_empty(const node *n) { return n->kind == NODE_SCALAR && n->plain && !n->text[0]; }

const char *node_kind_name(const node *n) {
    if (node_is_empty(n)) return "nothing";
    return n->kind == NODE_SCALAR ? "a single value" : n->kind == NODE_LIST ? "a list" : "a map";
}

const node *node_child(const node *map, const char *key) {
    for (const node *child = map->first; child; child = child->next)
        if (strcmp(child->key->text, key) == 0) return child;
    return NULL;
}

bool node_index_start(node_index *index, size_t count, arena *memory) {
    size_t size = 8;
    while (size < 2 * count) size *= 2;
    index->slots = arena_alloc(memory, size * sizeof *index->slots);
    index->mask = size - 1;
    return index->slots != NULL;
}

const node **node_index_slot(node_index *index, const char *key) {
    size_t i = (size_t)hash64_text(key, 0) & index->mask;
    while (index->slots[i] && strcmp(index->slots[i]->key->text, key) != 0) i = (i + 1) & index->mask;
    return &index->slots[i];
}

static bool append(node_builder *b, const node *child, arena *memory) {
    node *copy = arena_alloc(memory, sizeof *copy);
    if (!copy) return false;
    *copy = *child;
    copy->next = NULL;
    node_builder_add(b, copy);
    return true;
}

void node_builder_add(node_builder *b, node *child) {
    if (b->last)
        b->last->next = child;
    else
        b->parent->first = child;
    b->last = child;
    b->parent->count++;
    b->parent->weight += child->weight;
    if (b->parent->weight < child->weight) b->parent->weight = SIZE_MAX;
}

static node *empty_copy(const node *like, arena *memory) {
    node *n = arena_alloc(memory, sizeof *n);
    if (!n) return NULL;
    *n = *like;
    n->first = n->next = NULL;
    n->count = 0;
    n->weight = 1;
    return n;
}

const node *node_without(const node *map, const char *key, arena *memory) {
    node *result = empty_copy(map, memory);
    node_builder b = {.parent = result};
    for (const node *child = map->first; result && child; child = child->next)
        if (strcmp(child->key->text, key) != 0 && !append(&b, child, memory)) return NULL;
    return result;
}

// The key keeps the position in the base, where the item was first named; the value gets the position of the
// file that overrides it.
static const node *replace(const node *base, const node *over, arena *memory) {
    node *result = arena_alloc(memory, sizeof *result);
    if (!result) return NULL;
    *result = *over;
    result->key = base->key;
    return result;
}

const node *node_merge(const node *base, const node *over, arena *memory) {
    if (base->kind != NODE_MAP || over->kind != NODE_MAP) return replace(base, over, memory);
    node *result = empty_copy(over, memory);
    if (result) result->key = base->key;
    node_index index;
    if (!result || !node_index_start(&index, base->count + over->count, memory)) return NULL;
    for (const node *child = over->first; child; child = child->next)
        *node_index_slot(&index, child->key->text) = child;
    node_builder b = {.parent = result};
    for (const node *child = base->first; child; child = child->next) {
        const node *newer = *node_index_slot(&index, child->key->text);
        const node *merged = newer ? node_merge(child, newer, memory) : child;
        if (!merged || !append(&b, merged, memory)) return NULL;
    }
    if (!node_index_start(&index, base->count, memory)) return NULL;
    for (const node *child = base->first; child; child = child->next)
        *node_index_slot(&index, child->key->text) = child;
    for (const node *child = over->first; child; child = child->next)
        if (!*node_index_slot(&index, child->key->text) && !append(&b, child, memory)) return NULL;
    return result;
}
