// Flakes in the air: soft spots over the finished picture, drawn as streaks along their way while the shutter
// was open. By our own code, like splat.c: a software OpenGL is slowest at many small things that blend.
#ifndef DRAW_SPRITES_H
#define DRAW_SPRITES_H

#include "draw/draw_list.h"
#include "draw/light.h"

// The scene behind the flakes.
typedef struct sprite_scene {
    const float *depth;   // m along the view, rows from the bottom
    size_t stride;        // floats from row to row
    int wide, high;       // of depth; the picture is as large, or half
    float nearest;        // m; nearer flakes are left out
    float white[3];       // sRGB 0..1 of a white thing in this light
    float white_light[3]; // the same before tones
    float cloud_sun[3];   // direction towards the sun
    // Light of a white cloud turned away from the sun and towards it, before tones and in sRGB. through: how
    // many times brighter the sun is where it shines through into the eye.
    void (*cloud_light)(const void *context, float through, float light[2][3], float srgb[2][3]);
    const void *context;
    light_picture *light; // of the picture's size, gets them too; NULL: none
} sprite_scene;

// A camera as an orthonormal frame. x to the right, y down, as on the canvas.
typedef struct sprite_eye {
    float at[3], right[3], down[3], forward[3];
    float scale, middle[2]; // px
} sprite_eye;
sprite_eye sprite_eye_of(const draw_camera *camera, const canvas *picture);
// m along the view of what is at a pixel of the picture.
float sprite_behind(const sprite_scene *scene, const canvas *picture, int x, int y);

typedef struct sprites {
    struct sprite *item; // scratch, kept between frames
    size_t capacity;
} sprites;

// Size and opacity over the distance (m): WIND12 eq. 8.2 with the constants given there. The size is a factor
// on what perspective gives, 1 far away; near flakes stay bounded.
float sprite_size(float distance);
float sprite_opacity(float distance);

firn_status sprites_draw(sprites *s, const draw_list *list, const sprite_scene *scene, canvas *picture);
void sprites_free(sprites *s);
firn_status clouds_draw(const draw_list *list, const sprite_scene *scene, canvas *picture); // powder

// Panes of glass over the finished picture (glass.c): what they mirror of the sky.
void glass_draw(const draw_list *list, const sprite_scene *scene, canvas *picture);

#endif
