// PNG through libpng, which reports errors by longjmp: all state lives in a struct outside the
// function that calls setjmp.
#include "geom/image.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

enum { MAX_SIDE = 16384, MAX_PIXELS = 1 << 26, MAX_FILE = 1 << 29 };

typedef struct png_work {
    png_structp png;
    png_infop info;
    const char *name;
    const char *data; // being read
    size_t bytes, at;
    char *out; // being written
    size_t capacity, written;
    grey_map map;
    firn_status status;
    bool no_memory;
    char why[200];
} png_work;

static void on_error(png_structp png, png_const_charp message) {
    png_work *w = png_get_error_ptr(png);
    snprintf(w->why, sizeof w->why, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static png_voidp take_memory(png_structp png, png_alloc_size_t bytes) {
    png_work *w = png_get_mem_ptr(png);
    void *memory = mem_alloc(bytes);
    if (!memory) w->no_memory = true;
    return memory;
}

static void give_memory(png_structp png, png_voidp memory) {
    (void)png;
    mem_free(memory);
}

static void read_bytes(png_structp png, png_bytep to, size_t bytes) {
    png_work *w = png_get_io_ptr(png);
    if (bytes > w->bytes - w->at) png_error(png, "the file ends too early");
    memcpy(to, w->data + w->at, bytes);
    w->at += bytes;
}

static void write_bytes(png_structp png, png_bytep from, size_t bytes) {
    png_work *w = png_get_io_ptr(png);
    if (!array_reserve(&w->out, &w->capacity, w->written + bytes, 1)) {
        w->no_memory = true;
        png_error(png, "out of memory");
    }
    memcpy(w->out + w->written, from, bytes);
    w->written += bytes;
}

static void flush_bytes(png_structp png) { (void)png; }

static const char *color_name(int type) {
    switch (type) {
    case PNG_COLOR_TYPE_GRAY: return "grey";
    case PNG_COLOR_TYPE_GRAY_ALPHA: return "grey and alpha";
    case PNG_COLOR_TYPE_PALETTE: return "palette";
    case PNG_COLOR_TYPE_RGB: return "RGB";
    case PNG_COLOR_TYPE_RGB_ALPHA: return "RGB and alpha";
    default: return "unknown";
    }
}

static firn_status check_header(png_work *w) {
    png_uint_32 width, height;
    int depth, type, interlace;
    png_get_IHDR(w->png, w->info, &width, &height, &depth, &type, &interlace, NULL, NULL);
    if (depth != 16 || type != PNG_COLOR_TYPE_GRAY)
        return fail(FIRN_BAD_INPUT, "'%s' is a %d-bit %s PNG; a 16-bit grey PNG is needed", w->name, depth,
                    color_name(type));
    if (width > MAX_SIDE || height > MAX_SIDE || (uint64_t)width * height > MAX_PIXELS)
        return fail(FIRN_BAD_INPUT, "'%s' is too large: %u x %u pixels, at most %d x %d and %d in all",
                    w->name, (unsigned)width, (unsigned)height, MAX_SIDE, MAX_SIDE, MAX_PIXELS);
    w->map.width = width;
    w->map.height = height;
    return FIRN_OK;
}

// Rows come with the high byte first; several passes if the file is interlaced, each filling in more of the
// row.
static firn_status read_rows(png_work *w) {
    size_t width = w->map.width, height = w->map.height;
    int passes = png_set_interlace_handling(w->png);
    png_read_update_info(w->png, w->info);
    w->map.value = mem_zero(width * height, sizeof *w->map.value);
    if (!w->map.value) return fail_memory("reading a picture", width * height * sizeof *w->map.value);
    for (int pass = 0; pass < passes; pass++)
        for (size_t y = 0; y < height; y++) png_read_row(w->png, (png_bytep)(w->map.value + y * width), NULL);
    png_read_end(w->png, NULL);
    for (size_t i = 0; i < width * height; i++) {
        unsigned char byte[2];
        memcpy(byte, &w->map.value[i], 2);
        w->map.value[i] = (uint16_t)(byte[0] << 8 | byte[1]);
    }
    return FIRN_OK;
}

static firn_status failed(const png_work *w, bool reading) {
    if (w->no_memory)
        return fail(FIRN_NO_MEMORY, "out of memory while %s '%s'", reading ? "reading" : "writing", w->name);
    if (reading) return fail(FIRN_BAD_INPUT, "'%s' is damaged: %s", w->name, w->why);
    return fail(FIRN_IO, "cannot write '%s': %s", w->name, w->why);
}

static void read_picture(png_work *w) {
    w->png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w, take_memory, give_memory);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    if (!w->info) {
        w->status = failed(w, true);
        return;
    }
    if (setjmp(png_jmpbuf(w->png))) {
        w->status = failed(w, true);
        return;
    }
    png_set_read_fn(w->png, w, read_bytes);
    png_set_user_limits(w->png, 0x7fffffff, 0x7fffffff); // checked by us, with a better message
    png_set_chunk_malloc_max(w->png, 1 << 23);
    png_read_info(w->png, w->info);
    w->status = check_header(w);
    if (w->status == FIRN_OK) w->status = read_rows(w);
}

static const char *kind_of_file(const unsigned char *d, size_t bytes) {
    if (bytes >= 3 && memcmp(d, "\xff\xd8\xff", 3) == 0) return "a JPEG picture";
    if (bytes >= 4 && (memcmp(d, "II*\0", 4) == 0 || memcmp(d, "MM\0*", 4) == 0)) return "a TIFF picture";
    if (bytes >= 2 && d[0] == 'P' && d[1] >= '1' && d[1] <= '6') return "a PNM picture";
    if (bytes >= 2 && memcmp(d, "BM", 2) == 0) return "a BMP picture";
    if (bytes >= 4 && memcmp(d, "\x76\x2f\x31\x01", 4) == 0) return "an OpenEXR picture";
    return bytes ? "not a PNG" : "empty";
}

firn_status grey_map_parse(const char *data, size_t bytes, const char *name, grey_map *out) {
    *out = (grey_map){0};
    if (bytes < 8 || png_sig_cmp((png_const_bytep)data, 0, 8) != 0)
        return fail(FIRN_BAD_INPUT, "'%s' is %s; a 16-bit grey PNG is needed", name,
                    kind_of_file((const unsigned char *)data, bytes));
    png_work w = {.name = name, .data = data, .bytes = bytes, .status = FIRN_OK};
    read_picture(&w);
    png_destroy_read_struct(&w.png, &w.info, NULL);
    if (w.status != FIRN_OK)
        grey_map_free(&w.map);
    else
        *out = w.map;
    return w.status;
}

firn_status grey_map_read(const char *path, grey_map *out) {
    *out = (grey_map){0};
    char *data;
    size_t bytes;
    TRY(file_read_whole(path, MAX_FILE, &data, &bytes));
    firn_status status = grey_map_parse(data, bytes, path, out);
    mem_free(data);
    return status;
}

// Rows as they stand in memory.
typedef struct png_rows {
    const void *first;
    size_t bytes; // of a row
    uint32_t width, height;
    bool grey; // 16 bits; else 4 bytes a pixel, of which red, green and blue are written
    int level;
} png_rows;

static void write_rows(png_work *w, const png_rows *rows) {
    w->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, w, on_error, on_warning, w, take_memory,
                                       give_memory);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    if (!w->info || setjmp(png_jmpbuf(w->png))) {
        w->status = failed(w, false);
        return;
    }
    png_set_write_fn(w->png, w, write_bytes, flush_bytes);
    png_set_user_limits(w->png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(w->png, w->info, rows->width, rows->height, rows->grey ? 16 : 8,
                 rows->grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (!rows->grey) {
        png_set_compression_level(w->png, rows->level);
        png_set_filter(w->png, 0, PNG_FILTER_UP); // cheap, and right for pictures that are smooth downwards
        png_set_sRGB(w->png, w->info, PNG_sRGB_INTENT_PERCEPTUAL);
    }
    png_write_info(w->png, w->info);
    if (rows->grey)
        png_set_swap(w->png);
    else
        png_set_filler(w->png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < rows->height; y++)
        png_write_row(w->png, (png_const_bytep)rows->first + y * rows->bytes);
    png_write_end(w->png, NULL);
}
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "png_set_swap turns little endian around");

static firn_status write_file(const png_rows *rows, const char *path) {
    if (!rows->width || !rows->height)
        return fail(FIRN_BAD_INPUT, "'%s': a picture without pixels cannot be written", path);
    png_work w = {.name = path, .status = FIRN_OK};
    write_rows(&w, rows);
    png_destroy_write_struct(&w.png, &w.info);
    if (w.status == FIRN_OK) w.status = file_write_whole(path, &(file_part){w.out, w.written}, 1);
    mem_free(w.out);
    return w.status;
}

firn_status grey_map_write(const grey_map *map, const char *path) {
    size_t row = map->width * sizeof *map->value;
    return write_file(&(png_rows){map->value, row, map->width, map->height, .grey = true}, path);
}

firn_status picture_write_png(const uint8_t *rgba, uint32_t width, uint32_t height, int level,
                              const char *path) {
    return write_file(&(png_rows){rgba, 4 * (size_t)width, width, height, .level = level}, path);
}

void grey_map_free(grey_map *map) {
    mem_free(map->value);
    *map = (grey_map){0};
}
