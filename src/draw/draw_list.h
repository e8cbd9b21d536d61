// What is in a picture, as plain data: the renderer knows nothing of worlds, models or scenes.
#ifndef DRAW_DRAW_LIST_H
#define DRAW_DRAW_LIST_H

#include "draw/canvas.h"
#include "geom/mesh.h"
#include "geom/pattern.h"

typedef enum draw_material {
    DRAW_BODY,   // satin paint
    DRAW_PACKED, // a body of snow: soft light, no gloss
    DRAW_SNOW,   // ground of snow: drifts, glints
    DRAW_FIELD,  // the same, and its light is softer
    DRAW_COVER,  // the same on anything: flat and steep look different
    DRAW_SOFT,   // snow that moves: light goes into it, glints
    DRAW_CRUMBS, // small pieces of snow, lit from all sides
    DRAW_MARKED, // the colours mean something: lit by white light
    DRAW_WATER,  // a closed surface that one sees through; its colour is that of deep water
    DRAW_PLAIN,  // a drawing in space: not lit at all, without a shadow
} draw_material;

typedef struct draw_mesh {
    const mesh *mesh;
    uint64_t revision; // another number when the mesh's content changed; its buffers are kept until then
    float at[3];
    float rotation[4];        // w, x, y, z
    float color[3];           // linear RGB, where the vertices have none
    const float (*colors)[3]; // linear RGB by vertex, or NULL
    draw_material material;
    pattern_kind pattern; // of bodies, bound to the mesh
    // For motion blur, which drafts do not have: `at` and the mesh are of the moment when the shutter closes.
    bool moving;
    float before_at[3], before_rotation[4]; // when it opens
    const float (*way)[3];                  // by vertex, m: how far it came meanwhile beside that; or NULL
    // Of snow, for relief finer than the mesh:
    const float (*rest)[4]; // by vertex: where its matter was at rest, and how rough it is (0..1); or NULL
    float grain;            // m, size of what the mesh shows; 0: as is usual for the material
} draw_mesh;

// Endless ground through `at`.
typedef struct draw_plane {
    float at[3], normal[3];
    float color[3];
    bool grid; // lines every metre
} draw_plane;

// Colour maps, perceptual ones; in the order of picture.color_map.
typedef enum draw_colors {
    DRAW_COLORS_SEQUENTIAL, // dark blue over violet and red to yellow, evenly lighter from end to end
    DRAW_COLORS_GRAY,       // dark to light
    DRAW_COLORS_DIVERGING   // blue and red at the ends, nearly white in the middle
} draw_colors;

// Spheres of one radius.
typedef struct draw_points {
    const float (*at)[3];
    size_t count;
    float radius;           // m
    float color[3];         // linear RGB, where there are no values
    const float *value;     // one per point, or NULL
    float low, high;        // the values at both ends of the colour map
    bool drawing;           // in space, not of matter: no shadow
    const float (*rest)[4]; // as of a mesh, or NULL
    const float (*way)[3];  // m: how far each came while the shutter was open, or NULL
    draw_colors map;
} draw_points;

// What near flakes look like: spots, single crystals, or clumps of many.
typedef enum draw_flake {
    DRAW_FLAKE_SPOT,
    DRAW_FLAKE_CLUMP,
    DRAW_FLAKE_STAR,
    DRAW_FLAKE_PLATE,
    DRAW_FLAKE_NEEDLE,
} draw_flake;

// Flakes in the air: soft spots without shadow, drawn over everything else.
typedef struct draw_sprites {
    const float (*at)[3];
    const float (*velocity)[3]; // m/s, or NULL: they stand still
    size_t count;
    float radius;       // m
    float shutter;      // s that the picture was exposed for
    draw_flake shape;   // of those that are large enough to show it
    bool wet;           // half melted: one sees through them
    const float *value; // one each, or NULL: white
    float low, high;    // the values at both ends of the colour map
    draw_colors map;
} draw_sprites;

