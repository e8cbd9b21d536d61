// From a world to a list of what to draw.
#ifndef DRAW_COLLECT_H
#define DRAW_COLLECT_H

#include "draw/air.h"
#include "draw/camera.h"
#include "draw/overlay.h"
#include "draw/powder.h"
#include "geom/field_relief.h"
#include "geom/height_mesh.h"
#include "geom/isosurface.h"
#include "world/cover.h"
#include "world/surface.h"

// The surface of one model's particles, and those that are too lonely to have one.
typedef struct collect_skin {
    surface surface;
    float (*colors)[3];          // of the vertices
    float (*rest)[4], *channels; // what relief is bound to, of the vertices; what the surface is built with
    size_t rest_capacity, channel_capacity;
    float (*way)[3], (*loose_way)[3],
        (*grain_way)[3]; // of vertices, loose items, vertices of grains or drops
    size_t way_capacity, loose_way_capacity, grain_way_capacity;
    float (*loose)[3], *loose_value;
    size_t color_capacity, loose_capacity, loose_value_capacity;
    mesh grains; // of loose snow
    mesh drops;  // of a liquid: what is alone
    solid_form form;
} collect_skin;

// Those points of a model that are torn, or those that are not.
typedef struct collect_part {
    float (*at)[3], (*rest)[4], (*way)[3], *value;
    size_t capacity[4];
} collect_part;

// The snow field.
typedef struct collect_land {
    height_mesh mesh;
    snowfield_copy copy;         // of a field that is uneven where nothing happened
    float (*colors)[3], *values; // of the vertices
    size_t color_capacity, value_capacity;
    field_relief relief; // of the vertices: what it is bound to
    mesh crumbs;         // along tracks and on torn snow
    mesh tops;           // snow on bodies
    int32_t *cover_of;
    float (*corner)[2]; // of snow on bodies: scratch
    float (*round)[6];  // quadratics of round bodies below it: scratch
    float (*bits)[3];
    size_t tops_capacity[3], cover_capacity, corner_capacity, round_capacity, bit_capacity;
    float (*sized)[3]; // bits by their size
    size_t sized_capacity;
} collect_land;

// Streamlines of the wind, or a slice through it.
typedef struct collect_wind {
    float (*at)[3], *speed;
    size_t count, at_capacity, speed_capacity;
    mesh slice, arrows;
    float (*colors)[3]; // of the slice's vertices
    size_t color_capacity;
} collect_wind;

// The snow cover of the wind.
#define COVER_WHITE                                                                                          \
    { 0.88f, 0.9f, 0.93f }
#define COVER_HIDES 0.008f // m of snow that let a third of the colour below through
typedef struct collect_cover {
    mesh mesh, beyond; // within the domain of the wind, and around it
    cover_floors floors;
    float *fill; // of each cell, with what reaches under the snow field
    size_t fill_capacity;
    uint32_t *floor_of; // of each cell
    float (*colors)[3], (*beyond_colors)[3], (*bodies)[3];
    size_t cell_capacity, color_capacity, beyond_capacity, body_capacity;
} collect_cover;

// Powder in the air.
typedef struct collect_cloud {
    float (*at)[3], *radius, *opacity;
    uint32_t *seed;
    size_t capacity[4];
} collect_cloud;

// The links of particle solids.
typedef struct collect_links {
    mesh mesh;
    float (*colors)[3]; // of the vertices
    size_t capacity[4];
} collect_links;

// What is left of a list behind a clip plane.
typedef struct collect_cut {
    mesh **mesh; // each stays where it is: the list points to it
    size_t meshes, mesh_capacity;
    void **block; // arrays that the list points into
    size_t blocks, block_capacity;
} collect_cut;

// A model's items sorted by their looks; points of the list lie in here, so that each model has its own.
typedef struct collect_sorted {
    uint32_t *look; // of each item
    float (*at)[3], *value;
    float (*foam)[3]; // the same of spray and foam
    size_t foam_capacity;
    float (*place)[3];                     // of each item, where its field is not the floats that are needed
    float (*bound)[4], (*sorted_bound)[4]; // what relief is bound to, of each item; the same by look
    float (*way)[3], (*sorted_way)[3];     // how far each came while the shutter was open
    size_t capacity[8];
} collect_sorted;

// Where the items of each model were in the first frame, by their number; x is NaN where none has it.
typedef struct collect_rest_of {
    float (*at)[3];
    size_t count;
} collect_rest_of;
typedef struct collect_rest {
    collect_rest_of *item; // by model
    size_t count;
} collect_rest;

