#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/file.h"
#include "draw/canvas.h"

// libpng writes into memory; the file itself is written by base/file.h, whole or not at all.
typedef struct png_bytes {
    uint8_t *data;
    size_t count, capacity;
    char why[160];
} png_bytes;

static void png_take(png_structp png, png_bytep data, size_t bytes) {
    png_bytes *out = png_get_io_ptr(png);
    if (!array_reserve(&out->data, &out->capacity, out->count + bytes, 1)) png_error(png, "out of memory");
    memcpy(out->data + out->count, data, bytes);
    out->count += bytes;
}

static void png_flush_nothing(png_structp png) { (void)png; }

static void png_failed(png_structp png, png_const_charp why) {
    png_bytes *out = png_get_error_ptr(png);
    strncpy(out->why, why, sizeof out->why - 1);
    longjmp(png_jmpbuf(png), 1);
}

static void png_warned(png_structp png, png_const_charp why) {
    (void)png;
    (void)why;
}

static void *png_memory(png_structp png, size_t bytes) {
    (void)png;
    return mem_alloc(bytes);
}

static void png_release(png_structp png, void *memory) {
    (void)png;
    mem_free(memory);
}

static bool png_encode(png_structp png, png_infop info, const canvas *c, int level, png_bytes *out,
                       uint8_t *row) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, out, png_take, png_flush_nothing);
    png_set_compression_level(png, level);
    png_set_filter(png, 0, PNG_FILTER_UP); // cheap, and right for pictures that are smooth downwards
    png_set_IHDR(png, info, (png_uint_32)c->width, (png_uint_32)c->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < c->height; y++) {
        const uint8_t *from = c->rgba + 4 * (size_t)y * (size_t)c->width;
        for (size_t x = 0; x < (size_t)c->width; x++) memcpy(row + 3 * x, from + 4 * x, 3);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return true;
}

firn_status canvas_write_png(const canvas *c, const char *path, int level) {
    png_bytes out = {0};
    uint8_t *row = mem_alloc(3 * (size_t)c->width);
    png_structp png = row ? png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &out, png_failed, png_warned,
                                                      NULL, png_memory, png_release)
                          : NULL;
    png_infop info = png ? png_create_info_struct(png) : NULL;
    firn_status status = FIRN_OK;
    if (!info)
        status = fail_memory("writing a PNG", 3 * (size_t)c->width);
    else if (!png_encode(png, info, c, level, &out, row))
        status = strstr(out.why, "emory") ? fail_memory("writing a PNG", out.count)
                                          : fail(FIRN_IO, "cannot write '%s': %s", path, out.why);
    if (png) png_destroy_write_struct(&png, &info);
    if (status == FIRN_OK) status = file_write_whole(path, &(file_part){out.data, out.count}, 1);
    mem_free(out.data);
    mem_free(row);
    return status;
}
