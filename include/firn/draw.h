/* firn: pictures of a live world, into memory. What `firn render` makes of a run's frames
   (docs/pictures.md), without a run. */
#ifndef FIRN_DRAW_H
#define FIRN_DRAW_H

#include <firn/run.h>
#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws one world. It has an OpenGL context of its own, without a window, which is current only during the
   calls below: what was current on the calling thread before comes back. So any thread may call them, one at
   a time for each renderer and its world ([world]), but not a thread on which a GLX context is current. */
typedef struct firn_renderer firn_renderer;

typedef struct firn_renderer_options {
    uint32_t cookie;   /* set by firn_renderer_options_default() */
    const char *scene; /* file whose `camera`, `cameras` and `picture` say what pictures look like, usually
                          the world's own; the rest of it does not count. NULL: see text */
    const char *text;  /* the same as text. NULL, as scene: the defaults */
    firn_overrides overrides; /* of them: "picture.color=mpm.speed" */
    int width, height;        /* pixels, 16 .. 8192; 0: as in the scene */
    firn_quality quality;
} firn_renderer_options;
FIRN_API firn_renderer_options firn_renderer_options_default(void);

/* The world must live until the renderer is closed. options NULL: the defaults. FIRN_UNSUPPORTED, with
   advice, if this build or machine cannot draw. */
FIRN_API firn_status firn_renderer_open(firn_world *world, const firn_renderer_options *options,
                                        firn_renderer **renderer); /* [world] */
FIRN_API void firn_renderer_close(firn_renderer *renderer);        /* [world] NULL is fine */
FIRN_API int firn_renderer_width(const firn_renderer *renderer);   /* [read] pixels; 0 of NULL */
FIRN_API int firn_renderer_height(const firn_renderer *renderer);  /* [read] */

/* What the world shows now counts for the camera that frames the whole scene, if it has no other, and for
   how far shadows and haze reach. The first picture does this by itself; later ones do not, so that nothing
   jumps. `firn render` does it with five moments of the run, evenly spread. */
FIRN_API firn_status firn_renderer_measure(firn_renderer *renderer); /* [world] */

typedef struct firn_camera {
    const char *name;   /* of a camera of the scene; NULL: the one below */
    firn_vec3 from, to; /* m: where it stands and what it looks at */
    double lens;        /* m, focal length of a film 36 mm wide; 0: 35 mm */
} firn_camera;

/* The world as it is now: rows of 8-bit sRGB, red, green, blue, opaque alpha, from the top; stride is the
   bytes from one row to the next, 0: 4 * width. camera NULL: as the scene says. Changes no state. The same
   state gives the same bytes as `firn render` of a frame with that state. On failure the pixels are as they
   were. */
FIRN_API firn_status firn_renderer_draw(firn_renderer *renderer, const firn_camera *camera, uint8_t *rgba,
                                        size_t stride); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
