// Mouse and keys: the camera and the tools.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/command.h"
#include "view.h"

const char *const view_tool_names[TOOLS] = {"look",  "drag",  "throw", "dig",    "heap",
                                            "water", "steer", "torch", "squeeze"};
const char *const view_ball_types[BALL_TYPES] = {"snowball", "packed", "powder", "wet", "icy"};

const char *const view_keys[][2] = {
    {"space", "play or pause"},
    {".", "one step"},
    {"r", "restart, with the parameters that wait for it"},
    {"left, right", "one kept frame back or on"},
    {"end", "back to the newest state"},
    {"b", "branch: go on from the frame that is shown"},
    {"plus, minus", "faster or slower motion"},
    {"c", "next camera of the scene"},
    {"home", "the scene's own view"},
    {"k", "add a keyframe of the camera at the time that is shown"},
    {"1 .. 9", "tool of the left button: look, drag, throw, dig, heap, water, steer, torch, squeeze"},
    {"w a s d, e q",
     "fly: ahead, left, back, right, up, down (shift: faster); with the tool steer they drive a body"},
    {"z, x", "turn the body that is steered to the left, to the right"},
    {"p", "save the picture (picture-STEP.png)"},
    {"m", "save a movie of the kept frames (movie.mp4)"},
    {"g", "plots"},
    {"o", "parameters"},
    {"tab", "hide or show all panels"},
    {"?, F1", "this list"},
    {"mouse", "left: turn, or the tool; right or middle: move; wheel: nearer; click: values"},
    {NULL, NULL},
};

// ---- Camera.

