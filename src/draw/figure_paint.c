// Figures through Cairo, their words through Pango: shaped, in any script that a font is installed for. The
// same drawing gives PNG, SVG and words over a picture.
#include "draw/figure.h"

#ifdef FIRN_HAVE_CAIRO

#include <math.h>
#include <string.h>

#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>

#include "base/file.h"
#include "base/library.h"
#include "par/par.h"

#define FIGURE_CALLS(X)                                                                                      \
    X(FcConfigDestroy)                                                                                       \
    X(FcConfigGetFonts)                                                                                      \
    X(FcConfigReference)                                                                                     \
    X(cairo_create)                                                                                          \
    X(cairo_destroy)                                                                                         \
    X(cairo_fill)                                                                                            \
    X(cairo_font_options_create)                                                                             \
    X(cairo_font_options_destroy)                                                                            \
    X(cairo_font_options_set_antialias)                                                                      \
    X(cairo_font_options_set_hint_metrics)                                                                   \
    X(cairo_font_options_set_hint_style)                                                                     \
    X(cairo_image_surface_create_for_data)                                                                   \
    X(cairo_line_to)                                                                                         \
    X(cairo_move_to)                                                                                         \
    X(cairo_paint)                                                                                           \
    X(cairo_rectangle)                                                                                       \
    X(cairo_set_line_cap)                                                                                    \
    X(cairo_set_line_join)                                                                                   \
    X(cairo_set_line_width)                                                                                  \
    X(cairo_set_source_rgba)                                                                                 \
    X(cairo_status)                                                                                          \
    X(cairo_status_to_string)                                                                                \
    X(cairo_stroke)                                                                                          \
    X(cairo_surface_destroy)                                                                                 \
    X(cairo_surface_finish)                                                                                  \
    X(cairo_surface_status)                                                                                  \
    X(cairo_svg_surface_create_for_stream)                                                                   \
    X(cairo_svg_surface_set_document_unit)                                                                   \
    X(g_free)                                                                                                \
    X(g_object_unref)                                                                                        \
    X(g_utf8_make_valid)                                                                                     \
    X(pango_cairo_context_set_font_options)                                                                  \
    X(pango_cairo_font_map_new)                                                                              \
    X(pango_cairo_layout_path)                                                                               \
    X(pango_cairo_show_layout)                                                                               \
    X(pango_context_set_round_glyph_positions)                                                               \
    X(pango_font_description_free)                                                                           \
    X(pango_font_description_from_string)                                                                    \
    X(pango_font_description_set_absolute_size)                                                              \
    X(pango_font_map_create_context)                                                                         \
    X(pango_layout_get_baseline)                                                                             \
    X(pango_layout_get_size)                                                                                 \
    X(pango_layout_new)                                                                                      \
    X(pango_layout_set_font_description) X(pango_layout_set_single_paragraph_mode) X(pango_layout_set_text)
typedef struct figure_calls {
    FIGURE_CALLS(LIBRARY_CALL)
} figure_calls;

// One for the process: to look for fonts takes a tenth of a second, and pictures are written by a thread
// each. Pango has no lock of its own. NULL: no font is installed, where Pango would end the program.
static par_lock fonts_lock = PAR_LOCK_INIT;
static PangoFontMap *fonts;
static figure_calls lib;
static bool lib_open;

static firn_status open_lib(void) {
    static const char *const files[] = {"libfontconfig.so.1",
                                        "libglib-2.0.so.0",
                                        "libgobject-2.0.so.0",
                                        "libcairo.so.2",
                                        "libpango-1.0.so.0",
                                        "libpangocairo-1.0.so.0",
                                        NULL},
                             *const names[] = {FIGURE_CALLS(LIBRARY_NAME) NULL};
    const library all = {files, names, "draw words and plots", "libpangocairo-1.0-0 and libfontconfig1"};
    par_lock_take(&fonts_lock);
    firn_status status = lib_open ? FIRN_OK : library_open(&all, &lib);
    lib_open = status == FIRN_OK;
    par_lock_release(&fonts_lock);
    return status;
}

static PangoFontMap *find_fonts(void) {
    if (fonts) return fonts;
    FcConfig *config = lib.FcConfigReference(NULL);
    const FcFontSet *found = config ? lib.FcConfigGetFonts(config, FcSetSystem) : NULL;
    if (found && found->nfont > 0)
        fonts = lib.pango_cairo_font_map_new();
    else
        log_note("no font is installed: pictures are drawn without text (Debian: fonts-dejavu-core)");
    if (config) lib.FcConfigDestroy(config);
    return fonts;
}

