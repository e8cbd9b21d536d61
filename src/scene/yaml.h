// YAML as a tree in which every node knows its position in the source. Every scalar is text: the parameter
// tables give it a type.
#ifndef SCENE_YAML_H
#define SCENE_YAML_H

#include "scene/source.h"

typedef enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP } node_kind;

// Nodes never change once they are in a tree, so that aliases and merged maps can share what is below them.
typedef struct node {
    node_kind kind;
    bool plain; // a scalar without quotes
    place at;
    const char *text;         // of a scalar
    const struct node *key;   // of an entry of a map
    const struct node *first; // items of a list, values of a map
    const struct node *next;  // the next sibling
    size_t count;             // of children
    size_t weight;            // nodes in all when aliases are written out
} node;

bool node_is_empty(const node *n);                        // `key:` without a value
const char *node_kind_name(const node *n);                // "a list"
const node *node_child(const node *map, const char *key); // NULL: none

// The tree of one YAML document; NULL if there were problems, which are then in the list. An empty document
// is an empty scalar.
const node *yaml_read(const source *s, arena *memory, problem_list *problems);

// The same of a text that nobody has to be told the mistakes of: *root is NULL if it has some. Also reads
// JSON, which is YAML.
firn_status yaml_parse(const char *content, size_t bytes, arena *memory, const node **root);

// `over` on `base`: maps are merged key by key, all else is replaced. NULL: no memory.
const node *node_merge(const node *base, const node *over, arena *memory);
// The map without one of its keys; NULL: no memory.
const node *node_without(const node *map, const char *key, arena *memory);

#endif
