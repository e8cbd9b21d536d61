// `firn verify`: reads every byte of a run and reports files that are damaged, missing or foreign.
#include "cache/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cookie.h"
#include "base/hash.h"
#include "base/memory.h"
#include "cache/frame.h"
#include "cache/times.h"
#include "geom/asset.h"
#include "geom/solid_file.h"

typedef struct verifier {
    const firn_verify_options *options;
    firn_verify_result *result;
    file_folder folder;
    uint64_t scene_hash; // 0: neither run.json nor scene.yaml says it
    uint64_t reached;    // frames up to this one must be there
    bool any;            // there is such a frame
    firn_status status;  // FIRN_INTERRUPTED or FIRN_NO_MEMORY ends it
} verifier;

static uint64_t size_of(const verifier *v, const char *name) {
    struct stat about;
    return fstatat(v->folder.handle, name, &about, 0) == 0 ? (uint64_t)about.st_size : 0;
}

static void report(verifier *v, const char *name, firn_file_state state, const char *why) {
    firn_verify_result *r = v->result;
    uint64_t bytes = size_of(v, name);
    if (state == FIRN_FILE_WHOLE || state == FIRN_FILE_DAMAGED) {
        r->files++;
        r->bytes += bytes;
    }
    r->damaged += state == FIRN_FILE_DAMAGED;
    r->missing += state == FIRN_FILE_MISSING;
    r->foreign += state == FIRN_FILE_FOREIGN;
    if (v->options->file) v->options->file(v->options->context, &(firn_file_report){name, state, bytes, why});
    if (v->status == FIRN_OK && v->options->stop && v->options->stop(v->options->context))
        v->status = fail(FIRN_INTERRUPTED, "interrupted while '%s' was read", v->folder.path);
}

static void report_words(verifier *v, const char *name, firn_file_state state, const char *words) {
    char path[PATH_ROOM], why[PATH_ROOM + 100];
    snprintf(why, sizeof why, "'%s' %s", file_shown(&v->folder, name, path), words);
    report(v, name, state, why);
}

// Reports the state of a file: `status` and firn_last_error.
static void report_status(verifier *v, const char *name, firn_status status) {
    char why[PATH_ROOM + 200];
    if (status == FIRN_OK) {
        report(v, name, FIRN_FILE_WHOLE, NULL);
    } else if (status == FIRN_NO_MEMORY) {
        v->status = status;
    } else if (!v->result->writing || file_exists_in(&v->folder, name)) { // a run drops old checkpoints
        snprintf(why, sizeof why, "%s", firn_last_error());
        report(v, name, FIRN_FILE_DAMAGED, why);
    }
}

// Without run.json the scene itself says what its frames belong to.
static firn_status read_scene(verifier *v, const run_note *note) {
    char path[PATH_ROOM], *data;
    size_t bytes;
    TRY(file_read_in(&v->folder, SCENE_FILE, (size_t)1 << 26, &data, &bytes));
    uint64_t checksum = hash64(data, bytes, 0);
    mem_free(data);
    file_shown(&v->folder, SCENE_FILE, path);
    if (note->scene_checksum)
        return checksum == note->scene_checksum
                   ? FIRN_OK
                   : fail(FIRN_BAD_INPUT,
                          "'%s' is damaged or was changed: its checksum differs from the one in run.json",
                          path);
    scene *s;
    TRY(scene_open(path, (firn_overrides){0}, &s));
    if (!v->scene_hash) v->scene_hash = s->hash;
    bool same = v->scene_hash == s->hash;
    scene_close(s);
    return same ? FIRN_OK : fail(FIRN_BAD_INPUT, "'%s' is not the scene of this run", path);
}

// A folder without any file of a run has some other program's run.json.
static firn_status verify_note(verifier *v, run_note *note) {
    bool found;
    firn_status status = run_note_read(&v->folder, note, &found);
    if (!found)
        return fail(FIRN_BAD_INPUT, "'%s' is not a firn run folder: it has no run.json", v->folder.path);
    if (status != FIRN_OK && !file_exists_in(&v->folder, SCENE_FILE) &&
        !folder_exists_in(&v->folder, "frames"))
        return fail(FIRN_BAD_INPUT, "'%s' is not a firn run folder: its run.json was not written by firn",
                    v->folder.path);
    if (status == FIRN_OK) v->result->frames_asked = note->frames + 1;
    v->scene_hash = note->scene_hash;
    report_status(v, NOTE_FILE, status);
    return v->status;
}

