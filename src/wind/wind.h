// Wind around bodies, on a grid of cells. README.md says what and why.
#ifndef WIND_WIND_H
#define WIND_WIND_H

#include "body/body.h"

extern const param_table wind_params; // firn_wind_def
extern const model_class wind_model;

#endif
