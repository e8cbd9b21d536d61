// The parameter tables of this folder that stand in other files.
#ifndef PHASE_PHASE_PARAMS_H
#define PHASE_PHASE_PARAMS_H

#include "phase/phase.h"

// The range of a row that is a temperature.
#define PHASE_DEGREES                                                                                        \
    .min = -273.15, .max = 1000, .range_note = "absolute zero is -273.15 C; there is no steam in this model"

// phase_source_params.c
extern const param_table phase_snow_params, phase_water_params, phase_spout_params, phase_drain_params,
    phase_box_params;

#endif
