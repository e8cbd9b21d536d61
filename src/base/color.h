// Colours by name and in hexadecimal.
#ifndef BASE_COLOR_H
#define BASE_COLOR_H

#include <firn/base.h>

// "#rrggbb", "#rgb" or a name, in sRGB, to linear RGB. false: neither.
bool color_read(const char *written, firn_vec3 *linear);
const char *const *color_names(void); // ends in NULL

#endif
