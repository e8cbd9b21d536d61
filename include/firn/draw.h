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
   calls below; the context that was current on the calling thread before is restored. So any thread may call
   them, one at a time for each renderer and its world ([world]), except a thread on which a GLX context is
   current. */
typedef struct firn_renderer firn_renderer;

typedef struct firn_renderer_options {
    uint32_t cookie;   /* set by firn_renderer_options_default() */
    const char *scene; /* scene file, usually the world's own, whose `camera`, `cameras` and `picture` apply;
                          the rest of it is ignored. NULL: `text` is used */
    const char *text;  /* the same as a text. NULL, and scene NULL: the defaults */
    firn_overrides overrides; /* of these sections: "picture.color=mpm.speed" */
    int width, height;        /* pixels, 16 .. 8192; 0: as in the scene */
    firn_quality quality;
} firn_renderer_options;
FIRN_API firn_renderer_options firn_renderer_options_default(void);

/* The world must stay open until the renderer is closed. options NULL: the defaults. FIRN_UNSUPPORTED, with
   advice, if this build or machine cannot draw. */
FIRN_API firn_status firn_renderer_open(firn_world *world, const firn_renderer_options *options,
                                        firn_renderer **renderer); /* [world] */
FIRN_API void firn_renderer_close(firn_renderer *renderer);        /* [world] NULL is fine */
FIRN_API int firn_renderer_width(const firn_renderer *renderer);   /* [read] pixels; 0 of NULL */
FIRN_API int firn_renderer_height(const firn_renderer *renderer);  /* [read] */

/* Adds the present extent of the world to what the default camera frames (if the scene has no camera) and to
   what shadows and haze cover. The first picture does this by itself; later ones do not, so that the picture
   does not jump. `firn render` does it with five frames spread evenly over the run. */
FIRN_API firn_status firn_renderer_measure(firn_renderer *renderer); /* [world] */

typedef struct firn_camera {
    const char *name;   /* name of a camera of the scene; NULL: the values below */
    firn_vec3 from, to; /* m: its position and the point that it looks at */
    double lens;        /* m, focal length for a sensor 36 mm wide; 0: 35 mm */
} firn_camera;

/* Draws the world as it is now: rows of 8-bit sRGB pixels (red, green, blue, opaque alpha) from the top;
   stride is the number of bytes from one row to the next, 0: 4 * width. camera NULL: as the scene says.
   Changes no state. The pixels are the same as those of `firn render` for a frame with this state. On failure
   they are left unchanged. */
FIRN_API firn_status firn_renderer_draw(firn_renderer *renderer, const firn_camera *camera, uint8_t *rgba,
                                        size_t stride); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