typedef struct collector {
    const scene_def *scene;
    firn_world *world;
    const firn_world *shapes; // of the same scene: whose bodies' meshes are drawn; usually the same world
    const firn_heights_drawing *heights; // of the model that has a height field; NULL: none
    const void *heights_model;
    firn_vec3 origin; // m, whole kilometres: the list counts from it, since floats are exact only near it
    draw_list list;
    draw_box content;         // of all moments looked at: everything but the ground
    draw_box ground;          // bounded ground
    const collect_rest *rest; // NULL: not known
    float *value;             // colours of points
    size_t value_capacity;
    collect_skin **skin; // each stays where it is: the list points into it
    size_t skins;        // used in this frame
    size_t skin_count, skin_capacity;
    collect_part part;
    collect_land land;
    collect_wind wind;
    collect_cover cover;
    collect_links links;
    const powder *powder; // of the run; NULL: none
    collect_cloud cloud;
    mesh arrows;
    collect_cut cut;
    float pixel;               // rad, the angle of a pixel: how fine the snow field must be
    double shutter;            // s that it is open for; 0: no motion blur
    uint64_t revision;         // of the meshes
    collect_sorted *sorted;    // by model
    bool lamps;                // they are lit
    mesh globes;               // of the lamps
    bool fine;                 // final quality: snow of particles is refined
    bool measuring;            // only places count: surfaces are not built
    const char *legend, *unit; // what the colours mean; NULL: points have none
    double low, high;
} collector;

// Checks the field that points are coloured by: an unknown one is FIRN_BAD_INPUT with the nearest and the
// list.
firn_status collect_start(collector *g, const scene_def *def, firn_world *world);
// Adds the world as it is now to the boxes that decide on framing and shadows.
firn_status collect_measure(collector *g);
// Camera framing and the sphere of shadows, from the boxes. aspect: width over height; camera NULL: frames
// the content.
void collect_settle(collector *g, double aspect);
// The list of the present moment.
firn_status collect_list(collector *g);
void collect_free(collector *g);

// Name of the field that colours the snow; NULL: snow is white.
const char *collect_color_field(const collector *g);
// Range and legend of the colours, from the values or as the scene says.
firn_status collect_color_range(collector *g, const float *value, size_t count, const char *unit);

// Adds a mesh whose vertices are in world coordinates.
firn_status collect_world_mesh(collector *g, draw_mesh item);
// The floats that the list needs of a field of positions; `place` is room for them. NULL: no memory.
const float (*collect_places(const collector *g, const firn_field *position, float (**place)[3],
                             size_t *capacity))[3];

// Remembers where the world's items are now, counted from `origin`.
firn_status collect_rest_take(collect_rest *r, firn_world *world, firn_vec3 origin);
void collect_rest_free(collect_rest *r);
// The field of another name of the same model, if it has as many items: "mpm.position", "id" -> mpm.id.
firn_field collect_sibling(const firn_world *world, const char *position, const char *name, size_t count);
// How far each item came while the shutter was open; `room` is for it. *way NULL: nobody asks, or not known.
firn_status collect_way(const collector *g, const firn_field *at, float (**room)[3], size_t *capacity,
                        const float (**way)[3]);
// The same of the vertices of a mesh, from channels of its surface.
firn_status collect_vertex_way(collect_skin *skin, const float *channel, size_t stride, size_t count,
                               draw_mesh *item);
// Replaces the surface of snow by one at half a spacing (final quality).
firn_status collect_refine(collect_skin *skin, const draw_points *points, const float *value, size_t channels,
                           double spacing);
void collect_still(draw_mesh *item); // the mesh as a whole was where it is
void collect_body_motion(const collector *g, size_t body, const firn_body_state *now, draw_mesh *item);
// What the relief of each item is bound to; `room` is for it. NULL: no memory.
const float (*collect_bound(const collector *g, size_t member, const firn_field *at, const float (*place)[3],
                            float (**room)[4], size_t *capacity))[4];

// Makes rough what has been stirred since it was at rest (bound: place at rest, roughness).
firn_status collect_stirred(const float (*at)[3], size_t count, double spacing, float (*bound)[4]);
#define COLLECT_TORN                                                                                         \
    0.8f // roughness from which snow is torn: it has crumbs, and lumps as small as its particles
// Binds each triangle of a surface of torn snow to the particle next to it: means over particles that come
// from far apart would draw relief out into threads.
firn_status collect_shatter(collect_skin *skin, const draw_points *points, size_t channels, double spacing);
// Which particles are at most two spacings below the surface.
firn_status collect_near_surface(const float (*at)[3], size_t count, double spacing, uint8_t *near);

