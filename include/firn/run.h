/* firn: runs on disk: simulate into a folder, inspect it, draw it, export it to other programs.

   DIR/scene.yaml          the effective scene, all defaults filled in; can be run again
   DIR/run.json            version, scene hash, title, fps, number of frames to compute
   DIR/frames/000042.h5    fields, units, time, ledgers; written completely or not at all
   DIR/checkpoints/...     all state; the newest two are kept, and up to eight spread over the run
   DIR/assets/HASH/...     copies of the files that the scene names, and the level sets built from them */
#ifndef FIRN_RUN_H
#define FIRN_RUN_H

#include <firn/scene.h>
#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the steps of a model have taken so far. */
typedef struct firn_model_work {
    const char *model;
    uint64_t steps; /* since the start of the run */
    double seconds; /* of wall time, in this process */
} firn_model_work;

typedef struct firn_progress {
    uint64_t frame, frames; /* finished; in total */
    uint64_t steps;
    double time; /* s, simulated */
    double steps_per_second;
    double eta;                    /* s of wall time until the end */
    bool resumed;                  /* this run continued from a checkpoint */
    uint64_t memory;               /* bytes: peak of all memory that the library has had in use so far */
    const firn_model_work *models; /* bodies first; valid during the call */
    size_t model_count;
} firn_progress;

typedef struct firn_run_options {
    uint32_t cookie; /* set by firn_run_options_default() */
    const char *scene;
    const char *folder;
    firn_overrides overrides;
    uint64_t frames; /* 0: the scene's duration */
    bool force;      /* start again even if the folder holds a run of another scene */
    /* Called after every frame; may be NULL. */
    void (*progress)(void *context, const firn_progress *progress);
    /* Called between steps; true saves a checkpoint and ends the run with FIRN_INTERRUPTED. May be NULL.
       While the world is built, before the first step, that of firn_set_stop is called. */
    bool (*stop)(void *context);
    /* Called before every step, to touch the world (firn_world_add_..., _set, _body_push); may be NULL. A
       status other than FIRN_OK ends the run with it. The folder does not know of it: a run that is
       interrupted or damaged must be continued with a function that does the same before the same steps. */
    firn_status (*before_step)(void *context, firn_world *world);
    void *context;
} firn_run_options;
FIRN_API firn_run_options firn_run_options_default(void);
/* Continues where an earlier run into this folder stopped, and computes again what is damaged or missing
   there. On FIRN_BAD_INPUT firn_last_error() is the report of all errors. */
FIRN_API firn_status firn_run(const firn_run_options *options); /* [any] */

/* The last frame that a run has written. */
#define FIRN_LAST_FRAME UINT64_MAX
/* The world of a run as it was at the end of a frame, or of the last one (FIRN_LAST_FRAME): to measure it, to
   draw it, or to go on from there. It is loaded from the nearest checkpoint before and stepped from there, so
   that it has the bits of the run. FIRN_BAD_INPUT if there is no such run or frame. Changes nothing in the
   folder. Close the world. */
FIRN_API firn_status firn_run_world(const char *folder, uint64_t frame, firn_world **world); /* [any] */

/* Plays the frames of a run: one world into which any of them can be loaded, in milliseconds, also while the
   run is still being computed. The world can be drawn and queried, but neither stepped nor changed. */
typedef struct firn_player firn_player;
FIRN_API firn_status firn_player_open(const char *folder, firn_player **player); /* [any] */
FIRN_API void firn_player_close(firn_player *player);                            /* [world] NULL is fine */
/* Its world, which belongs to the player; empty until a frame is shown. */
FIRN_API firn_world *firn_player_world(firn_player *player); /* [read] */
/* Looks for frames that were written since. */
FIRN_API firn_status firn_player_refresh(firn_player *player); /* [world] */
/* How many frames there are; the number of one of them: usually its index, unless frames are missing. */
FIRN_API size_t firn_player_count(const firn_player *player);                 /* [read] */
FIRN_API uint64_t firn_player_frame(const firn_player *player, size_t index); /* [read] */
/* Loads a frame into the world. On failure the world still shows the frame before. */
FIRN_API firn_status firn_player_show(firn_player *player, size_t index); /* [world] */

