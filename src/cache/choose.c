// Which frames of a run to use, and where files made from them may be written.
#include "cache/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static firn_status nothing_chosen(const run_folder *run, frame_range range) {
    uint64_t last = run->frame[run->frames - 1];
    if (range.first > last)
        return fail(FIRN_BAD_INPUT, "the run in '%s' ends with frame %llu; there is no frame %llu", run->path,
                    (unsigned long long)last, (unsigned long long)range.first);
    return fail(FIRN_BAD_INPUT, "the run in '%s' has frames %llu to %llu, but none of the requested ones",
                run->path, (unsigned long long)run->frame[0], (unsigned long long)last);
}

firn_status run_choose_frames(run_folder *run, frame_range range) {
    if (run->frames == 0)
        return fail(FIRN_BAD_INPUT, "the run in '%s' has no frames yet; 'firn run' writes them", run->path);
    run->chosen = mem_alloc(run->frames * sizeof *run->chosen);
    if (!run->chosen) return fail_memory("choosing frames", run->frames * sizeof *run->chosen);
    run->chosen_count = 0;
    uint64_t stride = range.stride ? range.stride : 1;
    for (size_t i = 0; i < run->frames; i++) {
        uint64_t number = run->frame[i], after = number - range.first;
        if (number < range.first || after % stride || (range.count && after / stride >= range.count))
            continue;
        run->chosen[run->chosen_count++] = number;
    }
    return run->chosen_count ? FIRN_OK : nothing_chosen(run, range);
}

// false: longer than any path may be.
static bool copy_path(const char *path, char out[PATH_ROOM]) {
    size_t length = strlen(path);
    if (length >= PATH_ROOM) return false;
    memcpy(out, path, length + 1);
    return true;
}

// The canonical name of the nearest ancestor that exists: what is not there yet cannot be a symbolic link.
static bool existing_ancestor(const char *path, char out[PATH_ROOM]) {
    char part[PATH_ROOM], parent[PATH_ROOM];
    if (!copy_path(path, part)) return false;
    for (;;) {
        char *real = realpath(part, NULL);
        if (real) {
            bool fits = copy_path(real, out);
            free(real);
            return fits;
        }
        if (errno != ENOENT && errno != ENOTDIR) return false;
        path_folder(part, parent, sizeof parent);
        if (strcmp(parent, part) == 0) return false;
        memcpy(part, parent, sizeof part);
    }
}

firn_status run_check_output(const run_folder *run, const char *output) {
    char folder[PATH_ROOM], place[PATH_ROOM];
    // A path that cannot be resolved is refused later by the code that writes to it, with the system's
    // reason.
    if (!existing_ancestor(run->path, folder) || !existing_ancestor(output, place)) return FIRN_OK;
    size_t length = strlen(folder);
    if (strncmp(place, folder, length) != 0 || (place[length] != '/' && place[length] != 0)) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "cannot write '%s': it is inside the run folder '%s'; choose a place outside of it", output,
                run->path);
}

void run_drop_empty_folders(const char *path, size_t kept) {
    char part[PATH_ROOM], parent[PATH_ROOM];
    if (!copy_path(path, part)) return;
    while (strlen(part) > kept && rmdir(part) == 0) {
        path_folder(part, parent, sizeof parent);
        memcpy(part, parent, sizeof part);
    }
}

size_t run_existing_part(const char *path) {
    char part[PATH_ROOM], parent[PATH_ROOM];
    if (!copy_path(path, part)) return strlen(path);
    while (!folder_exists(part)) {
        path_folder(part, parent, sizeof parent);
        if (strlen(parent) >= strlen(part)) return 0;
        memcpy(part, parent, sizeof part);
    }
    return strlen(part);
}
