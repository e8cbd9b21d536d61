// Heat that passes where particles touch the snow on the ground.
#ifndef WORLD_COUPLE_HEAT_H
#define WORLD_COUPLE_HEAT_H

#include "world/couple.h"

// J that pass from a to b; flow: J/K, conductance times time. Implicit: neither passes the other's
// temperature, whatever the time.
double couple_heat_between(const offer_heat *a, const offer_heat *b, double flow);

// Particles and the columns that they touch; scratch, begins as zeros.
typedef struct heat_contact heat_contact;
typedef struct heat_contacts {
    heat_contact *item;
    size_t count;
    uint32_t *found;  // by block of particles
    uint64_t *column; // that got heat
    double *heat;     // J, which they got
    size_t capacity[4];
} heat_contacts;
// Conducts heat between particles of c's first model and the columns of its second that they touch; contact:
// W/m2K. Where the two lapse at different rates, by the faster of both.
firn_status couple_heat_ground(coupling *c, heat_contacts *l, double contact, double dt);
void couple_heat_free(heat_contacts *l);

#endif
