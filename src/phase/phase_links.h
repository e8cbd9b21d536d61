// Links between grains. Kept by number of the particle, so that nothing moves when particles are sorted: each
// grain has slots for its partners and for how long the link was when it formed. Both ends of a link know it.
#ifndef PHASE_PHASE_LINKS_H
#define PHASE_PHASE_LINKS_H

#include "base/status.h"

#include <stdint.h>

enum { PHASE_MOST_LINKS = 24 };

typedef struct phase_links {
    size_t most;       // slots of a grain
    size_t numbers;    // particles that there were so far
    uint32_t *partner; // [number][most]; state
    float *length;     // m, [number][most]; state
    uint32_t *count;   // [number]; state
    uint32_t *drop;    // [number]: slots that end in this step, by bit
    size_t capacity[4];
    uint32_t *place; // [number]: where the particle stands; UINT32_MAX: gone
    size_t place_capacity;
    // Of a step, by particle: where its partners stand, how long the links are, and how dry it is.
    uint32_t *other;
    float *rest, *dry;
    size_t step_capacity[3];
    // Pairs that may link, by block of rows.
    struct link_wish *wish;
    size_t wish_capacity;
    struct link_wishes {
        struct link_wish *item;
        size_t count, capacity;
        bool no_memory;
    } * block;
    size_t block_capacity;
    uint32_t *key, *index, *scratch_key, *scratch_index;
    size_t sort_capacity[4];
} phase_links;

// Slots that a grain may use at a temperature (PHASE21 eq. 6.8, rounded once all is multiplied).
static inline uint32_t phase_slots(double temperature, double freeze, double full, size_t most) {
    double share = (temperature - freeze) / (full - freeze);
    if (!(share > 0)) return 0;
    return share >= 1 ? (uint32_t)most : (uint32_t)(share * (double)most + 0.5);
}

#endif
