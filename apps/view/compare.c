// Side by side: a second simulation and drawing thread, whose picture is the right half of the window.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "view.h"

enum { KEPT_BYTES = 256 << 20 };

static void on_sim(void *context) {
    view *v = context;
    if (v->compare.drawer) drawer_wake(v->compare.drawer);
    gui_wake();
}

static void on_drawer(void *context) {
    (void)context;
    gui_wake();
}

// The threads stay for the next comparison: to end them the window would have to wait for a step.
bool compare_begin(view *v, const char *path) {
    compare *c = &v->compare;
    struct stat status;
    bool same = !path || !path[0];
    if (same && v->run) {
        view_say(v, "a run is compared with another run or a scene: give its path");
        return false;
    }
    snprintf(c->path, sizeof c->path, "%s", same ? v->scene : path);
    if (stat(c->path, &status) != 0) {
        view_say(v, "there is no scene or run '%s'", c->path);
        return false;
    }
    if (!c->sim) c->sim = sim_start(KEPT_BYTES, on_sim, v);
    if (c->sim && !c->drawer) c->drawer = drawer_start(c->sim, on_drawer, v);
    if (!c->drawer) return false;
    c->run = S_ISDIR(status.st_mode);
    c->same = same;
    c->on = true;
    c->index = -2;
    c->messages = drawer_now(c->drawer).messages;
    if (c->run)
        drawer_open_run(c->drawer, c->path);
    else if (v->run)
        compare_restart(v);
    if (!v->run) view_restart(v); // both begin at the beginning
    view_send_looks(v);
    camera_send(v);
    return true;
}

void compare_restart(view *v) {
    compare *c = &v->compare;
    if (c->on && !c->run)
        drawer_open(c->drawer, c->path, (firn_overrides){0}, true, v->now.phase == SIM_RUNNING && !v->run);
}

void compare_end(view *v) {
    compare *c = &v->compare;
    if (!c->on) return;
    c->on = false;
    sim_do(c->sim, "pause");
    sim_hold(v->sim, INFINITY);
    gui_picture_right(v->gui, NULL, 0, 0);
    camera_send(v);
}

void compare_do(view *v, const char *order) {
    if (v->compare.on && !v->compare.run) sim_do(v->compare.sim, "%s", order);
}

void compare_camera(view *v, const firn_camera *camera) {
    compare *c = &v->compare;
    if (c->on) drawer_view(c->drawer, camera, v->width - v->picture_width, v->height);
}

// None runs ahead of the other by more than about a frame.
static void keep_together(view *v) {
    compare *c = &v->compare;
    const double ahead = 1.0 / 30;
    bool both = !v->run && !c->run && v->now.phase == SIM_RUNNING && c->now.phase == SIM_RUNNING;
    if (!v->run) sim_hold(v->sim, both ? c->now.time + ahead : INFINITY);
    if (!c->run) sim_hold(c->sim, both ? v->now.time + ahead : INFINITY);
    long index = v->run || !c->run ? v->index : (long)(v->index < 0 ? v->now.frame : (uint64_t)v->index);
    if (v->run && !c->run) index = -1;
    if (c->run && index >= (long)c->shown.run_frames) index = (long)c->shown.run_frames - 1;
    if (index != c->index) drawer_show(c->drawer, index);
    c->index = index;
}

void compare_take(view *v) {
    compare *c = &v->compare;
    if (!c->on) return;
    c->now = sim_now(c->sim);
    c->shown = drawer_now(c->drawer);
    if (c->shown.generation != c->looks_sent) view_send_looks(v);
    c->looks_sent = c->shown.generation;
    if (c->shown.messages != c->messages) view_say(v, "%s", c->shown.message);
    c->messages = c->shown.messages;
    if (drawer_take(c->drawer, &c->picture)) {
        gui_picture_right(v->gui, c->picture.rgba, c->picture.width, c->picture.height);
        c->pictures++;
    }
    keep_together(v);
}

bool compare_opening(const view *v) {
    const compare *c = &v->compare;
    return c->on && (c->shown.opening || (!c->run && c->shown.generation != c->now.generation));
}

void compare_stop(view *v) {
    compare *c = &v->compare;
    sim_stop(c->sim);
    drawer_end(c->drawer);
    sim_end(c->sim);
    free(c->picture.rgba);
}

void panel_compare(view *v) {
    compare *c = &v->compare;
    char text[256];
    if (!c->on) return;
    if (ui_window(v->gui, "Compared with", v->width - 300, v->height - 190, 290, 92, NULL)) {
        const char *slash = strrchr(c->path, '/');
        ui_text(c->same ? "the scene as its file says" : slash ? slash + 1 : c->path);
        snprintf(text, sizeof text, "left %.3f s, right %.3f s", v->picture.time, c->picture.time);
        ui_text(text);
        if (ui_button(v->gui, "End comparison")) compare_end(v);
    }
    ui_window_end();
}

void panel_compare_begin(view *v) {
    if (v->compare.on || !ui_section(v->gui, "Compare", false)) return;
    if (!v->run && ui_button(v->gui, "With the file's values")) compare_begin(v, NULL);
    ui_help("Side by side: left with your changes, right as the file says. Both begin again.");
    ui_width(140);
    ui_field(v->gui, "##compare", v->compare.wanted, sizeof v->compare.wanted);
    ui_same_line(0);
    if (ui_button(v->gui, "With") && v->compare.wanted[0]) compare_begin(v, v->compare.wanted);
    ui_help("Another scene, or the folder of a run.");
}
