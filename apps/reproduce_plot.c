// Charts of `firn reproduce`, as SVG: curves over an axis, and particles seen from the side.
#include "reproduce.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 380, LEFT = 76, RIGHT = 16, TOP = 40, BOTTOM = 48, VIEW = 260 };
static const char *const hues[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#444444"};
enum { HUES = sizeof hues / sizeof *hues };

typedef struct axis {
    double low, high; // log10 of the values if log
    double from, to;  // pixels
    bool log;
} axis;

static FILE *svg_open(const reproduction *r, const char *name, int width, int height) {
    char path[PATH_MAX];
    if (!reproduce_path(r, "", name, ".svg", path, sizeof path)) return NULL;
    FILE *file = fopen(path, "w");
    if (!file) return NULL;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n",
            width, height, width, height);
    return file;
}

static int svg_close(const reproduction *r, const char *name, FILE *file) {
    bool written = file && fprintf(file, "</svg>\n") > 0;
    if (file) written = fclose(file) == 0 && written;
    return written ? EXIT_DONE : say_failed("cannot write '%s/%s.svg': %s", r->folder, name, strerror(errno));
}

static void svg_text(FILE *file, double x, double y, const char *anchor, const char *fill,
                     const char *words) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x, y, anchor,
            fill, words);
}

static double along(const axis *a, double value) {
    double at = a->log ? log10(value) : value;
    return a->from + (at - a->low) / (a->high - a->low) * (a->to - a->from);
}

static bool shown(const axis *a, double value) { return isfinite(value) && (!a->log || value > 0); }

static axis axis_of(const reproduce_chart *c, bool up) {
    axis a = {INFINITY, -INFINITY, up ? HEIGHT - BOTTOM : LEFT, up ? TOP : WIDTH - RIGHT,
              up ? c->log_y : c->log_x};
    for (size_t i = 0; i < c->curves; i++)
        for (size_t k = 0; k < c->curve[i].count; k++) {
            double value = up ? c->curve[i].y[k] : c->curve[i].x[k];
            if (!shown(&a, value)) continue;
            value = a.log ? log10(value) : value;
            a.low = fmin(a.low, value);
            a.high = fmax(a.high, value);
        }
    if (!(a.low <= a.high)) a.low = 0, a.high = 1;
    if (!a.log) a.low = fmin(a.low, 0);
    if (a.log && up) a.low = floor(a.low), a.high = ceil(a.high);
    if (a.high == a.low) a.high = a.low + 1;
    return a;
}

static double tick_step(double range) {
    double ten = pow(10, floor(log10(range / 5))), rest = range / 5 / ten;
    return ten * (rest > 5 ? 10 : rest > 2 ? 5 : rest > 1 ? 2 : 1);
}

static void ticks(FILE *file, const axis *a, bool up) {
    double step = a->log ? fmax(1, tick_step(a->high - a->low)) : tick_step(a->high - a->low);
    if (a->log && a->high - a->low < 3) step = log10(2);
    for (double at = ceil(a->low / step - 1e-9) * step; at <= a->high + 1e-9 * step; at += step) {
        double value = a->log ? pow(10, at) : fabs(at) < 1e-9 * step ? 0 : at, place = along(a, value);
        char words[32];
        snprintf(words, sizeof words, "%.6g", value);
        if (up)
            fprintf(file, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>\n", LEFT, place, WIDTH - RIGHT);
        else
            fprintf(file, "<path d=\"M%.1f %dV%d\" stroke=\"#ddd\"/>\n", place, TOP, HEIGHT - BOTTOM);
        svg_text(file, up ? LEFT - 6 : place, up ? place + 4 : HEIGHT - BOTTOM + 17, up ? "end" : "middle",
                 "#333", words);
    }
}

// Curves may lie on each other: every third is dashed.
static void draw_curve(FILE *file, const reproduce_curve *c, const axis *x, const axis *y, size_t number) {
    bool pen = false;
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"", hues[number % HUES],
            number % 3 == 2 ? " stroke-dasharray=\"7 7\"" : "");
    for (size_t k = 0; k < c->count; k++) {
        bool here = shown(x, c->x[k]) && shown(y, c->y[k]);
        if (here) fprintf(file, "%c%.1f %.1f", pen ? 'L' : 'M', along(x, c->x[k]), along(y, c->y[k]));
        pen = here;
    }
    fprintf(file, "\"/>\n");
}

int reproduce_plot(const reproduction *r, const char *name, const reproduce_chart *c) {
    FILE *file = svg_open(r, name, WIDTH, HEIGHT + 20 * (int)c->curves);
    if (!file) return svg_close(r, name, file);
    axis x = axis_of(c, false), y = axis_of(c, true);
    svg_text(file, LEFT, 22, "start", "black", c->title);
    ticks(file, &x, false);
    ticks(file, &y, true);
    svg_text(file, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, "middle", "#333", c->x);
    fprintf(
        file,
        "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\" fill=\"#333\">%s</text>\n",
        (TOP + HEIGHT - BOTTOM) / 2, c->y);
    for (size_t i = 0; i < c->curves; i++) {
        double at = HEIGHT + 20.0 * (double)i + 8;
        draw_curve(file, &c->curve[i], &x, &y, i);
        fprintf(file, "<path d=\"M%d %.1fh24\" stroke=\"%s\" stroke-width=\"3\"/>\n", LEFT, at - 4,
                hues[i % HUES]);
        svg_text(file, LEFT + 32, at, "start", "#333", c->curve[i].name);
    }
    return svg_close(r, name, file);
}

// All views have one scale; one that follows what has left the floor says how high it is.
int reproduce_views(const reproduction *r, const char *name, const reproduce_dots *views, size_t count,
                    double radius) {
    const double scale = VIEW / 2.6, floor = VIEW - 20; // pixels in a metre; pixels
    FILE *file = svg_open(r, name, VIEW * (int)count, VIEW + 30);
    if (!file) return svg_close(r, name, file);
    for (size_t v = 0; v < count; v++) {
        double middle[2] = {0, 0};
        size_t drawn = 0;
        for (size_t i = 0; i < 2 * views[v].count; i++)
            middle[i % 2] += views[v].x[i / 2][i % 2] / (double)views[v].count;
        double up = isfinite(middle[1]) && middle[1] > 1.7 ? middle[1] - 1.1 : 0; // m, of the lower edge
        fprintf(file, "<g transform=\"translate(%zu 30)\">\n", VIEW * v);
        svg_text(file, VIEW / 2.0, -10, "middle", "black", views[v].title);
        if (up == 0) fprintf(file, "<path d=\"M8 %.1fH%d\" stroke=\"#888\"/>\n", floor, VIEW - 8);
        for (size_t i = 0; i < views[v].count; i++) {
            double x = VIEW / 2.0 + scale * (views[v].x[i][0] - middle[0]),
                   y = floor - scale * (views[v].x[i][1] - up);
            if (!(x >= 0 && x <= VIEW && y >= 0 && y <= VIEW)) continue; // out of the picture
            drawn++;
            fprintf(file,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#3c78b4\" fill-opacity=\"0.45\"/>\n",
                    x, y, scale * radius);
        }
        char words[48];
        if (drawn < views[v].count / 2)
            snprintf(words, sizeof words, "flown apart");
        else
            snprintf(words, sizeof words, "%.1f m above the floor", middle[1]);
        if (drawn < views[v].count / 2 || up > 0)
            svg_text(file, VIEW / 2.0, VIEW - 4, "middle", "#333", words);
        fprintf(file, "</g>\n");
    }
    return svg_close(r, name, file);
}
