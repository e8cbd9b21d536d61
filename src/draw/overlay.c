// Title, time, names of views and the legend of colours, over a picture.
#include "draw/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "draw/draw_list.h"
#include "draw/plot.h"

static const draw_color ink = {30, 42, 60, 240};

// "m3" is written as people write it.
static void unit_text(const char *unit, char *out, size_t size) {
    size_t n = 0;
    for (const char *c = unit; *c && n + 3 < size; c++) {
        bool power = (*c == '2' || *c == '3') && c > unit &&
                     ((c[-1] >= 'a' && c[-1] <= 'z') || (c[-1] >= 'A' && c[-1] <= 'Z'));
        if (power) out[n++] = (char)0xc2;
        out[n++] = power ? (char)(*c == '2' ? 0xb2 : 0xb3) : *c;
    }
    out[n] = 0;
}

// Where the words of a view end to the right.
static float right_of(const overlay *o, const figure *f) {
    return (float)(o->width > 0 ? o->left + o->width : f->width);
}

static void draw_legend(figure *f, const overlay *o, float s) {
    float width = roundf(230 * s), height = roundf(11 * s), x = roundf(right_of(o, f) - 24 * s - width),
          y = roundf(48 * s);
    const char *own = o->unit ? o->unit : "";
    bool kelvin = strcmp(own, "K") == 0;
    double zero = kelvin ? 273.15 : 0;
    char words[160], unit[40];
    unit_text(kelvin || strcmp(own, "C") == 0 ? "°C" : own, unit, sizeof unit);
    snprintf(words, sizeof words, unit[0] ? "%s (%s)" : "%s", o->legend, unit);
    figure_text(f, x, y - 9 * s, (text_style){.size = 15 * s, .color = ink, .halo = true}, words);
    figure_rect(f, x - 1.5f * s, y - 1.5f * s, width + 3 * s, height + 3 * s,
                (draw_color){255, 255, 255, 210});
    for (float at = 0; at < width; at++) { // whole pixels: no seams
        float linear[3];
        draw_color_map(o->map, (at + 0.5f) / width, linear);
        figure_rect(f, x + at, y, 1, height, draw_color_srgb(linear));
    }
    double low = o->low - zero, high = (o->high > o->low ? o->high : o->low + 1) - zero,
           step = plot_tick_step(low, high, 4);
    for (double k = ceil(low / step - 1e-6); k * step <= high + step * 1e-6; k++) {
        float at = x + width * (float)((k * step - low) / (high - low));
        plot_tick_text(k * step, step, words, sizeof words);
        figure_stroke(f, at, y + height + 2 * s, at, y + height + 5 * s, 1.2f * s, ink);
        figure_text(f, at, y + height + 20 * s,
                    (text_style){.size = 13 * s, .color = ink, .anchor = ANCHOR_MIDDLE, .halo = true}, words);
    }
}

// In the middle of the lowest line; above it where title or time would be in its way.
static void draw_caption(const overlay *o, figure *f, float s, float left, float right, float bottom) {
    float title = o->title ? figure_text_width(o->title, 17 * s, false) : 0, time = 80 * s, gap = 16 * s;
    float room = 0.5f * (right - left) - fmaxf(title, time) - gap;
    bool above = 0.5f * figure_text_width(o->caption, 24 * s, false) > room;
    figure_text(f, 0.5f * (left + right), bottom - (above ? 30 * s : 0),
                (text_style){.size = 24 * s, .color = ink, .anchor = ANCHOR_MIDDLE, .halo = true},
                o->caption);
}

void overlay_figure(const overlay *o, figure *f) {
    float s = fmaxf((float)f->height / 720, 0.6f), bottom = (float)f->height - 22 * s;
    float left = (float)o->left + 24 * s, right = right_of(o, f) - 24 * s;
    char words[64];
    if (o->labels && o->caption && !(o->heading > 0)) draw_caption(o, f, s, left, right, bottom);
    if (o->labels && o->title && o->title[0] && !(o->heading > 0))
        figure_text(f, left, bottom, (text_style){.size = 17 * s, .color = ink, .halo = true}, o->title);
    if (o->heading > 0 && o->title) {
        draw_color faded = ink;
        faded.a = (uint8_t)(o->heading * (float)ink.a);
        figure_text(f, 0.5f * (float)f->width, 0.87f * (float)f->height,
                    (text_style){.size = 44 * s, .color = faded, .anchor = ANCHOR_MIDDLE}, o->title);
    }
    if (o->labels && o->name)
        figure_text(f, left, 44 * s, (text_style){.size = 19 * s, .color = ink, .halo = true}, o->name);
    if (o->labels && o->time >= 0) {
        plain_print(words, sizeof words, "%.2f s", o->time);
        figure_text(f, right, bottom,
                    (text_style){.size = 17 * s, .color = ink, .anchor = ANCHOR_RIGHT, .halo = true}, words);
    }
    if (o->legend) draw_legend(f, o, s);
}

firn_status overlay_draw(const overlay *o, canvas *onto) {
    figure f = {.width = onto->width, .height = onto->height};
    overlay_figure(o, &f);
    firn_status status = figure_draw(&f, onto);
    figure_free(&f);
    return status;
}
