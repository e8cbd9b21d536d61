// A picture in memory: 8-bit sRGB with alpha, row by row from the top.
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include "base/memory.h"

typedef struct draw_color {
    uint8_t r, g, b, a;
} draw_color;

typedef struct canvas {
    uint8_t *rgba; // width * height * 4
    int width, height;
} canvas;

firn_status canvas_create(int width, int height, draw_color background, canvas *out);
void canvas_free(canvas *c);

// level: 0 (large, fast) .. 9. The file is whole or absent; pixels are written as RGB.
firn_status canvas_write_png(const canvas *c, const char *path, int level);

#endif
