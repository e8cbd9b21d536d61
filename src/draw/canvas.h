// A picture in memory: 8-bit sRGB with alpha, row by row from the top.
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include "draw/font.h"

typedef struct draw_color {
    uint8_t r, g, b, a;
} draw_color;

typedef struct canvas {
    uint8_t *rgba; // width * height * 4
    int width, height;
} canvas;

firn_status canvas_create(int width, int height, draw_color background, canvas *out);
void canvas_free(canvas *c);

// All drawing is smooth-edged and clipped to the canvas.
void canvas_rect(canvas *c, float x, float y, float width, float height, draw_color color);
// Segments as one figure of even width with round ends: where they overlap nothing is drawn twice.
firn_status canvas_segments(canvas *c, const font_segment *items, size_t count, float width,
                            draw_color color);
firn_status canvas_text(canvas *c, const char *text, float x, float y, float size, bool bold,
                        draw_color color);

// level: 0 (large, fast) .. 9. The file is whole or absent; pixels are written as RGB.
firn_status canvas_write_png(const canvas *c, const char *path, int level);

#endif
