// Dimensions and units of quantities: "5 cm", "-3 C", "140 kPa", "35 deg", "20 mm/h".
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/text.h"

typedef enum dimension {
    DIM_NONE, // a pure number; "%" is allowed
    DIM_LENGTH,
    DIM_TIME,
    DIM_MASS,
    DIM_TEMPERATURE, // degrees Celsius inside; C, K, F outside
    DIM_ANGLE,       // rad
    DIM_VELOCITY,
    DIM_ACCELERATION,
    DIM_SPIN,     // rad/s
    DIM_DENSITY,  // kg/m3
    DIM_PRESSURE, // Pa
    DIM_FORCE,
    DIM_FREQUENCY,     // 1/s
    DIM_STIFFNESS,     // N/m
    DIM_PRECIPITATION, // m/s of water; people write mm/h
    DIM_CONDUCTIVITY,  // W/mK
    DIM_HEAT_CAPACITY, // J/kgK
    DIM_HEAT,          // J/kg
    DIM_HEAT_EXCHANGE, // W/m2K
    DIM_COUNT_,
} dimension;

const char *dimension_name(dimension d); // "length"
const char *dimension_unit(dimension d); // the SI unit as written: "m", "kg/m3", "" for none
// "m, cm, mm, km"
const char *dimension_units(dimension d);

typedef enum quantity_problem {
    QUANTITY_OK,
    QUANTITY_NOT_A_NUMBER,
    QUANTITY_UNKNOWN_UNIT,
    QUANTITY_WRONG_DIMENSION
} quantity_problem;
// Reads "5 cm" or "5cm" or "5" (SI) as dimension d into *value. On QUANTITY_WRONG_DIMENSION *found is what it
// is instead; on QUANTITY_UNKNOWN_UNIT *unit points at the unit inside `written`. Not a number covers "nan",
// "inf" and anything that does not fit a double. Does not depend on the locale.
quantity_problem quantity_read(const char *written, dimension d, double *value, dimension *found,
                               const char **unit);
// Writes a finite value in a readable unit: 0.05 -> "5 cm". quantity_read of it gives back the same bits.
void quantity_write(text *t, double value, dimension d);

#endif
