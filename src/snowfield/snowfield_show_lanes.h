// What follows from the columns of snow, over lanes.
#ifndef SNOWFIELD_FIELD_SHOW_LANES_H
#define SNOWFIELD_FIELD_SHOW_LANES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/isa.h"
#include "snowfield/snowfield_units.h"

enum { SHOW_TOGETHER = 16 }; // n below is a multiple of this

// Depth (m) of n columns; false: some mass or density cannot be.
ISA_DECLARE(bool, show_columns,
            (const snowfield_law *law, const int32_t *mass, const float *density, float *depth, size_t n));
// Depth of n columns on top of bodies, and the height (m) of the body below: 0 without snow.
ISA_DECLARE(void, show_tops,
            (const int32_t *mass, const float *density, const int32_t *roof, const int32_t *upper,
             float *depth, float *height, size_t n));
// Highest of n surfaces, m.
ISA_DECLARE(float, show_highest, (const float *ground, const float *depth, size_t n));
// Any of n masses is not 0.
ISA_DECLARE(bool, show_any, (const int32_t *mass, size_t n));

#endif
