// Opens a scene: loads, reads and hashes it.
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "scene/build.h"
#include "scene/load.h"
#include "scene/read.h"
#include "scene/scene_hash.h"
#include "snow/snow_type.h"

void scene_close(scene *s) {
    if (!s) return;
    if (s->loader) loader_end(s->loader);
    mem_free(s->loader);
    mem_free(s->files.items);
    arena_free(&s->memory);
    mem_free(s);
}

// Values derived from those that were read.
static firn_status finish(scene *s, const char *folder) {
    char real[PATH_ROOM];
    const char *absolute = realpath(folder, real) ? real : folder;
    s->def.world.folder = arena_text(&s->memory, absolute, strlen(absolute));
    if (!s->def.world.folder) return fail_memory("reading a scene", 0);
    s->def.camera_given = s->def.camera_written != NULL;
    if (s->def.camera_given)
        s->def.camera = *s->def.camera_written;
    else
        s->def.camera = scene_camera_default();
    s->def.camera.name = "main";
    if (text_equal(s->def.picture.color, "none")) s->def.picture.color = NULL;
    TRY(scene_hash_params(&scene_params, &s->def, false, &s->hash, &s->files));
    s->hash = snow_types_hash(&scene_params, &s->def, s->hash);
    for (size_t i = 0; i < s->def.world.tracks.count; i++) {
        const firn_track_def *t = &s->def.world.tracks.items[i];
        s->hash = hash64_text(t->parameter, s->hash);
        s->hash = hash64(t->keys.items, t->keys.count * sizeof *t->keys.items, s->hash);
    }
    return FIRN_OK;
}

static firn_status report(loader *l) {
    text out = {0};
    firn_status status = problem_report(&l->problems, &out);
    if (status == FIRN_OK && out.failed) status = fail_memory("reporting what is wrong with a scene", 0);
    if (status == FIRN_OK) status = fail_text(FIRN_BAD_INPUT, out.data);
    text_free(&out);
    return status;
}

static int by_parameter(const void *a, const void *b) {
    const read_track *x = a, *y = b;
    return strcmp(x->def.parameter, y->def.parameter);
}

// By name, so that the order of keys in the file changes neither the hash nor the result.
static firn_status take_tracks(scene *s, const reader *r) {
    size_t n = r->track_count;
    if (n == 0) return FIRN_OK;
    qsort(r->tracks, n, sizeof *r->tracks, by_parameter);
    firn_track_def *tracks = arena_alloc(&s->memory, n * sizeof *tracks);
    s->track_at = arena_alloc(&s->memory, n * sizeof *s->track_at);
    if (!tracks || !s->track_at) return fail_memory("reading a scene", n * sizeof *tracks);
    for (size_t i = 0; i < n; i++) {
        tracks[i] = r->tracks[i].def;
        s->track_at[i] = r->tracks[i].at;
    }
    s->def.world.tracks.items = tracks;
    s->def.world.tracks.count = n;
    return FIRN_OK;
}

static firn_status read_tree(loader *l, const node *root, scene *s) {
    if (root) {
        reader r = {.problems = &l->problems, .memory = &s->memory, .incomplete = l->incomplete};
        read_scene(&r, &scene_params, root, &s->def);
        firn_status status = take_tracks(s, &r);
        mem_free(r.tracks);
        TRY(status);
    }
    if (l->problems.no_memory) return fail_memory("reading a scene", 0);
    return l->problems.found ? report(l) : FIRN_OK;
}

static firn_status new_scene(const char *name, scene **out) {
    scene *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("reading a scene", sizeof *s);
    s->path = arena_text(&s->memory, name, strlen(name));
    s->loader = mem_zero(1, sizeof *s->loader);
    if (s->loader) loader_start(s->loader);
    if (!s->path || !s->loader) {
        scene_close(s);
        return fail_memory("reading a scene", strlen(name));
    }
    *out = s;
    return FIRN_OK;
}

