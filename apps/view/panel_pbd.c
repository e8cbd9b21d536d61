// Position-based dynamics at a glance: solver, liquid, numbers of the scene, and the box, whose walls can be
// moved by sliders or by hand while it runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

static const char *const controls[] = {"pbd.solver",
                                       "pbd.integrator",
                                       "pbd.elasticity",
                                       "pbd.iterations",
                                       "pbd.substeps",
                                       "pbd.relaxation",
                                       "pbd.damping",
                                       "pbd.statistics",
                                       "pbd.fluid.method",
                                       "pbd.fluid.density",
                                       "pbd.fluid.smoothing",
                                       "pbd.fluid.stiffness",
                                       "pbd.fluid.viscosity",
                                       "pbd.fluid.xsph",
                                       "pbd.fluid.vorticity",
                                       "pbd.fluid.cohesion",
                                       "pbd.fluid.surface_tension",
                                       "pbd.fluid.contact_angle",
                                       "pbd.fluid.friction",
                                       "pbd.fluid.density_error"};

// Of the wall at its first place; a box that moves has several.
static const setting *corner(const view *v, int place, bool high) {
    char name[64];
    snprintf(name, sizeof name, "pbd.box.walls[%d].%s", place, high ? "high" : "low");
    return settings_find(&v->settings, name);
}

static bool read_corner(const setting *s, double out[3]) {
    const char *at = s ? s->text + strcspn(s->text, "-0123456789.") : "";
    for (int k = 0; k < 3; k++) {
        char *end;
        out[k] = strtod(at, &end);
        if (end == at) return false;
        // Texts of lengths have units: "-75 cm".
        end += strspn(end, " ");
        double unit = strncmp(end, "mm", 2) == 0 ? 1e-3 : strncmp(end, "cm", 2) == 0 ? 1e-2 : 1;
        if (strncmp(end, "km", 2) == 0) unit = 1e3;
        out[k] *= unit;
        at = end + strcspn(end, "-0123456789.");
    }
    return true;
}

bool box_read(const view *v, double low[3], double high[3]) {
    return read_corner(corner(v, 1, false), low) && read_corner(corner(v, 1, true), high);
}

// All places of a moving box, so that it stays where it is put. Not closer than a tenth of what is opposite.
void box_move(view *v, int axis, bool upper, double to) {
    double low[3], high[3];
    const setting *s;
    if (!box_read(v, low, high) || !isfinite(to)) return;
    double least = 0.02;
    if (upper)
        high[axis] = fmax(to, low[axis] + least);
    else
        low[axis] = fmin(to, high[axis] - least);
    const double *at = upper ? high : low;
    for (int place = 1; (s = corner(v, place, upper)); place++)
        sim_do(v->sim, "touch set %s [%.6g m, %.6g m, %.6g m]", s->name, at[0], at[1], at[2]);
}

static void show_box(view *v) {
    static const char *const names[] = {"x low", "x high", "y low", "y high", "z low", "z high"};
    double low[3], high[3];
    if (!box_read(v, low, high) || !ui_section(v->gui, "Box", true)) return;
    for (int i = 0; i < 6; i++) {
        int axis = i / 2;
        double *at = i % 2 ? high : low, size = high[axis] - low[axis], to = at[axis];
        ui_width(200);
        if (ui_slider(v->gui, names[i], &to, at[axis] - 0.5 * size, at[axis] + 0.5 * size, "%.3f m") &&
            to != at[axis])
            box_move(v, axis, i % 2, to);
    }
    if (ui_button(v->gui, "Squeeze")) {
        box_move(v, 0, false, low[0] + 0.05 * (high[0] - low[0]));
        box_move(v, 0, true, high[0] - 0.05 * (high[0] - low[0]));
    }
    ui_help("Both walls across x move in by a twentieth. The tool squeeze moves the wall under the pointer.");
}

// The newest values of the model.
static void show_number(void *context, const history_row *row, const float *time, int points) {
    char text[160];
    (void)context, (void)time;
    bool own = strcmp(row->group, "pbd") == 0 || strcmp(row->name, "pbd") == 0;
    if (!own || points < 1) return;
    const char *unit = row->unit;
    snprintf(text, sizeof text, "%s  %.4g %s%s", row->name, (double)row->value[points - 1], unit,
             strcmp(row->name, "pbd") == 0 ? " a step" : "");
    ui_text(text);
}

