// A typeface of our own, drawn as strokes: letters are open paths of even width, so that one table serves
// every size.
#ifndef DRAW_FONT_H
#define DRAW_FONT_H

#include "base/memory.h"

typedef struct font_segment {
    float x0, y0, x1, y1;
} font_segment;

// Segments that grow; `failed` stays set once memory ran out.
typedef struct font_strokes {
    font_segment *items;
    size_t count, capacity;
    bool failed;
} font_strokes;

// Adds the strokes of UTF-8 text whose baseline starts at (x, y), y down; size is the em in pixels (capitals
// are 0.7 em). Letters the face does not know appear as an empty box. Returns the advance in pixels.
float font_trace(font_strokes *out, const char *text, float x, float y, float size);
float font_width(const char *text, float size);
float font_stroke_width(float size, bool bold);
void font_strokes_free(font_strokes *strokes);

#endif
