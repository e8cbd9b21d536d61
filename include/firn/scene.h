/* firn: scene files, and everything the parameter tables know. All texts returned through `char **` belong to
   the caller and are given back with firn_text_free. */
#ifndef FIRN_SCENE_H
#define FIRN_SCENE_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

FIRN_API void firn_text_free(char *text);

/* Overrides of a scene, as after `--set`: "bodies.ball.at=[0,5,0]". */
typedef struct firn_overrides {
    const char *const *items;
    size_t count;
} firn_overrides;

/* Folders, separated by ':', in which `from: base/snowfall` finds files that are not beside the scene. Asked
   after those of the environment variable FIRN_SCENES and before share/firn/scenes of the installed library.
   Copied; NULL or
   "": none. Not while another thread reads a scene. FIRN_BAD_INPUT if longer than 4095 bytes. */
FIRN_API firn_status firn_set_scene_folders(const char *folders);

/* What a run of a scene will cost. */
typedef struct firn_cost {
    uint64_t bodies, particles, cells;
    uint64_t memory;        /* bytes */
    uint64_t disk;          /* bytes, all frames and checkpoints */
    double step;            /* s, estimated: the longest step that all models can take */
    uint64_t frames, steps; /* steps: estimated */
    double seconds;         /* estimated wall time with the current number of threads */
} firn_cost;

/* Wherever a scene file is named, "-" is standard input; names in it are relative to the current folder.

   All errors of a scene (FIRN_BAD_INPUT, *report holds them as the user should see them, ending in
   "3 errors\n"), or FIRN_OK with *cost filled and *report NULL or holding warnings. */
FIRN_API firn_status firn_scene_check(const char *path, firn_overrides overrides, firn_cost *cost,
                                      char **report);

/* The text of `firn explain NAME`: a parameter ("bodies.friction"), a snow type, a shape, a field, a word of
   the scene language. NULL or "": how to ask. FIRN_BAD_INPUT if there is no such thing, with the nearest in
   *text. */
FIRN_API firn_status firn_explain(const char *name, char **text);
/* All names that firn_explain knows, one per line, sorted: for completion. */
FIRN_API firn_status firn_explain_names(char **text);
/* The text of `firn list`: snow types, models, shapes, fields (scenes are listed by the command). */
FIRN_API firn_status firn_list(char **text);
/* A commented scene to start from. */
FIRN_API firn_status firn_scene_template(const char *name, char **text);
/* docs/scene-reference.md, from the tables. */
FIRN_API firn_status firn_scene_reference(char **text);
/* Title of a scene file: the value of its `name:`; FIRN_BAD_INPUT if it cannot be read. */
FIRN_API firn_status firn_scene_title(const char *path, char **text);

#ifdef __cplusplus
}
#endif
#endif
