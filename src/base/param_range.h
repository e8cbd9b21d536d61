// Ranges of parameters, shared by what reads files and what checks structs.
#ifndef BASE_PARAM_RANGE_H
#define BASE_PARAM_RANGE_H

#include "base/param.h"

// `shown` is the value as the user knows it.
bool param_in_range(const param_row *row, const char *path, const char *shown, double value,
                    param_fault *fault);
// "1 kPa .. 100 GPa", "at least 0 m"; nothing if there is no limit.
void param_range_add(text *t, const param_row *row);

#endif
