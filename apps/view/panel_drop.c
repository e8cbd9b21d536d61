// Files that are dropped onto the window: scenes, runs, and meshes, which become a body or snow.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "view.h"

static const char *const kinds[] = {"a body that moves", "a fixed body", "snow (mpm)", "snow (phase)"};
static const char *const kind_words[] = {"dynamic", "fixed", "mpm", "phase"};
enum { KINDS = 4 };

static bool ends_in(const char *path, const char *end) {
    size_t length = strlen(path), more = strlen(end);
    return length > more && strcasecmp(path + length - more, end) == 0;
}

static bool is_mesh(const char *path) {
    static const char *const ends[] = {".obj", ".ply", ".stl", ".off",   ".gltf",
                                       ".glb", ".3ds", ".dae", ".binvox"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_in(path, ends[i])) return true;
    return false;
}

static bool has(const view *v, int kind) {
    return kind < 2 || settings_find(&v->settings, kind == 2 ? "mpm.cell" : "phase.mass");
}

void view_drop(view *v, const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) return view_say(v, "cannot read '%s'", path);
    if (!S_ISDIR(status.st_mode) && is_mesh(path)) {
        const firn_camera *c = &v->picture.camera;
        firn_vec3 d = {c->to.x - c->from.x, c->to.y - c->from.y, c->to.z - c->from.z};
        if (!v->scene[0] || v->run) return view_say(v, "open a scene first: a mesh becomes a part of it");
        if (!realpath(path, v->mesh)) return view_say(v, "cannot read '%s'", path);
        v->mesh_height = 0.2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        if (!has(v, v->mesh_kind)) v->mesh_kind = 0;
        return;
    }
    if (S_ISDIR(status.st_mode) || ends_in(path, ".yaml") || ends_in(path, ".yml"))
        return view_open(v, path, S_ISDIR(status.st_mode));
    view_say(v, "'%s' is neither a scene (.yaml), nor a run's folder, nor a mesh", path);
}

// Where the camera looks, half of its height above, so that it does not begin inside of what lies there.
static void add_mesh(view *v) {
    const firn_vec3 at = v->picture.camera.to;
    sim_do(v->sim, "touch mesh mesh-%u %.17g %.17g %.17g %.17g %s %s", ++v->made, at.x,
           at.y + 0.5 * v->mesh_height, at.z, v->mesh_height, kind_words[v->mesh_kind], v->mesh);
    v->mesh[0] = 0;
}

void panel_mesh(view *v) {
    bool open = true;
    const char *name = strrchr(v->mesh, '/');
    if (!v->mesh[0]) return;
    if (ui_window(v->gui, "Add a mesh", 0.5 * v->width - 170, 140, 340, 0, &open)) {
        ui_text_wrapped(name ? name + 1 : v->mesh);
        ui_width(200);
        ui_choice(v->gui, "becomes", &v->mesh_kind, kinds, KINDS);
        ui_width(200);
        ui_slider(v->gui, "height", &v->mesh_height, 0.02, 10, "%.2f m");
        if (!has(v, v->mesh_kind))
            ui_text_marked("this scene has no such snow");
        else if (ui_button(v->gui, "Add"))
            add_mesh(v);
    }
    ui_window_end();
    if (!open) v->mesh[0] = 0;
}
