// Named colours, #rrggbb, and the conversion from sRGB to linear light.
#include "base/color.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t srgb;
} named[] = {
    {"white", 0xffffff},  {"black", 0x000000},  {"gray", 0x808080},   {"grey", 0x808080},
    {"silver", 0xc0c0c0}, {"red", 0xd62728},    {"orange", 0xff7f0e}, {"yellow", 0xf2c811},
    {"green", 0x2ca02c},  {"teal", 0x17a398},   {"cyan", 0x17becf},   {"blue", 0x1f77b4},
    {"navy", 0x1b2a5c},   {"purple", 0x9467bd}, {"pink", 0xe377c2},   {"brown", 0x8c564b},
    {"beige", 0xe8dcc0},  {"wood", 0x9a6b3f},   {"stone", 0x8a8780},  {"snow", 0xf4f8fc},
    {"ice", 0xb8d8ea},    {"sky", 0x9cc3e6},
};
enum { NAMED = sizeof named / sizeof named[0] };

const char *const *color_names(void) {
    static const char *const names[] = {"white",  "black",  "gray",  "grey",  "silver", "red",
                                        "orange", "yellow", "green", "teal",  "cyan",   "blue",
                                        "navy",   "purple", "pink",  "brown", "beige",  "wood",
                                        "stone",  "snow",   "ice",   "sky",   NULL};
    _Static_assert(sizeof names / sizeof names[0] == NAMED + 1, "one name per colour");
    return names;
}

// IEC 61966-2-1.
static double to_linear(uint32_t byte) {
    double c = (double)byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static firn_vec3 from_srgb(uint32_t rgb) {
    return (firn_vec3){to_linear(rgb >> 16 & 255), to_linear(rgb >> 8 & 255), to_linear(rgb & 255)};
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    int lower = tolower((unsigned char)c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool color_read(const char *written, firn_vec3 *linear) {
    for (size_t i = 0; i < NAMED; i++)
        if (strcmp(named[i].name, written) == 0) return *linear = from_srgb(named[i].srgb), true;
    size_t length = strlen(written);
    if (written[0] != '#' || (length != 4 && length != 7)) return false;
    uint32_t rgb = 0;
    for (const char *c = written + 1; *c; c++) {
        int digit = hex_digit(*c);
        if (digit < 0) return false;
        rgb = rgb << 4 | (uint32_t)digit;
        if (length == 4) rgb = rgb << 4 | (uint32_t)digit;
    }
    *linear = from_srgb(rgb);
    return true;
}
