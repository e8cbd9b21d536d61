#include "cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/isa.h"
#include "base/memory.h"
#include "base/text.h"

enum { FRAME_DIGITS = 6, STEP_DIGITS = 9 };
static const char *const subfolders[] = {"frames", "checkpoints"};

void frame_path(const char *folder, uint64_t frame, char out[PATH_ROOM]) {
    snprintf(out, PATH_ROOM, "%s/frames/%0*llu.h5", folder, FRAME_DIGITS, (unsigned long long)frame);
}

void checkpoint_path(const char *folder, uint64_t step, char out[PATH_ROOM]) {
    snprintf(out, PATH_ROOM, "%s/checkpoints/%0*llu.h5", folder, STEP_DIGITS, (unsigned long long)step);
}

// "000042.h5" -> 42; false for anything that is not exactly such a name.
static bool parse_number(const char *name, int least_digits, uint64_t *number) {
    char again[32];
    size_t digits = strspn(name, "0123456789");
    if (digits == 0 || digits > 18) return false;
    *number = strtoull(name, NULL, 10);
    snprintf(again, sizeof again, "%0*llu.h5", least_digits, (unsigned long long)*number);
    return strcmp(name, again) == 0;
}

static int compare_numbers(const void *a, const void *b) {
    uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

firn_status numbered_list(const char *folder, bool frames, numbered_files *out) {
    char path[PATH_ROOM];
    path_join(folder, subfolders[frames ? 0 : 1], path, sizeof path);
    *out = (numbered_files){0};
    if (!folder_exists(path)) return FIRN_OK;
    file_names names;
    TRY(file_list(path, ".h5", &names));
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < names.count && status == FIRN_OK; i++) {
        uint64_t number;
        if (!parse_number(names.items[i], frames ? FRAME_DIGITS : STEP_DIGITS, &number)) continue;
        if (array_reserve(&out->number, &out->capacity, out->count + 1, sizeof *out->number))
            out->number[out->count++] = number;
        else
            status = fail_memory("listing frames", (out->count + 1) * sizeof *out->number);
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

firn_status folder_lock(const char *folder, int *lock) {
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return fail(FIRN_IO, "cannot open folder '%s': %s", folder, strerror(errno));
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0) return FIRN_OK;
    if (errno != EWOULDBLOCK) { // some network file systems
        log_warning("'%s' cannot be locked (%s): do not run two simulations to it", folder, strerror(errno));
        return FIRN_OK;
    }
    folder_unlock(*lock);
    return fail(FIRN_BAD_INPUT, "another run is writing to '%s'; wait for it or choose another folder",
                folder);
}

void folder_unlock(int lock) {
    if (lock >= 0) close(lock);
}

// "run.json.4711.tmp": left by a process that was killed. We hold the lock, so nobody is writing it.
static bool is_leftover(const char *name) {
    bool ours = strncmp(name, "run.json.", 9) == 0 || strncmp(name, "scene.yaml.", 11) == 0 ||
                strncmp(name, "times.csv.", 10) == 0;
    return ours && text_ends(name, ".tmp");
}

// "000042.h5.4711.tmp"
static bool is_numbered_leftover(const char *name) {
    size_t digits = strspn(name, "0123456789");
    return digits >= 6 && strncmp(name + digits, ".h5.", 4) == 0 && text_ends(name, ".tmp");
}

static firn_status remove_leftovers(const char *folder, bool (*match)(const char *name)) {
    if (!folder_exists(folder)) return FIRN_OK;
    file_names names;
    TRY(file_list(folder, ".tmp", &names));
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < names.count && status == FIRN_OK; i++) {
        char path[PATH_ROOM];
        path_join(folder, names.items[i], path, sizeof path);
        if (match(names.items[i])) status = file_remove(path);
    }
    file_names_free(&names);
    return status;
}

static firn_status remove_all_leftovers(const char *folder) {
    TRY(remove_leftovers(folder, is_leftover));
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_ROOM];
        path_join(folder, subfolders[i], path, sizeof path);
        TRY(remove_leftovers(path, is_numbered_leftover));
    }
    return FIRN_OK;
}

