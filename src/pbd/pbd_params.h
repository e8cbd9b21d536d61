// The parameter tables of this folder that stand in other files; phase has some of their rows, too.
#ifndef PBD_PBD_PARAMS_H
#define PBD_PBD_PARAMS_H

#include "pbd/pbd_state.h"

extern const param_table pbd_box_params;     // firn_pbd_box_def
extern const param_table pbd_opening_params; // firn_opening_def; pbd_fluid_params.c
extern const param_row pbd_drain_rows[];     // firn_pbd_drain_def; pbd_fluid_params.c
void pbd_check_drain(const void *item, param_report *report);
extern const param_table pbd_fluid_params; // firn_pbd_fluid_def; pbd_fluid_params.c

#endif