static void verify_texts(verifier *v, const run_note *note) {
    bool damaged;
    run_times times;
    if (file_exists_in(&v->folder, SCENE_FILE))
        report_status(v, SCENE_FILE, read_scene(v, note));
    else
        report_words(v, SCENE_FILE, FIRN_FILE_MISSING, "is missing");
    if (!file_exists_in(&v->folder, TIMES_FILE)) return;
    firn_status status = times_read(&v->folder, &times, &damaged);
    if (status == FIRN_OK) times_free(&times);
    if (status == FIRN_OK && damaged)
        report_words(v, TIMES_FILE, FIRN_FILE_DAMAGED, "is damaged: it has invalid lines");
    else
        report_status(v, TIMES_FILE, status);
}

static firn_status verify_one(verifier *v, const char *name, cache_kind kind) {
    char path[PATH_ROOM];
    frame_block block;
    TRY(frame_verify_file(&v->folder, name, kind, &block));
    if (!v->scene_hash) v->scene_hash = block.scene_hash;
    if (block.scene_hash != v->scene_hash)
        return fail(FIRN_BAD_INPUT, "'%s' belongs to another scene", file_shown(&v->folder, name, path));
    if (block.frame >= v->reached) v->reached = block.frame;
    v->any = true;
    return FIRN_OK;
}

static void report_missing(verifier *v, uint64_t from, uint64_t to) {
    for (uint64_t frame = from; frame < to && v->status == FIRN_OK; frame++) {
        char name[NAME_ROOM];
        frame_name(frame, name);
        report_words(v, name, FIRN_FILE_MISSING, "is missing");
    }
}

// Frames count as missing below the last one that was reached, also by a checkpoint. Frames before an
// isolated, far larger number do not.
static firn_status verify_numbered(verifier *v, cache_kind kind) {
    numbered_files files;
    uint64_t next = 0;
    TRY(numbered_list(&v->folder, kind == CACHE_FRAME, &files));
    for (size_t i = 0; i < files.count && v->status == FIRN_OK; i++) {
        char name[NAME_ROOM];
        (kind == CACHE_FRAME ? frame_name : checkpoint_name)(files.number[i], name);
        firn_status status = verify_one(v, name, kind);
        report_status(v, name, status);
        if (kind != CACHE_FRAME || status != FIRN_OK) continue;
        v->result->frames++;
    }
    for (size_t i = 0; kind == CACHE_FRAME && v->any && i < files.count; i++) {
        if (files.number[i] > v->reached) break;
        report_missing(v, next, files.number[i]);
        next = files.number[i] + 1;
    }
    if (kind == CACHE_FRAME && v->any) report_missing(v, next, v->reached + 1);
    numbered_free(&files);
    return v->status;
}

static bool is_ours(const char *folder, const char *name) {
    static const char *const names[] = {NOTE_FILE, SCENE_FILE,    TIMES_FILE,
                                        "frames",  "checkpoints", SCENE_ASSETS};
    if (folder[0] == '.') {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(name, names[i]) == 0) return true;
        return false;
    }
    uint64_t number;
    return numbered_parse(name, strcmp(folder, "frames") == 0, &number);
}

static firn_status verify_foreign(verifier *v, const char *folder) {
    file_names names;
    if (!folder_exists_in(&v->folder, folder)) return FIRN_OK;
    TRY(file_list_in(&v->folder, folder, "", &names));
    for (size_t i = 0; i < names.count && v->status == FIRN_OK; i++) {
        char path[PATH_ROOM];
        if (is_ours(folder, names.items[i])) continue;
        path_join(folder, names.items[i], path, sizeof path);
        bool leftover = file_is_temporary(names.items[i]);
        if (leftover && v->result->writing) continue;
        report_words(v, path, FIRN_FILE_FOREIGN,
                     leftover ? "was left by a command that was killed; the next run removes it"
                              : "is not a file of this run");
    }
    file_names_free(&names);
    return v->status;
}

