// The folder of a run, for writing. On disk there is always either nothing, or run.json with frames and
// checkpoints that record their scene. So a run can be killed at any time: the next start removes files that
// do not belong to the scene in run.json and continues.
//
// The folder is held by its descriptor: when it is moved, the run goes with it.
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

#include "base/file.h"
#include "cache/cache.h"
#include "world/checkpoint_plan.h"

#define NOTE_FILE "run.json"
#define SCENE_FILE "scene.yaml"

// run.json
typedef struct run_note {
    char version[32]; // of firn
    char isa[64];     // all instruction sets that took part: "avx2, base"
    uint64_t scene_hash;
    uint64_t scene_checksum; // of the bytes of scene.yaml; 0: not known
    uint64_t frames;         // asked for, without the one at time 0
} run_note;
// FIRN_OK with *found = false if there is none; FIRN_BAD_INPUT with *found = true if it is damaged.
firn_status run_note_read(const file_folder *folder, run_note *note, bool *found);
firn_status run_note_write(const file_folder *folder, const scene *s, const run_note *note);
bool run_note_has_isa(const run_note *note, const char *isa);
void run_note_add_isa(run_note *note, const char *isa);

// Numbers of the frames, or the steps of the checkpoints, that are present; ascending.
typedef struct numbered_files {
    uint64_t *number;
    size_t count, capacity;
} numbered_files;
firn_status numbered_list(const file_folder *folder, bool frames, numbered_files *out);
firn_status numbered_add(numbered_files *files, uint64_t number);
void numbered_free(numbered_files *files);
// "000042.h5" -> 42; false for anything that is not exactly such a name.
bool numbered_parse(const char *name, bool frame, uint64_t *number);

// "frames/000042.h5", "checkpoints/000001234.h5"
enum { NAME_ROOM = 64 };
void frame_name(uint64_t frame, char out[NAME_ROOM]);
void checkpoint_name(uint64_t step, char out[NAME_ROOM]);

// Opens and locks the folder for this process: FIRN_BAD_INPUT if another one is writing to it.
firn_status folder_lock(const char *path, file_folder *out);

// The intact checkpoints, by step.
typedef struct checkpoint {
    uint64_t step, frame;
    bool regular; // at the end of a frame that the scene's `checkpoint` divides
} checkpoint;
typedef struct checkpoint_list {
    checkpoint *items;
    size_t count, capacity;
} checkpoint_list;
checkpoint checkpoint_of(world_clock clock, const scene *s);
uint64_t checkpoint_every(const scene *s); // frames
// In place of an item of the same step, if there is one.
firn_status checkpoints_add(checkpoint_list *list, checkpoint item);
void checkpoints_drop(checkpoint_list *list, size_t index);
// The index of the newest one before a frame; list->count: none.
size_t checkpoints_before(const checkpoint_list *list, uint64_t frame);
// Which checkpoints are kept: the newest, the newest regular one before it, and every n-th regular one, where
// n is the power of two that leaves at most CHECKPOINTS_SPREAD of them. Which these are depends only on how
// far the run is, so that a repaired run has the same ones as a run that was never damaged. While frames are
// missing, the nearest one before the first of them (`goal`) is kept as well.
bool checkpoints_keep(const checkpoint_list *list, size_t index, uint64_t every, uint64_t goal);
// Removes the others, on disk and from the list.
firn_status checkpoints_prune(const file_folder *folder, checkpoint_list *list, uint64_t every,
                              uint64_t goal);

// State of the folder, and what remains to be done.
typedef struct folder_state {
    numbered_files frames; // that are whole
    size_t next;           // the first of them that is not before `missing`
    uint64_t missing;      // the first frame that is not there
    checkpoint_list checkpoints;
    numbered_files lost; // steps of damaged checkpoints, which are kept until they are written again
    bool done;           // nothing is missing or damaged
} folder_state;
// Prepares the folder for this scene: refuses folders that must not be changed, then writes run.json and
// scene.yaml, reads all frames and checkpoints, and removes frames that are damaged or belong to another
// scene.
typedef struct folder_wish {
    const scene *scene;
    uint64_t frames; // asked for, without the one at time 0
    bool force;
    bool (*stop)(void *context); // may be NULL
    void *context;
    double asked; // when it was called last
} folder_wish;
firn_status folder_prepare(const file_folder *folder, folder_wish *wish, folder_state *out);
void folder_frame_written(folder_state *state); // frame `missing` is there now
void folder_state_free(folder_state *state);

// firn_run once scene and world are there; closes the world. The caller has called solids_hold() before it
// created the world; they are released once the folder has its copies.
firn_status run_world(const firn_run_options *options, scene *s, firn_world *world);

// What differs between two effective scenes, a few lines for people; "" if nothing does.
firn_status scene_differences(const char *before, const char *after, char **text);

#endif
