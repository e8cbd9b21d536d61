// The colours of sun, sky and haze of a picture, for both renderers.
#ifndef DRAW_SCENE_LIGHT_H
#define DRAW_SCENE_LIGHT_H

#include "draw/draw_list.h"
#include "draw/shaders.h"

// Sun, sky and what fills the shade, exposed for snow that lies flat in the sun. sun: unit vector towards it.
void scene_lights(shader_scene *s, const draw_light *light, const float sun[3]);
void scene_lamps(shader_scene *s, const draw_list *list); // after the lights: the nearest few, exposed
// After the lights. away: m, from the eye to the middle of what the picture is about.
void scene_haze(shader_scene *s, const draw_list *list, float away);
float scene_dimming(const draw_light *light);                           // 1/m, of water
float scene_tone(float light);                                          // filmic curve; result linear, 0..1
void scene_white(const shader_scene *s, float light[3], float srgb[3]); // a white thing in the air
// A cloud: see sprite_scene. context: the scene.
void scene_cloud(const void *context, float through, float light[2][3], float srgb[2][3]);
float scene_ridge(int layer, float turn); // sine of the height of far mountains; turn: 0..1 all round

#endif
