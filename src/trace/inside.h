// The inside of the tracer, shared by its files.
#ifndef TRACE_INSIDE_H
#define TRACE_INSIDE_H

#include <embree3/rtcore.h>
#include <stdbool.h>

#include "base/library.h"
#include "base/random.h"
#include "trace/trace.h"
#include "trace/vector.h"

enum { EVEN_PIXEL, EVEN_LENS, EVEN_TIME, EVEN_SUN, EVEN_BOUNCE, EVEN_PAIRS };
// Numbers of a sample. Each use has a stream of its own, so that one more somewhere moves no other.
typedef struct dice {
    uint64_t seed, pixel;
    uint32_t sample, stream;
    random4 key[EVEN_PAIRS]; // of the pixel
} dice;
dice dice_of(uint64_t seed, uint64_t pixel); // for its first sample
random4 dice_roll(dice *d);
// The same for pairs of the first streams, spread evenly over the samples of a pixel (Sobol's sequence with
// scrambled digits: Laine 2011).
void dice_even(const dice *d, uint32_t pair, float out[2]);
v3 sample_cosine(v3 n, float a, float b);
v3 sample_sphere(float a, float b);

typedef enum tracer_kind { TRACER_MESH, TRACER_SPHERES, TRACER_PLANE } tracer_kind;
typedef struct tracer_item {
    tracer_kind kind;
    trace_material material;
    const trace_mesh *mesh;
    const trace_spheres *spheres;
    const trace_plane *plane;
} tracer_item;

#define EMBREE_CALLS(X)                                                                                      \
    X(rtcAttachGeometryByID)                                                                                 \
    X(rtcCommitGeometry)                                                                                     \
    X(rtcCommitScene)                                                                                        \
    X(rtcGetDeviceError)                                                                                     \
    X(rtcIntersect1)                                                                                         \
    X(rtcNewDevice)                                                                                          \
    X(rtcNewGeometry)                                                                                        \
    X(rtcNewScene)                                                                                           \
    X(rtcOccluded1)                                                                                          \
    X(rtcReleaseDevice)                                                                                      \
    X(rtcReleaseGeometry)                                                                                    \
    X(rtcReleaseScene)                                                                                       \
    X(rtcSetGeometryTimeStepCount) X(rtcSetNewGeometryBuffer) X(rtcSetSceneBuildQuality) X(rtcSetSceneFlags)
typedef struct embree {
    EMBREE_CALLS(LIBRARY_CALL)
} embree;
firn_status embree_open(embree *rtc); // FIRN_UNSUPPORTED: it is not on this machine

typedef struct tracer {
    embree rtc;
    const trace_scene *scene;
    RTCDevice device;
    RTCScene embree, drawings; // things that only the eye sees are in the second
    tracer_item *items;        // those of Embree by their number there, then the planes
    size_t item_count, embree_count;
    bool water, drawn;                           // there is some; there are things in the second
    v3 sun, eye[2], right[2], up[2], forward[2]; // when the shutter opens and closes
    float pixel;                                 // tangent of a pixel's angle
} tracer;

firn_status tracer_open(tracer *t, const trace_scene *scene, int width, int height);
void tracer_close(tracer *t);

typedef struct trace_hit {
    const tracer_item *item;
    float distance;
    v3 p, face, n; // place; normals towards the outside: of the face, and smooth
    v3 above;      // the place on the smooth surface that the faces stand for: light is looked for from there
    float time;    // of the ray: 0 when the shutter opens, 1 when it closes
    v3 rest;       // where its matter was at rest
    float rough;   // of its relief
    v3 color;
    bool from_outside;
    bool bound; // the mesh tells rest and rough
} trace_hit;
typedef struct trace_ray {
    v3 from, way;
    float near, far; // m, along the way
    float time;
} trace_ray;
// The nearest surface along a ray; false: none.
bool tracer_hit(const tracer *t, const trace_ray *ray, trace_hit *out);
bool tracer_see(const tracer *t, const trace_ray *ray, trace_hit *out); // with drawings
bool tracer_dark(const tracer *t, const trace_ray *ray);                // something stands in the way
// A ray from a place on a surface.
trace_ray tracer_ray(const tracer *t, v3 from, v3 way, float far, float time);
v3 tracer_sun(const tracer *t, trace_ray ray, uint64_t *rays); // share of the sun's light that comes through
v3 tracer_dimming(const tracer *t, v3 deep);                   // 1/m, of water of that colour
v3 tracer_dimmed(v3 dimming, float way);                       // what is left of light after so many metres
float tracer_lift(const tracer *t, v3 p); // m, off the surface, where rays from it may begin

// What one sample of a pixel brings.
typedef struct path_result {
    v3 light, glint, albedo, normal;
    float depth; // m along the view; negative: sky
    uint64_t rays;
} path_result;
path_result path_trace(const tracer *t, int width, int height, int x, int y, dice *d);

// Snow: in at `hit`, out somewhere else. False: the light stays inside.
bool snow_walk(const tracer *t, const trace_hit *in, v3 albedo, dice *d, trace_hit *out, v3 *weight,
               uint64_t *rays);
float snow_single_albedo(float diffuse); // of one scattering, for that diffuse reflectance of a half-space

// Bends the normal by bumps of many sizes; footprint: m, what is finer is left out.
v3 relief_normal(const trace_relief *relief, const trace_hit *hit, v3 n, float footprint);
// Brightness of single crystals that mirror the sun to the eye, in units of the sun's strength.
float relief_glints(v3 rest, v3 n, v3 to_eye, v3 to_sun, float footprint);

#endif
