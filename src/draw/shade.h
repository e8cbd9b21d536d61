// The screen passes (occlusion, light, the look through water) on the CPU, in lanes. A software OpenGL runs
// every pixel through the whole shader, masked where it does not apply; here a group of pixels without shade,
// fog or water skips that work. The same looks as shaders_light.c and shaders_water.c, which graphics cards
// run; tests/draw/test_shade.c holds the two against each other.
#ifndef DRAW_SHADE_H
#define DRAW_SHADE_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "draw/shaders.h"

// Rows hold SHADE_MARGIN pixels more than the picture, so that a whole vector may be read at the end of one;
// half-size pictures have as many before each row too.
enum { SHADE_MARGIN = 16, RIDGES_AROUND = 2048 };

// What lies behind the water's surface; one value for each pixel, rows as in shade_job.
typedef struct shade_water {
    const int *color, *normal; // nearest surface: RGBA8, RG16
    const float *depth;        // m along the view
    const int *back;           // where one first looks out again: RG16
    const float *back_depth;   // m
    const float (*thick)[4];   // rgb: optical depth before the scene; metres
    const float (*sun)[4];     // as the sun sees it: optical depth, where it begins
    int sun_size;              // pixels a side of `sun`
} shade_water;

// Alpha of snow whose look is still to be worked out, in 1/255; shade_snow turns it into those of
// shader_surface. That of the snow field tells how rough it is, too.
enum {
    SHADE_SNOW = 200,
    SHADE_COVER,
    SHADE_SOFT,
    SHADE_GRID,
    SHADE_FIELD,
    SHADE_FIELD_TORN = SHADE_FIELD + 15
};

typedef struct shade_job {
    const shader_scene *scene;
    int wide, high;      // pixels; row 0 is the lowest
    size_t stride;       // from row to row
    int *color, *normal; // RGBA8 and RG16: see shader_surface
    const float *depth;  // m along the view
    const float *shadow; // shadow_size x shadow_size, 0..1
    int shadow_size;
    const float *ridges;      // two rows of RIDGES_AROUND: see renderer_ridges.c
    int half_wide, half_high; // occlusion is worked out at half the size
    size_t half_stride;
    float *distance, *rough, *open; // m; open sky 0..1 before and after the blur
    const shade_water *water;       // NULL: none
    float (*light)[4];              // with water: linear colours, and 1 where they are not to be toned
    float (*linear)[4];             // as `light`, of the finished picture before tones; NULL: not wanted
    uint8_t *result;                // RGBA, wide x high, from the top; alpha is brightness (smooth.h)
} shade_job;

ISA_DECLARE(void, shade_snow, (const shade_job *job, int y0, int y1)); // drifts, crumbs and glints
// Rows y0 to y1 of the half picture; each needs the one before it over the whole picture.
ISA_DECLARE(void, shade_distance, (const shade_job *job, int y0, int y1));
ISA_DECLARE(void, shade_occlusion, (const shade_job *job, int y0, int y1));
ISA_DECLARE(void, shade_blur, (const shade_job *job, int y0, int y1));
// Rows of the whole picture: into `result`, or into `light` if there is water.
ISA_DECLARE(void, shade_light, (const shade_job *job, int y0, int y1));
ISA_DECLARE(void, shade_through_water, (const shade_job *job, int y0, int y1)); // from `light` into `result`

#endif
