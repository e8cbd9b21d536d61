// Position-based dynamics: particles, and constraints that move them (PBD19; XPBD).
#ifndef PBD_PBD_H
#define PBD_PBD_H

#include "body/body.h"

extern const param_table pbd_params;   // firn_pbd_def
extern const param_table pbd_sections; // of a scene
extern const model_class pbd_model;

#endif
