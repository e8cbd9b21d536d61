// Triangles into the shadow map, by our own code on all cores: a software OpenGL spends most of its time on
// setting up small triangles. Results do not depend on the order of the triangles, so neither on threads.
#ifndef DRAW_RASTERISER_H
#define DRAW_RASTERISER_H

#include "base/isa.h"
#include "draw/splat.h"

// A point p is at matrix (p, 1) in the picture: x and y in pixels, depth. By columns.
typedef struct raster_view {
    float matrix[12];
    int width, height; // a multiple of 16; row 0 is the lowest
    // Depths are moved away by `slope` times the steeper of their two slopes per pixel, and by `shift`.
    float slope, shift;
} raster_view;

// A row of a triangle: depth row + x dx, between low and high, and moved by away.
typedef struct raster_span {
    float row, dx, low, high, away;
} raster_span;
ISA_DECLARE(void, rasteriser_span, (const raster_span *s, float *depth, int x0, int x1));

// Where a mesh that keeps its content was in a frame.
typedef struct raster_pose {
    const mesh *mesh;
    uint64_t content; // a hash of it
    float matrix[12]; // to the picture
} raster_pose;
typedef struct raster_poses {
    raster_pose *item;
    size_t count, capacity;
} raster_poses;

// Scratch, kept between frames. Meshes that stay as they are, where they are, are drawn once into `still`,
// with which each frame then begins.
typedef struct rasteriser {
    struct raster_item *item;
    float *still;                // NULL: there are none
    raster_poses in_still, seen; // what is in it; what the last frame had
    float (*at)[3];        // projected vertices of all meshes
    uint32_t *bin, *start; // triangles by band of rows and block of triangles
    int (*drawn)[2];       // columns of each band that are not as in `still`, or 1
    size_t item_capacity, at_capacity, bin_capacity, start_capacity;
} rasteriser;

// The same `depth`, all 1 at first, is drawn anew each time: clearing the whole of it would take longer than
// drawing most lists. depth[i] becomes the least of 1, of the points (in 0..1) and of all meshes that cast
// shadows, where they cover the middle of pixel i; at least 0.
firn_status rasteriser_shadows(rasteriser *s, const raster_view *view, const draw_list *list,
                               const splat_picture *points, float *depth);
void rasteriser_free(rasteriser *s);

#endif
