#include "draw/canvas.h"

#include <math.h>
#include <string.h>

firn_status canvas_create(int width, int height, draw_color background, canvas *out) {
    *out = (canvas){0};
    size_t pixels = (size_t)width * (size_t)height;
    out->rgba = mem_alloc(pixels * 4);
    if (!out->rgba) return fail_memory("making a picture", pixels * 4);
    out->width = width;
    out->height = height;
    for (size_t i = 0; i < pixels; i++) memcpy(out->rgba + 4 * i, &background, 4);
    return FIRN_OK;
}

void canvas_free(canvas *c) {
    mem_free(c->rgba);
    *c = (canvas){0};
}

// weight: 0..255
static void blend(uint8_t *pixel, draw_color color, unsigned weight) {
    unsigned alpha = weight * color.a; // 0..65025
    const uint8_t source[3] = {color.r, color.g, color.b};
    for (int i = 0; i < 3; i++)
        pixel[i] = (uint8_t)((pixel[i] * (65025u - alpha) + source[i] * alpha + 32512u) / 65025u);
    pixel[3] = (uint8_t)(pixel[3] + ((255u - pixel[3]) * alpha + 32512u) / 65025u);
}

static int clamp_int(float x, int low, int high) {
    if (!(x > (float)low)) return low;
    return x > (float)high ? high : (int)x;
}

// How much of the pixel [i, i + 1] lies in [low, high].
static float overlap(int i, float low, float high) {
    float a = fmaxf((float)i, low), b = fminf((float)i + 1, high);
    return b > a ? b - a : 0;
}

void canvas_rect(canvas *c, float x, float y, float width, float height, draw_color color) {
    int x0 = clamp_int(floorf(x), 0, c->width), x1 = clamp_int(ceilf(x + width), 0, c->width);
    int y0 = clamp_int(floorf(y), 0, c->height), y1 = clamp_int(ceilf(y + height), 0, c->height);
    for (int row = y0; row < y1; row++) {
        float tall = overlap(row, y, y + height);
        for (int column = x0; column < x1; column++) {
            float part = tall * overlap(column, x, x + width);
            blend(c->rgba + 4 * ((size_t)row * (size_t)c->width + (size_t)column), color,
                  (unsigned)(part * 255 + 0.5f));
        }
    }
}

typedef struct cover_mask {
    uint8_t *value;
    int x0, y0, x1, y1; // the part of the canvas it covers
} cover_mask;

static void cover_bounds(const canvas *c, const font_segment *s, size_t count, float margin, cover_mask *m) {
    float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        low[0] = fminf(low[0], fminf(s[i].x0, s[i].x1));
        low[1] = fminf(low[1], fminf(s[i].y0, s[i].y1));
        high[0] = fmaxf(high[0], fmaxf(s[i].x0, s[i].x1));
        high[1] = fmaxf(high[1], fmaxf(s[i].y0, s[i].y1));
    }
    m->x0 = clamp_int(floorf(low[0] - margin), 0, c->width);
    m->y0 = clamp_int(floorf(low[1] - margin), 0, c->height);
    m->x1 = clamp_int(ceilf(high[0] + margin), m->x0, c->width);
    m->y1 = clamp_int(ceilf(high[1] + margin), m->y0, c->height);
}

static float segment_distance(const font_segment *s, float x, float y) {
    float dx = s->x1 - s->x0, dy = s->y1 - s->y0, px = x - s->x0, py = y - s->y0;
    float length2 = dx * dx + dy * dy;
    float t = length2 > 0 ? fminf(fmaxf((px * dx + py * dy) / length2, 0), 1) : 0;
    px -= t * dx;
    py -= t * dy;
    return sqrtf(px * px + py * py);
}

static void cover_segment(cover_mask *m, const font_segment *s, float radius) {
    float reach = radius + 1;
    int y0 = clamp_int(floorf(fminf(s->y0, s->y1) - reach), m->y0, m->y1);
    int y1 = clamp_int(ceilf(fmaxf(s->y0, s->y1) + reach), m->y0, m->y1);
    int x0 = clamp_int(floorf(fminf(s->x0, s->x1) - reach), m->x0, m->x1);
    int x1 = clamp_int(ceilf(fmaxf(s->x0, s->x1) + reach), m->x0, m->x1);
    // A line thinner than a pixel stays as wide and becomes fainter.
    float wide = fmaxf(radius, 0.5f), strength = 255 * fminf(radius / wide, 1);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            float cover = wide + 0.5f - segment_distance(s, (float)x + 0.5f, (float)y + 0.5f);
            uint8_t value = (uint8_t)(fminf(fmaxf(cover, 0), 1) * strength + 0.5f);
            uint8_t *there = m->value + (size_t)(y - m->y0) * (size_t)(m->x1 - m->x0) + (size_t)(x - m->x0);
            if (value > *there) *there = value;
        }
}

firn_status canvas_segments(canvas *c, const font_segment *items, size_t count, float width,
                            draw_color color) {
    cover_mask m = {0};
    if (count == 0) return FIRN_OK;
    cover_bounds(c, items, count, width / 2 + 1, &m);
    size_t columns = (size_t)(m.x1 - m.x0), rows = (size_t)(m.y1 - m.y0);
    if (columns == 0 || rows == 0) return FIRN_OK;
    m.value = mem_zero(columns, rows);
    if (!m.value) return fail_memory("drawing lines", columns * rows);
    for (size_t i = 0; i < count; i++) cover_segment(&m, &items[i], width / 2);
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++) {
            uint8_t weight = m.value[y * columns + x];
            size_t pixel = (y + (size_t)m.y0) * (size_t)c->width + x + (size_t)m.x0;
            if (weight) blend(c->rgba + 4 * pixel, color, weight);
        }
    mem_free(m.value);
    return FIRN_OK;
}

firn_status canvas_text(canvas *c, const char *text, float x, float y, float size, bool bold,
                        draw_color color) {
    font_strokes strokes = {0};
    font_trace(&strokes, text, x, y, size);
    firn_status status =
        strokes.failed
            ? fail_memory("writing on a picture", strokes.count * sizeof *strokes.items)
            : canvas_segments(c, strokes.items, strokes.count, font_stroke_width(size, bold), color);
    font_strokes_free(&strokes);
    return status;
}