// content NULL: from the file `name`. With FIRN_BAD_INPUT *out may be there for its problems.
static firn_status read_whole(const char *content, size_t bytes, const char *name, firn_overrides overrides,
                              scene **out) {
    *out = NULL;
    if (!name || !name[0]) return fail(FIRN_BAD_INPUT, "the name of the scene is missing");
    for (size_t i = 0; i < overrides.count; i++)
        if (!overrides.items || !overrides.items[i])
            return fail(FIRN_BAD_INPUT, "override %zu of the scene is NULL", i);
    scene *s = NULL;
    TRY(new_scene(name, &s));
    loader *l = s->loader;
    firn_status status = content ? load_text(l, content, bytes, name, overrides, &s->root)
                                 : load_file(l, name, overrides, &s->root);
    if (status == FIRN_OK) status = read_tree(l, s->root, s);
    char folder[PATH_ROOM] = ".";
    if (!content) path_folder(name, folder, sizeof folder);
    if (status == FIRN_OK) status = finish(s, folder);
    *out = s;
    return status;
}

static firn_status open_scene(const char *content, size_t bytes, const char *name, firn_overrides overrides,
                              scene **out) {
    firn_status status = read_whole(content, bytes, name, overrides, out);
    if (status == FIRN_OK) return FIRN_OK;
    scene_close(*out);
    *out = NULL;
    return status;
}

firn_status scene_try(const char *path, firn_overrides overrides, scene **out) {
    return read_whole(NULL, 0, path, overrides, out);
}

firn_status scene_open(const char *path, firn_overrides overrides, scene **out) {
    return open_scene(NULL, 0, path, overrides, out);
}

firn_status scene_parse(const char *content, size_t bytes, const char *name, firn_overrides overrides,
                        scene **out) {
    return open_scene(content ? content : "", content ? bytes : 0, name, overrides, out);
}

static firn_status world_from(scene *s, firn_status status, firn_world **world) {
    *world = NULL;
    if (status == FIRN_OK) status = scene_build(s, NULL, world);
    scene_close(s);
    return status;
}

firn_status firn_world_open(const char *path, firn_world **world) {
    NEED(world);
    scene *s;
    firn_status status = scene_open(path, (firn_overrides){0}, &s);
    return world_from(s, status, world);
}

firn_status firn_world_open_with(const char *path, firn_overrides overrides, firn_world **world) {
    NEED(world);
    *world = NULL;
    NEED(path);
    NEED(overrides.items || overrides.count == 0);
    scene *s;
    firn_status status = scene_open(path, overrides, &s);
    return world_from(s, status, world);
}

firn_status firn_world_open_text(const char *content, const char *name, firn_world **world) {
    NEED(world);
    *world = NULL;
    NEED(content);
    scene *s;
    firn_status status = scene_parse(content, content ? strlen(content) : 0, name, (firn_overrides){0}, &s);
    return world_from(s, status, world);
}

void firn_text_free(char *words) { mem_free(words); }

static firn_status copy_text(const char *words, char **out) {
    text t = {0};
    text_add(&t, "%s", words);
    return text_take(&t, out);
}

// Reads the title only: a list of scenes also shows those that do not run here.
firn_status firn_scene_title(const char *path, char **title) {
    NEED(title);
    *title = NULL;
    NEED(path);
    loader l;
    loader_start(&l);
    const node *root = NULL;
    firn_status status = load_file(&l, path, (firn_overrides){0}, &root);
    const node *name = status == FIRN_OK && root ? node_child(root, "name") : NULL;
    if (status == FIRN_OK && !root)
        status = report(&l);
    else if (status == FIRN_OK && (!name || name->kind != NODE_SCALAR))
        status = fail(FIRN_BAD_INPUT, "scene '%s' has no `name`", path);
    if (status == FIRN_OK) status = copy_text(name->text, title);
    loader_end(&l);
    return status;
}