// Soft balls of powder in the air.
typedef struct draw_puffs {
    const float (*at)[3];
    const float *radius, *opacity; // m, 0..1
    const uint32_t *seed;          // of their shapes
    size_t count;
} draw_puffs;

typedef struct draw_camera {
    float from[3], to[3];
    float lens; // focal length over the width of the picture: 35 mm / 36 mm
} draw_camera;

typedef struct draw_light {
    float sun[3];       // direction towards the sun
    float sun_strength; // 1: a clear winter morning
    float sky_strength;
    float sky_color[3]; // linear RGB, of the zenith; the rest of the sky follows from it
    float haze;         // m, how far one sees; 0: as far as the size of the picture's subject asks for
    float clear;        // m, how far one sees through water
    float gap;   // m, air between water and something else that is thinner than this is not there: particles
                 // keep a distance
    float stops; // brighter than a picture is exposed by itself: 1 is twice as bright
} draw_light;

// A lamp that shines to all sides.
typedef struct draw_lamp {
    float at[3], radius; // m
    float color[3];      // radiance, before exposure
} draw_lamp;
enum { DRAW_LAMPS = 4 }; // of a draft: the nearest

typedef struct draw_box {
    float low[3], high[3];
} draw_box;

typedef struct draw_list {
    draw_mesh *meshes;
    size_t mesh_count, mesh_capacity;
    draw_plane *planes;
    size_t plane_count, plane_capacity;
    draw_points *points;
    size_t point_count, point_capacity;
    draw_sprites *sprites;
    size_t sprite_count, sprite_capacity;
    draw_puffs powder;
    draw_box *glass; // boxes of glass panes, of which those towards the camera are seen
    size_t glass_count, glass_capacity;
    draw_lamp *lamps;
    size_t lamp_count, lamp_capacity;
    draw_camera camera, before; // when the shutter closes, when it opens
    float aperture, focus;      // m: width of the open lens, 0: all is sharp; distance of what is sharp
    draw_light light;
    float centre[3], radius; // a sphere round what the picture is about: within it there are shadows; fog and
                             // details follow its size
    float shade[3], shade_radius; // a smaller sphere for the shadows, where much more than the picture shows
                                  // is drawn; radius 0: none
} draw_list;

draw_list draw_list_default(void);
void draw_list_clear(draw_list *list); // keeps memory, camera and light
void draw_list_free(draw_list *list);
firn_status draw_list_mesh(draw_list *list, draw_mesh item);
firn_status draw_list_plane(draw_list *list, draw_plane item);
firn_status draw_list_points(draw_list *list, draw_points item);
firn_status draw_list_sprites(draw_list *list, draw_sprites item);
firn_status draw_list_glass(draw_list *list, draw_box item);
firn_status draw_list_lamp(draw_list *list, draw_lamp item);
void draw_list_camera(draw_list *list, draw_camera camera); // one that stands still

// Boxes that grow.
draw_box draw_box_empty(void);
bool draw_box_is_empty(const draw_box *box);
void draw_box_add(draw_box *box, const float point[3], float margin);
void draw_box_join(draw_box *box, const draw_box *other);
draw_box draw_mesh_bounds(const draw_mesh *item);
// The box of all but the farthest few points (1 in 200 on each side), so that strays do not set the scale.
// Points that are not finite are passed over.
firn_status draw_points_bounds(const draw_points *item, draw_box *box);
// The sphere round a box, its radius rounded up to a step of a coarse scale so that it stays the same while
// things move.
void draw_list_enclose(draw_list *list, const draw_box *box);

void draw_color_map(draw_colors map, float t, float linear[3]);
// The same as the paint of a point: darker, so that sunlight does not bleach it into another colour of the
// map.
void draw_color_paint(draw_colors map, float t, float linear[3]);
draw_color draw_color_srgb(const float linear[3]);
float draw_to_srgb(float linear);

#endif
