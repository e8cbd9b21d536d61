// Dimensions and units of quantities: "5 cm", "-3 C", "140 kPa", "35 deg", "20 mm/h".
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <firn/param.h>

#include "base/text.h"

typedef firn_dimension dimension;
#define DIM_NONE FIRN_DIM_NONE
#define DIM_LENGTH FIRN_DIM_LENGTH
#define DIM_TIME FIRN_DIM_TIME
#define DIM_MASS FIRN_DIM_MASS
#define DIM_TEMPERATURE FIRN_DIM_TEMPERATURE
#define DIM_ANGLE FIRN_DIM_ANGLE
#define DIM_VELOCITY FIRN_DIM_VELOCITY
#define DIM_ACCELERATION FIRN_DIM_ACCELERATION
#define DIM_SPIN FIRN_DIM_SPIN
#define DIM_DENSITY FIRN_DIM_DENSITY
#define DIM_PRESSURE FIRN_DIM_PRESSURE
#define DIM_FORCE FIRN_DIM_FORCE
#define DIM_FREQUENCY FIRN_DIM_FREQUENCY
#define DIM_STIFFNESS FIRN_DIM_STIFFNESS
#define DIM_PRECIPITATION FIRN_DIM_PRECIPITATION
#define DIM_CONDUCTIVITY FIRN_DIM_CONDUCTIVITY
#define DIM_HEAT_CAPACITY FIRN_DIM_HEAT_CAPACITY
#define DIM_HEAT FIRN_DIM_HEAT
#define DIM_HEAT_EXCHANGE FIRN_DIM_HEAT_EXCHANGE
#define DIM_VISCOSITY FIRN_DIM_VISCOSITY
#define DIM_COUNT_ FIRN_DIM_COUNT_

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
