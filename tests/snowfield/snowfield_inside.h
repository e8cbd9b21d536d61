// For tests that look into the snow field itself.
#ifndef TESTS_FIELD_INSIDE_H
#define TESTS_FIELD_INSIDE_H

#include <string.h>

#include "snowfield/snowfield_state.h"
#include "world/world.h"

static inline snowfield_state *state_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (strcmp(world_model_class(world, i)->name, "field") == 0) return world_model(world, i);
    return NULL;
}

#endif
