// Prepares, locks and opens the folder of a run.
#include "cache/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/text.h"
#include "cache/frame.h"
#include "cache/times.h"
#include "geom/asset.h"
#include "geom/shape_solid.h"

#define LARGEST_SCENE ((size_t)1 << 26)
static const char *const subfolders[] = {"frames", "checkpoints"};

void frame_name(uint64_t frame, char out[NAME_ROOM]) {
    snprintf(out, NAME_ROOM, "frames/%0*llu.h5", FRAME_DIGITS, (unsigned long long)frame);
}

void checkpoint_name(uint64_t step, char out[NAME_ROOM]) {
    snprintf(out, NAME_ROOM, "checkpoints/%0*llu.h5", STEP_DIGITS, (unsigned long long)step);
}

bool numbered_parse(const char *name, bool frame, uint64_t *number) {
    char again[32];
    size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > 18) return false;
    *number = strtoull(name, NULL, 10);
    snprintf(again, sizeof again, "%0*llu.h5", frame ? FRAME_DIGITS : STEP_DIGITS,
             (unsigned long long)*number);
    return strcmp(name, again) == 0;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

firn_status numbered_add(numbered_files *files, uint64_t number) {
    if (!array_reserve(&files->number, &files->capacity, files->count + 1, sizeof *files->number))
        return fail_memory("listing frames", (files->count + 1) * sizeof *files->number);
    files->number[files->count++] = number;
    return FIRN_OK;
}

firn_status numbered_list(const file_folder *folder, bool frames, numbered_files *out) {
    const char *subfolder = subfolders[frames ? 0 : 1];
    *out = (numbered_files){0};
    if (!folder_exists_in(folder, subfolder)) return FIRN_OK;
    file_names names;
    TRY(file_list_in(folder, subfolder, ".h5", &names));
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < names.count && status == FIRN_OK; i++) {
        uint64_t number;
        if (numbered_parse(names.items[i], frames, &number)) status = numbered_add(out, number);
    }
    file_names_free(&names);
    if (status != FIRN_OK) numbered_free(out);
    if (out->count) qsort(out->number, out->count, sizeof *out->number, compare_numbers);
    return status;
}

void numbered_free(numbered_files *files) {
    mem_free(files->number);
    *files = (numbered_files){0};
}

firn_status folder_lock(const char *path, file_folder *out) {
    TRY(file_folder_open(path, out));
    if (flock(out->handle, LOCK_EX | LOCK_NB) == 0) return FIRN_OK;
    if (errno != EWOULDBLOCK) { // some network file systems
        log_warning("'%s' cannot be locked (%s): do not run two simulations into it", path, strerror(errno));
        return FIRN_OK;
    }
    file_folder_close(out);
    return fail(FIRN_BAD_INPUT, "another run is writing to '%s'; wait for it or choose another folder", path);
}

static firn_status is_empty(const file_folder *folder, bool *empty) {
    file_names names;
    TRY(file_list_in(folder, ".", "", &names));
    *empty = true;
    for (size_t i = 0; i < names.count; i++)
        if (!file_is_temporary(names.items[i])) *empty = false;
    file_names_free(&names);
    return FIRN_OK;
}

static firn_status refuse_other_scene(const file_folder *folder, const char *effective) {
    char *before = NULL, *differences = NULL;
    size_t bytes;
    if (file_read_in(folder, SCENE_FILE, LARGEST_SCENE, &before, &bytes) == FIRN_OK)
        if (scene_differences(before, effective, &differences) != FIRN_OK) differences = NULL;
    text t = {0};
    text_add(&t, "'%s' holds a run of another scene; choose another folder, or --force to delete that run\n",
             folder->path);
    if (differences && differences[0]) text_add(&t, "%s", differences);
    firn_status status =
        fail_text(FIRN_BAD_INPUT, t.data ? t.data : "the folder holds a run of another scene");
    text_free(&t);
    mem_free(differences);
    mem_free(before);
    return status;
}

