// firn_run_world: the world of a run at one of its frames, to look at or to go on from.
#include "base/memory.h"
#include "cache/folder.h"
#include "cache/frame.h"

// Loads the newest intact checkpoint that is not after a frame; without one the world stays at its start.
static firn_status load_before(const run_folder *run, uint64_t frame, firn_world *world) {
    numbered_files found;
    TRY(numbered_list(&run->folder, false, &found));
    double end = (double)frame / run->scene->def.world.fps; // as the clock of the world does
    firn_status status = FIRN_OK;
    for (size_t i = found.count; i-- > 0;) {
        char name[NAME_ROOM];
        frame_block block;
        checkpoint_name(found.number[i], name);
        status = frame_verify_file(&run->folder, name, CACHE_CHECKPOINT, &block);
        bool use = status == FIRN_OK && block.frame <= frame && block.time <= end;
        if (use) status = cache_read_in(&run->folder, name, world, run->scene->hash, CACHE_CHECKPOINT);
        if (use || status == FIRN_NO_MEMORY) break;
        status = FIRN_OK;
    }
    numbered_free(&found);
    return status;
}

static firn_status open_at(const run_folder *run, uint64_t frame, firn_world **world) {
    uint64_t last = run->frames ? run->frame[run->frames - 1] : 0;
    if (frame == FIRN_LAST_FRAME) frame = last;
    if (frame > last)
        return fail(FIRN_BAD_INPUT, "'%s' has no frame %llu: its last one is %llu", run->path,
                    (unsigned long long)frame, (unsigned long long)last);
    TRY(firn_world_create(&run->scene->def.world, world));
    TRY(load_before(run, frame, *world));
    while (firn_world_frame(*world) < frame) TRY(firn_world_advance_frame(*world));
    return FIRN_OK;
}

firn_status firn_run_world(const char *folder, uint64_t frame, firn_world **world) {
    NEED(folder);
    NEED(world);
    *world = NULL;
    run_folder run;
    TRY(run_folder_open(folder, (firn_overrides){0}, &run));
    firn_status status = open_at(&run, frame, world);
    run_folder_close(&run);
    if (status == FIRN_OK) return FIRN_OK;
    firn_world_close(*world);
    *world = NULL;
    return status;
}
