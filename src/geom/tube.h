// A row of points (a rope) as a closed round tube.
#ifndef GEOM_TUBE_H
#define GEOM_TUBE_H

#include "geom/isosurface.h"

typedef struct tube_input {
    const float (*at)[3]; // m, along the rope; points that are not finite interrupt it
    size_t count;
    const uint8_t *held; // of each point: whether it holds on to the next (SHEET_ALONG_ROW); NULL: all do
    double radius;       // m
    const float *value;  // count * channels, linear along the tube; NULL: none
    uint32_t channels;
} tube_input;

// A smooth curve through the points of each piece, with a hemisphere at its ends; a point alone is a sphere.
firn_status tube_build(const tube_input *in, surface *out);

#endif
