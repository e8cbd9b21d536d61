// The parameter tables of this folder that stand in other files.
#ifndef PBD_PBD_PARAMS_H
#define PBD_PBD_PARAMS_H

#include "pbd/pbd_state.h"

extern const param_row pbd_fill_rows[];    // firn_fill_def: a shape and its place
extern const param_table pbd_fluid_params; // firn_pbd_fluid_def; pbd_fluid_params.c

#endif
