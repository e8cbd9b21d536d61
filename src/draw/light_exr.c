// OpenEXR files (openexr.com, "OpenEXR File Layout"): a header of named attributes, where each row begins,
// then the rows, channel by channel in the order of their names.
#include <string.h>

#include "base/file.h"
#include "draw/light.h"

enum { HALF = 1, FLOAT = 2, ROW_HEAD = 8, HEADER_ROOM = 900 };
enum { PLAIN_CHANNELS = 5, ALL_CHANNELS = 12 }; // of a draft, of final quality
typedef enum layer { LIGHT, DEPTH, ALBEDO, NOISE, NORMAL } layer;

static const struct {
    const char *name;
    int type;
    layer from;
    size_t component;
} channels[ALL_CHANNELS] = {
    {"A", HALF, LIGHT, 3},          {"B", HALF, LIGHT, 2},          {"G", HALF, LIGHT, 1},
    {"R", HALF, LIGHT, 0},          {"Z", FLOAT, DEPTH, 0},         {"albedo.B", HALF, ALBEDO, 2},
    {"albedo.G", HALF, ALBEDO, 1},  {"albedo.R", HALF, ALBEDO, 0},  {"noise", FLOAT, NOISE, 0},
    {"normal.X", FLOAT, NORMAL, 0}, {"normal.Y", FLOAT, NORMAL, 1}, {"normal.Z", FLOAT, NORMAL, 2}};

static int channel_count(const light_picture *p) { return p->albedo ? ALL_CHANNELS : PLAIN_CHANNELS; }

static size_t pixel_bytes(const light_picture *p) {
    size_t bytes = 0;
    for (int i = 0; i < channel_count(p); i++) bytes += channels[i].type == HALF ? 2 : 4;
    return bytes;
}

static const float *values(const light_picture *p, layer from, size_t pixel) {
    switch (from) {
    case LIGHT: return p->rgba[pixel];
    case DEPTH: return &p->depth[pixel];
    case ALBEDO: return p->albedo[pixel];
    case NOISE: return &p->noise[pixel];
    case NORMAL: return p->normal[pixel];
    }
    return NULL;
}

static uint8_t *put_bytes(uint8_t *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

static uint8_t *put_text(uint8_t *to, const char *text) {
    size_t bytes = strlen(text) + 1;
    memcpy(to, text, bytes);
    return to + bytes;
}

static uint8_t *put_float(uint8_t *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_bytes(to, bits, 4);
}

// Nearest, ties to even; what is too bright becomes the brightest. Light is never negative or NaN.
static uint16_t half_of(float value) {
    if (!(value > 0)) return 0;
    if (value > 65504) value = 65504;
    if (value < 6.103515625e-5f) { // steps of 2^-24, rounded by those of a float at 2^23: 1
        float steps = value * 16777216.0f + 8388608.0f;
        return (uint16_t)(steps - 8388608.0f);
    }
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)((bits >> 13) - (112 << 10));
}

static uint8_t *attribute(uint8_t *to, const char *name, const char *type, size_t bytes) {
    return put_bytes(put_text(put_text(to, name), type), bytes, 4);
}

static uint8_t *put_window(uint8_t *to, const char *name, const light_picture *p) {
    to = put_bytes(attribute(to, name, "box2i", 16), 0, 8);
    return put_bytes(put_bytes(to, (uint64_t)(p->width - 1), 4), (uint64_t)(p->height - 1), 4);
}

static uint8_t *put_header(uint8_t *to, const light_picture *p) {
    to = put_bytes(put_bytes(to, 20000630, 4), 2, 4);
    size_t list = 1;
    for (int i = 0; i < channel_count(p); i++) list += strlen(channels[i].name) + 1 + 16;
    to = attribute(to, "channels", "chlist", list);
    for (int i = 0; i < channel_count(p); i++) {
        to = put_bytes(put_text(to, channels[i].name), (uint64_t)channels[i].type, 4);
        to = put_bytes(put_bytes(put_bytes(to, 0, 4), 1, 4), 1, 4); // every pixel
    }
    to = put_bytes(to, 0, 1);
    to = put_bytes(attribute(to, "compression", "compression", 1), 0, 1);
    to = put_window(to, "dataWindow", p);
    to = put_window(to, "displayWindow", p);
    to = put_bytes(attribute(to, "lineOrder", "lineOrder", 1), 0, 1);
    to = put_float(attribute(to, "pixelAspectRatio", "float", 4), 1);
    to = put_bytes(attribute(to, "screenWindowCenter", "v2f", 8), 0, 8);
    to = put_float(attribute(to, "screenWindowWidth", "float", 4), 1);
    return put_bytes(to, 0, 1);
}

static uint8_t *put_row(uint8_t *to, const light_picture *p, int y) {
    size_t width = (size_t)p->width, first = (size_t)y * width;
    to = put_bytes(put_bytes(to, (uint64_t)y, 4), width * pixel_bytes(p), 4);
    for (int i = 0; i < channel_count(p); i++)
        for (size_t x = 0; x < width; x++) {
            float value = values(p, channels[i].from, first + x)[channels[i].component];
            to = channels[i].type == FLOAT ? put_float(to, value) : put_bytes(to, half_of(value), 2);
        }
    return to;
}

firn_status light_write_exr(const light_picture *p, const char *path) {
    size_t row = ROW_HEAD + (size_t)p->width * pixel_bytes(p);
    size_t room = HEADER_ROOM + (size_t)p->height * (8 + row);
    uint8_t *data = mem_alloc(room);
    if (!data) return fail_memory("writing an EXR", room);
    uint8_t *to = put_header(data, p);
    size_t begin = (size_t)(to - data) + 8 * (size_t)p->height;
    for (size_t y = 0; y < (size_t)p->height; y++) to = put_bytes(to, begin + y * row, 8);
    for (int y = 0; y < p->height; y++) to = put_row(to, p, y);
    firn_status status = file_write_whole(path, &(file_part){data, (size_t)(to - data)}, 1);
    mem_free(data);
    return status;
}
