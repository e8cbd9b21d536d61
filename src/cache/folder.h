// The folder of a run, for those who write it. What is on disk is always one of: nothing, or run.json and
// frames and checkpoints that say which scene they belong to. So a run can be killed anywhere: the next start
// removes what does not belong to the scene in run.json and goes on.
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

#include "base/file.h"
#include "cache/cache.h"

// run.json
typedef struct run_note {
    char version[32]; // of firn
    char isa[16];     // instruction set
    uint64_t scene_hash;
    uint64_t frames; // asked for, without the one at time 0
} run_note;
// FIRN_OK with *found = false if there is none.
firn_status run_note_read(const char *folder, run_note *note, bool *found);
firn_status run_note_write(const char *folder, const scene *s, uint64_t frames);

// Numbers of the frames, or the steps of the checkpoints, that are present; ascending.
typedef struct numbered_files {
    uint64_t *number;
    size_t count, capacity;
} numbered_files;
firn_status numbered_list(const char *folder, bool frames, numbered_files *out);
void numbered_free(numbered_files *files);

void frame_path(const char *folder, uint64_t frame, char out[PATH_ROOM]);
void checkpoint_path(const char *folder, uint64_t step, char out[PATH_ROOM]);

// Takes the folder for this process: FIRN_BAD_INPUT if another one is writing to it.
firn_status folder_lock(const char *folder, int *lock);
void folder_unlock(int lock);

// Makes the folder ready for this scene: refuses what must not be touched, then writes run.json and
// scene.yaml and removes what does not belong to the scene. Afterwards frames[0..whole) are all there.
typedef struct folder_state {
    uint64_t whole;             // frames present without a gap from frame 0 on
    numbered_files checkpoints; // by step
    bool done;                  // all frames asked for were there already
} folder_state;
firn_status folder_prepare(const char *folder, const scene *s, uint64_t frames, bool force,
                           folder_state *out);
void folder_state_free(folder_state *state);

// Removes checkpoints: those after step `last` and all but the newest two.
firn_status folder_prune(const char *folder, uint64_t last);

// firn_run once scene and world are there; closes the world.
firn_status run_world(const firn_run_options *options, scene *s, firn_world *world);

// What differs between two effective scenes, a few lines for people; "" if nothing does.
firn_status scene_differences(const char *before, const char *after, char **text);

#endif
