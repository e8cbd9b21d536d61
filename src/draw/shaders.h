// The renderer's programs, in GLSL 3.30. Each is `shader_head`, parts shared by several, and its own text.
//
// Surfaces are first written as colour and normal (the G-buffer), then every pixel is lit once: in a software
// rasteriser small triangles cost several times their pixels, so what is drawn per triangle must be cheap.
#ifndef DRAW_SHADERS_H
#define DRAW_SHADERS_H

// What every program knows; must match the block in shader_head.
typedef struct shader_scene {
    float view_projection[16];
    float shadow[16];       // world to shadow map: x, y, depth in 0..1
    float eye[4];           // w: angle of a pixel, rad
    float right[4];         // half the picture's width at distance 1; w: fog per metre
    float up[4];            // half its height; w: where fog starts, m
    float forward[4];       // unit; w: size of details of the snow, m
    float view_x[4];        // unit; w: nearest depth, m
    float view_y[4];        // unit; w: farthest depth, m
    float sun[4];           // direction; w: radius of the shadow search in texture units
    float sun_color[4];     // w: penumbra in texture units per unit of depth
    float sky_high[4];      // zenith; w: width of a shadow texel, m
    float sky_low[4];       // horizon; w: smallest blur in texture units
    float sky_fill[4];      // light from above onto things; w: how plain the mountains are, 0..1
    float ground_fill[4];   // light from below
    float screen[4];        // width, height, pixels per tangent, 1/m: how much water dims
    float lamp_at[4][4];    // w: squared radius, 0: no lamp
    float lamp_color[4][4]; // exposed
    float occlusion[4]; // radius in m, pixels of the half picture per tangent, strength; w: thinnest air, m
} shader_scene;

extern const char *const shader_head;    // version, block, noise, sky, haze
extern const char *const shader_surface; // what a surface writes
extern const char *const shader_place;   // where a pixel's surface is

extern const char *const shader_sparkle, *const shader_bumps, *const shader_drifts; // looks of snow

extern const char *const shader_cover_fragment;
extern const char *const shader_mesh_vertex, *const shader_plain_fragment,
                                                 *const shader_patterns, *const shader_body_fragment,
                                                                             *const shader_bare_body_fragment,
                                                                                 *const shader_soft_fragment;
extern const char *const shader_plane_vertex, *const shader_snow_fragment;
extern const char *const shader_spheres_vertex, *const shader_spheres_fragment;
extern const char *const shader_depth_vertex, *const shader_depth_fragment; // shadow map
extern const char *const shader_screen_vertex; // a triangle over the whole picture
extern const char *const shader_splats_fragment,
    *const shader_distance_fragment, *const shader_occlusion_fragment, *const shader_blur_fragment,
                                                                           *const shader_light_fragment,
                                                                               *const shader_sun,
                                                                                   *const shader_backdrop;
extern const char *const shader_tone;                   // exposure to pixels
extern const char *const shader_wet, *const shader_dry; // before the light: is there water?
extern const char *const shader_water_fragment;         // its surface
extern const char *const shader_thick_fragment;         // how much of it is in the way
extern const char *const shader_sun_thick_vertex, *const shader_sun_thick_fragment; // the same for the sun
extern const char *const shader_through_fragment; // the scene seen through it

#endif
