// Draws a list offscreen: sun with soft shadows, sky with ambient occlusion, snow, haze, filmic tones.
// A renderer belongs to the thread that made it, unless that thread has left it.
#ifndef DRAW_RENDERER_H
#define DRAW_RENDERER_H

#include "base/clock.h"
#include "draw/draw_list.h"
#include "draw/light.h"

typedef struct renderer renderer;

// samples per pixel's edge: 1, 2 (four samples by the rasteriser) or 4 (the same in a picture of twice the
// size). FIRN_UNSUPPORTED if this build or machine cannot draw.
firn_status renderer_create(int width, int height, int samples, renderer **out);
void renderer_destroy(renderer *r); // NULL is fine
// Between drawings: OpenGL on this thread is the program's again, and another thread may enter it.
void renderer_leave(renderer *r);
firn_status renderer_enter(renderer *r);
int renderer_samples(int asked, bool light); // of a picture: as its scene asks, of light: at least 4
// `out` is a canvas of the renderer's size. The same list gives the same bits.
firn_status renderer_draw(renderer *r, const draw_list *list, canvas *out);
void renderer_forget(
    renderer *r); // meshes drawn so far will not come back: others may stand at their addresses
// Shadows, the look of snow, occlusion, light and water by our own code instead of the driver's; the default
// where OpenGL is software.
firn_status renderer_shade_on_cpu(renderer *r, bool on);
// From now on drawing also fills `to`, of the renderer's size, and shades on the CPU; NULL: no longer.
firn_status renderer_keep_light(renderer *r, light_picture *to);
profile *renderer_profile(renderer *r); // waits for the driver after every pass when asked for before drawing

#endif
