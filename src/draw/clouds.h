// The inside of clouds.c, shared with its hot loop.
#ifndef DRAW_CLOUDS_H
#define DRAW_CLOUDS_H

#include <stdint.h>

#include "base/isa.h"

typedef struct cloud {
    float middle[2], radius; // px
    float depth, thick, opacity;
    float sun[3];                 // towards it: right, down, to the eye
    float lit[2][3], light[2][3]; // sRGB and linear: turned away from the sun, turned towards it
    uint32_t seed;
    int row0, row1;
} cloud;

enum { CLOUD_MARGIN = 16 }; // numbers that may be written beyond the last

// How much of it covers the pixels x0 .. x1 of a row, and how much of that looks towards the sun.
ISA_DECLARE(void, cloud_cover, (const cloud *c, int y, int x0, int x1, float *part, float *sunny));

#endif
