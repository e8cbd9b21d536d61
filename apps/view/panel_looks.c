// Panels of tools, looks, output and plots.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view.h"

static void show_tools(view *v) {
    int tool = (int)v->tool;
    ui_width(110);
    if (ui_choice(v->gui, "left button", &tool, view_tool_names, TOOLS)) v->tool = (view_tool)tool;
    if (v->tool == TOOL_THROW) {
        ui_width(110);
        ui_slider(v->gui, "radius", &v->ball_radius, 0.02, 1, "%.2f m");
        ui_width(110);
        ui_slider(v->gui, "speed", &v->ball_speed, 0, 40, "%.1f m/s");
        ui_width(110);
        ui_choice(v->gui, "snow", &v->ball_type, view_ball_types, BALL_TYPES);
    }
    if (v->tool == TOOL_STEER) {
        ui_width(110);
        ui_slider(v->gui, "speed", &v->steer_speed, 0.1, 10, "%.1f m/s");
        ui_text_dim(v->steer_body[0] ? v->steer_body : "click on a body");
    }
    if (v->tool == TOOL_TORCH) {
        ui_width(110);
        ui_slider(v->gui, "heat", &v->torch, -100, 100, "%.0f kJ/kg");
        ui_help(
            "Given to snow and bodies within the brush ten times a second while the button is down; below 0: "
            "cools.");
    }
    bool pours = v->tool == TOOL_HEAP && !v->now.wind && !settings_find(&v->settings, "field.cell");
    if (pours) {
        ui_width(110);
        ui_choice(v->gui, "snow", &v->ball_type, view_ball_types, BALL_TYPES);
    }
    if (v->tool == TOOL_DIG || v->tool == TOOL_HEAP || v->tool == TOOL_WATER || v->tool == TOOL_TORCH ||
        v->tool == TOOL_DRAG) {
        ui_width(110);
        ui_slider(v->gui, "brush", &v->brush, 0.02, 2, "%.2f m");
    }
}

static void show_camera(view *v) {
    const char *names[CAMERAS + 1] = {"by hand"};
    int now = v->by_hand ? 0 : 1, count = 1;
    for (size_t i = 0; i < v->shown.cameras; i++) {
        if (!v->by_hand && strcmp(v->camera_name, v->shown.camera[i]) == 0) now = count;
        names[count++] = v->shown.camera[i];
    }
    ui_width(110);
    if (ui_choice(v->gui, "camera", &now, names, count)) camera_use(v, now > 0 ? names[now] : "");
    if (v->run || (!v->by_hand && v->keys == 0)) return;
    if (ui_button(v->gui, "Save view")) view_save_view(v);
    ui_help("Puts the camera, or its keyframes, into the file of the scene; the rest of the file stays.");
}

static void show_output(view *v) {
    char text[128];
    ui_width(140);
    ui_field(v->gui, "##output", v->output, sizeof v->output);
    ui_help("A file: .png for the picture, .mp4, .webm or .gif for a movie of the kept frames.");
    ui_same_line(0);
    if (ui_button(v->gui, "Save") && v->output[0]) {
        size_t length = strlen(v->output);
        if (length > 4 && strcmp(v->output + length - 4, ".png") == 0)
            view_save_picture(v, v->output);
        else
            view_movie(v, v->output);
    }
    panel_proper(v);
    if (v->shown.movie < 0) return;
    snprintf(text, sizeof text, "movie: %.0f %%", 100 * v->shown.movie);
    ui_text_marked(text);
}

void panel_looks(view *v) {
    if (ui_window(v->gui, "View", v->width - 268, 104, 260, 0, NULL)) {
        show_tools(v);
        ui_line();
        show_camera(v);
        panel_keys(v);
        panel_picture(v);
        panel_compare_begin(v);
        if (!v->run && settings_find(&v->settings, "pbd.solver") && ui_button(v->gui, "PBD panel"))
            v->show_pbd = !v->show_pbd;
        ui_line();
        show_output(v);
        if (ui_toggle(v->gui, "light", &v->config.light)) gui_style(v->gui, v->config.scale, v->config.light);
        ui_same_line(0);
        ui_width(90);
        if (ui_slider(v->gui, "text", &v->config.scale, 0.75, 2, "%.2f"))
            gui_style(v->gui, v->config.scale, v->config.light);
        if (v->picked.text[0]) {
            ui_line();
            ui_text_wrapped(v->picked.text);
        }
    }
    ui_window_end();
}

// North is up when the camera looks north.
void panel_wind(view *v) {
    char text[64];
    const firn_camera *c = &v->picture.camera;
    const double radian = 180 / 3.14159265358979323846;
    if (ui_window(v->gui, "Wind", v->width - 436, 104, 160, 0, NULL)) {
        double from = v->rose_used ? v->rose_from : v->now.wind_from;
        double speed = v->rose_used ? v->rose_speed : v->now.wind_speed;
        if (!v->rose_used) v->rose_most = speed > 20 ? 100 : 20;
        double heading = atan2(c->to.x - c->from.x, c->from.z - c->to.z) * radian;
        bool used = ui_rose(v->gui, "wind##rose", &from, &speed, v->rose_most, heading);
        if (used) {
            from = fmod(round(from), 360);
            speed = round(10 * speed) / 10;
        }
        if (used && (!v->rose_used || from != v->rose_from || speed != v->rose_speed))
            sim_do(v->sim, "touch wind %.17g %.17g", from, speed);
        v->rose_used = used;
        v->rose_from = from;
        v->rose_speed = speed;
        snprintf(text, sizeof text, "from %.0f deg, %.1f m/s", from, speed);
        ui_text(text);
    }
    ui_window_end();
}

typedef struct plotting {
    view *view;
    char group[32];
    bool open;
    int row;
} plotting;

static void plot_row(void *context, const history_row *row, const float *time, int points) {
    plotting *p = context;
    (void)time;
    if (strcmp(p->group, row->group) != 0) {
        snprintf(p->group, sizeof p->group, "%s", row->group);
        p->open = ui_section(p->view->gui, row->group, p->row == 0);
    }
    p->row++;
    if (!p->open || points < 1) return;
    char label[160];
    double now = (double)row->value[points - 1]; // not known before the first step: NAN
    if (isfinite(now))
        snprintf(label, sizeof label, "%s: %.4g %s", row->name, now, row->unit);
    else
        snprintf(label, sizeof label, "%s", row->name);
    ui_id(p->row);
    ui_plot(label, row->value, points, 360, 48);
    ui_id_end();
}

void panel_plots(view *v) {
    if (ui_window(v->gui, "Plots", 8, 0.5 * v->height + 8, 400, 0.5 * v->height - 104, &v->config.plots)) {
        plotting p = {.view = v};
        panel_picked(v);
        history_each(sim_history(v->sim), plot_row, &p);
    }
    ui_window_end();
}