// Sun, sky and haze, as the scene says; then the lamps of each frame.
void collect_light(collector *g);
firn_status collect_lamps(collector *g);
const firn_body_def *collect_body_def(const collector *g, size_t body); // NULL: none of the scene

firn_status collect_powder(collector *g);
void collect_powder_free(collect_cloud *c);
firn_status collect_field(collector *g);
// Clods of snow that was thrown up or torn in the field's mesh, and crumbs on it. packed: kg/m3.
firn_status collect_field_relief(collector *g, const firn_snowfield *f, float packed, const float color[3]);
// Snow on top of bodies; loose bits in the air.
firn_status collect_tops(collector *g, const firn_snowfield *field, const float color[3]);
firn_status collect_bits(collector *g, const firn_snowfield *field, const float color[3]);
void collect_land_free(collect_land *land);
firn_status collect_add_wind(collector *g);
// A plane through the air, coloured by the speed, with arrows along it. most: m/s, the fastest anywhere.
firn_status collect_slice(collector *g, const air_field *air, double most);
void collect_wind_free(collect_wind *wind);
// The items of a model of the world, by its number there.
firn_status collect_particles(collector *g, size_t member);
firn_status collect_particles_start(collector *g);
void collect_particles_free(collector *g);
// Colours of the items at `position`, if the picture asks for a field of that model.
firn_status collect_color_points(collector *g, const firn_field *position, draw_points *points);
// look: of each item.
firn_status collect_add_links(collector *g, const model_drawing *drawing, const void *model,
                              const draw_points *points, const uint32_t *look);
void collect_links_free(collect_links *links);
firn_status collect_box(collector *g, size_t member);         // the walls of a model
firn_status collect_edges(collector *g, const draw_box *box); // as bars; counted from the origin
firn_status collect_domains(collector *g);
draw_colors collect_colors(const collector *g);            // the map of picture.color_map
bool collect_hides(const collector *g, const char *model); // by picture.hide
firn_status collect_arrows(collector *g);                  // velocities
firn_status collect_cut_list(collector *g);                // removes what the clip plane hides
void collect_cut_free(collect_cut *cut);
firn_status collect_add_cover(collector *g);
firn_status collect_cover_beyond(collector *g,
                                 const cover_grid *grid); // after the colours of bodies are known
void collect_body_color(const collector *g, size_t body, float out[3]);
void collect_cover_free(collect_cover *cover);

// Balls at some of the places (which NULL: at all), as one mesh.
firn_status collect_balls(const float (*at)[3], const uint32_t *which, size_t count, double radius,
                          mesh *out);
firn_status collect_drops(collector *g, collect_skin *skin, const draw_points *points, double spacing);

// Adds the surface of particles instead of the points themselves; what is alone stays points, or drops of
// water. walls: of a liquid; NULL: none.
firn_status collect_surface(collector *g, const draw_points *points, double spacing, draw_material material,
                            const isosurface_walls *walls);
// A solid of linked items, the number-th look of a model: as cloth, as a rope or by its skin. *drawn: false
// if it is only the surface around its items. first: its first item.
firn_status collect_solid(collector *g, size_t member, size_t number, size_t first, const draw_points *points,
                          bool *drawn);
// Lone particles of a surface, and crumbs of torn snow, as irregular grains.
firn_status collect_grains(collect_skin *skin, const draw_points *points, double spacing);
// A small piece and a larger one, appended to a mesh that has room.
void collect_crumb(mesh *to, const float at[3], float radius, uint32_t seed);
void collect_lump(mesh *to, const float at[3], float radius, uint32_t seed);
// One that is seen from near: a ball of 20 parts^2 triangles with bumps of two sizes.
void collect_clod(mesh *to, const float at[3], float radius, uint32_t seed, int parts);
enum { COLLECT_CLOD_PARTS = 4, COLLECT_CLOD_VERTICES = 300 }; // the most parts, and what they have
// One that this frame does not use yet; NULL: no memory.
collect_skin *collect_next_skin(collector *g);
// Channels that go from particles to vertices: what relief is bound to (4), how far they came (3), the value;
// each if there is one. `bound`: the first of them are wanted.
size_t collect_channels(const draw_points *points, bool bound);
firn_status collect_fill_channels(collect_skin *skin, const draw_points *points, bool bound,
                                  const float **value);
// stride: channels of the surface, of which the last is the value.
firn_status collect_paint(collect_skin *skin, const draw_points *points, draw_material material,
                          size_t stride);
void collect_skins_free(collector *g);

#endif
