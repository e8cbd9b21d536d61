// Snow that melts and water that freezes (PHASE21): grains and drops in one system.
#ifndef PHASE_PHASE_H
#define PHASE_PHASE_H

#include "body/body.h"

extern const param_table phase_params;   // firn_phase_def
extern const param_table phase_sections; // of a scene
extern const model_class phase_model;

double phase_snow_density(const firn_world_def *scene, const firn_phase_snow_def *def); // kg/m3
bool phase_links_elastic(const firn_phase_def *def); // whether links have a Young's modulus
bool phase_is_empty(const firn_phase_def *def);      // nothing in it makes particles
// Whether other models of a scene may give it water and snow (phase_take_in).
bool phase_gets_melt(const firn_world_def *scene);

// Snow or water that comes from another model.
typedef struct phase_parcel {
    double at[3], edge; // m, a cube: its middle and its edge
    double mass, heat;  // kg, J
    double momentum[3]; // N s
} phase_parcel;
// Makes drops and grains of them, one after the other: with a melted share below 1 some are ice. What is
// too little for a particle waits for the next. Those for whose particles there is no room are not taken.
firn_status phase_take_in(void *model, size_t count, const phase_parcel *items, bool *taken);
// Takes grains out, given in ascending order; what they leave behind (rest) waits.
firn_status phase_give_out(void *model, size_t count, const uint32_t *items, const phase_parcel *rest);
// Where grains become snow of other models (coupling.mpm_phase.settle): for how long particles have been
// slower than `speed` (m/s) and frozen, by particle; dt (s) has passed since the last call.
bool phase_settles(const firn_world_def *scene);
const float *phase_rest_times(void *model, double speed, double dt);
double phase_latent(const void *model); // J/kg; 0: snow melts at once

#endif
