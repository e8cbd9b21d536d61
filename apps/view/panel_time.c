// The bar of time, messages, the list of keys.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/command.h"
#include "view.h"

static void show_clock(const view *v) {
    char text[256];
    static const char *const phases[] = {"no world", "opening", "paused", "running", "stopped"};
    if (v->run)
        snprintf(text, sizeof text, "frame %ld of %zu, %.3f s", v->index + 1, v->shown.run_frames,
                 v->picture.time);
    else
        snprintf(text, sizeof text, "%s, %.3f s, step %llu, %.2f x real time, %.1f ms a step%s",
                 phases[v->now.phase], v->picture.time, (unsigned long long)v->now.step, v->now.factor,
                 v->now.step_ms, v->index >= 0 ? ", looking back" : "");
    ui_same_line(0);
    ui_text(text);
}

static void show_speed(view *v) {
    double power = v->now.speed > 0 ? log2(v->now.speed) : 7;
    char format[48];
    if (v->now.speed > 0)
        snprintf(format, sizeof format, v->now.speed < 1 ? "1/%.0f speed" : "%.0f x speed",
                 v->now.speed < 1 ? 1 / v->now.speed : v->now.speed);
    else
        snprintf(format, sizeof format, "as fast as it can");
    ui_same_line(0);
    ui_width(130);
    if (ui_slider(v->gui, "##speed", &power, -6, 7, format))
        view_do(v, "speed %.17g", power > 6.5 ? 0 : exp2(round(power)));
    ui_help("Slow motion to the left, faster than real time to the right, as fast as it can at the end.");
}

static void show_timeline(view *v) {
    int count = (int)view_frame_count(v), index = v->index < 0 ? count - 1 : (int)v->index;
    if (count < 2) return;
    ui_width(v->run ? -1 : -180);
    if (ui_slider_whole(v->gui, "##timeline", &index, 0, count - 1)) {
        v->playing_run = false;
        view_show(v, !v->run && index == count - 1 ? -1 : index);
    }
    ui_help("Kept frames: drag to look back; b branches from the frame that is shown.");
    if (v->run) return;
    ui_same_line(0);
    if (ui_button(v->gui, "Branch") && v->index >= 0) {
        pick_log_cut(&v->log, v->picture.time);
        view_do(v, "branch %ld", v->index);
        view_show(v, -1);
    }
    ui_help("Goes on from the frame that is shown; what came after it is forgotten.");
    ui_same_line(0);
    if (ui_button(v->gui, "Newest")) view_show(v, -1);
}

void panel_time(view *v) {
    bool plays = v->run ? v->playing_run : v->now.phase == SIM_RUNNING;
    if (ui_window(v->gui, "Time", 8, v->height - 88, v->width - 16, 80, NULL)) {
        if (ui_button(v->gui, plays ? "Pause" : "Play")) view_play(v, !plays);
        ui_same_line(0);
        if (!v->run && ui_button(v->gui, "Step")) view_do(v, "step 1");
        if (!v->run) ui_same_line(0);
        if (ui_button(v->gui, "Restart")) view_restart(v);
        ui_same_line(0);
        if (ui_button(v->gui, "Scenes")) v->show_chooser = !v->show_chooser;
        if (!v->run) show_speed(v);
        show_clock(v);
        show_timeline(v);
    }
    ui_window_end();
}

void panel_message(view *v) {
    char text[2200];
    bool opening = view_opening(v) && v->scene[0];
    if (opening)
        snprintf(text, sizeof text, "Opening %.1000s ...", v->scene);
    else
        snprintf(text, sizeof text, "%s", v->message);
    if (!text[0]) return;
    double left = 0.5 * v->width - 260; // beside the panel of parameters where there is room
    if (v->config.parameters && v->width >= 900) left = fmax(left, 416);
    if (ui_window(v->gui, "Message", left, 12, 520, 0, NULL)) {
        if (opening || v->now.phase != SIM_STOPPED)
            ui_text_wrapped(text);
        else
            ui_text_marked(text);
        if (!opening && ui_button(v->gui, "Close")) v->message[0] = 0;
    }
    ui_window_end();
}

void panel_help(view *v) {
    if (ui_window(v->gui, "Keys", 0.5 * v->width - 260, 90, 520, 440, &v->show_help))
        for (size_t i = 0; view_keys[i][0]; i++) {
            ui_text(view_keys[i][0]);
            ui_same_line(110);
            ui_text_wrapped(view_keys[i][1]);
        }
    ui_window_end();
}
