// Scenes that are saved: one of what differs, or the view into the scene's own file. What a user wrote is
// never lost: no file that the scene is made from, and none that the viewer has not written, is replaced.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/command.h"
#include "view.h"

#define FIRST_LINE "# Saved by firn view.\n"

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static char *read_text(const char *path) {
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    ssize_t length = file ? getdelim(&text, &room, 0, file) : -1;
    if (file) fclose(file);
    if (length >= 0) return text;
    free(text);
    return NULL;
}

// Whole or not at all.
static bool write_text(view *v, const char *path, const char *text) {
    char part[PATH_MAX + 8];
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0) good = false;
    good = good && rename(part, path) == 0;
    if (!good && file) unlink(part);
    if (!good) view_say(v, "cannot write '%s'", path);
    return good;
}

// The line of a key of the whole scene; NULL: it has none.
static char *find_key(char *text, const char *key) {
    size_t length = strlen(key);
    for (char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (strncmp(line, key, length) == 0 && line[length] == ':') return line;
    return NULL;
}

// The scene that a file names as its base, beside it.
static bool base_of(const char *path, char out[PATH_MAX]) {
    char *text = read_text(path), *line = text ? find_key(text, "from") : NULL;
    if (line) {
        line += strlen("from:");
        line += strspn(line, " \"'");
        line[strcspn(line, "\"'#\r\n")] = 0;
        for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--) line[n - 1] = 0;
        const char *slash = strrchr(path, '/');
        int folder = slash && line[0] != '/' ? (int)(slash - path) + 1 : 0;
        snprintf(out, PATH_MAX, "%.*s%s", folder, path, line);
    }
    free(text);
    return line != NULL;
}

static bool is_made_from(const char *scene, const char *file) {
    char at[PATH_MAX], next[PATH_MAX];
    snprintf(at, sizeof at, "%s", scene);
    for (int depth = 0; depth < 32; depth++) {
        if (same_file(at, file)) return true;
        if (!base_of(at, next)) return false;
        memcpy(at, next, sizeof at);
    }
    return false;
}

static bool may_replace(view *v, const char *path) {
    if (is_made_from(v->scene, path)) {
        view_say(v, "this scene is made from '%s': choose another name; Save view puts the camera into it",
                 path);
        return false;
    }
    char *text = read_text(path);
    bool free_or_own =
        access(path, F_OK) != 0 || (text && strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0);
    free(text);
    if (!free_or_own)
        view_say(v, "'%s' is there already, and was not saved by firn view: choose another name", path);
    return free_or_own;
}

bool view_save_scene(view *v, const char *path) {
    if (v->run) {
        view_say(v, "a run already has its scene: %s/scene.yaml", v->scene);
        return false;
    }
    if (!may_replace(v, path)) return false;
    settings all = {0};
    bool good = settings_copy(&all, &v->settings);
    for (size_t i = 0; i < v->pending_count && good; i++) {
        setting *s = settings_find(&all, v->pending[i].name);
        if (s) snprintf(s->text, sizeof s->text, "%s", v->pending[i].text);
    }
    char *more = keys_scene(v), *text = good && more ? settings_scene(&all, v->scene, path, more) : NULL,
         *whole = NULL;
    good = text && asprintf(&whole, FIRST_LINE "%s", text) >= 0;
    good = good && write_text(v, path, whole);
    if (good) view_say(v, "Saved %s", path);
    free(whole);
    free(more);
    free(text);
    settings_free(&all);
    return good;
}

// ---- The view, into the scene's own file.

typedef struct looked_for {
    const char *path;
    bool found;
} looked_for;

static void compare_path(void *context, const char *name, const char *path) {
    (void)name;
    looked_for *l = context;
    l->found |= same_file(l->path, path);
}

// What the camera had beside its place stays.
static void keep_number(FILE *out, const char *block, const char *end, const char *key) {
    size_t length = strlen(key);
    for (const char *c = block; c + length < end; c++) {
        if (strncmp(c, key, length) != 0 || c[length] != ':' || strchr(" {,", c[-1]) == NULL) continue;
        const char *value = c + length + 1;
        value += strspn(value, " ");
        fprintf(out, "  %s: %.*s\n", key, (int)strcspn(value, ",}#\r\n"), value);
        return;
    }
}

// The text with another camera; NULL: no memory.
static char *with_camera(char *text, const char *camera) {
    char *result = NULL, *block = find_key(text, "camera"), *end = block;
    size_t bytes;
    FILE *out = open_memstream(&result, &bytes);
    if (!out) return NULL;
    if (!block) block = end = text + strlen(text);
    if (*end) end += strcspn(end, "\n");
    while (end[0] == '\n' && strchr(" \t", end[1]) && end[1]) end += 1 + strcspn(end + 1, "\n");
    if (*end) end++;
    fprintf(out, "%.*s%s%s", (int)(block - text), text, block > text && block[-1] != '\n' ? "\n" : "",
            camera);
    keep_number(out, block, end, "aperture");
    keep_number(out, block, end, "focus");
    fputs(end, out);
    return fclose(out) == 0 ? result : NULL;
}

bool view_save_view(view *v) {
    char path[PATH_MAX];
    looked_for shipped = {.path = v->scene};
    if (!v->run) scenes_each(compare_path, &shipped);
    char *camera = keys_camera(v), *text = camera && realpath(v->scene, path) ? read_text(path) : NULL;
    char *whole = text && !shipped.found && !v->run ? with_camera(text, camera) : NULL;
    bool good = whole && write_text(v, path, whole);
    struct stat status;
    if (good && stat(v->scene, &status) == 0) v->modified = status.st_mtim; // the world goes on
    if (good)
        view_say(v, "Saved the view in %s", v->scene);
    else if (v->run || shipped.found)
        view_say(v, v->run ? "a run keeps its scene as it was"
                           : "this scene comes with firn: save it under another name");
    else if (!camera)
        view_say(v, "the view is that of the scene: move the camera first");
    else if (!whole)
        view_say(v, "cannot read '%s'", v->scene);
    free(camera);
    free(text);
    free(whole);
    return good;
}
