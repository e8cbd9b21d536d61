// The parameter tables of this folder that stand in other files; phase has some of their rows, too.
#ifndef PBD_PBD_PARAMS_H
#define PBD_PBD_PARAMS_H

#include "pbd/pbd_state.h"

extern const param_row pbd_fill_rows[];    // firn_fill_def: a shape and its place
extern const param_row pbd_wall_rows[];    // firn_pbd_walls_def
extern const param_row pbd_drain_rows[];   // firn_pbd_drain_def; pbd_fluid_params.c
extern const param_row pbd_opening_rows[]; // firn_opening_def; pbd_fluid_params.c
void pbd_check_opening(const void *item, param_report *report);
void pbd_check_walls(const void *item, param_report *report);
void pbd_check_box(const void *item, param_report *report);
void pbd_check_drain(const void *item, param_report *report);
extern const param_table pbd_fluid_params; // firn_pbd_fluid_def; pbd_fluid_params.c

#endif
