// Contact of two models of particles, for couplings in which more than momentum passes.
#ifndef WORLD_COUPLE_PARTICLES_H
#define WORLD_COUPLE_PARTICLES_H

#include "grid/neighbours.h"
#include "world/couple.h"

// Where the particles of a model are.
typedef struct touch_extent {
    double low[3], high[3]; // m
    double speed2;          // m2/s2, the largest
} touch_extent;

// One of them, in the region that both share.
typedef struct touched {
    uint32_t item;
    float radius;
    double inverse_mass;          // 1/kg
    double velocity[3], shift[3]; // m/s, m
    double before[3];             // m/s
} touched;

// What a particle of the first model meets: one of the second, or the snow of MPM around the place of
// contact, as its grid would see it. An impulse of 1 N s changes the velocity of each by `gain`; their
// velocity is the mean by `weight`.
typedef struct touch_share {
    uint32_t item; // in `touched`
    double gain;   // m/s per N s
    double weight;
} touch_share;

typedef struct touch_contact {
    uint32_t item, first, end;  // the particle; what it meets, in `share`
    double normal[3], most;     // from those to the particle; m, by which they may be moved apart now
    double inverse_mass;        // 1/kg, of what it meets
    double depth;               // m, of the overlap; below 0: only heat passes
    uint32_t nearest;           // of what it meets, in `touched`
    double push, rub[3], apart; // N s, N s, m: so far
} touch_contact;

// Scratch; begins as zeros.
typedef struct touching {
    touch_extent *part; // by block
    offer_particle *read;
    uint32_t *found;
    touched *item; // of the first model, then of the second
    float (*at)[3];
    size_t firsts, count; // of the first; of both
    touch_contact *contact;
    size_t contacts;
    touch_share *share;
    size_t shares;
    bool cloud; // the second is MPM snow
    bool warm;  // contacts are listed as far away as heat passes
    size_t capacity[7];
    neighbour_grid grid;
    neighbour_lists lists;
} touching;

void couple_touch_free(touching *t);
// The `max_dt` of such couplings.
double couple_touch_max_dt(coupling *c);
// Stops what overlaps, with friction. c->own begins with a struct touching, which then holds the contacts.
// Snow of MPM is the second in it, whichever it is in c.
firn_status couple_touch(coupling *c, double friction, double dt);

// Their law, for `help`.
#define TOUCH_HELP                                                                                           \
    "Particles of the two that overlap stop each other without bouncing, with Coulomb friction, and are "    \
    "moved apart without a velocity; the momentum that one loses the other gains. While they may touch, "    \
    "both take steps of 1 ms at most."
#define TOUCH_MPM_HELP                                                                                       \
    " Snow of MPM is met as its grid sees it: the push acts on all of it within about a cell, and it "       \
    "deforms "                                                                                               \
    "by its own law."

#endif
