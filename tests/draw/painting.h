// Plain pictures for tests.
#ifndef TESTS_DRAW_PAINTING_H
#define TESTS_DRAW_PAINTING_H

#include <string.h>

#include "draw/canvas.h"

static inline void canvas_fill(canvas *c, int x, int y, int width, int height, draw_color color) {
    for (int row = y; row < y + height && row < c->height; row++)
        for (int column = x; column < x + width && column < c->width; column++)
            memcpy(c->rgba + 4 * (row * c->width + column), &color, 4);
}

#endif
