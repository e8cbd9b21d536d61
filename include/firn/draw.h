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
    /* While a picture of final quality is drawn, on the calling thread; may be NULL. progress: about
       which share of it is done (an estimate, which can decrease), and about how many seconds it still takes.
       stop: true ends firn_renderer_draw with FIRN_INTERRUPTED. */
    void (*progress)(void *context, double share, double eta);
    bool (*stop)(void *context);
    void *context;
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

/* The cameras of the scene by name: "main" (`camera:`, or, if the scene has none, one that frames everything)
   and those of `cameras:`. */
FIRN_API size_t firn_renderer_camera_count(const firn_renderer *renderer); /* [read] */
FIRN_API const char *firn_renderer_camera_name(const firn_renderer *renderer,
                                               size_t index); /* [read] NULL: no such index */
/* Where a camera of the scene is at the present time of the world, with which view the picture begins; name
   NULL: the one that firn_renderer_draw uses without a camera. camera->name is NULL afterwards, so that it
   can be changed and given to firn_renderer_draw. Before the first picture it does firn_renderer_measure. */
FIRN_API firn_status firn_renderer_camera(firn_renderer *renderer, const char *name,
                                          firn_camera *camera); /* [world] */

/* Writes pixels as firn_renderer_draw returns them to a PNG file, completely or not at all. stride 0: 4 *
   width. */
FIRN_API firn_status firn_picture_write(const char *path, int width, int height, const uint8_t *rgba,
                                        size_t stride); /* [any] */

/* A movie of such pictures; the file name ends in .mp4, .webm, .gif or .webp. The file is complete or
   absent. */
typedef struct firn_movie firn_movie;
/* width and height are even, fps > 0. FIRN_UNSUPPORTED if this build cannot write such movies. */
FIRN_API firn_status firn_movie_open(const char *path, int width, int height, double fps,
                                     firn_movie **movie); /* [any] */
/* Adds a picture of the movie's size; from any thread, one at a time for each movie. */
FIRN_API firn_status firn_movie_add(firn_movie *movie, const uint8_t *rgba, size_t stride); /* [any] */
/* Ends and frees the movie, also on failure; keep false: no file is left. NULL is fine. */
FIRN_API firn_status firn_movie_close(firn_movie *movie, bool keep); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
