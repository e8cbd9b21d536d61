// Building maps of nodes: children by key, and appending in order.
#ifndef SCENE_NODE_INDEX_H
#define SCENE_NODE_INDEX_H

#include "scene/yaml.h"

typedef struct node_index {
    const node **slots;
    size_t mask;
} node_index;
bool node_index_start(node_index *index, size_t count, arena *memory); // room for `count` keys
const node **node_index_slot(node_index *index,
                             const char *key); // the child of that key, or where it belongs

typedef struct node_builder {
    node *parent, *last;
} node_builder;
void node_builder_add(node_builder *b, node *child);

#endif
