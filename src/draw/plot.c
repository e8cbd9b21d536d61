// Layout of plots: panels, axes with round numbers, curves, legends.
#include "draw/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

static const draw_color ink = {38, 50, 66, 255}, faint = {118, 132, 150, 255},
                        grid_line = {222, 229, 237, 255};
static const draw_color paper = {250, 252, 254, 255}, panel_paper = {255, 255, 255, 255};
static const draw_color hues[] = {{31, 98, 168, 255},  {214, 96, 45, 255},  {72, 140, 92, 255},
                                  {134, 84, 168, 255}, {40, 150, 160, 255}, {186, 62, 100, 255}};

enum {
    MARGIN = 28,
    HEADER = 64,
    PANEL_WIDTH = 460,
    PANEL_HEIGHT = 168,
    LEFT = 64,
    RIGHT = 18,
    TOP = 30,
    BOTTOM = 26
};

double plot_tick_step(double low, double high, int wanted) {
    double rough = (high - low) / wanted;
    if (!(rough > 0) || !isfinite(rough)) return 1;
    double power = pow(10, floor(log10(rough))), lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

void plot_tick_text(double value, double step, char *out, size_t size) {
    if (fabs(value) < step * 1e-9) value = 0;
    double largest = fmax(fabs(value), step);
    if (largest >= 1e6 || step < 1e-4) {
        plain_print(out, size, "%.3g", value);
        return;
    }
    int digits = (int)ceil(-log10(step) - 1e-9);
    plain_print(out, size, "%.*f", digits > 0 ? digits : 0, value);
}

const char *plot_prefix(double largest, const char *unit, double *factor) {
    static const struct {
        double from, factor;
        const char *name;
    } prefixes[] = {{2e9, 1e9, "G"}, {2e6, 1e6, "M"},   {2e3, 1e3, "k"},
                    {0.2, 1, ""},    {2e-4, 1e-3, "m"}, {0, 1e-6, "\u00b5"}};
    *factor = 1;
    if ((strcmp(unit, "J") != 0 && strcmp(unit, "N s") != 0 && strcmp(unit, "Pa") != 0 &&
         strcmp(unit, "s") != 0) ||
        !(largest > 0))
        return "";
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (largest >= prefixes[i].from) {
            *factor = prefixes[i].factor;
            return prefixes[i].name;
        }
    return "";
}

// The rectangle of the curves and what its axes span.
typedef struct axes {
    float x, y, width, height;
    double t0, t1, low, high, step;
    double factor;
    const char *prefix;
} axes;

static float axes_x(const axes *a, double t) {
    return a->x + (float)((t - a->t0) / (a->t1 - a->t0)) * a->width;
}
static float axes_y(const axes *a, double v) {
    return a->y + a->height - (float)((v - a->low) / (a->high - a->low)) * a->height;
}

static void axes_span(const plot_sheet *sheet, const plot_panel *p, axes *a) {
    double low = p->from_zero ? 0 : INFINITY, high = p->from_zero ? 0 : -INFINITY;
    for (int c = 0; c < p->curves; c++)
        for (size_t i = 0; i < sheet->times; i++)
            if (isfinite(p->curve[c].y[i])) {
                low = fmin(low, p->curve[c].y[i]);
                high = fmax(high, p->curve[c].y[i]);
            }
    if (!(low <= high)) low = 0, high = 1;
    a->prefix = plot_prefix(fmax(fabs(low), fabs(high)), p->unit, &a->factor);
    low /= a->factor;
    high /= a->factor;
    // A constant must not look like noise.
    double least = fmax(fabs(low), fabs(high)) * 1e-3;
    if (high - low < least) low -= least, high += least;
    if (high - low < 1e-12) high = low + 1;
    a->step = plot_tick_step(low, high, 4);
    a->low = floor(low / a->step + 1e-9) * a->step;
    a->high = ceil(high / a->step - 1e-9) * a->step;
    a->t0 = sheet->time[0];
    a->t1 = sheet->time[sheet->times - 1];
    if (!(a->t1 > a->t0)) a->t1 = a->t0 + 1;
}

static void draw_grid(figure *f, const axes *a, bool time_numbers) {
    char number[40];
    figure_rect(f, a->x, a->y, a->width, a->height, panel_paper);
    text_style style = {.size = 11, .color = faint, .anchor = ANCHOR_RIGHT};
    for (int i = 0; a->low + i * a->step <= a->high + a->step * 0.01; i++) {
        double v = a->low + i * a->step;
        float y = axes_y(a, v);
        figure_stroke(f, a->x, y, a->x + a->width, y, 1, grid_line);
        plot_tick_text(v, a->step, number, sizeof number);
        figure_text(f, a->x - 7, y + 4, style, number);
    }
    style.anchor = ANCHOR_MIDDLE;
    double step = plot_tick_step(a->t0, a->t1, 6);
    for (double k = ceil(a->t0 / step - 1e-9); k * step <= a->t1 + step * 1e-6; k++) {
        float x = axes_x(a, k * step);
        figure_stroke(f, x, a->y, x, a->y + a->height, 1, grid_line);
        plot_tick_text(k * step, step, number, sizeof number);
        if (time_numbers) figure_text(f, x, a->y + a->height + 16, style, number);
    }
    figure_stroke(f, a->x, a->y + a->height, a->x + a->width, a->y + a->height, 1.2f, faint);
}

// Runs of finite values, each one line.
static firn_status draw_curve(figure *f, const axes *a, const plot_sheet *sheet, const plot_curve *c) {
    figure_point *points = mem_alloc(sheet->times * sizeof *points);
    if (!points) return fail_memory("plotting", sheet->times * sizeof *points);
    size_t n = 0;
    for (size_t i = 0; i <= sheet->times; i++) {
        bool here = i < sheet->times && isfinite(c->y[i]);
        if (here) points[n++] = (figure_point){axes_x(a, sheet->time[i]), axes_y(a, c->y[i] / a->factor)};
        if (!here && n) {
            figure_line(f, points, n, 1.8f, hues[c->hue]);
            n = 0;
        }
    }
    mem_free(points);
    return FIRN_OK;
}

static void draw_head(figure *f, const axes *a, const plot_panel *p) {
    char words[120];
    bool plain = !p->unit[0];
    const char *unit = strcmp(p->unit, "C") == 0 ? "°C" : p->unit;
    snprintf(words, sizeof words, plain ? "%s" : "%s (%s%s)", p->title, a->prefix, unit);
    figure_text(f, a->x, a->y - 10, (text_style){.size = 13, .color = ink, .bold = true}, words);
    float x = a->x + a->width;
    for (int c = p->curves - 1; c >= 0; c--) {
        if (!p->curve[c].name) continue;
        text_style style = {.size = 11.5f, .color = hues[p->curve[c].hue], .anchor = ANCHOR_RIGHT};
        figure_text(f, x, a->y - 10, style, p->curve[c].name);
        x -= figure_text_width(p->curve[c].name, 11.5f, false) + 6;
        figure_stroke(f, x - 14, a->y - 14, x, a->y - 14, 2.2f, hues[p->curve[c].hue]);
        x -= 28;
    }
}

firn_status plot_draw(const plot_sheet *sheet, figure *f) {
    *f = (figure){.width = 2 * MARGIN + sheet->columns * PANEL_WIDTH,
                  .background = paper,
                  .height = HEADER + 30 + sheet->rows * PANEL_HEIGHT + 2 * MARGIN};
    figure_text(f, MARGIN, 40, (text_style){.size = 21, .color = ink, .bold = true}, sheet->title);
    for (int column = 0; column < sheet->columns; column++)
        figure_text(f, (float)(MARGIN + LEFT + column * PANEL_WIDTH), HEADER + 22,
                    (text_style){.size = 15, .color = faint, .bold = true}, sheet->column_title[column]);
    for (int i = 0; i < sheet->rows * sheet->columns; i++) {
        int column = i % sheet->columns, row = i / sheet->columns;
        const plot_panel *p = &sheet->panel[i];
        axes a = {.x = (float)(MARGIN + column * PANEL_WIDTH + LEFT),
                  .y = (float)(HEADER + 30 + row * PANEL_HEIGHT + TOP),
                  .width = PANEL_WIDTH - LEFT - RIGHT,
                  .height = PANEL_HEIGHT - TOP - BOTTOM};
        if (!p->title) continue;
        bool last = row == sheet->rows - 1 || !sheet->panel[i + sheet->columns].title;
        axes_span(sheet, p, &a);
        draw_grid(f, &a, last);
        draw_head(f, &a, p);
        for (int c = 0; c < p->curves; c++) TRY(draw_curve(f, &a, sheet, &p->curve[c]));
        if (last)
            figure_text(f, a.x + a.width / 2, a.y + a.height + 34,
                        (text_style){.size = 11.5f, .color = ink, .anchor = ANCHOR_MIDDLE}, "time (s)");
    }
    return f->failed ? fail_memory("plotting", f->capacity * sizeof *f->items) : FIRN_OK;
}