static firn_vec3 minus(firn_vec3 a, firn_vec3 b) { return (firn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static firn_vec3 add_scaled(firn_vec3 a, firn_vec3 b, double f) {
    return (firn_vec3){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
}
static double length(firn_vec3 a) { return sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }
static firn_vec3 unit(firn_vec3 a) {
    double l = length(a);
    return l > 0 ? (firn_vec3){a.x / l, a.y / l, a.z / l} : (firn_vec3){0, 0, 1};
}
static firn_vec3 cross(firn_vec3 a, firn_vec3 b) {
    return (firn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static void camera_frame(const firn_camera *c, firn_vec3 *forward, firn_vec3 *right, firn_vec3 *up) {
    *forward = unit(minus(c->to, c->from));
    *right = unit(cross(*forward, (firn_vec3){0, 1, 0}));
    *up = cross(*right, *forward);
}

firn_vec3 camera_ray(const view *v, double x, double y, firn_vec3 *origin) {
    const firn_camera *c = &v->picture.camera;
    firn_vec3 forward, right, up;
    camera_frame(c, &forward, &right, &up);
    double lens = c->lens > 0 ? c->lens : 0.035, slope = 0.036 / lens / v->picture_width; // per pixel
    *origin = c->from;
    firn_vec3 d = add_scaled(forward, right, (x - 0.5 * v->picture_width) * slope);
    return unit(add_scaled(d, up, (0.5 * v->height - y) * slope));
}

void camera_send(view *v) {
    firn_camera c = {.name = v->camera_name[0] ? v->camera_name : NULL};
    if (v->by_hand) c = v->camera;
    v->picture_width = v->compare.on ? v->width / 2 : v->width;
    drawer_view(v->drawer, &c, v->picture_width, v->height);
    compare_camera(v, &c);
}

void camera_use(view *v, const char *name) {
    snprintf(v->camera_name, sizeof v->camera_name, "%s", name);
    v->by_hand = !name[0];
    camera_send(v);
}

static void next_camera(view *v) {
    size_t next = 0;
    for (size_t i = 0; i < v->shown.cameras; i++)
        if (strcmp(v->shown.camera[i], v->camera_name) == 0) next = i + 1;
    if (v->shown.cameras) camera_use(v, v->shown.camera[next % v->shown.cameras]);
}

static void orbit(view *v, double dx, double dy) {
    firn_vec3 arm = minus(v->camera.from, v->camera.to);
    double r = length(arm), side = atan2(arm.x, arm.z) - dx * 0.006;
    double height = asin(fmax(-1, fmin(1, arm.y / r))) + dy * 0.006;
    height = fmax(-1.5, fmin(1.5, height));
    firn_vec3 back = {sin(side) * cos(height), sin(height), cos(side) * cos(height)};
    v->camera.from = add_scaled(v->camera.to, back, r);
}

static void pan(view *v, double dx, double dy) {
    firn_vec3 forward, right, up, move = {0};
    camera_frame(&v->camera, &forward, &right, &up);
    double lens = v->camera.lens > 0 ? v->camera.lens : 0.035;
    double each = length(minus(v->camera.to, v->camera.from)) * 0.036 / lens / v->picture_width;
    move = add_scaled(add_scaled(move, right, -dx * each), up, dy * each);
    v->camera.from = add_scaled(v->camera.from, move, 1);
    v->camera.to = add_scaled(v->camera.to, move, 1);
}

static void zoom(view *v, double wheel) {
    firn_vec3 arm = minus(v->camera.from, v->camera.to);
    double factor = pow(0.88, wheel), r = length(arm) * factor;
    if (r > 0.01 && r < 1e5) v->camera.from = add_scaled(v->camera.to, arm, factor);
}

static void move_camera(view *v, const gui_mouse *m) {
    bool moves = (v->orbiting || v->panning) && (m->dx != 0 || m->dy != 0);
    bool zooms = m->wheel != 0 && !m->over_window;
    if (!v->camera_known || (!moves && !zooms)) return;
    v->camera_name[0] = 0;
    v->by_hand = true;
    if (moves && v->orbiting) orbit(v, m->dx, m->dy);
    if (moves && v->panning) pan(v, m->dx, m->dy);
    if (zooms) zoom(v, m->wheel);
    camera_send(v);
}

// ---- Tools. Where the pointer is in the world is asked of the drawing thread; then the tool is used there.

void view_use_tool(view *v, double x, double y) {
    firn_vec3 origin, direction = camera_ray(v, x, y, &origin);
    v->pick_number = v->picked.number;
    v->tool_waits = true;
    drawer_pick(v->drawer, origin, direction, v->tool == TOOL_LOOK ? &v->picture.camera.to : NULL);
}

static void throw_ball(view *v, firn_vec3 point, double distance) {
    firn_vec3 from = v->picture.camera.from, d = unit(minus(point, from)), at;
    at = add_scaled(point, d, -fmin(0.8 * distance, 2 + 3 * v->ball_radius));
    sim_do(v->sim, "touch ball thrown-%u %.17g %.17g %.17g %.17g %.17g %.17g %.17g %s", ++v->made, at.x, at.y,
           at.z, d.x * v->ball_speed, d.y * v->ball_speed, d.z * v->ball_speed, v->ball_radius,
           view_ball_types[v->ball_type]);
}

static bool is_ground(const picked *p) {
    return p->hit.what == FIRN_RAY_SNOWFIELD || p->hit.what == FIRN_RAY_COVER;
}

// Of snow on the ground a third of the brush at a time: it is used again while the button is down.
static void dig(view *v, const picked *p) {
    firn_vec3 at = p->hit.point;
    if (is_ground(p)) at = add_scaled(at, p->hit.normal, 0.67 * v->brush);
    sim_do(v->sim, "touch dig %.17g %.17g %.17g %.17g", at.x, at.y, at.z, v->brush);
}

// On the ground at most a seventh of the brush high at a time; elsewhere snow falls from above.
static void heap(view *v, const picked *p) {
    firn_vec3 at = p->hit.point;
    double r = v->brush;
    bool pours = settings_find(&v->settings, "mpm.cell") || settings_find(&v->settings, "phase.mass") ||
                 settings_find(&v->settings, "grains.radius");
    if (is_ground(p) || !pours)
        sim_do(v->sim, "touch heap %.17g %.17g %.17g %.17g", at.x, at.z, r, 35 * r * r * r);
    else
        sim_do(v->sim, "touch pour poured-%u %.17g %.17g %.17g %.17g %s", ++v->made, at.x, at.y + 2 * r, at.z,
               0.7 * r, view_ball_types[v->ball_type]);
}

static void use_tool_there(view *v) {
    const picked *p = &v->picked;
    firn_vec3 at = p->hit.point;
    v->tool_waits = false;
    if (v->tool == TOOL_LOOK || p->hit.what == 0 || v->run) return;
    if (v->tool == TOOL_THROW) throw_ball(v, at, p->hit.distance);
    if (v->tool == TOOL_DIG) dig(v, p);
    if (v->tool == TOOL_HEAP) heap(v, p);
    if (v->tool == TOOL_WATER)
        sim_do(v->sim, "touch water water-%u %.17g %.17g %.17g %.17g", ++v->made, at.x, at.y + 2 * v->brush,
               at.z, v->brush);
    if (v->tool == TOOL_STEER) view_steer(v, p->name);
    if (v->tool == TOOL_TORCH)
        sim_do(v->sim, "touch heat %.17g %.17g %.17g %.17g %.17g %s", at.x, at.y, at.z, v->brush,
               1000 * v->torch, p->hit.what == FIRN_RAY_BODIES ? p->name : "");
    if (v->tool != TOOL_DRAG) return;
    bool soft = p->hit.what == FIRN_RAY_PARTICLES && p->hit.model;
    if (!p->movable && !soft) {
        view_say(v, "only particles, and bodies that move by themselves, can be dragged");
        return;
    }
    v->drag_soft = (sim_grip){.item = p->hit.item, .has_id = p->has_id, .id = p->id, .radius = v->brush};
    if (soft) snprintf(v->drag_soft.model, sizeof v->drag_soft.model, "%s", p->hit.model);
    v->dragging = true;
    v->drag_distance = p->hit.distance;
    v->drag_grip = p->grip;
    snprintf(v->drag_body, sizeof v->drag_body, "%s", p->name);
}

void view_steer(view *v, const char *body) {
    snprintf(v->steer_body, sizeof v->steer_body, "%s", body);
    if (body[0])
        view_say(v, "w, a, s, d drive %s; e lifts it, q lowers it, z and x turn it", body);
    else
        view_say(v, "click on a body to steer it");
}

static void drag(view *v, const gui_mouse *m) {
    firn_vec3 origin, direction = camera_ray(v, m->x, m->y, &origin);
    firn_vec3 target = add_scaled(origin, direction, v->drag_distance);
    if (v->drag_soft.model[0])
        sim_drag_soft(v->sim, &v->drag_soft, target);
    else
        sim_drag(v->sim, v->drag_body, v->drag_grip, target);
    if (m->down[0]) return;
    v->dragging = false;
    sim_drag(v->sim, NULL, v->drag_grip, origin);
}

// Brushes and the torch go on while the button is down; what falls from above needs time to fall.
static bool again(const view *v, const gui_mouse *m) {
    double since = seconds_now() - v->brush_used;
    if (!m->down[0] || v->tool_waits) return false;
    if (v->tool == TOOL_HEAP) return since > (is_ground(&v->picked) ? 0.1 : 0.5);
    return (v->tool == TOOL_WATER && since > 0.5) ||
           ((v->tool == TOOL_TORCH || v->tool == TOOL_DIG) && since > 0.1);
}

static void press(view *v, const gui_mouse *m) {
    bool turn = v->tool == TOOL_LOOK || m->alt;
    if (m->pressed[0] && turn) v->orbiting = true;
    if (m->pressed[1] || m->pressed[2]) v->panning = true;
    if (m->pressed[0] || m->pressed[1]) v->moved = 0;
    if (v->tool == TOOL_SQUEEZE && m->pressed[0] && !turn && !v->run) {
        box_drag(v, m->x, m->y, true, true);
        return;
    }
    if (!turn && (m->pressed[0] || again(v, m))) {
        v->brush_used = seconds_now();
        view_use_tool(v, m->x, m->y);
    }
}

static void handle_mouse(view *v) {
    gui_mouse m = gui_mouse_now(v->gui);
    if (!m.over_window) press(v, &m);
    v->moved += fabs(m.dx) + fabs(m.dy);
    if (m.released[0] && v->orbiting && v->moved < 4) view_use_tool(v, m.x, m.y); // a click: values
    if (!m.down[0]) v->orbiting = false;
    if (!m.down[1] && !m.down[2]) v->panning = false;
    move_camera(v, &m);
    if (v->tool_waits && v->picked.number != v->pick_number) use_tool_there(v);
    if (v->dragging) drag(v, &m);
    if (v->squeezing && (m.dx != 0 || m.dy != 0 || !m.down[0])) box_drag(v, m.x, m.y, false, m.down[0]);
}

// ---- Keys that are held: they drive a body, or fly the camera.

static double held(const view *v, const char *more, const char *less) {
    return gui_key_down(v->gui, gui_key_code(more)) - gui_key_down(v->gui, gui_key_code(less));
}

static void drive(view *v, double ahead, double side, double lift, double turn) {
    firn_vec3 forward, right, up, velocity = {0, lift * v->steer_speed, 0};
    camera_frame(&v->picture.camera, &forward, &right, &up);
    forward = unit((firn_vec3){forward.x, 0, forward.z});
    velocity =
        add_scaled(add_scaled(velocity, forward, ahead * v->steer_speed), right, side * v->steer_speed);
    sim_steer(v->sim, v->steer_body, velocity, 1.5 * turn);
}

// In a second by 0.8 of the distance to what it looks at.
static void fly(view *v, double ahead, double side, double lift, double seconds) {
    firn_vec3 forward, right, up, move = {0};
    if (!v->camera_known) return;
    camera_frame(&v->camera, &forward, &right, &up);
    double way = 0.8 * seconds * length(minus(v->camera.to, v->camera.from));
    if (gui_mouse_now(v->gui).shift) way *= 3;
    move = add_scaled(add_scaled(add_scaled(move, forward, ahead * way), right, side * way), up, lift * way);
    v->camera.from = add_scaled(v->camera.from, move, 1);
    v->camera.to = add_scaled(v->camera.to, move, 1);
    v->camera_name[0] = 0;
    v->by_hand = true;
    camera_send(v);
}

static void move_by_keys(view *v) {
    double now = seconds_now(), seconds = fmin(now - v->keys_seen, 0.1);
    double ahead = held(v, "w", "s"), side = held(v, "d", "a"), lift = held(v, "e", "q");
    bool steers = v->tool == TOOL_STEER && v->steer_body[0] && !v->run;
    double turn = steers ? held(v, "z", "x") : 0;
    bool moves = ahead != 0 || side != 0 || lift != 0 || turn != 0;
    if (v->key_moves && (!moves || !steers)) sim_steer(v->sim, NULL, (firn_vec3){0}, 0);
    if (moves && steers) drive(v, ahead, side, lift, turn);
    if (moves && !steers) fly(v, ahead, side, lift, seconds);
    v->key_moves = moves;
    v->keys_seen = now;
}

// ---- Keys.

static void change_speed(view *v, double factor) {
    double speed = v->now.speed > 0 ? v->now.speed : 1;
    view_do(v, "speed %.17g", fmax(1.0 / 64, fmin(64, speed * factor)));
}

static void save_numbered(view *v) {
    char path[64];
    snprintf(path, sizeof path, "picture-%llu.png", (unsigned long long)v->picture.step);
    view_save_picture(v, path);
}

static void move_shown(view *v, long by) {
    long count = (long)view_frame_count(v), now = v->index < 0 ? count - 1 : v->index;
    v->playing_run = false;
    if (count > 0) view_show(v, now + by < 0 ? 0 : now + by);
}

typedef struct shortcut {
    const char *key;
    void (*act)(view *v);
} shortcut;

static void act_play(view *v) { view_play(v, v->run ? !v->playing_run : v->now.phase != SIM_RUNNING); }
static void act_step(view *v) {
    if (v->run)
        move_shown(v, 1);
    else
        view_do(v, "step 1");
}
static void act_back(view *v) { move_shown(v, -1); }
static void act_on(view *v) { move_shown(v, 1); }
static void act_newest(view *v) { view_show(v, v->run ? LONG_MAX : -1); }
static void act_branch(view *v) {
    if (v->index >= 0 && !v->run) {
        pick_log_cut(&v->log, v->picture.time);
        view_do(v, "branch %ld", v->index);
        view_show(v, -1);
    }
}
static void act_faster(view *v) { change_speed(v, 2); }
static void act_slower(view *v) { change_speed(v, 0.5); }
static void act_home(view *v) { camera_use(v, "main"); }
static void act_movie(view *v) { view_movie(v, "movie.mp4"); }
static void act_key(view *v) { keys_add(v); }
static void act_plots(view *v) { v->config.plots = !v->config.plots; }
static void act_parameters(view *v) { v->config.parameters = !v->config.parameters; }
static void act_hide(view *v) { v->hide_all = !v->hide_all; }
static void act_help(view *v) { v->show_help = !v->show_help; }

static const shortcut shortcuts[] = {
    {"space", act_play},   {".", act_step},     {"r", view_restart},   {"left", act_back},
    {"right", act_on},     {"end", act_newest}, {"b", act_branch},     {"plus", act_faster},
    {"minus", act_slower}, {"c", next_camera},  {"home", act_home},    {"p", save_numbered},
    {"m", act_movie},      {"g", act_plots},    {"o", act_parameters}, {"tab", act_hide},
    {"k", act_key},        {"?", act_help},     {"f1", act_help},
};

void input_handle(view *v) {
    handle_mouse(v);
    move_by_keys(v);
    for (size_t i = 0; i < sizeof shortcuts / sizeof *shortcuts; i++)
        if (gui_key_pressed(v->gui, gui_key_code(shortcuts[i].key))) shortcuts[i].act(v);
    for (int t = 0; t < TOOLS; t++)
        if (gui_key_pressed(v->gui, '1' + t)) v->tool = (view_tool)t;
}
