// A picture of light before tones: what compositing programs want.
#ifndef DRAW_LIGHT_H
#define DRAW_LIGHT_H

#include "base/memory.h"
#include "base/status.h"

// Rows from the top.
typedef struct light_picture {
    float (*rgba)[4]; // linear, primaries of sRGB; alpha: how much of the pixel is covered by more than sky
    float *depth;     // m along the view to the nearest thing in the pixel; LIGHT_NOTHING: only sky
    int width, height;
    // Of final quality, else NULL: of what is seen first, and the standard error of the brightness.
    float (*albedo)[3], (*normal)[3], *noise;
} light_picture;

#define LIGHT_NOTHING 1e10f

// No light, nothing seen. layers: those of final quality too.
firn_status light_create(int width, int height, bool layers, light_picture *out);
void light_free(light_picture *p);
void light_clear(light_picture *p);
// Copies `part` with its left edge at column `left`; both have the same height.
void light_put(const light_picture *part, int left, light_picture *to);
// OpenEXR, scanlines without compression: A, B, G, R as half floats, Z as floats; of final quality also
// albedo.R, .G, .B as half floats, normal.X, .Y, .Z and noise as floats. The file is whole or absent.
firn_status light_write_exr(const light_picture *p, const char *path);

#endif
