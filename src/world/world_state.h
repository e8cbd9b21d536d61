// The inside of a world; only for files of this folder.
#ifndef WORLD_WORLD_STATE_H
#define WORLD_WORLD_STATE_H

#include "world/world.h"

enum { WORLD_MODELS = 8, WORLD_FIELDS = 96 };

typedef struct world_member {
    const model_class *kind;
    void *state;
} world_member;

struct firn_world {
    firn_world_def def; // numbers only
    world_clock clock;
    world_member member[WORLD_MODELS]; // bodies first
    size_t members;
    firn_field field[WORLD_FIELDS]; // fetched again after every step and load
    size_t fields;
};

void world_fetch_fields(firn_world *world);
// The watchdog: FIRN_UNSTABLE with model, item and step if anything is not finite or too fast.
firn_status world_watch(const firn_world *world);
// FIRN_UNSTABLE if a ledger does not add up.
firn_status world_check_ledgers(const firn_world *world);

#endif
