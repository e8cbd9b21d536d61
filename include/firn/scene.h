/* firn: scene files, and everything the parameter tables know. All texts returned through `char **` belong to
   the caller and are given back with firn_text_free. */
#ifndef FIRN_SCENE_H
#define FIRN_SCENE_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives back a text that the library returned; NULL is fine. */
FIRN_API void firn_text_free(char *text); /* [any] */

/* Overrides of a scene, as after `--set`: "bodies.ball.at=[0,5,0]". */
typedef struct firn_overrides {
    const char *const *items;
    size_t count;
} firn_overrides;

/* Folders, separated by ':', in which `from: base/snowfall` finds files that are not beside the scene. Asked
   after those of the environment variable FIRN_SCENES and before share/firn/scenes of the installed library.
   Copied; NULL or
   "": none. Not while another thread reads a scene. FIRN_BAD_INPUT if longer than 4095 bytes. */
FIRN_API firn_status firn_set_scene_folders(const char *folders); /* [setup] */

/* What a run of a scene will cost. The world as it was built is run for a second; where that is not all of
   the run, a coarser world of the same scene tells how the rest differs from the beginning. */
typedef struct firn_cost {
    uint64_t bodies, particles, cells;
    uint64_t memory;        /* bytes, the most that is in use at a time */
    uint64_t disk;          /* bytes, all frames and checkpoints */
    double step;            /* s, estimated: the longest step that all models can take */
    uint64_t frames, steps; /* steps: estimated */
    double seconds;         /* estimated wall time with the current number of threads, from start to end */
    double render_seconds;  /* the same for drawing all frames without a graphics card */
} firn_cost;

/* Wherever a scene file is named, "-" is standard input; names in it are relative to the current folder. */

/* One error or warning of a scene. Texts belong to the firn_check. */
typedef struct firn_message {
    bool warning;            /* probably a mistake; the scene can be run */
    const char *file;        /* where it stands; "--set a.b=c" for an override, "" if it has no place */
    uint32_t line, column;   /* from 1; 0: no place */
    const char *text, *hint; /* hint: what is allowed or probably meant; "" if there is none */
} firn_message;

typedef struct firn_check {
    firn_cost cost; /* all 0 if there are errors */
    /* bytes: what this process could use at best (memory and swap, or a lower limit), what it can use now,
       and what is free on the disk of the current folder; UINT64_MAX if unknown */
    uint64_t memory_limit, memory_available, disk_free;
    size_t errors, warnings;
    const firn_message *messages; /* errors + warnings of them, at most 50 of each, in order of place */
    size_t count;
    const char *report; /* all of them as the user should see them, ending in "3 errors\n"; "" if none */
    void *memory;       /* the library's */
} firn_check;

/* Does what a run does until its first step: reads the scene, opens and builds every file that it names,
   applies the same limits, compares the memory with this machine's, and builds the world; then takes a few
   steps to see how long they last. FIRN_BAD_INPUT if a run would be refused: check->messages say why.
   FIRN_OK with check->cost, and warnings if something is surely not meant. frames: of the run whose cost is
   asked for; 0: the scene's duration. Give *check back with firn_check_free in any case. */
FIRN_API firn_status firn_scene_check(const char *path, firn_overrides overrides, uint64_t frames,
                                      firn_check *check); /* [any] */
FIRN_API void firn_check_free(firn_check *check);         /* [any] NULL is fine */

/* The text of `firn explain NAME`: a parameter ("bodies.friction"), a snow type, a shape, a field, a word of
   the scene language. NULL or "": how to ask. json: one object per line and row instead
   (docs/getting-started.md names their keys). FIRN_BAD_INPUT if there is no such thing, with the nearest in
   *text. */
FIRN_API firn_status firn_explain(const char *name, bool json, char **text); /* [any] */
/* All names that firn_explain knows, one per line, sorted: for completion. */
FIRN_API firn_status firn_explain_names(char **text); /* [any] */
/* The text of `firn list [FILTER]`. filter NULL or "": snow types, models, shapes, fields and time series
   (scenes are listed by the command); "snow", "models", "shapes", "fields", "series": that part alone
   ("scenes": an empty text); the name of a model: it, its fields and its time series. json: as with
   firn_explain. Others are FIRN_BAD_INPUT. */
FIRN_API firn_status firn_list(const char *filter, bool json, char **text); /* [any] */
/* A commented scene to start from. */
FIRN_API firn_status firn_scene_template(const char *name, char **text); /* [any] */
/* docs/scene-reference.md, from the tables. */
FIRN_API firn_status firn_scene_reference(char **text); /* [any] */
/* Title of a scene file: the value of its `name:`; FIRN_BAD_INPUT if it cannot be read. */
FIRN_API firn_status firn_scene_title(const char *path, char **text); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
