// Creates and frees pictures, and writes them as PNG.
#include "draw/canvas.h"

#include <string.h>

#include "geom/image.h"

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

firn_status canvas_write_png(const canvas *c, const char *path, int level) {
    return picture_write_png(c->rgba, (uint32_t)c->width, (uint32_t)c->height, level, path);
}
