// A path tracer: pictures of final quality from a plain description of what is there. It knows nothing of
// worlds, scenes or OpenGL; src/draw/final.c fills the description from the list that the draft is drawn
// from. The same description gives the same bits for any number of threads: each sample of each pixel has
// random numbers of its own, and its light is added to the pixel in the order of the samples.
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "geom/mesh.h"
#include "geom/pattern.h"

typedef enum trace_material {
    TRACE_MATTE,
    TRACE_SATIN,  // matte under a thin clear coat
    TRACE_SNOW,   // light walks about inside it
    TRACE_MARKED, // matte, but the colour means something: only the brightness of the light counts
    TRACE_WATER,  // a closed surface of a clear liquid; its colour is that of deep water
    TRACE_PLAIN,  // seen as it is, by the eye alone
} trace_material;

// How uneven snow is; the same in world or rest coordinates of any size.
typedef struct trace_relief {
    float size;  // m, of the largest bumps; 0: smooth
    float slope; // of those
    float torn;  // 0..1, how rough steep snow is that no rest tells about; finer bumps, which all snow has
} trace_relief;

typedef struct trace_mesh {
    const mesh *mesh;
    float at[3], rotation[4]; // w, x, y, z; when the shutter closes
    bool moving;
    float before_at[3], before_rotation[4]; // of one that moves: when the shutter opens
    const float (*way)[3];                  // by vertex, m: how far it came meanwhile beside that; or NULL
    float color[3];                         // linear RGB, where the vertices have none
    const float (*colors)[3];               // by vertex, or NULL
    const float (*rest)[4]; // by vertex: where its matter was at rest, which relief is bound to, and how
                            // rough it is (0..1); NULL: its position, and all as rough as relief says
    trace_material material;
    pattern_kind pattern; // bound to the mesh
    trace_relief relief;
} trace_mesh;

typedef struct trace_spheres {
    const float (*at)[3];
    const float (*way)[3]; // m: how far each came while the shutter was open, or NULL
    size_t count;
    float radius; // m
    float color[3];
    const float (*colors)[3]; // one each, or NULL
    trace_material material;
} trace_spheres;

// Endless ground.
typedef struct trace_plane {
    float at[3], normal[3], color[3];
    bool grid; // lines every metre
    trace_material material;
    trace_relief relief;
} trace_plane;

typedef struct trace_camera {
    float from[3], to[3];               // when the shutter closes
    float before_from[3], before_to[3]; // when it opens
    float lens;                         // focal length over the width of the picture
    float aperture;                     // m, diameter of the lens; 0: everything is sharp
    float focus;                        // m, distance of what is sharp
} trace_camera;

// Light that comes from a direction. Units as in the draft: a white matte plane under a sky of radiance L is
// as bright as L, and under a sun of strength S that stands over it as bright as S.
typedef struct trace_light {
    float sun[3]; // direction towards it
    float sun_color[3];
    float sun_radius;                                                    // rad
    void (*sky)(const void *context, const float way[3], float out[3]);  // as it lights things
    void (*seen)(const void *context, const float way[3], float out[3]); // as the eye sees it
    const void *context;
    float haze, haze_from; // 1/m, and the distance (m) where it begins; 0: none
    float dimming;         // 1/m, of water, in the mean of its colours
} trace_light;

// Lamps: small bright balls.
typedef struct trace_lamp {
    float at[3], radius; // m
    float color[3];      // radiance
} trace_lamp;

typedef struct trace_scene {
    const trace_mesh *meshes;
    size_t mesh_count;
    const trace_spheres *spheres;
    size_t sphere_count;
    const trace_plane *planes;
    size_t plane_count;
    const trace_lamp *lamps;
    size_t lamp_count;
    trace_camera camera;
    trace_light light;
    float snow_path; // m, mean free path of light in snow as if it scattered evenly to all sides
} trace_scene;

typedef struct trace_options {
    float noise;          // standard error of a pixel's brightness relative to it, before denoising
    uint32_t least, most; // samples of a pixel
    bool denoise;
    uint64_t seed;
    const char *resume; // file that an interrupted picture is continued from; NULL: none
    uint64_t key;       // of what is drawn: another one's file is not used
    void (*progress)(void *context, double share, double eta); // eta: s; NULL: nobody watches
    bool (*stop)(void *context);
    void *context;
} trace_options;
trace_options trace_options_default(void);

// Rows from the top. Free with trace_picture_free.
typedef struct trace_picture {
    int width, height;
    float (*color)[4];  // linear RGB; alpha: share that is not sky
    float (*albedo)[3]; // of what is seen first
    float (*normal)[3];
    float *depth;     // m along the view, mean of what is not sky; 1e10: only sky
    float *error;     // standard error of the brightness, before denoising
    uint64_t samples; // of all pixels
    uint64_t rays;
} trace_picture;

firn_status trace_check(void); // FIRN_UNSUPPORTED, with advice, if this build has no Embree
firn_status trace_draw(const trace_scene *scene, int width, int height, const trace_options *options,
                       trace_picture *out);
void trace_picture_free(trace_picture *p);

// Guided by albedo, normal and variance; also without a tracer. Works in place.
firn_status trace_denoise(trace_picture *p);

#endif
