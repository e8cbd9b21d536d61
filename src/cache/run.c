// `firn run`: simulates a scene into a folder of frames, and continues a run that was stopped or killed.
#include "cache/folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/cookie.h"
#include "base/memory.h"
#include "base/stop.h"
#include "cache/h5.h"
#include "cache/ranks.h"
#include "cache/times.h"
#include "geom/shape_solid.h"
#include "scene/build.h"

typedef struct run {
    const firn_run_options *options;
    scene *scene;
    firn_world *world;
    file_folder folder; // held for as long as the run lasts
    folder_state state;
    uint64_t frames; // asked for
    bool resumed;
    bool holding;   // the solids that the folder is to keep
    double started; // wall time and steps when this process began
    uint64_t started_step;
    double started_time;
    run_times times;
    double mark; // wall time and steps of the last frame
    uint64_t mark_step;
    double mark_model[TIMES_MODELS]; // s, of each model in them
} run;

static uint64_t every(const run *r) { return checkpoint_every(r->scene); }

static void release_solids(run *r) {
    if (r->holding) solids_release();
    r->holding = false;
}

static firn_status make_world(run *r) {
    bool ranks = world_ranks_used(r->world);
    firn_world_close(r->world);
    r->world = NULL;
    TRY(firn_world_create(&r->scene->def.world, &r->world));
    if (ranks) world_ranks_use(r->world);
    return FIRN_OK;
}

static firn_status write_frame(run *r) {
    char name[NAME_ROOM];
    frame_name(firn_world_frame(r->world), name);
    TRY(world_gather(r->world, r->scene->def.compress));
    TRY(cache_write_in(&r->folder, name, r->world, r->scene->hash, CACHE_FRAME, r->scene->def.compress));
    folder_frame_written(&r->state);
    return FIRN_OK;
}

static firn_status prune(run *r) {
    return checkpoints_prune(&r->folder, &r->state.checkpoints, every(r), r->state.missing);
}

static bool saved(const run *r, uint64_t step, size_t *index) {
    const checkpoint_list *list = &r->state.checkpoints;
    for (*index = 0; *index < list->count; ++*index)
        if (list->items[*index].step == step) return true;
    return false;
}

// Writes a checkpoint of the current state if the plan keeps it. The start needs none.
static firn_status save(run *r) {
    checkpoint_list *list = &r->state.checkpoints;
    uint64_t step = firn_world_steps(r->world);
    char name[NAME_ROOM];
    size_t index;
    if (step == 0 || saved(r, step, &index)) return FIRN_OK;
    TRY(checkpoints_add(list, checkpoint_of(world_clock_get(r->world), r->scene)));
    saved(r, step, &index);
    firn_status status = FIRN_OK;
    bool keep = checkpoints_keep(list, index, every(r), r->state.missing);
    checkpoint_name(step, name);
    if (keep) status = world_gather(r->world, r->scene->def.compress);
    if (keep && status == FIRN_OK)
        status = cache_write_in(&r->folder, name, r->world, r->scene->hash, CACHE_CHECKPOINT,
                                r->scene->def.compress);
    if (!keep || status != FIRN_OK) {
        checkpoints_drop(list, index);
        return status;
    }
    TRY(times_write(&r->times, &r->folder));
    return prune(r);
}

// Loads the newest readable checkpoint before this frame and step, or creates the world again; keeps the
// world if it is nearer.
static firn_status go_before(run *r, uint64_t frame, uint64_t step) {
    checkpoint_list *list = &r->state.checkpoints;
    uint64_t now = firn_world_steps(r->world);
    bool before = now < step && (firn_world_frame(r->world) < frame || now == 0);
    for (size_t i = list->count; i-- > 0;) {
        checkpoint c = list->items[i];
        char name[NAME_ROOM];
        if (c.frame >= frame || c.step >= step) continue;
        if (before && c.step <= now) return FIRN_OK;
        checkpoint_name(c.step, name);
        firn_status status = cache_read_in(&r->folder, name, r->world, r->scene->hash, CACHE_CHECKPOINT);
        if (status == FIRN_NO_MEMORY) return status;
        if (status == FIRN_OK) {
            r->resumed = true;
            return FIRN_OK;
        }
        log_warning("%s; an older checkpoint is used", firn_last_error());
        checkpoints_drop(list, i);
        TRY(numbered_add(&r->state.lost, c.step));
        TRY(make_world(r));
        now = 0, before = true;
    }
    return before ? FIRN_OK : make_world(r);
}

static uint64_t field_bytes(const firn_world *world, uint32_t flag) {
    uint64_t bytes = 64 * 1024; // names, attributes, ledgers
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        if (f.flags & flag) bytes += world_field_total(world, i) * f.components * type_bytes(f.type);
    }
    return bytes;
}