// Reads the headers of all frames and checkpoints and counts those of this scene, of another scene, and
// neither.
typedef struct head_count {
    size_t ours, others, foreign;
    char name[NAME_ROOM]; // of the first foreign one
} head_count;
static firn_status count_heads(const file_folder *folder, uint64_t scene_hash, head_count *out) {
    *out = (head_count){0};
    for (int i = 0; i < 2; i++) {
        numbered_files files;
        TRY(numbered_list(folder, i == 0, &files));
        for (size_t j = 0; j < files.count; j++) {
            frame_block block;
            char name[NAME_ROOM];
            (i ? checkpoint_name : frame_name)(files.number[j], name);
            if (!file_exists_in(folder, name)) continue;
            bool read = frame_read_block(folder, name, &block) == FIRN_OK;
            if (!read && out->foreign++ == 0) memcpy(out->name, name, sizeof name);
            if (read) ++*(block.scene_hash == scene_hash ? &out->ours : &out->others);
        }
        numbered_free(&files);
    }
    return FIRN_OK;
}

// Files that firn did not create are never removed or overwritten.
static firn_status refuse_foreign(const file_folder *folder, uint64_t scene_hash) {
    head_count heads;
    char path[PATH_ROOM];
    TRY(count_heads(folder, scene_hash, &heads));
    if (!heads.foreign) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "'%s' is in the way and was not created by firn; move it, or choose another folder",
                file_shown(folder, heads.name, path));
}

// run.json is damaged; the frames may show that the run belongs to this scene.
static firn_status check_damaged(const file_folder *folder, const scene *s, bool force) {
    char why[512];
    head_count heads;
    snprintf(why, sizeof why, "%.500s", firn_last_error());
    if (force) return FIRN_OK;
    TRY(count_heads(folder, s->hash, &heads));
    if (!heads.ours || heads.others) return fail(FIRN_BAD_INPUT, "%s", why);
    log_warning("%s; its frames belong to this scene, so it is written again", why);
    return FIRN_OK;
}

static firn_status check_folder(const file_folder *folder, const folder_wish *wish, const char *effective) {
    run_note note;
    bool found, empty;
    if (run_note_read(folder, &note, &found) != FIRN_OK)
        return check_damaged(folder, wish->scene, wish->force);
    if (!found) {
        TRY(is_empty(folder, &empty));
        if (!empty && !wish->force)
            return fail(
                FIRN_BAD_INPUT,
                "'%s' is not empty and is not a firn run folder; choose another folder, or --force to write "
                "into it",
                folder->path);
        return refuse_foreign(folder, wish->scene->hash);
    }
    if (wish->force) return FIRN_OK;
    if (note.scene_hash != wish->scene->hash) return refuse_other_scene(folder, effective);
    if (strcmp(note.version, firn_version()) != 0)
        log_warning(
            "this run was started with firn %s; frames added by firn %s may differ in the last digits",
            note.version, firn_version());
    if (strcmp(note.isa, isa_name(isa_active())) != 0)
        log_warning("this run was started with instruction set %s; frames computed with %s may differ in the "
                    "last digits",
                    note.isa, isa_name(isa_active()));
    return FIRN_OK;
}

// Between two files, now and then.
static firn_status asked_to_stop(const file_folder *folder, folder_wish *wish) {
    enum { PER_SECOND = 10 };
    double now = clock_seconds();
    if (!wish->stop || now < wish->asked + 1.0 / PER_SECOND) return FIRN_OK;
    wish->asked = now;
    if (!wish->stop(wish->context)) return FIRN_OK;
    return fail(FIRN_INTERRUPTED, "stopped while checking the files of '%s'", folder->path);
}

