// Snow as an elasto-plastic continuum, by the material point method (MPM15 ch. 3.4, 3.5, 4.3, 4.4).
#ifndef MPM_MPM_H
#define MPM_MPM_H

#include "body/body.h"

extern const param_table mpm_params;   // firn_mpm_def
extern const param_table mpm_sections; // of a scene
extern const model_class mpm_model;

// Ground that another model makes, as the snow field does: it bears snow up to a pressure, then it gives way.
typedef struct mpm_ground_point {
    float distance; // m; negative inside
    float normal[3];
    float bears; // Pa; INFINITY: it does not give way
} mpm_ground_point;
typedef struct mpm_ground {
    const void *model;
    float friction; // Coulomb coefficient
    // m, of its surface over x and z from low to high; -INFINITY: there is none. From tasks, like the next.
    double (*highest)(const void *model, const double low[2], const double high[2]);
    // The surface near a point. Beyond `reach` (m) any greater distance will do.
    void (*look)(const void *model, const double at[3], float reach, mpm_ground_point *out);
} mpm_ground;
void mpm_set_ground(void *model, mpm_ground ground); // look NULL: there is none

// A place where it gave way in the last step.
typedef struct mpm_dent {
    double at[3]; // m, where the lower side of a particle of snow is now
    float size;   // m, edge of the square that the particle covers
    float speed;  // m/s, at which it came
} mpm_dent;
const mpm_dent *mpm_dents(const void *model, size_t *count);
// Where there is a snow field in the scene. The snow that comes from it (offer_particles.add): its number
// among the model's, the mass of a particle (kg) and the edge of the cube that it fills as snow of the
// density that the field has at the start (m).
uint32_t mpm_field_snow(const void *model, double *mass, double *edge);
// Whether grains of phase become snow (coupling.mpm_phase.settle).
static inline bool mpm_gets_grains(const firn_world_def *def) {
    return def->mpm && def->mpm->heat && def->phase && def->coupling.mpm_phase.settle;
}
// Where they do: the number of that snow among the model's,
// the mass of a particle (kg), the edge of the cube that it fills (m), and into how many a grain is divided
// along each axis.
uint32_t mpm_phase_snow(const void *model, double *mass, double *edge, unsigned *parts);
// kg/m3, of a particle without load, as dense as at the start where it is loosened; J, its enthalpy (0
// without heat).
float mpm_rest_density(const void *model, size_t i);
double mpm_enthalpy_of(const void *model, size_t i);
// For how long particles have been slower than `speed` (m/s), by particle; dt (s) has passed since the last
// call.
const float *mpm_rest_times(void *model, double speed, double dt);
// N s that the snow gave to the ground in the last step.
void mpm_ground_impulse(const void *model, double out[3]);

#endif
