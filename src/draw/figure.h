// A drawing made of rectangles, lines and words, described once and written as PNG, as SVG, or over a
// rendered picture. Pixels, y down; the size of words is their em.
#ifndef DRAW_FIGURE_H
#define DRAW_FIGURE_H

#include "base/text.h"
#include "draw/canvas.h"

typedef enum figure_kind { FIGURE_RECT, FIGURE_LINE, FIGURE_TEXT } figure_kind;
typedef enum figure_anchor { ANCHOR_LEFT, ANCHOR_MIDDLE, ANCHOR_RIGHT } figure_anchor;

typedef struct figure_item {
    figure_kind kind;
    draw_color color;
    float x, y, width, height; // rect; text stands at x, y (baseline)
    float weight;              // width of a line, size of a text
    figure_anchor anchor;
    bool bold, halo;     // halo: a soft white rim, for words over pictures
    size_t first, count; // points of a line; offset of a text in `words`
} figure_item;

typedef struct figure_point {
    float x, y;
} figure_point;

// Starts as {.width, .height, .background}. Once memory runs out nothing more is added and `failed` stays
// set.
typedef struct figure {
    int width, height;
    draw_color background;
    figure_item *items;
    size_t count, capacity;
    figure_point *points;
    size_t point_count, point_capacity;
    char *words;
    size_t word_bytes, word_capacity;
    bool failed;
} figure;
void figure_free(figure *f);

void figure_rect(figure *f, float x, float y, float width, float height, draw_color color);
void figure_line(figure *f, const figure_point *points, size_t count, float weight, draw_color color);
void figure_stroke(figure *f, float x0, float y0, float x1, float y1, float weight,
                   draw_color color); // one segment
typedef struct text_style {
    float size;
    draw_color color;
    figure_anchor anchor;
    bool bold, halo;
} text_style;
void figure_text(figure *f, float x, float y, text_style style, const char *words);

float figure_text_width(const char *words, float size, bool bold); // pixels

// Over what is there, after the background if it is not transparent. FIRN_UNSUPPORTED without FIRN_DRAW, as
// the two below. Words are left out where no font is installed.
firn_status figure_draw(const figure *f, canvas *onto);
firn_status figure_write_png(const figure *f, const char *path);
firn_status figure_write_svg(const figure *f, const char *path);

#endif
