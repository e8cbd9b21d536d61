// From a tree to a struct, guided by a parameter table alone: no code per parameter.
#ifndef SCENE_READ_H
#define SCENE_READ_H

#include <firn/defs.h>

#include "base/param.h"
#include "scene/yaml.h"

// A parameter that a scene gives as keyframes.
typedef struct read_track {
    const void *at; // its place in the struct, which holds the first value
    firn_track_def def;
} read_track;

typedef struct reader {
    problem_list *problems;
    arena *memory;      // of the strings, lists and structs that the result points to
    bool incomplete;    // a part of the tree could not be read, which is reported: missing keys are not
    read_track *tracks; // mem_free it
    size_t track_count, track_capacity;
    text path; // "bodies.ball.shape.sphere", of what is being read
    int depth;
    const node *root; // of the scene: names of its items are words elsewhere
} reader;

// Fills item with the defaults of the table and then with what the map says. Errors are added to the list of
// problems.
void read_scene(reader *r, const param_table *table, const node *map, void *item);

#endif
