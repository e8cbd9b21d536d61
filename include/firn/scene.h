/* firn: scene files, and the help texts of the parameter tables. All texts returned through `char **` belong
   to the caller and are freed with firn_text_free. */
#ifndef FIRN_SCENE_H
#define FIRN_SCENE_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frees a text that the library returned; NULL is fine. */
FIRN_API void firn_text_free(char *text); /* [any] */

/* Overrides of scene values, as after `--set`: "bodies.ball.at=[0,5,0]". */
typedef struct firn_overrides {
    const char *const *items;
    size_t count;
} firn_overrides;

/* Folders, separated by ':', in which `from: base/snowfall` finds files that are not beside the scene.
   Searched after those of the environment variable FIRN_SCENES and before share/firn/scenes of the installed
   library. Copied; NULL or "": none. Not while another thread reads a scene. FIRN_BAD_INPUT if longer than
   4095 bytes.
 */
FIRN_API firn_status firn_set_scene_folders(const char *folders); /* [setup] */

/* Estimated cost of running a scene. The world is run for a second of wall time; if that does not cover the
   whole run, a coarser world of the same scene shows how the rest differs from the beginning. */
typedef struct firn_cost {
    uint64_t bodies, particles, cells;
    uint64_t memory;        /* bytes, peak */
    uint64_t disk;          /* bytes of all frames and checkpoints */
    double step;            /* s, estimated: time step of the world, that of its slowest model */
    uint64_t frames, steps; /* steps: estimated */
    double seconds;         /* estimated wall time of the whole run with the current number of threads */
    double render_seconds;  /* the same for drawing all frames without a graphics card */
} firn_cost;

/* Wherever a scene file is named, "-" is standard input; names in it are relative to the current folder. */

/* One error or warning of a scene. Texts belong to the firn_check. */
typedef struct firn_message {
    bool warning;            /* probably a mistake; the scene can be run */
    const char *file;        /* where it is; "--set a.b=c" for an override, "" if it has no location */
    uint32_t line, column;   /* from 1; 0: no location */
    const char *text, *hint; /* hint: what is allowed or probably meant; "": none */
} firn_message;

typedef struct firn_check {
    firn_cost cost; /* all 0 if there are errors */
    /* bytes: what this process may use at most (memory and swap, or a lower limit), what is available to it
       now, and what is free on the disk of the current folder; UINT64_MAX if unknown */
    uint64_t memory_limit, memory_available, disk_free;
    size_t errors, warnings;
    const firn_message *messages; /* at most 50 errors and 50 warnings, in order of location */
    size_t count;
    const char *report; /* all of them as text for the user, ending in "3 errors\n"; "" if none */
    const char *notes;  /* what is changed so that fills hold the mass of their shapes, and when snow of phase
                           will  have melted or its water frozen, a line each; "": nothing */
    const char *meetings; /* which models of the scene meet, a line each: "mpm and field: ..."; "": none do */
    void *memory;         /* private */
} firn_check;

/* Does what a run does until its first step: reads the scene, opens and processes every file that it names,
   applies the same limits, compares the memory needed with that of this machine, and builds the world; then
   takes a few steps to measure how long they take. FIRN_BAD_INPUT if a run would be refused: check->messages
   say why. FIRN_OK with check->cost, and warnings about probable mistakes. frames: of the run whose cost is
   estimated; 0: the scene's duration. Free *check with firn_check_free in any case. */
FIRN_API firn_status firn_scene_check(const char *path, firn_overrides overrides, uint64_t frames,
                                      firn_check *check); /* [any] */
FIRN_API void firn_check_free(firn_check *check);         /* [any] NULL is fine */

/* The text of `firn explain NAME`: a parameter ("bodies.friction"), a snow type, a shape, a field, a word of
   the scene language. NULL or "": how to use it. json: one object per line and row instead
   (docs/getting-started.md names their keys). FIRN_BAD_INPUT if the name is unknown, with the most similar
   one in *text. */
FIRN_API firn_status firn_explain(const char *name, bool json, char **text); /* [any] */
/* All names that firn_explain knows, one per line, sorted: for completion. */
FIRN_API firn_status firn_explain_names(char **text); /* [any] */
/* The text of `firn list [FILTER]`. filter NULL or "": snow types, models, shapes, fields and time series
   (scenes are listed by the command); "snow", "models", "shapes", "fields", "series": that part alone
   ("scenes": an empty text); the name of a model: it, its fields and its time series. json: as with
   firn_explain. Other filters are FIRN_BAD_INPUT. */
FIRN_API firn_status firn_list(const char *filter, bool json, char **text); /* [any] */
/* A commented scene to start from. */
FIRN_API firn_status firn_scene_template(const char *name, char **text); /* [any] */
/* The text of docs/scene-reference.md, generated from the parameter tables. */
FIRN_API firn_status firn_scene_reference(char **text); /* [any] */
/* The content of docs/who-meets-whom.md: which models interact, and how. */
FIRN_API firn_status firn_coupling_reference(char **text); /* [any] */
/* Title of a scene file: the value of its `name:`; FIRN_BAD_INPUT if it cannot be read. */
FIRN_API firn_status firn_scene_title(const char *path, char **text); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
