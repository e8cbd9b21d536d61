// The parts of a step that run over all grains of a block.
#ifndef GRAINS_GRAINS_LANES_H
#define GRAINS_GRAINS_LANES_H

#include <stddef.h>

#include "base/isa.h"

// Free flight with linear drag, solved exactly: v' = keep v + gain g, x' = x + travel v + drop g.
typedef struct grain_flight {
    float keep, travel;
    float gain[3], drop[3]; // with gravity
} grain_flight;
ISA_DECLARE(void, grains_fly,
            (const grain_flight *f, size_t n, float *x, float *y, float *z, float *u, float *v, float *w));
// low and high: of all x in both arrays. n may be any; arrays need no alignment.
ISA_DECLARE(void, grains_range, (size_t n, const float *a, const float *b, float *low, float *high));

// Contacts that need no sweep: grains that end less than `radius` from a body, on a path short against its
// thickness.
typedef struct grain_contact {
    float radius, friction, restitution, slowest, dt; // slowest: speed below which there is no restitution
    float origin[3], velocity[3], spin[3];            // of the body
    float gravity[3];
} grain_contact;
// d, nx, ny, nz: signed distance and normal of the body. Moves the grains out, with restitution and friction;
// ju, jv, jw: change of velocity, 0 where there was no contact.
ISA_DECLARE(void, grains_contact,
            (const grain_contact *c, size_t n, const float *d, const float *nx, const float *ny,
             const float *nz, float *x, float *y, float *z, float *u, float *v, float *w, float *ju,
             float *jv, float *jw));

#endif
