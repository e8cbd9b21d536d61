// One snow for all models: `snow: powder` means the same snow in the air, on the ground and in a block.
#ifndef SNOW_SNOW_TYPE_H
#define SNOW_SNOW_TYPE_H

#include "base/status.h"

typedef struct snow_type {
    const char *name;
    const char *character;            // one line of description
    double density_low, density_high; // kg/m3 (MPM15 table 1, FIELD11 table 3.1)
    double density;                   // kg/m3, the default
    double friction, restitution;     // of a body or grain made of it
    double angle_of_repose;           // rad
    double young, poisson;            // Pa, 1; of the MPM snow law, not measured stiffness
    double critical_compression, critical_stretch, hardening; // theta_c, theta_s, xi
    double color[3];                                          // linear RGB
    double drift_threshold; // m/s, threshold friction velocity of the wind for drift
} snow_type;

const snow_type *snow_type_find(const char *name); // NULL: no such type
const snow_type *snow_types(size_t *count);
const char *const *snow_type_names(void); // ends in NULL

// Measured stiffness from density (MPM15 eq. 15-16, Sigrist).
double snow_young_measured(double density); // Pa
double snow_poisson_measured(double density);

#endif
