// The snow field: heights and densities in cells, in which bodies leave tracks. README.md says what and why.
#ifndef FIELD_FIELD_H
#define FIELD_FIELD_H

#include "body/body.h"

extern const param_table field_params; // firn_snowfield_def
extern const model_class field_model;

#endif