// Keeps the intact frames of this scene and removes the others. With force none is kept.
static firn_status sort_frames(const file_folder *folder, folder_wish *wish, run_note *note,
                               numbered_files *kept) {
    TRY(numbered_list(folder, true, kept));
    size_t count = 0;
    for (size_t i = 0; i < kept->count; i++) {
        char name[NAME_ROOM];
        frame_block block;
        TRY(asked_to_stop(folder, wish));
        frame_name(kept->number[i], name);
        firn_status status =
            wish->force ? FIRN_BAD_INPUT : frame_verify_file(folder, name, CACHE_FRAME, &block);
        if (status == FIRN_NO_MEMORY) return status;
        if (status == FIRN_OK && block.scene_hash == wish->scene->hash) {
            run_note_add_isa(note, block.isa);
            kept->number[count++] = kept->number[i];
            continue;
        }
        if (status != FIRN_OK && !wish->force) log_warning("%s; it is computed again", firn_last_error());
        TRY(file_remove_in(folder, name));
    }
    kept->count = count;
    return FIRN_OK;
}

static firn_status sort_checkpoint(const file_folder *folder, folder_wish *wish, uint64_t step,
                                   folder_state *out) {
    char name[NAME_ROOM];
    frame_block block;
    checkpoint_name(step, name);
    if (wish->force) return file_remove_in(folder, name);
    firn_status status = frame_verify_file(folder, name, CACHE_CHECKPOINT, &block);
    if (status == FIRN_NO_MEMORY) return status;
    if (status != FIRN_OK) {
        log_warning("%s; it is computed again", firn_last_error());
        return numbered_add(&out->lost, step);
    }
    if (block.scene_hash != wish->scene->hash) return file_remove_in(folder, name);
    world_clock clock = {.time = block.time, .frame = block.frame, .step = block.step};
    return checkpoints_add(&out->checkpoints, checkpoint_of(clock, wish->scene));
}

static firn_status sort_checkpoints(const file_folder *folder, folder_wish *wish, folder_state *out) {
    numbered_files found;
    TRY(numbered_list(folder, false, &found));
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < found.count && status == FIRN_OK; i++) {
        status = asked_to_stop(folder, wish);
        if (status == FIRN_OK) status = sort_checkpoint(folder, wish, found.number[i], out);
    }
    numbered_free(&found);
    return status;
}

static firn_status write_scene(const file_folder *folder, const char *effective) {
    char *before = NULL;
    size_t bytes = 0;
    bool same = file_read_in(folder, SCENE_FILE, LARGEST_SCENE, &before, &bytes) == FIRN_OK &&
                bytes == strlen(effective) && strcmp(before, effective) == 0;
    mem_free(before);
    return same ? FIRN_OK : file_write_text_in(folder, SCENE_FILE, effective);
}

// Copies the files that the scene names, and the level sets built from them, so that the run can be read
// later without the originals and without building them again.
static firn_status keep_assets(const file_folder *folder, const scene *s) {
    for (size_t i = 0; i < s->files.count; i++) {
        const param_file *file = &s->files.items[i];
        char own[NAME_ROOM], name[17];
        asset_folder(file->hash, name);
        snprintf(own, sizeof own, SCENE_ASSETS "/%s", name);
        TRY(asset_keep(file->path, file->hash, folder, own));
        TRY(solids_keep(file->hash, folder, own));
    }
    return FIRN_OK;
}

static void find_missing(folder_state *state) {
    while (state->next < state->frames.count && state->frames.number[state->next] == state->missing) {
        state->next++;
        state->missing++;
    }
}

void folder_frame_written(folder_state *state) {
    state->missing++;
    find_missing(state);
}

static bool same_note(const run_note *a, const run_note *b) {
    return strcmp(a->isa, b->isa) == 0 && a->scene_checksum == b->scene_checksum && a->frames == b->frames;
}