// One line of text; control characters are spaces, broken UTF-8 is U+FFFD. Grey edges and exact widths,
// whatever the desktop of the user prefers. NULL: without fonts.
static PangoLayout *make_layout(const char *words, float size, bool bold) {
    PangoFontMap *map = find_fonts();
    if (!map) return NULL;
    PangoContext *context = lib.pango_font_map_create_context(map);
    cairo_font_options_t *options = lib.cairo_font_options_create();
    lib.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    lib.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    lib.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    lib.pango_cairo_context_set_font_options(context, options);
    lib.cairo_font_options_destroy(options);
    lib.pango_context_set_round_glyph_positions(context, FALSE);
    PangoLayout *layout = lib.pango_layout_new(context);
    lib.g_object_unref(context);
    PangoFontDescription *font = lib.pango_font_description_from_string(bold ? "sans bold" : "sans");
    lib.pango_font_description_set_absolute_size(font, (double)size * PANGO_SCALE);
    lib.pango_layout_set_font_description(layout, font);
    lib.pango_font_description_free(font);
    lib.pango_layout_set_single_paragraph_mode(layout, TRUE);
    char *valid = lib.g_utf8_make_valid(words, -1);
    for (char *c = valid; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    lib.pango_layout_set_text(layout, valid, -1);
    lib.g_free(valid);
    return layout;
}

static double layout_width(PangoLayout *layout) {
    int width, height;
    lib.pango_layout_get_size(layout, &width, &height);
    return (double)width / PANGO_SCALE;
}

float figure_text_width(const char *words, float size, bool bold) {
    if (open_lib() != FIRN_OK) return 0;
    par_lock_take(&fonts_lock);
    PangoLayout *layout = make_layout(words, size, bold);
    double width = layout ? layout_width(layout) : 0;
    if (layout) lib.g_object_unref(layout);
    par_lock_release(&fonts_lock);
    return (float)width;
}

static void set_color(cairo_t *cr, draw_color c) {
    lib.cairo_set_source_rgba(cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

static void paint_text(cairo_t *cr, const figure *f, const figure_item *item) {
    PangoLayout *layout = make_layout(f->words + item->first, item->weight, item->bold);
    if (!layout) return;
    double size = (double)item->weight,
           share[] = {[ANCHOR_LEFT] = 0, [ANCHOR_MIDDLE] = 0.5, [ANCHOR_RIGHT] = 1};
    double x = (double)item->x - share[item->anchor] * layout_width(layout);
    double y = (double)item->y - (double)lib.pango_layout_get_baseline(layout) / PANGO_SCALE;
    for (int rim = 3; item->halo && rim > 0; rim--) {
        set_color(cr, (draw_color){255, 255, 255, (uint8_t)(item->color.a / 6)});
        lib.cairo_set_line_width(cr, rim * 0.13 * size);
        lib.cairo_move_to(cr, x, y);
        lib.pango_cairo_layout_path(cr, layout);
        lib.cairo_stroke(cr);
    }
    set_color(cr, item->color);
    lib.cairo_move_to(cr, x, y);
    lib.pango_cairo_show_layout(cr, layout);
    lib.g_object_unref(layout);
}

// Cairo counts in 1/256 of a pixel and does not look for overflow.
static double coordinate(float x) { return isfinite(x) ? fmin(fmax((double)x, -1e5), 1e5) : 0; }

static void paint_line(cairo_t *cr, const figure *f, const figure_item *item) {
    const figure_point *p = f->points + item->first;
    lib.cairo_set_line_width(cr, (double)item->weight);
    lib.cairo_move_to(cr, coordinate(p[0].x), coordinate(p[0].y));
    for (size_t i = item->count > 1 ? 1 : 0; i < item->count; i++) // a single point is a dot
        lib.cairo_line_to(cr, coordinate(p[i].x), coordinate(p[i].y));
    lib.cairo_stroke(cr);
}

// Ends the drawing: cr and surface are gone.
static firn_status paint(const figure *f, cairo_surface_t *surface) {
    cairo_t *cr = lib.cairo_create(surface);
    lib.cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    lib.cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    if (f->background.a) {
        set_color(cr, f->background);
        lib.cairo_paint(cr);
    }
    par_lock_take(&fonts_lock);
    for (size_t i = 0; i < f->count; i++) {
        const figure_item *item = &f->items[i];
        set_color(cr, item->color);
        if (item->kind == FIGURE_LINE)
            paint_line(cr, f, item);
        else if (item->kind == FIGURE_TEXT)
            paint_text(cr, f, item);
        else {
            lib.cairo_rectangle(cr, coordinate(item->x), coordinate(item->y), coordinate(item->width),
                                coordinate(item->height));
            lib.cairo_fill(cr);
        }
    }
    par_lock_release(&fonts_lock);
    cairo_status_t status = lib.cairo_status(cr);
    lib.cairo_destroy(cr);
    lib.cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS) status = lib.cairo_surface_status(surface);
    lib.cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS) return FIRN_OK;
    if (status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_WRITE_ERROR)
        return fail_memory("drawing a figure", 4 * (size_t)f->width * (size_t)f->height);
    return fail(FIRN_UNSUPPORTED, "a figure cannot be drawn: %s", lib.cairo_status_to_string(status));
}

// Between our order of bytes, r g b a, and Cairo's, b g r x.
static void swap_red_and_blue(canvas *c) {
    size_t pixels = (size_t)c->width * (size_t)c->height;
    for (size_t i = 0; i < pixels; i++) {
        uint8_t *p = c->rgba + 4 * i, red = p[0];
        p[0] = p[2], p[2] = red, p[3] = 255;
    }
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "Cairo's pixels are words of the machine");

firn_status figure_draw(const figure *f, canvas *onto) {
    if (f->failed) return fail_memory("drawing a figure", f->capacity * sizeof *f->items);
    if (f->count == 0) return FIRN_OK;
    TRY(open_lib());
    swap_red_and_blue(onto);
    firn_status status =
        paint(f, lib.cairo_image_surface_create_for_data(onto->rgba, CAIRO_FORMAT_RGB24, onto->width,
                                                         onto->height, 4 * onto->width));
    swap_red_and_blue(onto);
    return status;
}

static cairo_status_t take_bytes(void *context, const unsigned char *data, unsigned bytes) {
    text *t = context;
    text_add_bytes(t, (const char *)data, bytes);
    return t->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

// Cairo numbers the surfaces of the process, and the number is in the file: without it the same figure gives
// the same bytes.
static void remove_surface_numbers(char *svg) {
    for (char *at = svg; (at = strstr(at, "id=\"surface"));) {
        at += strlen("id=\"surface");
        memmove(at, at + strspn(at, "0123456789"), strlen(at + strspn(at, "0123456789")) + 1);
    }
}

firn_status figure_write_svg(const figure *f, const char *path) {
    if (f->failed) return fail_memory("drawing a figure", f->capacity * sizeof *f->items);
    TRY(open_lib());
    text t = {0};
    cairo_surface_t *surface = lib.cairo_svg_surface_create_for_stream(take_bytes, &t, f->width, f->height);
    lib.cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    firn_status status = paint(f, surface);
    if (status == FIRN_OK && t.failed) status = fail_memory("writing an SVG", t.length);
    if (status == FIRN_OK) remove_surface_numbers(t.data);
    if (status == FIRN_OK) status = file_write_text(path, t.data);
    text_free(&t);
    return status;
}

#else

static firn_status no_cairo(void) {
    return fail(FIRN_UNSUPPORTED,
                "this build of firn cannot draw plots: it was configured with FIRN_DRAW=OFF; build it "
                "again with FIRN_DRAW=ON");
}

float figure_text_width(const char *words, float size, bool bold) {
    (void)words, (void)size, (void)bold;
    return 0;
}

firn_status figure_draw(const figure *f, canvas *onto) {
    (void)f, (void)onto;
    return no_cairo();
}

firn_status figure_write_svg(const figure *f, const char *path) {
    (void)f, (void)path;
    return no_cairo();
}

#endif

firn_status figure_write_png(const figure *f, const char *path) {
    canvas c;
    TRY(canvas_create(f->width, f->height, f->background, &c));
    firn_status status = figure_draw(f, &c);
    if (status == FIRN_OK) status = canvas_write_png(&c, path, 6);
    canvas_free(&c);
    return status;
}
