// Snow that melts and water that freezes (PHASE21): grains and drops in one system.
#ifndef PHASE_PHASE_H
#define PHASE_PHASE_H

#include "body/body.h"

extern const param_table phase_params;   // firn_phase_def
extern const param_table phase_sections; // of a scene
extern const model_class phase_model;

double phase_snow_density(const firn_world_def *scene, const firn_phase_snow_def *def); // kg/m3
bool phase_links_elastic(const firn_phase_def *def); // whether links have a Young's modulus

#endif
