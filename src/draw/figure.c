#include "draw/figure.h"

#include <math.h>
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

static firn_status draw_line(const figure *f, const figure_item *item, canvas *onto) {
    size_t count = item->count > 1 ? item->count - 1 : 1;
    font_segment *s = mem_alloc(count * sizeof *s);
    if (!s) return fail_memory("drawing a curve", count * sizeof *s);
    const figure_point *p = f->points + item->first;
    for (size_t i = 0; i < count; i++) {
        const figure_point *next = item->count > 1 ? &p[i + 1] : &p[i];
        s[i] = (font_segment){p[i].x, p[i].y, next->x, next->y};
    }
    firn_status status = canvas_segments(onto, s, count, item->weight, item->color);
    mem_free(s);
    return status;
}

static firn_status draw_text(const figure *f, const figure_item *item, canvas *onto) {
    const char *words = f->words + item->first;
    float width = font_width(words, item->weight);
    float x = item->x - (item->anchor == ANCHOR_RIGHT    ? width
                         : item->anchor == ANCHOR_MIDDLE ? width / 2
                                                         : 0);
    font_strokes strokes = {0};
    font_trace(&strokes, words, x, item->y, item->weight);
    firn_status status =
        strokes.failed ? fail_memory("writing on a picture", strokes.count * sizeof *strokes.items) : FIRN_OK;
    float stroke = font_stroke_width(item->weight, item->bold);
    for (int rim = 3; item->halo && rim > 0 && status == FIRN_OK; rim--) {
        draw_color soft = {255, 255, 255, (uint8_t)(item->color.a / 6)};
        status = canvas_segments(onto, strokes.items, strokes.count,
                                 stroke + (float)rim * 0.13f * item->weight, soft);
    }
    if (status == FIRN_OK) status = canvas_segments(onto, strokes.items, strokes.count, stroke, item->color);
    font_strokes_free(&strokes);
    return status;
}

firn_status figure_draw(const figure *f, canvas *onto) {
    if (f->failed) return fail_memory("drawing a figure", f->capacity * sizeof *f->items);
    for (size_t i = 0; i < f->count; i++) {
        const figure_item *item = &f->items[i];
        if (item->kind == FIGURE_RECT)
            canvas_rect(onto, item->x, item->y, item->width, item->height, item->color);
        else if (item->kind == FIGURE_LINE)
            TRY(draw_line(f, item, onto));
        else
            TRY(draw_text(f, item, onto));
    }
    return FIRN_OK;
}

firn_status figure_write_png(const figure *f, const char *path) {
    canvas c;
    TRY(canvas_create(f->width, f->height, f->background, &c));
    firn_status status = figure_draw(f, &c);
    if (status == FIRN_OK) status = canvas_write_png(&c, path, 6);
    canvas_free(&c);
    return status;
}