static void check_space(const run *r) {
    uint64_t frame = firn_world_frame(r->world), left = frame < r->frames ? r->frames - frame : 0;
    uint64_t kept = checkpoints_kept(r->frames, every(r)) + 1; // while the next one is written
    double needed = (double)left * (double)field_bytes(r->world, FIRN_FIELD_SHOWN) +
                    (double)kept * (double)field_bytes(r->world, FIRN_FIELD_STATE);
    uint64_t space = file_free_space(r->options->folder);
    if (needed > (double)space)
        log_warning("this run will write about %.3g GB, but only %.3g GB are free in '%s'", needed * 1e-9,
                    (double)space * 1e-9, r->options->folder);
}

// What the models have taken so far; the names of the columns of times.csv.
static size_t work_of(const run *r, firn_model_work out[TIMES_MODELS]) {
    size_t count = world_model_count(r->world);
    if (count > TIMES_MODELS) count = TIMES_MODELS;
    for (size_t i = 0; i < count; i++)
        out[i] = (firn_model_work){world_model_class(r->world, i)->name, world_model_steps(r->world, i),
                                   world_model_seconds(r->world, i)};
    return count;
}

static void start_marks(run *r) {
    firn_model_work work[TIMES_MODELS];
    size_t count = work_of(r, work);
    r->mark = clock_seconds();
    r->mark_step = firn_world_steps(r->world);
    for (size_t i = 0; i < count; i++) r->mark_model[i] = work[i].seconds;
}

static firn_status note_times(run *r, uint64_t frame) {
    firn_model_work work[TIMES_MODELS];
    size_t count = work_of(r, work);
    run_time took = {frame, firn_world_steps(r->world) - r->mark_step, clock_seconds() - r->mark, {0}};
    for (size_t i = 0; i < count; i++) {
        took.model[i] = work[i].seconds - r->mark_model[i];
        snprintf(r->times.model[i], TIMES_NAME, "%s", work[i].model);
    }
    r->times.models = count;
    return times_set(&r->times, took);
}

static void report(const run *r) {
    if (!r->options->progress) return;
    firn_model_work work[TIMES_MODELS];
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
        .memory = mem_peak(),
        .models = work,
        .model_count = work_of(r, work),
    };
    r->options->progress(r->options->context, &progress);
}

static firn_status interrupted(run *r) {
    TRY(save(r));
    return fail(FIRN_INTERRUPTED,
                "stopped after %llu steps; the state is saved in '%s', the same command continues from there",
                (unsigned long long)firn_world_steps(r->world), r->options->folder);
}

// The frame that was reached; its checkpoint comes after it, so that a checkpoint never lacks a frame. While
// repairing, frames that exist are skipped.
static firn_status frame_reached(run *r) {
    uint64_t frame = firn_world_frame(r->world);
    if (frame == r->state.missing) {
        TRY(note_times(r, frame));
        TRY(write_frame(r));
        if (frame % every(r) == 0 || frame >= r->frames) TRY(save(r));
    }
    report(r);
    start_marks(r);
    return FIRN_OK;
}

// The step of a damaged checkpoint was reached: it is written again, or removed if the plan does not keep it.
static firn_status repair_checkpoint(run *r, size_t lost) {
    numbered_files *list = &r->state.lost;
    uint64_t step = list->number[lost];
    char name[NAME_ROOM];
    size_t index;
    list->number[lost] = list->number[--list->count];
    TRY(save(r));
    if (saved(r, step, &index)) return FIRN_OK;
    checkpoint_name(step, name);
    return file_remove_in(&r->folder, name);
}

static firn_status step_once(run *r) {
    if (r->options->stop && r->options->stop(r->options->context)) return interrupted(r);
    if (r->options->before_step) TRY(r->options->before_step(r->options->context, r->world));
    uint64_t frame = firn_world_frame(r->world);
    firn_status status = firn_world_step(r->world);
    if (status == FIRN_UNSTABLE) {
        char name[NAME_ROOM], path[PATH_ROOM];
        frame_name(frame, name);
        return fail(FIRN_UNSTABLE, "%s; the last good frame is '%s'", firn_last_error(),
                    file_shown(&r->folder, name, path));
    }
    TRY(status);
    if (firn_world_frame(r->world) > frame) TRY(frame_reached(r));
    for (size_t i = r->state.lost.count; i-- > 0;)
        if (r->state.lost.number[i] == firn_world_steps(r->world)) TRY(repair_checkpoint(r, i));
    return FIRN_OK;
}

static void start_clocks(run *r) { start_marks(r); }

// All frames that are missing; in a run without damage these are the ones from here to the end.
static firn_status simulate(run *r) {
    while (r->state.missing <= r->frames) {
        uint64_t goal = r->state.missing, before = firn_world_steps(r->world);
        TRY(go_before(r, goal, UINT64_MAX));
        if (firn_world_steps(r->world) != before) start_clocks(r);
        if (goal == 0) TRY(write_frame(r));
        while (r->state.missing == goal) TRY(step_once(r));
    }
    return FIRN_OK;
}

