// Frames and checkpoints on disk. A file is an HDF5 file behind a user block that holds firn's
// magic word, a summary, the length and a checksum of what follows; HDF5 tools read it as it is, and we read
// nothing whose checksum is wrong. docs/files.md describes what is inside.
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <firn/run.h>

#include "base/file.h"
#include "scene/scene.h"
#include "world/world.h"

typedef enum cache_kind { CACHE_FRAME, CACHE_CHECKPOINT } cache_kind;
enum { FRAME_DIGITS = 6, STEP_DIGITS = 9 };  // of their names, at least
#define CACHE_LARGEST_FILE ((size_t)1 << 38) // 256 GB, a sanity limit

// All fields flagged SHOWN (frame) or STATE (checkpoint), clock, ledgers, scene hash, state hash.
firn_status cache_write(const char *path, const firn_world *world, uint64_t scene_hash, cache_kind kind,
                        bool compress);
firn_status cache_write_in(const file_folder *folder, const char *name, const firn_world *world,
                           uint64_t scene_hash, cache_kind kind, bool compress);
// The same as a file in memory; mem_free it.
firn_status cache_encode(const firn_world *world, uint64_t scene_hash, cache_kind kind, bool compress,
                         char **file, size_t *bytes);
// Loads fields and clock into a world of the same scene. A file that is damaged or does not match is refused
// before anything changes; if memory runs out in between, the world is unusable and must be closed.
firn_status cache_read(const char *path, firn_world *world, uint64_t scene_hash, cache_kind kind);
firn_status cache_read_in(const file_folder *folder, const char *name, firn_world *world, uint64_t scene_hash,
                          cache_kind kind);
// The same for a file that is in memory; `name` is used in messages.
firn_status cache_parse(const char *data, size_t bytes, const char *name, firn_world *world,
                        uint64_t scene_hash, cache_kind kind);

// The summary of a frame, without its fields: reads its first 4 KB, or a little more. Free it with
// cache_summary_free; after a failure there is nothing to free.
typedef struct cache_summary {
    world_clock clock;
    uint64_t scene_hash, state_hash;
    char isa[8]; // instruction set that computed it
    const firn_ledger *ledger;
    size_t ledgers;
    const firn_series *series; // without help
    size_t series_count;
    arena memory;
} cache_summary;
firn_status cache_read_summary(const char *path, cache_summary *out);
firn_status cache_read_summary_in(const file_folder *folder, const char *name, cache_summary *out);
void cache_summary_free(cache_summary *summary);

// A run's folder, for those who read it (render, export, info).
typedef struct run_folder {
    char path[4000];
    file_folder folder; // the same, open
    scene *scene;       // from DIR/scene.yaml
    uint64_t *frame;    // numbers of the frames present, ascending
    size_t frames;
    uint64_t *chosen; // of those, after run_choose_frames
    size_t chosen_count;
} run_folder;
// overrides: only of values that do not affect the result (camera, picture, colours); others are
// FIRN_BAD_INPUT.
firn_status run_folder_open(const char *path, firn_overrides overrides, run_folder *out);
void run_folder_close(run_folder *run);
void run_frame_path(const run_folder *run, uint64_t frame, char *out, size_t size);

// Frames first, first + stride, ...: `count` of them (0: to the end of the run); stride 0 is 1.
typedef struct frame_range {
    uint64_t first, count, stride;
} frame_range;
// FIRN_BAD_INPUT if no frame of the run is in the range.
firn_status run_choose_frames(run_folder *run, frame_range range);
// FIRN_BAD_INPUT if the file or folder `output` is the run's folder or lies in it, also through links.
firn_status run_check_output(const run_folder *run, const char *output);
// How many characters of `path` name a folder that exists; 0: none, or only the present one.
size_t run_existing_part(const char *path);
// Removes the folder `path` and its ancestors, as far as they are empty and longer than `kept` characters.
void run_drop_empty_folders(const char *path, size_t kept);

#endif