static firn_status is_empty(const char *folder, bool *empty) {
    file_names names;
    TRY(file_list(folder, "", &names));
    *empty = true;
    for (size_t i = 0; i < names.count; i++)
        if (!is_leftover(names.items[i])) *empty = false;
    file_names_free(&names);
    return FIRN_OK;
}

static firn_status refuse_other_scene(const char *folder, const char *effective) {
    char path[PATH_ROOM], *before = NULL, *differences = NULL;
    size_t bytes;
    path_join(folder, "scene.yaml", path, sizeof path);
    if (file_exists(path) && file_read_whole(path, (size_t)1 << 26, &before, &bytes) == FIRN_OK)
        if (scene_differences(before, effective, &differences) != FIRN_OK) differences = NULL;
    text t = {0};
    text_add(&t, "'%s' holds a run of another scene; choose another folder, or --force to delete that run\n",
             folder);
    if (differences && differences[0]) text_add(&t, "%s", differences);
    firn_status status =
        fail_text(FIRN_BAD_INPUT, t.data ? t.data : "the folder holds a run of another scene");
    text_free(&t);
    mem_free(differences);
    mem_free(before);
    return status;
}

// A file of ours under its name? Files of others are never removed or written over.
static firn_status refuse_foreign(const char *folder) {
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_ROOM];
        numbered_files files;
        TRY(numbered_list(folder, i == 0, &files));
        firn_status status = FIRN_OK;
        for (size_t j = 0; j < files.count && status == FIRN_OK; j++) {
            cache_summary summary;
            (i ? checkpoint_path : frame_path)(folder, files.number[j], path);
            if (file_exists(path) && cache_read_summary(path, &summary) != FIRN_OK)
                status = fail(FIRN_BAD_INPUT, "'%s' stands in the way and is not a file of firn's", path);
        }
        numbered_free(&files);
        TRY(status);
    }
    return FIRN_OK;
}

static firn_status check_folder(const char *folder, const scene *s, const char *effective, bool force) {
    run_note note;
    bool found, empty;
    firn_status status = run_note_read(folder, &note, &found);
    if (status != FIRN_OK && !force) return status;
    if (!found) {
        TRY(is_empty(folder, &empty));
        if (!empty && !force)
            return fail(
                FIRN_BAD_INPUT,
                "'%s' is not empty and is no run of firn's; choose another folder, or --force to write "
                "into it",
                folder);
        return refuse_foreign(folder);
    }
    if (force) return FIRN_OK;
    if (note.scene_hash != s->hash) return refuse_other_scene(folder, effective);
    if (strcmp(note.version, firn_version()) != 0)
        log_warning("this run was begun by firn %s; what firn %s adds may differ in the last digits",
                    note.version, firn_version());
    if (strcmp(note.isa, isa_name(isa_active())) != 0)
        log_warning("this run was begun with instruction set %s; with %s it may differ in the last digits",
                    note.isa, isa_name(isa_active()));
    return FIRN_OK;
}

// Keeps the files of this scene; the others are removed. With force none is kept.
static firn_status sort_out(const char *folder, bool frames, uint64_t scene_hash, bool force,
                            numbered_files *kept) {
    char path[PATH_ROOM];
    TRY(numbered_list(folder, frames, kept));
    size_t count = 0;
    for (size_t i = 0; i < kept->count; i++) {
        uint64_t number = kept->number[i];
        cache_summary summary;
        (frames ? frame_path : checkpoint_path)(folder, number, path);
        bool good = !force && cache_read_summary(path, &summary) == FIRN_OK &&
                    summary.scene_hash == scene_hash &&
                    (frames ? summary.clock.frame : summary.clock.step) == number;
        if (good)
            kept->number[count++] = number;
        else
            TRY(file_remove(path));
    }
    kept->count = count;
    return FIRN_OK;
}

static firn_status write_scene(const char *folder, const char *effective) {
    char path[PATH_ROOM], *before = NULL;
    size_t bytes = 0;
    path_join(folder, "scene.yaml", path, sizeof path);
    bool same = file_exists(path) && file_read_whole(path, (size_t)1 << 26, &before, &bytes) == FIRN_OK &&
                strcmp(before, effective) == 0;
    mem_free(before);
    return same ? FIRN_OK : file_write_text(path, effective);
}

