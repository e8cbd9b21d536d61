// The parameter tables of this folder that stand in other files.
#ifndef PHASE_PHASE_PARAMS_H
#define PHASE_PHASE_PARAMS_H

#include "phase/phase.h"

// Not a range of the rows: the message says what is wrong with such a number.
void phase_check_temperature(const char *key, double value, param_report *report);
// phase_source_params.c
extern const param_table phase_snow_params, phase_water_params, phase_spout_params, phase_drain_params,
    phase_box_params;

#endif
