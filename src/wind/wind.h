// Wind around bodies, on a grid of cells. README.md says what and why.
#ifndef WIND_WIND_H
#define WIND_WIND_H

#include "body/body.h"

extern const param_table wind_params;   // firn_wind_def
extern const param_table flakes_params; // firn_flakes_def
extern const param_table cover_params;  // firn_cover_def

// What the model is made from.
typedef struct wind_sections {
    const firn_wind_def *wind;
    const firn_flakes_def *flakes; // NULL: none
    const firn_cover_def *cover;   // NULL: none
} wind_sections;
extern const model_class wind_model;

#endif
