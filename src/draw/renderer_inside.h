// The inside of the renderer, shared by its files.
#ifndef DRAW_RENDERER_INSIDE_H
#define DRAW_RENDERER_INSIDE_H

#include "draw/gl_build.h"
#include "draw/gl_context.h"
#include "draw/rasteriser.h"
#include "draw/renderer.h"
#include "draw/shade.h"
#include "draw/shaders.h"
#include "draw/splat.h"
#include "draw/sprites.h"

enum renderer_program {
    PROGRAM_BODY, // with a pattern
    PROGRAM_BARE_BODY,
    PROGRAM_SNOW,
    PROGRAM_SOFT,
    PROGRAM_COVER,
    PROGRAM_PLANE,
    PROGRAM_BARE_PLANE,
    PROGRAM_SPHERES,
    PROGRAM_SPLATS,
    PROGRAM_SHADOW,
    PROGRAM_DISTANCE,
    PROGRAM_OCCLUSION,
    PROGRAM_BLUR,
    PROGRAM_LIGHT,
    PROGRAM_WET_LIGHT,
    PROGRAM_WATER,
    PROGRAM_THICK,
    PROGRAM_SUN_THICK,
    PROGRAM_THROUGH,
    PROGRAMS,
};

// Spheres of a larger radius than LARGEST_SPLAT pixels are met exactly by OpenGL; for smaller ones nobody
// sees a difference.
enum { SHADOW_SIZE = 2048, WATER_SUN_SIZE = 1024, PLANE_SECTORS = 64, PLANE_RINGS = 14, LARGEST_SPLAT = 16 };

typedef struct mesh_buffer {
    const mesh *mesh;
    uint64_t revision;
    GLuint array, buffer[4]; // position and normal, triangles, colours, rest
    GLsizei corners;
    bool indexed, colored, bound, used;
} mesh_buffer;

// What is needed only where there is water; made when the first is drawn.
typedef struct water_targets {
    GLuint color, normal, depth, front_target; // its nearest surface
    GLuint back, back_depth, back_target;      // where one first looks out of it again
    GLuint thick, thick_target;                // rgb: optical depth before the scene; alpha: metres
    GLuint sun, sun_target;     // rgb: optical depth as the sun sees it; alpha: where it begins
    GLuint light, light_target; // the scene, lit, as linear colours
} water_targets;

// What the screen passes on the CPU read and write; made when first drawn.
typedef struct shade_pictures {
    shade_job job;
    rasteriser shadows;
    int *color, *normal;
    float *depth, *shadow;
    int *water_color, *water_normal, *water_back;
    float *water_depth, *water_back_depth, (*water_thick)[4], (*water_sun)[4];
    float (*linear)[4];
} shade_pictures;

struct renderer {
    gl_context *context;
    int width, height;            // of the result
    int wide, high;               // of the picture that is drawn
    int samples;                  // per edge of a pixel
    canvas rough_picture, halved; // of that size, and of the result's if they differ
    gl_program program[PROGRAMS];
    shader_scene scene;
    splat_view eye_view, sun_view;
    GLuint scene_buffer, empty_array, plane_array, plane_buffer[2];
    GLuint sampler[2]; // of the shadow map: plain, comparing
    GLuint shadow_map, shadow_target;
    GLuint colors, normals, depth, surface_target;
    GLuint splat_depth, splat_color, splat_normal, ridges;
    GLuint distances, distances_target, rough, rough_target, shade, shade_target; // half size
    GLuint picture, picture_target;
    mesh_buffer *meshes;
    size_t mesh_count, mesh_capacity;
    splat_picture eye_splats, sun_splats;
    GLuint sphere_array, sphere_buffer[2];
    float (*sphere)[3]; // on their way to the driver
    uint8_t (*sphere_color)[4];
    size_t sphere_capacity, sphere_color_capacity;
    water_targets water;
    bool shades; // screen passes run on the CPU
    shade_pictures shade_pictures;
    light_picture *light; // to be filled too; NULL: not wanted
    float ridge_heights[2][RIDGES_AROUND];
    sprites sprites;
    float *scene_depth; // m, of every pixel drawn; for flakes
    size_t scene_depth_capacity;
    profile profile;
    bool timed;
};

void renderer_pass(renderer *r, const char *name);
void renderer_scene(renderer *r, const draw_list *list); // camera, light and fog of a frame

firn_status renderer_upload_meshes(renderer *r, const draw_list *list);
void renderer_free_meshes(renderer *r);
void renderer_plane_create(renderer *r);
void renderer_ridges_create(renderer *r);
void renderer_shadow_meshes(renderer *r, const draw_list *list);
void renderer_draw_meshes(renderer *r, const draw_list *list);
void renderer_draw_planes(renderer *r, const draw_list *list);

firn_status renderer_shadow_points(renderer *r, const draw_list *list);
firn_status renderer_draw_points(renderer *r, const draw_list *list);
void renderer_points_create(renderer *r);
void renderer_free_points(renderer *r);

// One program over all meshes of a material.
void renderer_draw_material(renderer *r, const draw_list *list, enum renderer_program which,
                            draw_material material);
void renderer_bind(int unit, GLuint texture, GLuint sampler);
void renderer_screen_pass(renderer *r, enum renderer_program which, GLuint target, int width, int height);

bool renderer_has_water(const draw_list *list);
firn_status renderer_draw_water_surface(renderer *r, const draw_list *list); // faces and thickness
// Light of the scene as seen through water, into the picture.
firn_status renderer_draw_water(renderer *r, const draw_list *list);
void renderer_free_water(renderer *r);

// Occlusion, light and water on the CPU, into rough_picture.
firn_status renderer_shade(renderer *r, const draw_list *list);
firn_status renderer_shade_shadows(renderer *r, const draw_list *list); // its shadow map
void renderer_free_shade(renderer *r);
// Depths of a target in metres, rows `stride` floats apart.
void renderer_read_depth(const renderer *r, GLuint target, size_t stride, float *to);

void renderer_take_light(renderer *r, const draw_list *list); // from the passes on the CPU into r->light
firn_status renderer_draw_sprites(renderer *r, const draw_list *list, canvas *out);
void renderer_free_sprites(renderer *r);

#endif
