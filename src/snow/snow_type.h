// One snow for all models: `snow: powder` means the same snow in the air, on the ground and in a block.
#ifndef SNOW_SNOW_TYPE_H
#define SNOW_SNOW_TYPE_H

#include <firn/defs.h>

#include "base/param_rows.h"

typedef struct snow_type {
    const char *name;
    const char *character;            // one line of description
    double density_low, density_high; // kg/m3 (MPM15 table 1, FIELD11 table 3.1)
    double density;                   // kg/m3, the default
    double friction, restitution;     // of a body or grain made of it
    double angle_of_repose;           // rad
    double young, poisson;            // Pa, 1; of the MPM snow law, not measured stiffness
    double critical_compression, critical_stretch, hardening; // theta_c, theta_s, xi
    firn_snow_law law;
    double cohesion;               // beta of Cam clay
    double strength;               // Pa, of Drucker-Prager and Cam clay in mpm; 0: bearing
    double adhesion;               // Pa, to bodies
    double clod;                   // m, size of the lumps between which it breaks; 0: none
    double max_density;            // kg/m3, without pores
    double bearing, bearing_power; // Pa at its density, and the power of the density with which it grows
    double color[3];               // linear RGB
    double drift_threshold;        // m/s, threshold friction velocity of the wind for drift
} snow_type;

// The types that every scene knows: firn's own, then those that the program registered.
const snow_type *snow_type_find(const char *name); // NULL: no such type
const snow_type *snow_types(size_t *count);
const char *const *snow_type_names(void); // ends in NULL

// What a word means in a scene, which may have types of its own; scene NULL: it has none. The texts of the
// result are the scene's. snow_type_of a word that is not known is packed snow: what reads scenes refuses it.
bool snow_type_known(const firn_world_def *scene, const char *name);
snow_type snow_type_of(const firn_world_def *scene, const char *name);
// Names and parents of a scene's own types.
void snow_types_check(const firn_world_def *scene, param_report *report);

extern const char *const snow_laws[];      // firn_snow_law
extern const param_table snow_type_params; // firn_snow_type_def
// The row of a member that names a snow type.
#define SNOW_ROW(struct_type, member, start, ...)                                                            \
    WORD_ROW(struct_type, member, start, snow_type_names, __VA_ARGS__, .items = "snow_types")

// Adds the numbers of each type that the program registered and that a value of the struct names, since its
// name alone does not say what it is. Without any the hash stays as it is.
uint64_t snow_types_hash(const param_table *table, void *item, uint64_t hash);

// Measured stiffness from density (MPM15 eq. 15-16, Sigrist).
double snow_young_measured(double density); // Pa
double snow_poisson_measured(double density);

#endif
