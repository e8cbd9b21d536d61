// Everything the tables know, as one flat list: for explain, list and the reference.
#ifndef SCENE_CATALOG_H
#define SCENE_CATALOG_H

#include <firn/world.h>

#include "base/param.h"

// A row ("bodies.friction") or, if variant is set, one word of a variant row ("bodies.shape.sphere"). Rows
// that several paths lead to (shapes of bodies and of fills) are listed once, under the first.
typedef struct catalog_entry {
    const char *path;
    const param_row *row;
    const param_variant *variant;
} catalog_entry;

typedef struct catalog {
    arena memory;
    catalog_entry *items;
    size_t count, capacity;
    bool failed; // out of memory
} catalog;

firn_status catalog_build(catalog *c, const param_table *root);
void catalog_free(catalog *c);

// The last word of a dotted name.
const char *last_word(const char *path);

// "length, 1 mm .. 10 m": the values that the key takes.
void describe_value(text *t, const param_row *row);
// An example value: the default, or one in range.
void example_value(text *t, const param_row *row);
void add_children(text *t, const param_table *table); // one line per row

#endif
