// Sky, far mountains and tones of the final quality: what shaders_common.c and shaders_light.c do for a
// draft.
#ifndef DRAW_FINAL_SKY_H
#define DRAW_FINAL_SKY_H

#include "draw/scene_light.h"
#include "draw/shade.h"

typedef struct final_sky {
    shader_scene scene;            // only its light and haze
    float pixel;                   // rad
    float ridge[2][RIDGES_AROUND]; // heights of the far mountains, as the draft's
} final_sky;

void final_sky_fill(final_sky *s, const draw_list *list, int width);
void final_sky_seen(const void *sky, const float way[3], float out[3]);   // by the eye
void final_sky_lights(const void *sky, const float way[3], float out[3]); // as it lights things
// Linear light of a pixel to sRGB 0..1; at: from the middle of the picture, in its sizes.
void final_tone(const float light[3], const float at[2], float out[3]);
float final_untone(float shown); // light that the tones above show as that linear colour

#endif
