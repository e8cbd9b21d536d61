// The colours of sun, sky and haze of a picture, for both renderers.
#include "draw/scene_light.h"

#include <math.h>

#include "base/random.h"

// Koschmieder: at the distance that one sees, a contrast of 2 % is left, exp(-3.9).
static const float KOSCHMIEDER = 3.9f;
// A picture is exposed for snow that lies flat in the sun: its brightness before tones, how far exposure
// follows the light, and its limits.
static const float WANTED_SNOW = 1.15f, EXPOSURE_POWER = 0.85f, LEAST_EXPOSURE = 0.3f, MOST_EXPOSURE = 4;
static const float SNOW_ALBEDO = 0.9f;
// The whole sky is paler than its zenith: like a black body of about 10 000 K, not like a blue lamp.
static const float SKY_PALE = 0.45f;
static const float GROUND_SEEN =
    0.42f; // what a wall gets of the light of snow before it: some of that is in shade
// Without a given distance of sight: haze begins behind the subject, and leaves 4 % (exp(-3.2)) at 30 times
// its size.
static const float HAZE_DEPTH = 3.2f, HAZE_SIZES = 30, HAZE_START = 0.3f;
static const float CLEAR_AIR = 600; // m: with more than this the sky has depth

static void set3(float out[4], float x, float y, float z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

float scene_dimming(const draw_light *light) { return KOSCHMIEDER / fmaxf(light->clear, 1e-4f); }

static float brightness(const float c[3]) { return 0.3f * c[0] + 0.59f * c[1] + 0.11f * c[2]; }

// The lower the sun, the warmer; the sky pales towards the horizon; sky light is blue, and the ground throws
// both back. The picture is exposed for snow that lies flat in the sun, as a photographer would.
void scene_lights(shader_scene *s, const draw_light *light, const float sun[3]) {
    float height = fmaxf(sun[1], 0.05f), warm = expf(-3.0f * height), sky = light->sky_strength, c[3],
          most = 1e-3f;
    for (int i = 0; i < 3; i++) most = fmaxf(most, light->sky_color[i]);
    for (int i = 0; i < 3; i++)
        c[i] = light->sky_color[i] * light->sky_color[i] / most; // deeper than its name
    float k = 3.0f * light->sun_strength;
    set3(s->sun_color, k, k * (0.90f - 0.26f * warm), k * (0.70f - 0.52f * warm));
    set3(s->sky_high, 0.50f * sky * c[0], 0.64f * sky * c[1], 0.84f * sky * c[2]);
    set3(s->sky_low, sky * (0.70f + 0.50f * c[0]), sky * (0.77f + 0.42f * c[1]),
         sky * (0.88f + 0.30f * c[2]));
    set3(s->sky_fill, sky * (0.06f + 0.55f * c[0]), sky * (0.09f + 0.55f * c[1]),
         sky * (0.15f + 0.55f * c[2]));
    float grey = brightness(s->sky_fill);
    for (int i = 0; i < 3; i++) s->sky_fill[i] = grey + SKY_PALE * (s->sky_fill[i] - grey);
    for (int i = 0; i < 3; i++)
        s->ground_fill[i] = GROUND_SEEN * SNOW_ALBEDO * (s->sky_fill[i] + height * s->sun_color[i]);
    float lying = SNOW_ALBEDO * (brightness(s->sun_color) * height + brightness(s->sky_fill));
    float exposure =
        fminf(fmaxf(powf(WANTED_SNOW / fmaxf(lying, 1e-3f), EXPOSURE_POWER), LEAST_EXPOSURE), MOST_EXPOSURE);
    float by_hand = exp2f(light->stops);
    exposure *= by_hand;
    for (int i = 0; i < 3; i++) s->sky_high[i] *= by_hand, s->sky_low[i] *= by_hand;
    float *const colors[] = {s->sun_color, s->sky_fill, s->ground_fill};
    for (size_t n = 0; n < sizeof colors / sizeof *colors; n++)
        for (int i = 0; i < 3; i++) colors[n][i] *= exposure;
    s->sky_fill[3] = 1;
    s->lamp_color[0][3] = exposure;
}

static float distance2(const float a[3], const float b[3]) {
    float sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

// The nearest to what the camera looks at, in the order of their distance.
void scene_lamps(shader_scene *s, const draw_list *list) {
    float exposure = s->lamp_color[0][3], before = -1;
    for (int n = 0; n < DRAW_LAMPS; n++) {
        const draw_lamp *next = NULL;
        for (size_t i = 0; i < list->lamp_count; i++) {
            float d = distance2(list->lamps[i].at, list->camera.to);
            if (d > before && (!next || d < distance2(next->at, list->camera.to))) next = &list->lamps[i];
        }
        set3(s->lamp_at[n], 0, 0, 0);
        s->lamp_at[n][3] = 0;
        set3(s->lamp_color[n], 0, 0, 0);
        if (!next) continue;
        before = distance2(next->at, list->camera.to);
        set3(s->lamp_at[n], next->at[0], next->at[1], next->at[2]);
        s->lamp_at[n][3] = next->radius * next->radius;
        set3(s->lamp_color[n], exposure * next->color[0], exposure * next->color[1],
             exposure * next->color[2]);
    }
}

// In thick air the sky has no depth and no mountains: all is as pale as the horizon.
void scene_haze(shader_scene *s, const draw_list *list, float away) {
    float size = list->radius, seen = list->light.haze;
    s->right[3] = seen > 0 ? KOSCHMIEDER / seen : HAZE_DEPTH / (HAZE_SIZES * size);
    s->up[3] = seen > 0 ? 0 : away + HAZE_START * size;
    if (!(seen > 0)) return;
    float clear = seen / (seen + CLEAR_AIR);
    for (int i = 0; i < 3; i++) {
        float low = s->sky_low[i] * (0.62f + 0.38f * clear); // no glow at the horizon
        s->sky_low[i] = low;
        s->sky_high[i] += (1 - clear) * (low - s->sky_high[i]);
    }
    s->sky_fill[3] = fmaxf(2 * clear - 1, 0);
}

// As in shader_tone.
float scene_tone(float light) {
    float x = fmaxf(light, 0);
    return x * (x + 0.25f) / (x * (x + 0.55f) + 0.27f);
}

// A flake is lit from all sides.
void scene_white(const shader_scene *s, float light[3], float srgb[3]) {
    for (int k = 0; k < 3; k++) {
        light[k] = 1.3f * (0.65f * s->sky_fill[k] + 0.35f * s->ground_fill[k] + 0.4f * s->sun_color[k]);
        srgb[k] = powf(scene_tone(light[k]), 1 / 2.2f);
    }
}

// Light that went into a cloud of grains comes out all over it: its shade is as bright as snow under the sky.
void scene_cloud(const void *context, float through, float light[2][3], float srgb[2][3]) {
    const shader_scene *s = context;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 3; k++) {
            float sun = side ? 0.75f * through : 0.12f * through;
            light[side][k] = 0.75f * s->sky_fill[k] + 0.3f * s->ground_fill[k] + sun * s->sun_color[k];
            srgb[side][k] = powf(scene_tone(light[side][k]), 1 / 2.2f);
        }
}

// Far mountains: the height of two ranges over the horizon, all round.
enum { OCTAVES = 6 };

// Ridged noise of `cells` over the whole round.
static float ridged(float turn, unsigned cells, uint32_t stream) {
    float at = turn * (float)cells, f = at - floorf(at), u = f * f * (3 - 2 * f);
    unsigned cell = (unsigned)at % cells;
    float a = random_unit(random_bits(11, cell, 0, stream), 0),
          b = random_unit(random_bits(11, (cell + 1) % cells, 0, stream), 0);
    return 1 - fabsf(2 * (a + (b - a) * u) - 1);
}

float scene_ridge(int layer, float turn) {
    float height = 0, size = 1, sum = 0;
    unsigned cells = layer ? 17 : 11;
    for (uint32_t octave = 0; octave < OCTAVES; octave++) {
        height += size * ridged(turn, cells, 100u * (uint32_t)layer + octave);
        sum += size;
        size *= 0.45f;
        cells = cells * 2 + 1;
    }
    height /= sum;
    return layer ? 0.010f + 0.050f * height * height : 0.024f + 0.090f * height * height;
}