static firn_status make_ready(const file_folder *folder, folder_wish *wish, const char *effective,
                              folder_state *out) {
    const scene *s = wish->scene;
    run_note there, note = {.frames = wish->frames, .scene_checksum = hash64_text(effective, 0)};
    bool noted;
    if (run_note_read(folder, &there, &noted) != FIRN_OK || there.scene_hash != s->hash) noted = false;
    file_sweep(folder, ".");
    for (size_t i = 0; i < 2; i++) file_sweep(folder, subfolders[i]);
    if (!noted || wish->force) { // from here on the folder belongs to this scene, whatever happens
        if (wish->force) TRY(file_remove_in(folder, TIMES_FILE));
        there = note;
        run_note_add_isa(&there, isa_name(isa_active()));
        TRY(run_note_write(folder, s, &there));
    } else
        memcpy(note.isa, there.isa, sizeof note.isa);
    TRY(sort_frames(folder, wish, &note, &out->frames));
    find_missing(out);
    TRY(sort_checkpoints(folder, wish, out));
    TRY(keep_assets(folder, s));
    TRY(write_scene(folder, effective));
    out->done = out->missing > wish->frames && out->lost.count == 0;
    if (out->done)
        note.frames = there.frames;
    else
        run_note_add_isa(&note, isa_name(isa_active()));
    if (!same_note(&note, &there)) TRY(run_note_write(folder, s, &note));
    for (size_t i = 0; i < 2; i++) TRY(file_make_folder_in(folder, subfolders[i]));
    return FIRN_OK;
}

firn_status folder_prepare(const file_folder *folder, folder_wish *wish, folder_state *out) {
    wish->asked = clock_seconds();
    *out = (folder_state){0};
    char *effective;
    TRY(scene_write_kept(wish->scene, &effective));
    firn_status status = check_folder(folder, wish, effective);
    if (status == FIRN_OK) status = make_ready(folder, wish, effective, out);
    mem_free(effective);
    if (status != FIRN_OK) folder_state_free(out);
    return status;
}

void folder_state_free(folder_state *state) {
    numbered_free(&state->frames);
    numbered_free(&state->lost);
    mem_free(state->checkpoints.items);
    *state = (folder_state){0};
}

static firn_status check_looks(const run_note *note, firn_overrides overrides, const run_folder *run) {
    if (overrides.count == 0 || run->scene->hash == note->scene_hash) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "'%s' was simulated with values other than '%s'; only the appearance of a run can be "
                "changed: picture, "
                "camera, cameras, name and colours",
                run->path, overrides.items[overrides.count - 1]);
}

firn_status run_folder_open(const char *path, firn_overrides overrides, run_folder *out) {
    memset(out, 0, sizeof *out);
    if (!path || strlen(path) >= sizeof out->path)
        return fail(FIRN_BAD_INPUT, "the name of the run folder is missing or too long");
    if (!folder_exists(path)) return fail(FIRN_BAD_INPUT, "there is no folder '%s'", path);
    run_note note;
    bool found;
    snprintf(out->path, sizeof out->path, "%s", path);
    TRY(file_folder_open(path, &out->folder));
    firn_status status = run_note_read(&out->folder, &note, &found);
    if (status == FIRN_OK && !found)
        status = fail(FIRN_BAD_INPUT, "'%s' is not a firn run folder: it has no run.json", path);
    char part[PATH_ROOM];
    path_join(path, SCENE_FILE, part, sizeof part);
    if (status == FIRN_OK) status = scene_open(part, overrides, &out->scene);
    numbered_files files = {0};
    if (status == FIRN_OK) status = check_looks(&note, overrides, out);
    if (status == FIRN_OK) status = numbered_list(&out->folder, true, &files);
    if (status != FIRN_OK) {
        run_folder_close(out);
        return status;
    }
    out->frame = files.number;
    out->frames = files.count;
    return FIRN_OK;
}

void run_folder_close(run_folder *run) {
    if (run->path[0]) file_folder_close(&run->folder);
    scene_close(run->scene);
    mem_free(run->frame);
    mem_free(run->chosen);
    memset(run, 0, sizeof *run);
}

void run_frame_path(const run_folder *run, uint64_t frame, char *out, size_t size) {
    char name[NAME_ROOM];
    frame_name(frame, name);
    snprintf(out, size, "%s/%s", run->path, name);
}
