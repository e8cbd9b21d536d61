#include "draw/figure.h"

#include <string.h>

#include "base/file.h"

static void add_color(text *t, const char *what, draw_color c) {
    text_add(t, " %s=\"#%02x%02x%02x\"", what, c.r, c.g, c.b);
    if (c.a != 255) text_add(t, " %s-opacity=\"%.3f\"", what, c.a / 255.0);
}

// XML allows no control characters, escaped or not.
static void add_escaped(text *t, const char *words) {
    for (const char *c = words; *c; c++) {
        if (*c == '<')
            text_add(t, "&lt;");
        else if (*c == '>')
            text_add(t, "&gt;");
        else if (*c == '&')
            text_add(t, "&amp;");
        else if ((unsigned char)*c < ' ')
            text_add(t, " ");
        else
            text_add_bytes(t, c, 1);
    }
}

static void add_line(text *t, const figure *f, const figure_item *item) {
    text_add(t, "<polyline fill=\"none\" stroke-width=\"%.2f\"", (double)item->weight);
    add_color(t, "stroke", item->color);
    text_add(t, " points=\"");
    for (size_t i = 0; i < item->count; i++) {
        const figure_point *p = &f->points[item->first + i];
        text_add(t, "%s%.2f,%.2f", i ? " " : "", (double)p->x, (double)p->y);
    }
    text_add(t, "\"/>\n");
}

static void add_words(text *t, const figure *f, const figure_item *item) {
    static const char *const anchors[] = {"start", "middle", "end"};
    text_add(t, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" text-anchor=\"%s\"", (double)item->x,
             (double)item->y, (double)item->weight, anchors[item->anchor]);
    if (item->bold) text_add(t, " font-weight=\"bold\"");
    add_color(t, "fill", item->color);
    text_add(t, ">");
    add_escaped(t, f->words + item->first);
    text_add(t, "</text>\n");
}

firn_status figure_write_svg(const figure *f, const char *path) {
    if (f->failed) return fail_memory("drawing a figure", f->capacity * sizeof *f->items);
    text t = {0};
    text_add(&t,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" stroke-linejoin=\"round\" "
             "stroke-linecap=\"round\">\n",
             f->width, f->height, f->width, f->height);
    text_add(&t, "<rect width=\"100%%\" height=\"100%%\"");
    add_color(&t, "fill", f->background);
    text_add(&t, "/>\n");
    for (size_t i = 0; i < f->count; i++) {
        const figure_item *item = &f->items[i];
        if (item->kind == FIGURE_LINE)
            add_line(&t, f, item);
        else if (item->kind == FIGURE_TEXT)
            add_words(&t, f, item);
        else {
            text_add(&t, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", (double)item->x,
                     (double)item->y, (double)item->width, (double)item->height);
            add_color(&t, "fill", item->color);
            text_add(&t, "/>\n");
        }
    }
    text_add(&t, "</svg>\n");
    firn_status status = t.failed ? fail_memory("writing an SVG", t.length) : file_write_text(path, t.data);
    text_free(&t);
    return status;
}
