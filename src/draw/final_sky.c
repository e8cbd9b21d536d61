// Sky, far mountains and tones of the final quality.
#include "draw/final_sky.h"

#include <math.h>
#include <string.h>

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static float f_min(float a, float b) { return a < b ? a : b; } // inlined, unlike the C library's
static float f_max(float a, float b) { return a > b ? a : b; }
static float unit(float x) { return f_min(f_max(x, 0), 1); }
static float mix(float a, float b, float t) { return a + (b - a) * t; }

void final_sky_fill(final_sky *f, const draw_list *list, int width) {
    float sun[3], length = sqrtf(dot(list->light.sun, list->light.sun)), away[3];
    *f = (final_sky){.pixel = 1 / (list->camera.lens * (float)width)};
    for (int k = 0; k < 3; k++) {
        sun[k] = length > 1e-9f ? list->light.sun[k] / length : k == 1;
        away[k] = list->camera.from[k] - list->centre[k];
        f->scene.sun[k] = sun[k];
    }
    for (int layer = 0; layer < 2; layer++)
        for (int i = 0; i < RIDGES_AROUND; i++)
            f->ridge[layer][i] = scene_ridge(layer, ((float)i + 0.5f) / RIDGES_AROUND);
    scene_lights(&f->scene, &list->light, sun);
    scene_lamps(&f->scene, list);
    scene_haze(&f->scene, list, sqrtf(dot(away, away)));
}

static void open_sky(const shader_scene *s, const float way[3], float out[3]) {
    float h = f_max(way[1], 0), toward = f_max(dot(way, s->sun), 0), low = expf(-5.5f * h);
    float s2 = toward * toward, s8 = s2 * s2 * s2 * s2;
    float glow = 0.05f * s2 * expf(-5 * h) + 0.10f * s8 + 0.2f * s8 * s8 * s8 * s8;
    for (int k = 0; k < 3; k++) out[k] = mix(s->sky_high[k], s->sky_low[k], low) + s->sun_color[k] * glow;
}

static float ridge_at(const final_sky *f, int layer, float turn) {
    float at = turn * RIDGES_AROUND + RIDGES_AROUND - 0.5f;
    int i = (int)at;
    return mix(f->ridge[layer][i % RIDGES_AROUND], f->ridge[layer][(i + 1) % RIDGES_AROUND], at - (float)i);
}

static void add_ridge(const final_sky *f, int layer, float turn, const float v[3], float c[3]) {
    const shader_scene *s = &f->scene;
    float r = ridge_at(f, layer, turn), level[3];
    float inside = unit((r - v[1]) / f->pixel * 0.7f + 0.5f) * s->sky_fill[3];
    if (!(inside > 0)) return;
    float sunny = unit(0.45f - 0.4f * (v[0] * s->sun[0] + v[2] * s->sun[2]));
    float veil = mix(layer == 0 ? 0.55f : 0.3f, 1, unit(1 - v[1] / r));
    open_sky(s, (const float[3]){v[0], 0, v[2]}, level);
    for (int k = 0; k < 3; k++) {
        float snow = mix(s->sky_fill[k] * 0.75f, s->sun_color[k] * 0.26f + s->sky_fill[k] * 0.8f, sunny);
        c[k] = mix(c[k], mix(snow, level[k], veil), inside);
    }
}

void final_sky_seen(const void *sky, const float way[3], float out[3]) {
    const final_sky *f = sky;
    const float v[3] = {way[0], f_max(way[1], 0), way[2]};
    open_sky(&f->scene, v, out);
    if (!(v[1] < 0.16f && f->scene.sky_fill[3] > 0)) return;
    float turn = atan2f(v[2], v[0]) / 6.2831853f;
    for (int layer = 0; layer < 2; layer++) add_ridge(f, layer, turn, v, out);
}

// Even, so that open ground has the light of the draft; below the horizon what the ground throws back.
void final_sky_lights(const void *sky, const float way[3], float out[3]) {
    const shader_scene *s = &((const final_sky *)sky)->scene;
    const float *light = way[1] < 0 ? s->ground_fill : s->sky_fill;
    memcpy(out, light, 3 * sizeof *out);
}

void final_tone(const float light[3], const float at[2], float out[3]) {
    float corner = 1 - 0.2f * (at[0] * at[0] + at[1] * at[1]);
    for (int k = 0; k < 3; k++) out[k] = powf(scene_tone(light[k]), 1 / 2.2f) * corner;
}

// The curve of scene_tone, the other way round.
float final_untone(float c) {
    c = f_min(f_max(c, 0), 0.98f);
    float a = 1 - c, b = 0.25f - 0.55f * c;
    return (-b + sqrtf(b * b + 4 * a * 0.27f * c)) / (2 * a);
}