static firn_status make_ready(const char *folder, const scene *s, const char *effective, uint64_t frames,
                              bool force, folder_state *out) {
    TRY(remove_all_leftovers(folder));
    run_note note;
    bool noted;
    if (run_note_read(folder, &note, &noted) != FIRN_OK || note.scene_hash != s->hash) noted = false;
    // From here on the folder belongs to this scene, whatever happens.
    if (!noted || force) TRY(run_note_write(folder, s, frames));
    numbered_files kept;
    firn_status status = sort_out(folder, true, s->hash, force, &kept);
    while (out->whole < kept.count && kept.number[out->whole] == out->whole) out->whole++;
    numbered_free(&kept);
    TRY(status);
    TRY(sort_out(folder, false, s->hash, force, &out->checkpoints));
    TRY(write_scene(folder, effective));
    out->done = out->whole > frames;
    if (noted && !force && !out->done && note.frames != frames) TRY(run_note_write(folder, s, frames));
    for (size_t i = 0; i < 2; i++) {
        char path[PATH_ROOM];
        path_join(folder, subfolders[i], path, sizeof path);
        TRY(file_make_folders(path));
    }
    return FIRN_OK;
}

firn_status folder_prepare(const char *folder, const scene *s, uint64_t frames, bool force,
                           folder_state *out) {
    *out = (folder_state){0};
    char *effective;
    TRY(scene_write(s, &effective));
    firn_status status = check_folder(folder, s, effective, force);
    if (status == FIRN_OK) status = make_ready(folder, s, effective, frames, force, out);
    mem_free(effective);
    if (status != FIRN_OK) folder_state_free(out);
    return status;
}

void folder_state_free(folder_state *state) { numbered_free(&state->checkpoints); }

firn_status folder_prune(const char *folder, uint64_t last) {
    char path[PATH_ROOM];
    numbered_files files;
    TRY(numbered_list(folder, false, &files));
    size_t valid = files.count;
    while (valid > 0 && files.number[valid - 1] > last) valid--;
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < files.count && status == FIRN_OK; i++) {
        if (i < valid && i + 2 >= valid) continue;
        checkpoint_path(folder, files.number[i], path);
        status = file_remove(path);
    }
    numbered_free(&files);
    return status;
}

static firn_status check_looks(const run_note *note, firn_overrides overrides, const run_folder *run) {
    if (overrides.count == 0 || run->scene->hash == note->scene_hash) return FIRN_OK;
    return fail(
        FIRN_BAD_INPUT,
        "'%s' was simulated with other values than '%s'; of a run only the looks can be changed: picture, "
        "camera, cameras, name and colours",
        run->path, overrides.items[overrides.count - 1]);
}

firn_status run_folder_open(const char *path, firn_overrides overrides, run_folder *out) {
    memset(out, 0, sizeof *out);
    if (!path || strlen(path) >= sizeof out->path)
        return fail(FIRN_BAD_INPUT, "the run's folder has no usable name");
    if (!folder_exists(path)) return fail(FIRN_BAD_INPUT, "there is no folder '%s'", path);
    run_note note;
    bool found;
    TRY(run_note_read(path, &note, &found));
    if (!found) return fail(FIRN_BAD_INPUT, "'%s' is not a run of firn's: it has no run.json", path);
    char part[PATH_ROOM];
    snprintf(out->path, sizeof out->path, "%s", path);
    path_join(path, "scene.yaml", part, sizeof part);
    TRY(scene_open(part, overrides, &out->scene));
    numbered_files files = {0};
    firn_status status = check_looks(&note, overrides, out);
    if (status == FIRN_OK) status = numbered_list(path, true, &files);
    if (status != FIRN_OK) {
        run_folder_close(out);
        return status;
    }
    out->frame = files.number;
    out->frames = files.count;
    return FIRN_OK;
}

void run_folder_close(run_folder *run) {
    scene_close(run->scene);
    mem_free(run->frame);
    mem_free(run->chosen);
    memset(run, 0, sizeof *run);
}

void run_frame_path(const run_folder *run, uint64_t frame, char *out, size_t size) {
    snprintf(out, size, "%s/frames/%0*llu.h5", run->path, FRAME_DIGITS, (unsigned long long)frame);
}
