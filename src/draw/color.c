// Colour maps, and linear light as sRGB.
#include <math.h>

#include "draw/draw_list.h"

float draw_to_srgb(float x) {
    if (!(x > 0)) return 0;
    if (x >= 1) return 1;
    return x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
}

draw_color draw_color_srgb(const float linear[3]) {
    return (draw_color){(uint8_t)(draw_to_srgb(linear[0]) * 255 + 0.5f),
                        (uint8_t)(draw_to_srgb(linear[1]) * 255 + 0.5f),
                        (uint8_t)(draw_to_srgb(linear[2]) * 255 + 0.5f), 255};
}

// Oklab (Ottosson 2020) to linear sRGB.
static void from_oklab(float lightness, float a, float b, float rgb[3]) {
    float l = lightness + 0.3963377774f * a + 0.2158037573f * b;
    float m = lightness - 0.1055613458f * a - 0.0638541728f * b;
    float s = lightness - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = 4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s;
    rgb[1] = -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s;
    rgb[2] = -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s;
}

// Lightness changes evenly; where the screen cannot show the colour its chroma is lowered, never its
// lightness.
void draw_color_map(draw_colors map, float t, float linear[3]) {
    t = t > 0 ? t < 1 ? t : 1 : 0;
    float lightness = 0.34f + 0.53f * t, hue = (264 + 188 * t) * 0.01745329252f;
    float chroma = 0.17f + 0.05f * sinf(3.14159265f * t), side = fabsf(2 * t - 1);
    if (map == DRAW_COLORS_GRAY) {
        lightness = 0.2f + 0.75f * t;
        chroma = 0;
    } else if (map == DRAW_COLORS_DIVERGING) {
        lightness = 0.93f - 0.5f * side;
        hue = (t < 0.5f ? 258 : 28) * 0.01745329252f;
        chroma = 0.2f * side;
    }
    for (int i = 0; i < 40; i++) {
        from_oklab(lightness, chroma * cosf(hue), chroma * sinf(hue), linear);
        bool shown = true;
        for (int k = 0; k < 3; k++) shown = shown && linear[k] >= 0 && linear[k] <= 1;
        if (shown) return;
        chroma *= 0.95f;
    }
    for (int k = 0; k < 3; k++) linear[k] = fminf(fmaxf(linear[k], 0), 1);
}

void draw_color_paint(draw_colors map, float t, float linear[3]) {
    draw_color_map(map, t, linear);
    for (int k = 0; k < 3; k++) linear[k] *= 0.8f;
}
