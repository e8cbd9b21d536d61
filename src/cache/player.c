// firn_player: the frames of a run, one after the other or back and forth, in one world.
#include <string.h>

#include "base/memory.h"
#include "cache/cache.h"

struct firn_player {
    run_folder run;
    firn_world *world;
};

firn_status firn_player_open(const char *folder, firn_player **out) {
    NEED(out);
    *out = NULL;
    NEED(folder);
    firn_player *p = mem_zero(1, sizeof *p);
    if (!p) return fail_memory("playing a run", sizeof *p);
    firn_status status = run_folder_open(folder, (firn_overrides){0}, &p->run);
    if (status == FIRN_OK) status = world_create_for_frames(&p->run.scene->def.world, &p->world);
    if (status == FIRN_OK)
        *out = p;
    else
        firn_player_close(p);
    return status;
}

void firn_player_close(firn_player *p) {
    if (!p) return;
    firn_world_close(p->world);
    if (p->run.path[0]) run_folder_close(&p->run);
    mem_free(p);
}

firn_world *firn_player_world(firn_player *p) {
    if (!p) return fail_null(__func__, "player"), NULL;
    return p->world;
}

firn_status firn_player_refresh(firn_player *p) {
    if (!p) return fail_null(__func__, "player");
    IN_WORLD(p->world);
    run_folder now;
    TRY(run_folder_open(p->run.path, (firn_overrides){0}, &now));
    if (now.scene->hash != p->run.scene->hash) {
        run_folder_close(&now);
        return fail(FIRN_BAD_INPUT, "'%s' holds another run now: open it again", p->run.path);
    }
    uint64_t *frame = p->run.frame;
    p->run.frame = now.frame;
    p->run.frames = now.frames;
    now.frame = frame;
    run_folder_close(&now);
    return FIRN_OK;
}

size_t firn_player_count(const firn_player *p) {
    if (!p) return fail_null(__func__, "player"), 0;
    return p->run.frames;
}

static firn_status check_index(const firn_player *p, size_t index) {
    if (index < p->run.frames) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "'%s' has no frame with index %zu: it has %zu frames", p->run.path, index,
                p->run.frames);
}

uint64_t firn_player_frame(const firn_player *p, size_t index) {
    if (!p) return fail_null(__func__, "player"), 0;
    return check_index(p, index) == FIRN_OK ? p->run.frame[index] : 0;
}

firn_status firn_player_show(firn_player *p, size_t index) {
    if (!p) return fail_null(__func__, "player");
    IN_WORLD(p->world);
    TRY(check_index(p, index));
    char path[PATH_ROOM];
    run_frame_path(&p->run, p->run.frame[index], path, sizeof path);
    return cache_read(path, p->world, p->run.scene->hash, CACHE_FRAME);
}