void panel_pbd(view *v) {
    bool any = settings_find(&v->settings, "pbd.solver") != NULL;
    if (!any || v->run || !v->show_pbd) return;
    if (ui_window(v->gui, "PBD", fmax(8, v->width - 700), 104, 410, v->height - 210, &v->show_pbd)) {
        if (ui_button(v->gui, v->now.phase == SIM_RUNNING ? "Stop" : "Start"))
            view_play(v, v->now.phase != SIM_RUNNING);
        ui_same_line(0);
        if (ui_button(v->gui, "Step##pbd")) view_do(v, "step 1");
        ui_same_line(0);
        if (ui_button(v->gui, "Restart##pbd")) view_restart(v);
        show_box(v);
        for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) panel_setting(v, controls[i]);
        if (ui_section(v->gui, "Grid", true)) {
            bool on = v->marks & MARK_GRID;
            if (ui_toggle(v->gui, "show the cells##pbd", &on)) view_mark(v, "grid", on);
            ui_help("Those in which neighbours are found: their edge is the search radius.");
            panel_grid(v);
        }
        if (ui_section(v->gui, "Scene data", true)) history_each(sim_history(v->sim), show_number, NULL);
    }
    ui_window_end();
}

// ---- By hand.

// The wall that a ray meets: that through which it enters the box, or, from inside, leaves it.
static bool meet(const view *v, firn_vec3 o, firn_vec3 d, int *axis, bool *upper) {
    double low[3], high[3], enter = -INFINITY, leave = INFINITY;
    const double from[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
    int in = -1, out = -1;
    if (!box_read(v, low, high)) return false;
    for (int k = 0; k < 3; k++) {
        if (fabs(way[k]) < 1e-9) {
            if (from[k] < low[k] || from[k] > high[k]) return false;
            continue;
        }
        double a = (low[k] - from[k]) / way[k], b = (high[k] - from[k]) / way[k];
        if (fmin(a, b) > enter) enter = fmin(a, b), in = k;
        if (fmax(a, b) < leave) leave = fmax(a, b), out = k;
    }
    if (enter > leave || leave < 0) return false;
    *axis = enter > 0 ? in : out;
    *upper = (way[*axis] > 0) != (enter > 0);
    return *axis >= 0;
}

// Where on the axis through `grip` the ray comes nearest.
static double along(firn_vec3 o, firn_vec3 d, const double grip[3], int axis) {
    const double from[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
    double w[3], dw = 0;
    for (int k = 0; k < 3; k++) {
        w[k] = grip[k] - from[k];
        dw += way[k] * w[k];
    }
    double a = way[axis], den = 1 - a * a;
    return den > 1e-3 ? grip[axis] + (a * dw - w[axis]) / den : grip[axis];
}

void box_drag(view *v, double x, double y, bool begin, bool down) {
    firn_vec3 o, d = camera_ray(v, x, y, &o);
    double low[3], high[3];
    if (!begin && (!v->squeezing || !down)) {
        v->squeezing = false;
        return;
    }
    if (!box_read(v, low, high)) {
        if (begin) view_say(v, "this scene has no box of pbd");
        return;
    }
    if (begin) {
        v->squeezing = meet(v, o, d, &v->squeeze_axis, &v->squeeze_upper);
        if (!v->squeezing) return;
        double at = (v->squeeze_upper ? high : low)[v->squeeze_axis];
        const double from[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z};
        double t = (at - from[v->squeeze_axis]) / way[v->squeeze_axis];
        for (int k = 0; k < 3; k++) v->squeeze_grip[k] = from[k] + t * way[k];
        v->squeeze_at = at;
        return;
    }
    double to = along(o, d, v->squeeze_grip, v->squeeze_axis);
    if (fabs(to - v->squeeze_at) < 1e-4) return;
    v->squeeze_at = to;
    box_move(v, v->squeeze_axis, v->squeeze_upper, to);
}
