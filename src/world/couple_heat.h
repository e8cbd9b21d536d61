// Heat that passes where particles touch the snow on the ground.
#ifndef WORLD_COUPLE_HEAT_H
#define WORLD_COUPLE_HEAT_H

#include "world/couple.h"

// J that pass from a to b; flow: J/K, conductance times time. Implicit: neither passes the other's
// temperature, whatever the time.
double couple_heat_between(const offer_heat *a, const offer_heat *b, double flow);
// Particles of c's first model and the columns of its second that they touch; contact: W/m2K.
firn_status couple_heat_ground(coupling *c, double contact, double dt);

#endif
