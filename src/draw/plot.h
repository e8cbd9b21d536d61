// Small multiples: one panel per quantity, curves over time, axes with units.
#ifndef DRAW_PLOT_H
#define DRAW_PLOT_H

#include "draw/figure.h"

typedef struct plot_curve {
    const char *name; // NULL: the only one of its panel
    const double *y;  // as many as the panel's times; not finite: a gap
    int hue;          // which of the curve colours
} plot_curve;

enum { PLOT_CURVES = 6 };
typedef struct plot_panel {
    const char *title, *unit; // unit "": a pure number; "C" is written °C
    plot_curve curve[PLOT_CURVES];
    int curves;
    bool from_zero; // the y axis always shows 0
} plot_panel;

typedef struct plot_sheet {
    const char *title;
    const double *time; // s, ascending
    size_t times;
    const char *const *column_title;
    const plot_panel *panel; // row by row: panel[row * columns + column]; without a title: nothing there
    int columns, rows;
} plot_sheet;

// Lays the sheet out; figure_free the result, also after failure.
firn_status plot_draw(const plot_sheet *sheet, figure *out);

// Ticks at 1, 2 or 5 times a power of ten: the step for about `wanted` ticks over [low, high].
double plot_tick_step(double low, double high, int wanted);
// Writes a tick's number without more digits than the step needs.
void plot_tick_text(double value, double step, char *out, size_t size);
// A prefix for SI units so that numbers near `largest` stay short: 25000 J -> "k", 1000. Units that begin
// with a prefix or hold none ("", "kg") give "" and 1.
const char *plot_prefix(double largest, const char *unit, double *factor);

#endif
