// Collects the items of a drawing; figure_paint.c draws them.
#include "draw/figure.h"

#include <string.h>

void figure_free(figure *f) {
    mem_free(f->items);
    mem_free(f->points);
    mem_free(f->words);
    *f = (figure){0};
}

static void figure_add(figure *f, figure_item item) {
    if (f->failed) return;
    f->failed = !array_reserve(&f->items, &f->capacity, f->count + 1, sizeof *f->items);
    if (!f->failed) f->items[f->count++] = item;
}

void figure_rect(figure *f, float x, float y, float width, float height, draw_color color) {
    figure_add(f, (figure_item){
                      .kind = FIGURE_RECT, .color = color, .x = x, .y = y, .width = width, .height = height});
}

void figure_line(figure *f, const figure_point *points, size_t count, float weight, draw_color color) {
    if (f->failed || count == 0) return;
    f->failed = !array_reserve(&f->points, &f->point_capacity, f->point_count + count, sizeof *f->points);
    if (f->failed) return;
    memcpy(f->points + f->point_count, points, count * sizeof *points);
    figure_add(
        f,
        (figure_item){
            .kind = FIGURE_LINE, .color = color, .weight = weight, .first = f->point_count, .count = count});
    f->point_count += count;
}

void figure_stroke(figure *f, float x0, float y0, float x1, float y1, float weight, draw_color color) {
    figure_line(f, (figure_point[]){{x0, y0}, {x1, y1}}, 2, weight, color);
}

void figure_text(figure *f, float x, float y, text_style style, const char *words) {
    size_t bytes = strlen(words) + 1;
    if (f->failed) return;
    f->failed = !array_reserve(&f->words, &f->word_capacity, f->word_bytes + bytes, 1);
    if (f->failed) return;
    memcpy(f->words + f->word_bytes, words, bytes);
    figure_add(f, (figure_item){.kind = FIGURE_TEXT,
                                .color = style.color,
                                .x = x,
                                .y = y,
                                .weight = style.size,
                                .anchor = style.anchor,
                                .bold = style.bold,
                                .halo = style.halo,
                                .first = f->word_bytes});
    f->word_bytes += bytes;
}