/* State of a file of a run, found by reading every byte of it. */
typedef enum firn_file_state {
    FIRN_FILE_WHOLE,
    FIRN_FILE_DAMAGED,
    FIRN_FILE_MISSING, /* a frame that must have existed, since later ones do */
    FIRN_FILE_FOREIGN, /* does not belong to this run; it does no harm */
} firn_file_state;
typedef struct firn_file_report {
    const char *name; /* in the folder: "frames/000042.h5" */
    firn_file_state state;
    uint64_t bytes;  /* size of the file */
    const char *why; /* what is wrong, with the path; NULL if it is whole */
} firn_file_report;
typedef struct firn_verify_options {
    uint32_t cookie; /* set by firn_verify_options_default() */
    const char *folder;
    /* Called for every file; may be NULL. The report is valid until it returns. */
    void (*file)(void *context, const firn_file_report *report);
    /* Called between files; true ends with FIRN_INTERRUPTED. May be NULL. */
    bool (*stop)(void *context);
    void *context;
} firn_verify_options;
FIRN_API firn_verify_options firn_verify_options_default(void);
typedef struct firn_verify_result {
    uint64_t files, bytes; /* of the run, whole or damaged */
    uint64_t damaged, missing, foreign;
    uint64_t frames, frames_asked; /* whole ones; number the run is to have, 0 if run.json is damaged */
    bool writing;                  /* a run is writing to the folder now */
} firn_verify_result;
/* FIRN_OK also if files are damaged or missing: firn_run of the same scene into the same folder repairs them.
   FIRN_BAD_INPUT if it is not the folder of a run. Changes nothing. */
FIRN_API firn_status firn_verify(const firn_verify_options *options, firn_verify_result *result); /* [any] */

/* The state hash after n steps of a scene, without writing anything. */
FIRN_API firn_status firn_hash(const char *scene, firn_overrides overrides, uint64_t steps,
                               uint64_t *hash); /* [any] */

/* Summary of a run, as text or as one JSON object. */
FIRN_API firn_status firn_info(const char *folder, bool json, char **text); /* [any] */
/* Plots ledgers and time series over time; the file name ends in .png or .svg, or in .csv for their table. */
FIRN_API firn_status firn_info_plot(const char *folder, const char *file); /* [any] */

typedef enum firn_quality {
    FIRN_QUALITY_DRAFT, /* by OpenGL: a fraction of a second */
    FIRN_QUALITY_FINAL, /* by tracing paths of light: minutes. FIRN_UNSUPPORTED if this build has no Embree.
                           A killed picture continues from the file OUTPUT.part when it is drawn again */
} firn_quality;
typedef enum firn_pictures {
    FIRN_PICTURES_PNG,
    FIRN_PICTURES_EXR, /* light before tone mapping, coverage and depth: A, B, G, R as half floats, Z in m as
                          floats; of final quality with layers albedo, normal, noise; without labels; at
                          least four samples */
} firn_pictures;
typedef struct firn_render_options {
    uint32_t cookie;    /* set by firn_render_options_default() */
    const char *folder; /* of the run */
    struct {
        const char *const *items;
        size_t count;
    } more; /* runs that follow it in the same movie, with the frame rate and size of the first; each begins
               with its title */
    const char *output; /* file.mp4, .webm, .gif, .webp (movies), file.png, .exr (last frame), or a
                                 folder for numbered pictures */
    int width, height;  /* 0: as in the scene */
    firn_quality quality;
    bool compare;           /* draft at the left, final at the right, each half as wide; quality is ignored */
    firn_pictures pictures; /* of a folder; EXR for a movie or a .png is FIRN_BAD_INPUT */
    const char *camera;     /* name of a camera of the scene; NULL: the first */
    firn_overrides overrides;      /* of parameters that only affect the picture: "picture.color=mpm.speed" */
    uint64_t first, count, stride; /* frames first, first + stride, ...; count 0: to the end; stride 0 is 1 */
    void (*progress)(void *context, uint64_t frame, uint64_t frames, double eta);
    bool (*stop)(void *context);
    void *context;
} firn_render_options;
FIRN_API firn_render_options firn_render_options_default(void);
/* FIRN_BAD_INPUT if the output is inside the folder of a run that is drawn. */
FIRN_API firn_status firn_render(const firn_render_options *options); /* [any] */

typedef struct firn_export_options {
    uint32_t cookie; /* set by firn_export_options_default() */
    const char *folder;
    const char *output; /* a folder */
    const char *format; /* "ply", "obj", "xdmf", "png16", "flt", "asc" */
    const char *what;   /* NULL: all that the format can hold; "surface": of snow, water, cloth (ply, obj);
                           "density": on a grid (xdmf); "field": the snow field (png16, obj); "clods": its
                           surface with clods and cracks as in pictures (obj); "cover": the snow cover of the
                           wind (ply, obj; png16, flt, asc) */
    uint64_t first, count, stride; /* frames, as for firn_render */
    void (*progress)(void *context, uint64_t frame, uint64_t frames, double eta);
    bool (*stop)(void *context);
    void *context;
} firn_export_options;
FIRN_API firn_export_options firn_export_options_default(void);
/* FIRN_BAD_INPUT if the output is inside the run's folder; a refused export leaves no folder behind. */
FIRN_API firn_status firn_export(const firn_export_options *options); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
