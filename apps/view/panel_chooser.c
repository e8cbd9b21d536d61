// The list of the scenes that come with firn, with pictures.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "view.h"

// Titles are read once: there are many files.
static void add_choice(void *context, const char *name, const char *path) {
    view *v = context;
    char *title = NULL;
    choice *more = realloc(v->choice, (v->choices + 1) * sizeof *more);
    if (!more || firn_scene_title(path, &title) != FIRN_OK) return;
    v->choice = more;
    choice *c = &v->choice[v->choices++];
    *c = (choice){0};
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->path, sizeof c->path, "%s", path);
    snprintf(c->title, sizeof c->title, "%s", title);
    firn_text_free(title);
}

static void take_thumbs(view *v) {
    size_t number;
    for (uint8_t *rgba; (rgba = thumbs_next(v->thumbs, &number)); free(rgba))
        if (number < v->choices && !v->choice[number].texture)
            v->choice[number].texture = gui_texture(v->gui, rgba, THUMB_WIDTH, THUMB_HEIGHT);
}

static void open_choice(view *v, const char *path) {
    char copy[PATH_MAX];
    snprintf(copy, sizeof copy, "%s", path);
    v->search[0] = 0;
    view_open(v, copy, false);
}

// A picture is asked for when its place is first seen.
static void show_thumb(view *v, size_t i) {
    choice *c = &v->choice[i];
    ui_image(c->texture, THUMB_WIDTH, THUMB_HEIGHT);
    if (c->asked || !ui_visible()) return;
    c->asked = true;
    thumbs_want(v->thumbs, i, c->path);
}

static void show_choices(view *v) {
    if (v->choices == 0) scenes_each(add_choice, v);
    take_thumbs(v);
    for (size_t i = 0; i < v->choices; i++) {
        const choice *c = &v->choice[i];
        if (v->search[0] && !strcasestr(c->name, v->search) && !strcasestr(c->title, v->search)) continue;
        show_thumb(v, i);
        ui_same_line(THUMB_WIDTH + 16);
        ui_group();
        bool chosen = ui_row(v->gui, c->name);
        ui_text_dim(c->title);
        ui_group_end();
        if (chosen) return open_choice(v, c->path);
    }
}

// Those that are not made yet are asked for again when the list is shown again.
void chooser_leave(view *v) {
    thumbs_forget(v->thumbs);
    take_thumbs(v);
    for (size_t i = 0; i < v->choices; i++) v->choice[i].asked = v->choice[i].texture != 0;
}

void panel_chooser(view *v) {
    double width = fmin(720, v->width - 16), top = v->height > 400 ? 60 : 8;
    if (ui_window(v->gui, "Choose a scene", 0.5 * (v->width - width), top, width, v->height - 2 * top,
                  &v->show_chooser)) {
        ui_search(v->gui, "search##scenes", v->search, sizeof v->search);
        if (v->config.scene[0] && ui_row(v->gui, "the last one")) open_choice(v, v->config.scene);
        ui_line();
        ui_scroll_box("scenes", 0);
        show_choices(v);
        ui_scroll_box_end();
    }
    ui_window_end();
    if (!v->show_chooser) chooser_leave(v);
}
