// The parameter tables of this folder that stand in other files.
#ifndef PHASE_PHASE_PARAMS_H
#define PHASE_PHASE_PARAMS_H

#include "body/place_rows.h"
#include "phase/phase.h"

// A row that is a temperature.
#define PHASE_TEMPERATURE_ROW(struct_type, member, start, ...)                                               \
    REAL_ROW(struct_type, member, DIM_TEMPERATURE, start, -273.15, 1000, __VA_ARGS__,                        \
             .range_note = "absolute zero is -273.15 C; there is no steam in this model")

// phase_source_params.c
extern const param_table phase_snow_params, phase_water_params, phase_spout_params, phase_drain_params;

#endif
