// Parameters that the program chooses where nothing is given (FIRN_AUTO).
#ifndef BASE_AUTO_H
#define BASE_AUTO_H

#include <firn/base.h>

static inline double auto_or(double given, double fallback) { return firn_is_auto(given) ? fallback : given; }

// Of vectors and colours the first number counts.
#define AUTO_COLOR ((firn_vec3){FIRN_AUTO, FIRN_AUTO, FIRN_AUTO})

#endif
