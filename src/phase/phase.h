// Snow that melts and water that freezes (PHASE21): grains and drops in one system.
#ifndef PHASE_PHASE_H
#define PHASE_PHASE_H

#include "body/body.h"

extern const param_table phase_params;   // firn_phase_def
extern const param_table phase_sections; // of a scene
extern const model_class phase_model;

#endif
