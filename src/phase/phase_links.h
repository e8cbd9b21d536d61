// Links between grains. Kept by number of the particle, so that sorting moves nothing: each
// grain has slots for its partners and the rest lengths of the links. Both ends of a link store it.
#ifndef PHASE_PHASE_LINKS_H
#define PHASE_PHASE_LINKS_H

#include "base/status.h"
#include "math/dvec.h"

#include <stdint.h>

enum { PHASE_MOST_LINKS = 24 };

// Of a grain with elastic links.
typedef struct phase_turn {
    double rotation[3][3]; // of its links from the undeformed lump, where they are predicted
    double before[3][3];   // the same at the start of the step
    float stiffness;       // N/m, of each of them
    // Of the solve (phase_elastic.c).
    firn_vec3 moved, residual, direction, product; // m, N, m, N
    double diagonal;                               // N/m
} phase_turn;

typedef struct phase_links {
    size_t most;       // slots of a grain
    size_t numbers;    // particles created so far
    uint32_t *partner; // [number][most]; state
    float *length;     // m, [number][most]; state
    uint32_t *count;   // [number]; state
    uint32_t *drop;    // [number]: slots that end in this step, by bit
    size_t capacity[4];
    uint32_t *place; // [number]: index of the particle; UINT32_MAX: removed
    size_t place_capacity;
    // Of a step, by particle: indices of its partners, rest lengths of the links, and its frozen share.
    uint32_t *other;
    float *rest, *dry;
    phase_turn *turn; // of elastic links only
    float *weight;    // N/m, [particle][most]: of elastic links, in the solve of a step
    size_t step_capacity[5];
    // Candidate pairs, by block of rows.
    struct link_candidate *candidate;
    size_t candidate_capacity;
    struct link_candidates {
        struct link_candidate *item;
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
