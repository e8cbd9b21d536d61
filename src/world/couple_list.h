// The couplings, in the order in which they act after a step. A new one is a file couple_<a>_<b>.c and a line
// here.
#ifndef WORLD_COUPLE_LIST_H
#define WORLD_COUPLE_LIST_H

#include "world/couple.h"

#define WORLD_COUPLINGS(COUPLING)                                                                            \
    COUPLING(wind_bodies)                                                                                    \
    COUPLING(wind_field)                                                                                     \
    COUPLING(cover_field)                                                                                    \
    COUPLING(wind_grains)                                                                                    \
    COUPLING(wind_mpm)                                                                                       \
    COUPLING(wind_pbd)                                                                                       \
    COUPLING(wind_phase)                                                                                     \
    COUPLING(mpm_field)                                                                                      \
    COUPLING(grains_field)                                                                                   \
    COUPLING(pbd_field)                                                                                      \
    COUPLING(phase_field)                                                                                    \
    COUPLING(grains_mpm)                                                                                     \
    COUPLING(grains_pbd)                                                                                     \
    COUPLING(grains_phase)                                                                                   \
    COUPLING(mpm_pbd)                                                                                        \
    COUPLING(mpm_phase)                                                                                      \
    COUPLING(pbd_phase)

#endif
