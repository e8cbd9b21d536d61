// Water that MPM snow cannot hold: it goes down through the snow and leaves it as drops of phase.
#ifndef WORLD_COUPLE_MELT_H
#define WORLD_COUPLE_MELT_H

#include "phase/phase.h"
#include "world/couple.h"

// A particle of a column of snow in which there is water.
typedef struct melt_item {
    uint64_t column;
    double height; // m
    uint32_t item;
} melt_item;

// Scratch; begins as zeros.
typedef struct melting {
    uint64_t *column;                // those with more water than they hold, in ascending order
    melt_item *item;                 // of these columns, each from above
    double *enthalpy;                // J/kg, of the items
    uint32_t *leaves, *out, *number; // items; particles; how many a block found
    phase_parcel *parcel;
    bool *taken;
    size_t columns, items, count; // and of those that leave
    size_t capacity[8];
} melting;

void couple_melt_free(melting *m);
// holds: share of the mass.
firn_status couple_melt(coupling *c, melting *m, double holds, double now, double dt);

#endif