static bool is_solid(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".solid") == 0;
}

static firn_status verify_solid(const verifier *v, const char *path, const char *name) {
    solid s;
    TRY(solid_read(&v->folder, path, strtoull(name, NULL, 16), &s));
    solid_free(&s);
    return FIRN_OK;
}

// The copies of one file that the scene names: one of them, together with those that a .gltf refers to, has
// the content that gives the folder its name.
static void verify_asset(verifier *v, const char *folder, const file_names *names) {
    const char *hash_text = strrchr(folder, '/') + 1;
    uint64_t expected = strtoull(hash_text, NULL, 16), hash;
    bool whole = false;
    char path[PATH_ROOM];
    for (size_t i = 0; i < names->count && !whole; i++) {
        path_join(folder, names->items[i], path, sizeof path);
        whole = !is_solid(path) && asset_hash_in(&v->folder, path, &hash) == FIRN_OK && hash == expected;
    }
    for (size_t i = 0; i < names->count && v->status == FIRN_OK; i++) {
        const char *name = names->items[i];
        path_join(folder, name, path, sizeof path);
        if (is_solid(name))
            report_status(v, path, verify_solid(v, path, name));
        else if (whole)
            report(v, path, FIRN_FILE_WHOLE, NULL);
        else
            report_words(v, path, FIRN_FILE_DAMAGED,
                         "is damaged: its content does not match the name of its folder");
    }
}

static firn_status verify_assets(verifier *v) {
    file_names folders, names;
    if (!folder_exists_in(&v->folder, SCENE_ASSETS)) return FIRN_OK;
    TRY(file_list_in(&v->folder, SCENE_ASSETS, "", &folders));
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < folders.count && status == FIRN_OK; i++) {
        char folder[PATH_ROOM];
        path_join(SCENE_ASSETS, folders.items[i], folder, sizeof folder);
        if (!folder_exists_in(&v->folder, folder)) {
            report_words(v, folder, FIRN_FILE_FOREIGN, "is not a file of this run");
            continue;
        }
        status = file_list_in(&v->folder, folder, "", &names);
        if (status != FIRN_OK) break;
        verify_asset(v, folder, &names);
        file_names_free(&names);
        status = v->status;
    }
    file_names_free(&folders);
    return status;
}

static bool is_locked(const verifier *v) {
    if (flock(v->folder.handle, LOCK_SH | LOCK_NB) < 0) return errno == EWOULDBLOCK;
    flock(v->folder.handle, LOCK_UN);
    return false;
}

static firn_status verify_all(verifier *v) {
    run_note note;
    v->result->writing = is_locked(v);
    TRY(verify_note(v, &note));
    verify_texts(v, &note);
    TRY(v->status);
    TRY(verify_numbered(v, CACHE_CHECKPOINT));
    TRY(verify_numbered(v, CACHE_FRAME));
    TRY(verify_assets(v));
    TRY(verify_foreign(v, "."));
    TRY(verify_foreign(v, "frames"));
    return verify_foreign(v, "checkpoints");
}

DEFAULT_COOKIE(firn_verify_options)

firn_status firn_verify(const firn_verify_options *options, firn_verify_result *result) {
    NEED(options);
    NEED_COOKIE(firn_verify_options, options);
    if (!options->folder || !options->folder[0] || !result)
        return fail(FIRN_BAD_INPUT, "firn_verify: the run folder or the result is missing");
    *result = (firn_verify_result){0};
    verifier *v = mem_zero(1, sizeof *v);
    if (!v) return fail_memory("verifying a run", sizeof *v);
    v->options = options;
    v->result = result;
    firn_status status = file_folder_open(options->folder, &v->folder);
    if (status == FIRN_OK) {
        status = verify_all(v);
        file_folder_close(&v->folder);
    }
    mem_free(v);
    return status;
}
