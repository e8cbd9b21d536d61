// Finds the base scenes that come with firn.
#include "scene/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <firn/scene.h>

#include "base/file.h"
#include "base/text.h"

static char given[PATH_ROOM]; // by the program

firn_status firn_set_scene_folders(const char *folders) {
    if (!folders) folders = "";
    if (strlen(folders) >= sizeof given)
        return fail(FIRN_BAD_INPUT, "the list of scene folders is longer than %zu bytes", sizeof given - 1);
    snprintf(given, sizeof given, "%s", folders);
    return FIRN_OK;
}

// Calls `visit` for each folder until it returns true.
static bool each_folder(bool (*visit)(void *context, const char *folder), void *context) {
    const char *lists[] = {getenv("FIRN_SCENES"), given, FIRN_SCENES_FOLDER};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *at = lists[i]; at && *at;) {
            char folder[PATH_ROOM];
            size_t length = strcspn(at, ":");
            if (length && length < sizeof folder) {
                snprintf(folder, sizeof folder, "%.*s", (int)length, at);
                if (visit(context, folder)) return true;
            }
            at += length;
            at += *at == ':';
        }
    return false;
}

typedef struct search {
    const char *name;
    char *out;
    size_t size, distance;
} search;

static bool find_in(void *context, const char *folder) {
    search *s = context;
    char ended[PATH_ROOM];
    path_join(folder, s->name, s->out, s->size);
    if (file_exists(s->out)) return true;
    if (snprintf(ended, sizeof ended, "%s.yaml", s->name) >= (int)sizeof ended) return false;
    path_join(folder, ended, s->out, s->size);
    return file_exists(s->out);
}

bool shipped_find(const char *name, char *path, size_t size) {
    // A name that leads out of the folders is an ordinary path.
    if (name[0] == '/' || strstr(name, "..")) return false;
    return each_folder(find_in, &(search){.name = name, .out = path, .size = size});
}

static bool nearest_in(void *context, const char *folder) {
    search *s = context;
    char base[PATH_ROOM];
    file_names names;
    path_join(folder, "base", base, sizeof base);
    if (!folder_exists(base) || file_list(base, ".yaml", &names) != FIRN_OK) return false;
    for (size_t i = 0; i < names.count; i++) {
        names.items[i][strlen(names.items[i]) - 5] = 0;
        size_t distance = word_distance(s->name, names.items[i]);
        if (distance >= s->distance) continue;
        s->distance = distance;
        snprintf(s->out, s->size, "base/%s", names.items[i]);
    }
    file_names_free(&names);
    return false;
}

void shipped_nearest(const char *name, char *out, size_t size) {
    char word[64];
    const char *slash = strrchr(name, '/');
    snprintf(word, sizeof word, "%s", slash ? slash + 1 : name);
    if (text_ends(word, ".yaml")) word[strlen(word) - 5] = 0;
    *out = 0;
    each_folder(nearest_in,
                &(search){.name = word, .out = out, .size = size, .distance = strlen(word) / 3 + 2});
}
