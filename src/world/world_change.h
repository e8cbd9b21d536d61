// What is added and removed while a world runs: the log of it, and models that are rebuilt.
#ifndef WORLD_WORLD_CHANGE_H
#define WORLD_WORLD_CHANGE_H

#include "world/world_models.h"
#include "world/world_state.h"

// The maps of a scene that may grow: a new item comes last, so that the numbers of others stay. What was
// removed stays as well, under another name, since particles and sums may belong to it; only bodies go.
typedef struct growing_map {
    const char *name;
    const char *fields; // with one entry for each item: a field, or all of a model ("bodies."); NULL: none
    size_t start, end;  // offsets of the times of a source; 0: it has none
    bool by_model;      // the model that runs takes the item in (model_growth); else all are rebuilt
    size_t holds;       // offset of the name of a body, which is free once the item is removed; 0: none
} growing_map;
enum {
    MAP_BODIES,
    MAP_POURS,
    MAP_EMITTERS,
    MAP_SPOUTS,
    MAP_PHASE_SPOUTS,
    MAP_MPM_SNOW,
    MAP_GRAINS,
    MAP_POOLS,
    MAP_PHASE_SNOW,
    MAP_PHASE_WATER,
    MAP_PINS,
    MAP_CONSTRAINTS,
    MAP_SOLIDS,
    MAPS
};
extern const growing_map world_maps[MAPS];

firn_status world_may_change(const firn_world *world); // it does not only show frames

// A record of the log. What follows it: of an addition the item (length of its name, the name, its values);
// of a removal a change_removal; padded to whole words.
typedef struct change_record {
    uint32_t removed; // 0: added
    uint32_t map;
    uint32_t number; // of what was removed
    uint32_t bytes;  // that follow
} change_record;
typedef struct change_removal {
    double time; // s
    double mass; // kg, of a body
} change_removal;
// The record at *at and what follows it; *at goes on to the next one. false: none is left, or (*damaged) it
// is not whole.
bool change_next(const text *log, size_t *at, change_record *r, const char **data, bool *damaged);

typedef struct item_array {
    char *items;
    size_t count;
} item_array;
// The list of a map in a def; FIRN_BAD_INPUT if the scene does not have its section.
firn_status change_list(firn_world_def *def, size_t map, const param_row **row, item_array **list);

// Models anew for these defs, which lie in `lists`; world->log is the one that led to them. r: they take over
// the present state; NULL: it will be loaded. Nothing has changed if it fails.
firn_status world_rebuild(firn_world *world, firn_world_def *def, firn_world_def *made, arena *lists,
                          const change_record *r);
// The model that a map belongs to takes in its last item.
firn_status world_model_add(firn_world *world, size_t map, bool loading);
// Live values of both defs, one after the other, for world_set_live.
firn_status world_read_live(firn_world_def *def, firn_world_def *made, double **live, size_t *count);
void world_set_live(firn_world *world, double *live, size_t count, bool changed);

#endif
