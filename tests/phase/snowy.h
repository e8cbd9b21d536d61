// Small worlds of snow and water, for the tests of phase.
#ifndef TESTS_PHASE_SNOWY_H
#define TESTS_PHASE_SNOWY_H

#include "support.h"

#include <math.h>
#include <string.h>

#include "phase/phase_state.h"
#include "world/world.h"

static inline firn_world *snowy_open(const char *words) {
    firn_world *world;
    if (firn_world_open_text(words, "test", &world) != FIRN_OK) fail_msg("%s", firn_last_error());
    return world;
}

static inline phase *snowy_model(firn_world *world) {
    for (size_t k = 0; k < 16; k++)
        if (strcmp(world_model_class(world, k)->name, "phase") == 0) return world_model(world, k);
    return NULL;
}

static inline void snowy_run(firn_world *world, size_t steps) {
    for (size_t k = 0; k < steps; k++)
        if (firn_world_step(world) != FIRN_OK) fail_msg("%s", firn_last_error());
}

static inline size_t snowy_grains(const phase *m) {
    size_t snow = 0;
    for (size_t i = 0; i < m->s->p.count; i++) snow += phase_is_snow(m, i);
    return snow;
}

static inline double snowy_top(const phase *m) {
    double top = -INFINITY;
    for (size_t i = 0; i < m->s->p.count; i++) top = fmax(top, m->s->p.at[i][1]);
    return top;
}

#endif
