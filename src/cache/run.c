// A run: from a scene to a folder of frames, and on from where it was stopped or killed.
#include "cache/folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cache/h5.h"
#include "cache/times.h"

typedef struct run {
    const firn_run_options *options;
    scene *scene;
    firn_world *world;
    folder_state folder;
    uint64_t frames; // asked for
    bool resumed;
    uint64_t saved_step; // of the newest checkpoint; UINT64_MAX: none
    double started;      // wall time and steps when this process began
    uint64_t started_step;
    double started_time;
    run_times times;
    double mark; // wall time and steps of the last frame
    uint64_t mark_step;
} run;

static firn_status make_world(run *r) {
    firn_world_close(r->world);
    r->world = NULL;
    return firn_world_create(&r->scene->def.world, &r->world);
}

static firn_status write_frame(const run *r) {
    char path[PATH_ROOM];
    frame_path(r->options->folder, firn_world_frame(r->world), path);
    return cache_write(path, r->world, r->scene->hash, CACHE_FRAME, r->scene->def.compress);
}

static firn_status write_checkpoint(run *r) {
    uint64_t step = firn_world_steps(r->world);
    if (step == r->saved_step) return FIRN_OK;
    char path[PATH_ROOM];
    checkpoint_path(r->options->folder, step, path);
    TRY(cache_write(path, r->world, r->scene->hash, CACHE_CHECKPOINT, r->scene->def.compress));
    r->saved_step = step;
    TRY(times_write(&r->times, r->options->folder));
    return folder_prune(r->options->folder, step);
}

// A checkpoint is of use if every frame before it is there.
static bool checkpoint_usable(const run *r, const char *path) {
    cache_summary summary;
    return cache_read_summary(path, &summary) == FIRN_OK && summary.clock.frame < r->folder.whole;
}

// The newest checkpoint that can be read, or the start.
static firn_status find_start(run *r) {
    r->saved_step = UINT64_MAX;
    for (size_t i = r->folder.checkpoints.count; i-- > 0 && !r->resumed;) {
        uint64_t step = r->folder.checkpoints.number[i];
        char path[PATH_ROOM];
        checkpoint_path(r->options->folder, step, path);
        if (!checkpoint_usable(r, path)) continue;
        firn_status status = cache_read(path, r->world, r->scene->hash, CACHE_CHECKPOINT);
        if (status == FIRN_NO_MEMORY) return status;
        if (status == FIRN_OK) {
            r->resumed = true;
            r->saved_step = step;
        } else {
            log_warning("%s; an older checkpoint is taken", firn_last_error());
            TRY(make_world(r));
        }
    }
    TRY(folder_prune(r->options->folder, r->resumed ? r->saved_step : 0));
    if (r->resumed) TRY(times_read(r->options->folder, &r->times));
    times_cut(&r->times, firn_world_frame(r->world));
    return r->resumed ? FIRN_OK : write_frame(r);
}

static uint64_t field_bytes(const firn_world *world, uint32_t flag) {
    uint64_t bytes = 64 * 1024; // names, attributes, ledgers
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        if (f.flags & flag) bytes += (uint64_t)f.count * f.components * type_bytes(f.type);
    }
    return bytes;
}

static void check_space(const run *r) {
    uint64_t left = r->frames - firn_world_frame(r->world);
    double needed =
        (double)left * (double)field_bytes(r->world, FIRN_FIELD_SHOWN) +
        3.0 * (double)field_bytes(r->world, FIRN_FIELD_STATE); // two are kept while one is written
    uint64_t space = file_free_space(r->options->folder);
    if (space > 0 && needed > (double)space)
        log_warning("this run will write about %.3g GB and only %.3g GB are free at '%s'", needed * 1e-9,
                    (double)space * 1e-9, r->options->folder);
}

static void report(const run *r) {
    if (!r->options->progress) return;
    double elapsed = clock_seconds() - r->started, time = firn_world_time(r->world);
    double rate = elapsed > 0 ? (time - r->started_time) / elapsed : 0;
    double left = (double)r->frames / world_fps(r->world) - time;
    uint64_t steps = firn_world_steps(r->world);
    firn_progress progress = {
        .frame = firn_world_frame(r->world),
        .frames = r->frames,
        .steps = steps,
        .time = time,
        .steps_per_second = elapsed > 0 ? (double)(steps - r->started_step) / elapsed : 0,
        .eta = rate > 0 ? fmax(left, 0) / rate : 0,
        .resumed = r->resumed,
    };
    r->options->progress(r->options->context, &progress);
}

