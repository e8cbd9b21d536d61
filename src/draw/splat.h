// Small spheres, drawn by our own code on all cores: hundreds of thousands of sprites are what a software
// OpenGL is slowest at. The results are pictures that the renderer hands to OpenGL, where they are lit with
// everything else.
#ifndef DRAW_SPLAT_H
#define DRAW_SPLAT_H

#include "draw/draw_list.h"

// How points become pixels: x = middle + dot(p - origin, right) * scale / w, with w = dot(p - origin,
// forward); for the sun's parallel light w only counts as depth and `scale` stays.
typedef struct splat_view {
    float origin[3], right[3], up[3], forward[3]; // unit vectors
    float scale;                                  // pixels per tangent, or per metre if parallel
    bool parallel;
    float nearest;     // points nearer than this are left out
    float depth_scale; // if not 0, depths are multiplied by it and kept in 0..1, empty pixels are 1
    float largest;     // pixels; spheres of a larger radius are left out (INFINITY: none)
    int width, height; // row 0 is the lowest
} splat_view;

// Part of the picture that holds points; empty if x0 >= x1.
typedef struct splat_area {
    int x0, y0, x1, y1;
} splat_area;

typedef struct splat_picture {
    float *depth;        // width * height: distance along forward; INFINITY where nothing is
    uint32_t *point;     // which point it is, counted through all sets; NULL: not kept
    uint8_t (*color)[4]; // square roots of linear RGB and the material; NULL like point
    uint16_t (*normal)[2];
    splat_area area;
    size_t capacity;               // pixels
    struct splat_point *projected; // scratch, kept between frames
    size_t projected_capacity;
    uint32_t *bin, *bin_start;
    size_t bin_capacity, bin_start_capacity;
} splat_picture;

// Draws all points of the list. `surface` asks for colour and normal too.
firn_status splat_draw(splat_picture *picture, const splat_view *view, const draw_list *list, bool surface);
void splat_free(splat_picture *picture);

#endif
