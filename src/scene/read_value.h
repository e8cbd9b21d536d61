// The parts of the reader that are about one value, one missing key, one check.
#ifndef SCENE_READ_VALUE_H
#define SCENE_READ_VALUE_H

#include "scene/read.h"

// BOOL, INT, REAL, VEC3, COLOR, TEXT, FILE, CHOICE, WORD.
void read_value(reader *r, const param_row *row, const node *n, char *at);
void report_missing(reader *r, const param_row *row, place where);
// The table's own check; what it finds is shown at the key it names.
void run_check(reader *r, const param_table *table, const node *map, place where, const char *item);

// The dotted name of what is being read.
size_t path_push(reader *r, const char *word);
void path_pop(reader *r, size_t before);
const char *path_of(const reader *r);

#endif
