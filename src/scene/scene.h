// Scene files: YAML in, defs out, all errors at once.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include <firn/scene.h>
#include <firn/world.h>

#include "scene/scene_hash.h"

typedef struct camera_key {
    double time;
    firn_vec3 from, to;
} camera_key;

// `camera: {from: ..., to: ..., lens: 35 mm}` is the camera named "main"; `cameras: {front: {...}, top:
// {...}}` names more.
typedef struct scene_camera {
    const char *name;
    firn_vec3 from, to; // m
    double lens;        // m: focal length of a 36 mm wide picture, 35 mm by default
    double orbit;       // rad/s about the vertical through `to`
    double aperture;    // m, diameter of the open lens; 0: all is sharp
    double focus;       // m, how far away things are sharp; 0: as far as `to`
    struct {
        const camera_key *items;
        size_t count;
    } keyframes; // if any, they replace from and to
} scene_camera;

typedef enum scene_snow { SCENE_SNOW_SURFACE, SCENE_SNOW_POINTS } scene_snow;

typedef enum scene_wind { SCENE_WIND_AUTO, SCENE_WIND_LINES, SCENE_WIND_SLICE, SCENE_WIND_NONE } scene_wind;
typedef enum scene_slice {
    SCENE_SLICE_SPEED,
    SCENE_SLICE_VORTICITY,
    SCENE_SLICE_PRESSURE,
    SCENE_SLICE_DIVERGENCE,
    SCENE_SLICE_WARMTH
} scene_slice;

typedef enum scene_light {
    SCENE_LIGHT_AS_GIVEN,
    SCENE_LIGHT_CLEAR,
    SCENE_LIGHT_OVERCAST,
    SCENE_LIGHT_STORM,
    SCENE_LIGHT_DUSK,
    SCENE_LIGHT_NIGHT
} scene_light;

typedef enum scene_flakes { SCENE_FLAKES_SPRITES, SCENE_FLAKES_POINTS, SCENE_FLAKES_NONE } scene_flakes;

typedef enum scene_box { SCENE_BOX_NONE, SCENE_BOX_EDGES, SCENE_BOX_GLASS } scene_box;

// What a clip plane hides: what has a larger x, y, z than its place, or a smaller one.
typedef enum scene_clip {
    SCENE_CLIP_NONE,
    SCENE_CLIP_X,
    SCENE_CLIP_Y,
    SCENE_CLIP_Z,
    SCENE_CLIP_BELOW_X,
    SCENE_CLIP_BELOW_Y,
    SCENE_CLIP_BELOW_Z
} scene_clip;

typedef enum scene_view_snow {
    SCENE_VIEW_SNOW_SAME,
    SCENE_VIEW_SNOW_SURFACE,
    SCENE_VIEW_SNOW_POINTS
} scene_view_snow;

// One of several views of a picture, side by side; its values override those of the picture.
typedef struct scene_view {
    const char *name;             // stands over it
    const char *color;            // NULL: as in the picture, with its range
    double color_low, color_high; // as there
    scene_view_snow snow;
    const char *camera; // NULL: the camera of the picture
} scene_view;
enum { SCENE_VIEWS = 4 };

// Words below a picture from a time on, until the next ones.
typedef struct scene_caption {
    double time; // s
    const char *text;
} scene_caption;

typedef struct scene_picture {
    int32_t width, height;
    const char *color;            // field to colour snow by ("grains.speed"), or NULL
    double color_low, color_high; // both 0: from the data of each frame
    int32_t color_map;            // draw_colors
    const char *hide;             // models that are not drawn, separated by spaces; NULL: none
    scene_snow snow;              // how snow made of particles is drawn
    scene_wind wind;              // how wind is drawn
    int32_t slice;                // axis across which the slice is cut: 0, 1, 2
    double slice_at;              // m along that axis
    scene_slice slice_of;         // what its colours show
    scene_flakes flakes;          // how flakes in the air are drawn
    double flake_size;            // times their radius
    double powder;                // how dense the clouds of powder are; 0: none
    double shutter;               // s, exposure: how long the streaks of flakes are
    double haze;                  // m, how far one sees; 0: clear air
    double clearness;             // m, how far one sees through water
    scene_box box;                // how the walls that confine particles are drawn
    bool bodies, points, links, domains, ground_grid, endless, labels;
    scene_clip clip;   // what is cut away
    double clip_at;    // m, place of that plane
    double arrow_time; // s, arrows are as long as the way in it; 0: none
    scene_light light; // one word for what follows
    firn_vec3 sun;     // direction towards the sun
    double sun_strength, sky_strength;
    firn_vec3 sky_color;
    double exposure; // stops
    int32_t samples; // antialiasing: 1, 2, 4 (per edge)
    double noise;    // of the final quality, relative to the brightness
    struct {
        const scene_view *items;
        size_t count;
    } views; // none: one
    struct {
        const scene_caption *items;
        size_t count;
    } captions;
} scene_picture;

typedef struct scene_def {
    firn_world_def world;
    int32_t version;     // of the scene language (`firn: 1`)
    scene_camera camera; // defaults if not given: then pictures frame the whole scene
    bool camera_given;
    const scene_camera *camera_written; // what `camera:` said, NULL if there was none; camera is a copy
    struct {
        const scene_camera *items;
        size_t count;
    } cameras;
    scene_picture picture;
    int32_t checkpoint; // frames between checkpoints
    bool compress;      // frames with shuffle + deflate
} scene_def;
extern const param_table scene_params;
scene_camera scene_camera_default(void);

typedef struct scene {
    scene_def def;
    uint64_t hash;     // of everything that affects the result: effective parameters, and the content of the
                       // files they name
    char *path;        // as given, for messages
    param_files files; // that it names
    arena memory;
    const void **track_at; // offsets in def of the parameters of def.world.tracks
    struct loader *loader; // the sources, so that errors found later can be reported with file and line
    const struct node *root;
} scene;

// On FIRN_BAD_INPUT firn_last_error() is the whole report ("hare.yaml:15:5: ...\n...\n3 errors\n").
firn_status scene_open(const char *path, firn_overrides overrides, scene **out);
firn_status scene_parse(const char *text, size_t bytes, const char *name, firn_overrides overrides,
                        scene **out);
// The same from a file, but *out is also set for a scene with errors, for its problems; NULL if it could not
// be read at all.
firn_status scene_try(const char *path, firn_overrides overrides, scene **out);
void scene_close(scene *s);
// The effective scene as YAML: every value of every table, defaults filled in, includes resolved, files
// absolute. Reading it again gives the same def and the same hash.
firn_status scene_write(const scene *s, char **text);
// The same for a run's folder, which keeps its files: they are named "assets/<hash>/<name>" (geom/asset.h).
firn_status scene_write_kept(const scene *s, char **text);
#define SCENE_ASSETS "assets"

#endif