// All damaged checkpoints that were not passed on the way. One whose step does not come, up to the last
// frame, was not of this run.
static firn_status repair_checkpoints(run *r) {
    const numbered_files *frames = &r->state.frames, *lost = &r->state.lost;
    uint64_t last = frames->count ? frames->number[frames->count - 1] : 0;
    if (last < r->frames) last = r->frames;
    while (lost->count > 0) {
        size_t goal = lost->count - 1, count = lost->count;
        uint64_t step = lost->number[goal];
        TRY(go_before(r, UINT64_MAX, step));
        while (lost->count == count && firn_world_steps(r->world) < step && firn_world_frame(r->world) < last)
            TRY(step_once(r));
        if (lost->count == count) TRY(repair_checkpoint(r, goal));
    }
    return FIRN_OK;
}

static firn_status run_in_folder(run *r) {
    const firn_run_options *o = r->options;
    folder_wish wish = {
        .scene = r->scene, .frames = r->frames, .force = o->force, .stop = o->stop, .context = o->context};
    bool damaged;
    TRY(folder_prepare(&r->folder, &wish, &r->state));
    release_solids(r);
    TRY(times_read(&r->folder, &r->times, &damaged));
    if (damaged) TRY(times_write(&r->times, &r->folder));
    if (r->state.done) {
        TRY(prune(r));
        log_note("'%s' already holds all %llu frames", o->folder, (unsigned long long)r->frames + 1);
        return FIRN_OK;
    }
    TRY(go_before(r, r->state.missing, UINT64_MAX));
    TRY(prune(r));
    TRY(world_gather(r->world, r->scene->def.compress));
    check_space(r);
    start_clocks(r);
    r->started = r->mark;
    r->started_step = r->mark_step;
    r->started_time = firn_world_time(r->world);
    if (r->resumed)
        log_note("continuing from frame %llu, step %llu", (unsigned long long)firn_world_frame(r->world),
                 (unsigned long long)r->started_step);
    TRY(simulate(r));
    TRY(repair_checkpoints(r));
    return prune(r); // checkpoints that were saved while repairing
}

// The folder may have been moved, and another one may have its path now.
static void warn_if_moved(const run *r) {
    struct stat held, there;
    if (fstat(r->folder.handle, &held) < 0) return;
    if (stat(r->options->folder, &there) == 0 && held.st_ino == there.st_ino && held.st_dev == there.st_dev)
        return;
    log_warning("'%s' was moved during the run; the files of this run are in the moved folder",
                r->options->folder);
}

firn_status run_world(const firn_run_options *options, scene *s, firn_world *world) {
    run r = {.options = options, .scene = s, .world = world, .holding = true};
    r.frames = options->frames ? options->frames : firn_world_frames(world);
    firn_status status = file_make_folders(options->folder);
    if (status == FIRN_OK) status = folder_lock(options->folder, &r.folder);
    if (status == FIRN_OK) {
        status = run_in_folder(&r);
        warn_if_moved(&r);
        file_folder_close(&r.folder);
        if (status == FIRN_IO)
            fail(FIRN_IO, "%s; files written before are complete, and the same command continues from there",
                 firn_last_error());
    }
    release_solids(&r);
    folder_state_free(&r.state);
    times_free(&r.times);
    firn_world_close(r.world);
    return status;
}

DEFAULT_COOKIE(firn_run_options)

firn_status firn_run(const firn_run_options *options) {
    NEED(options);
    NEED_COOKIE(firn_run_options, options);
    if (!options->scene || !options->folder || !options->folder[0])
        return fail(FIRN_BAD_INPUT, "firn_run: the scene or the output folder is missing");
    scene *s;
    firn_world *world = NULL;
    firn_status status;
    if (ranks_serve(options->scene, options->overrides, &status)) return status;
    solids_hold(); // until the folder keeps them
    status = scene_open(options->scene, options->overrides, &s);
    world_ranks_together(true);
    if (status == FIRN_OK) status = scene_build(s, NULL, &world);
    world_ranks_together(false);
    status = ranks_begin(status, world);
    if (status == FIRN_OK) {
        scene_log_warnings(s);
        status = ranks_end(run_world(options, s, world));
    } else {
        solids_release();
        firn_world_close(world);
    }
    scene_close(s);
    return status;
}

static firn_status hash_after(firn_world *world, uint64_t steps, uint64_t *hash) {
    for (uint64_t i = 0; i < steps; i++) {
        TRY(stop_check());
        TRY(firn_world_step(world));
    }
    TRY(world_gather(world, false));
    *hash = firn_world_hash(world);
    return FIRN_OK;
}

firn_status firn_hash(const char *path, firn_overrides overrides, uint64_t steps, uint64_t *hash) {
    if (!path || !hash) return fail(FIRN_BAD_INPUT, "firn_hash: scene or hash is NULL");
    *hash = 0;
    scene *s;
    firn_world *world = NULL;
    firn_status status;
    if (ranks_serve(path, overrides, &status)) return status;
    status = scene_open(path, overrides, &s);
    world_ranks_together(true);
    if (status == FIRN_OK) status = scene_build(s, NULL, &world);
    world_ranks_together(false);
    scene_close(s);
    status = ranks_begin(status, world);
    if (status == FIRN_OK) {
        status = ranks_end(hash_after(world, steps, hash));
    }
    firn_world_close(world);
    return status;
}
