// Snow as an elasto-plastic continuum, by the material point method (MPM15 ch. 3.4, 3.5, 4.3, 4.4).
#ifndef MPM_MPM_H
#define MPM_MPM_H

#include "body/body.h"

extern const param_table mpm_params;   // firn_mpm_def
extern const param_table mpm_sections; // of a scene
extern const model_class mpm_model;

#endif