static firn_status interrupted(run *r) {
    TRY(write_checkpoint(r));
    return fail(FIRN_INTERRUPTED, "interrupted after %llu steps; the state is saved in '%s'",
                (unsigned long long)firn_world_steps(r->world), r->options->folder);
}

// The frame that was reached; its checkpoint comes after it, so that a checkpoint never lacks a frame.
static firn_status frame_reached(run *r) {
    uint64_t frame = firn_world_frame(r->world);
    uint64_t every = r->scene->def.checkpoint > 0 ? (uint64_t)r->scene->def.checkpoint : 1;
    run_time took = {frame, firn_world_steps(r->world) - r->mark_step, clock_seconds() - r->mark};
    TRY(times_add(&r->times, took));
    TRY(write_frame(r));
    if (frame % every == 0 || frame >= r->frames) TRY(write_checkpoint(r));
    report(r);
    r->mark = clock_seconds();
    r->mark_step = firn_world_steps(r->world);
    return FIRN_OK;
}

static firn_status simulate(run *r) {
    while (firn_world_frame(r->world) < r->frames) {
        if (r->options->stop && r->options->stop(r->options->context)) return interrupted(r);
        uint64_t frame = firn_world_frame(r->world);
        firn_status status = firn_world_step(r->world);
        if (status == FIRN_UNSTABLE) {
            char path[PATH_ROOM];
            frame_path(r->options->folder, frame, path);
            return fail(FIRN_UNSTABLE, "%s; the last good frame is '%s'", firn_last_error(), path);
        }
        TRY(status);
        if (firn_world_frame(r->world) > frame) TRY(frame_reached(r));
    }
    return FIRN_OK;
}

static firn_status run_locked(run *r) {
    const firn_run_options *o = r->options;
    TRY(folder_prepare(o->folder, r->scene, r->frames, o->force, &r->folder));
    if (r->folder.done) {
        log_note("'%s' already holds all %llu frames", o->folder, (unsigned long long)r->frames + 1);
        return FIRN_OK;
    }
    TRY(find_start(r));
    check_space(r);
    r->started = clock_seconds();
    r->started_step = firn_world_steps(r->world);
    r->started_time = firn_world_time(r->world);
    r->mark = r->started;
    r->mark_step = r->started_step;
    if (r->resumed)
        log_note("going on from frame %llu, step %llu", (unsigned long long)firn_world_frame(r->world),
                 (unsigned long long)r->started_step);
    return simulate(r);
}

static firn_status run_in_folder(run *r) {
    const char *folder = r->options->folder;
    int lock;
    TRY(file_make_folders(folder));
    TRY(folder_lock(folder, &lock));
    firn_status status = run_locked(r);
    folder_unlock(lock);
    if (status == FIRN_IO)
        return fail(FIRN_IO, "%s; what was written before is whole, and the same command goes on from there",
                    firn_last_error());
    return status;
}

firn_status run_world(const firn_run_options *options, scene *s, firn_world *world) {
    run r = {.options = options, .scene = s, .world = world};
    r.frames = options->frames ? options->frames : firn_world_frames(world);
    firn_status status = run_in_folder(&r);
    folder_state_free(&r.folder);
    times_free(&r.times);
    firn_world_close(r.world);
    return status;
}

firn_status firn_run(const firn_run_options *options) {
    if (!options || !options->scene || !options->folder || !options->folder[0])
        return fail(FIRN_BAD_INPUT, "a run needs a scene and a folder");
    scene *s;
    firn_world *world;
    TRY(scene_open(options->scene, options->overrides, &s));
    firn_status status = firn_world_create(&s->def.world, &world);
    if (status == FIRN_OK) status = run_world(options, s, world);
    scene_close(s);
    return status;
}

static firn_status hash_after(firn_world *world, uint64_t steps, uint64_t *hash) {
    for (uint64_t i = 0; i < steps; i++) TRY(firn_world_step(world));
    *hash = firn_world_hash(world);
    return FIRN_OK;
}

firn_status firn_hash(const char *path, firn_overrides overrides, uint64_t steps, uint64_t *hash) {
    if (!path || !hash) return fail(FIRN_BAD_INPUT, "a scene and a place for its hash are needed");
    *hash = 0;
    scene *s;
    firn_world *world;
    TRY(scene_open(path, overrides, &s));
    firn_status status = firn_world_create(&s->def.world, &world);
    scene_close(s);
    TRY(status);
    status = hash_after(world, steps, hash);
    firn_world_close(world);
    return status;
}
