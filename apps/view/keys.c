// Keyframes of the camera, and what is seen as text: for movies, for pictures by another process, for scenes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

// Where the camera is now, or will be in the next picture.
static firn_camera camera_now(const view *v) { return v->by_hand ? v->camera : v->picture.camera; }

void keys_add(view *v) {
    double time = v->picture.time;
    size_t at = 0;
    if (!v->picture.rgba) return;
    while (at < v->keys && v->key[at].time < time - 1e-9) at++;
    bool same = at < v->keys && v->key[at].time < time + 1e-9;
    if (!same && v->keys == KEYS) {
        view_say(v, "there are %d keyframes already; delete one first", KEYS);
        return;
    }
    if (!same) memmove(&v->key[at + 1], &v->key[at], (v->keys++ - at) * sizeof *v->key);
    v->key[at] = (camera_key){time, camera_now(v)};
}

bool keys_delete(view *v, size_t index) {
    if (index >= v->keys) return false;
    v->keys--;
    memmove(&v->key[index], &v->key[index + 1], (v->keys - index) * sizeof *v->key);
    return true;
}

void keys_go(view *v, size_t index) {
    if (index >= v->keys) return;
    v->camera = v->key[index].camera;
    v->camera_name[0] = 0;
    v->by_hand = v->camera_known = true;
    camera_send(v);
}

static void write_point(FILE *out, const char *name, firn_vec3 p) {
    fprintf(out, "%s: [%.6g m, %.6g m, %.6g m]", name, p.x, p.y, p.z);
}

static void write_keys(const view *v, FILE *out) {
    fprintf(out, "[");
    for (size_t i = 0; i < v->keys; i++) {
        fprintf(out, "%s{time: %.9g s, ", i ? ", " : "", v->key[i].time);
        write_point(out, "from", v->key[i].camera.from);
        fprintf(out, ", ");
        write_point(out, "to", v->key[i].camera.to);
        fprintf(out, "}");
    }
    fprintf(out, "]");
}

static double lens_of(const firn_camera *c) { return c->lens > 0 ? c->lens : 0.035; }

char *keys_track(const view *v) {
    char *text = NULL;
    size_t bytes;
    FILE *out = v->keys ? open_memstream(&text, &bytes) : NULL;
    if (!out) return NULL;
    fprintf(out, "camera.keyframes=");
    write_keys(v, out);
    fprintf(out, "\ncamera.orbit=0\ncamera.lens=%.6g m\n", lens_of(&v->key[0].camera));
    fclose(out);
    return text;
}

char *keys_camera(const view *v) {
    char *text = NULL;
    size_t bytes;
    FILE *out = v->keys || v->by_hand ? open_memstream(&text, &bytes) : NULL;
    if (!out) return NULL;
    firn_camera c = camera_now(v);
    fprintf(out,
            "camera:\n  lens: %.6g m\n  orbit: 0\n  keyframes: ", lens_of(v->keys ? &v->key[0].camera : &c));
    write_keys(v, out);
    if (!v->keys) {
        write_point(out, "\n  from", c.from);
        write_point(out, "\n  to", c.to);
    }
    fprintf(out, "\n");
    fclose(out);
    return text;
}

// What pictures of the saved scene need: the view, or the keyframes, and the looks.
char *keys_scene(const view *v) {
    char *text = NULL, *camera = keys_camera(v);
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return free(camera), NULL;
    if (camera) fputs(camera, out);
    free(camera);
    for (size_t i = 0; i < v->looks; i++) {
        const char *name = strchr(v->look[i], '.') + 1, *value = strchr(name, '=');
        fprintf(out, "%s  %.*s: %s\n", i ? "" : "picture:\n", (int)(value - name), name, value + 1);
    }
    fclose(out);
    return text;
}

void panel_keys(view *v) {
    char text[96];
    if (!ui_section(v->gui, "Camera keyframes", v->keys > 0)) return;
    if (ui_button(v->gui, "Add key")) keys_add(v);
    ui_help(
        "The camera as it is now, at the time that is shown. Movies and the saved scene move it from key to "
        "key.");
    for (size_t i = 0; i < v->keys; i++) {
        ui_id((int)i);
        snprintf(text, sizeof text, "%.3f s", v->key[i].time);
        ui_text(text);
        ui_same_line(70);
        if (ui_button(v->gui, "Go")) keys_go(v, i);
        ui_same_line(0);
        bool gone = ui_button(v->gui, "Delete");
        ui_id_end();
        if (gone) keys_delete(v, i);
    }
}
