// What the parts of the window share.
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <limits.h>
#include <time.h>

#include "drawer.h"
#include "gui.h"
#include "proper.h"
#include "script.h"
#include "thumbs.h"

typedef struct view_options {
    const char *path;   // a scene, a run's folder, or NULL: a chooser
    bool run;           // it is a folder
    const char *script; // NULL: none
    const char *record; // file of touches; NULL: none
    bool measure, json;
    int width, height;
    firn_overrides set;
} view_options;

// What `firn view` does; an exit code.
int view_main(const view_options *options);

typedef enum view_tool {
    TOOL_LOOK,
    TOOL_DRAG,
    TOOL_THROW,
    TOOL_DIG,
    TOOL_HEAP,
    TOOL_WATER,
    TOOL_STEER,
    TOOL_TORCH,
    TOOL_SQUEEZE,
    TOOLS
} view_tool;
extern const char *const view_tool_names[TOOLS];
enum { BALL_TYPES = 5 };
extern const char *const view_ball_types[BALL_TYPES]; // snow types of what is thrown

// What was remembered from last time.
typedef struct view_config {
    char layout[PATH_MAX], file[PATH_MAX]; // "": there is no folder for them
    char scene[PATH_MAX];
    double scale;
    bool light, parameters, plots;
} view_config;
void config_read(view_config *c);
void config_write(const view_config *c);

// Values of the picked item over time.
enum { PICK_POINTS = 600 };
typedef struct pick_log {
    unsigned subject;
    int numbers, points;
    char name[PICK_NUMBERS][32], unit[PICK_NUMBERS][16];
    double time[PICK_POINTS]; // s
    float value[PICK_NUMBERS][PICK_POINTS];
} pick_log;

// A parameter that waits for the next restart.
typedef struct pending {
    char name[512], text[128];
    bool sent; // a world with it is being opened
} pending;

// A scene that comes with firn.
typedef struct choice {
    char name[64], path[PATH_MAX], title[160];
    unsigned texture; // its picture; 0: not there yet
    bool asked;       // for it
} choice;

typedef struct camera_key {
    double time; // s
    firn_camera camera;
} camera_key;
enum { KEYS = 64 };

// The right half of the window.
typedef struct compare {
    bool on, run, same; // same: the scene as its file says
    sim *sim;           // NULL: there was no comparison yet
    drawer *drawer;
    picture picture;
    sim_status now;
    drawer_status shown;
    char path[PATH_MAX], wanted[PATH_MAX];
    long index; // that is shown
    unsigned messages, looks_sent;
    uint64_t pictures;
} compare;

// What --measure tells of a time: frames of the window, and pictures while something moved.
typedef struct measured {
    double begun;                          // when
    double own;                            // s of processor time of the window's thread, at the beginning
    double worst, sum, worst_processor;    // s of a frame
    uint64_t frames, slow, slow_processor; // slow: over 50 ms
    uint64_t pictures;                     // v->pictures at the beginning
    uint64_t steps;                        // the world's step at the beginning
    double others;                         // s of processor time of all other threads at the beginning
    // While something moved: s, of simulated time, of processor time of all other threads; and what came.
    double moving, moving_time, moving_others;
    uint64_t moving_pictures, moving_steps;
    struct {
        double at, time, others; // at 0: nothing moved then
        uint64_t step;
    } seen;
} measured;

typedef struct view {
    view_options options;
    view_config config;
    gui *gui;
    sim *sim;
    drawer *drawer;
    proper *proper;
    thumbs *thumbs; // pictures of the chooser
    script *script;
    picture picture;
    sim_status now;
    drawer_status shown;
    picked picked;
    pick_log log;
    int width, height, picture_width; // of the window; of its picture, less while another is beside it
    compare compare;
    // Scene.
    char scene[PATH_MAX];
    bool run;
    struct timespec modified;
    double looked;
    // Camera: of the scene until it is moved by hand.
    firn_camera camera;
    char camera_name[64];
    bool camera_known, by_hand;
    bool orbiting, panning;
    double moved;         // pixels since the button went down
    camera_key key[KEYS]; // in order of time
    size_t keys;
    // Tools.
    view_tool tool;
    unsigned pick_number; // answered so far
    bool tool_waits, dragging;
    double drag_distance;
    char drag_body[128];
    firn_vec3 drag_grip;
    double ball_radius, ball_speed, brush;
    int ball_type;
    char steer_body[128];     // that the keys drive; "": none
    double steer_speed;       // m/s
    bool key_moves;           // keys are held that drive it or fly the camera
    double keys_seen;         // when they were looked at last
    double torch, brush_used; // kJ/kg that it gives each time; when a brush or it was used last
    sim_grip drag_soft;       // what is soft and held; model "": a body
    bool squeezing;           // a wall of the box of pbd is held:
    int squeeze_axis;
    bool squeeze_upper;
    double squeeze_grip[3], squeeze_at; // m
    bool rose_used;                     // the compass rose is held, at:
    double rose_from, rose_speed, rose_most;
    char mesh[PATH_MAX]; // that was dropped; "": none
    double mesh_height;
    int mesh_kind;
    unsigned made; // things with names of their own
    // Panels.
    settings settings;
    pending *pending;
    size_t pending_count;
    char search[64], save_as[PATH_MAX], output[PATH_MAX];
    choice *choice; // read when they are first shown
    size_t choices;
    bool changed_only, show_pbd, show_help, show_chooser, hide_all;
    char look[LOOKS][LOOK_ROOM];
    size_t looks;
    char own_look[LOOKS][LOOK_ROOM]; // "snow=points", of `picture`
    size_t own_looks;
    bool record_failed;  // that was said
    unsigned marks;      // MARK_...
    unsigned looks_sent; // generation of the world that has them
    int color, render_size;
    bool render_final;
    unsigned rendered; // pictures of other processes that were told of
    long index;
    bool playing_run;
    double run_time;
    char message[2048];
    unsigned sim_messages, drawer_messages;
    bool quit;
    int code;
    uint64_t pictures; // that came
    measured measured;
    bool shoot; // a screenshot is wanted after this frame
    char shot[PATH_MAX];
    firn_movie *film; // of the window itself; NULL: none
    bool film_frame;  // it gets the next frame
} view;

// ---- Input: camera, tools, keys.
void input_handle(view *v);
void camera_send(view *v);                  // to the drawer
void camera_use(view *v, const char *name); // one of the scene's
firn_vec3 camera_ray(const view *v, double x, double y, firn_vec3 *origin);
extern const char *const view_keys[][2]; // key and what it does; ends in NULL

// ---- Panels.
void panel_time(view *v);
void panel_parameters(view *v);
void panel_setting(view *v, const char *name); // one control; nothing if there is none of that name
void panel_pbd(view *v);
void panel_plots(view *v);
void panel_help(view *v);
void panel_message(view *v);
void panel_chooser(view *v);
void chooser_leave(view *v); // it is no longer shown
void panel_looks(view *v);
void panel_wind(view *v);
void panel_mesh(view *v);       // a mesh that was dropped
void panel_picked(view *v);     // part of a window
void panel_grid(const view *v); // its numbers while it is drawn; part of a window
void panel_keys(view *v);       // part of a window
void panel_picture(view *v);    // part of a window
void panel_proper(view *v);     // part of a window

// ---- The box of pbd.
bool box_read(const view *v, double low[3], double high[3]); // m; false: there is none
void box_move(view *v, int axis, bool upper, double to);
void box_drag(view *v, double x, double y, bool begin, bool down); // the wall under the pointer, and on

// ---- How long all takes.
void measure_begin(view *v);
double measure_processor(void); // s of processor time of this thread
void measure_frame(view *v, double seconds, double processor);
void measure_motion(view *v, uint64_t pictures, double now); // that came in this frame
void measure_report(const view *v);

// ---- Side by side.
bool compare_begin(view *v, const char *path); // a scene or run; NULL: the same scene as its file says
void compare_end(view *v);
void compare_restart(view *v);
void compare_do(view *v, const char *order); // of sim_do
void compare_camera(view *v, const firn_camera *camera);
void compare_take(view *v); // news
bool compare_opening(const view *v);
void compare_stop(view *v); // at the end of the window
void panel_compare(view *v);
void panel_compare_begin(view *v); // part of a window

// ---- Values of the picked item.
void pick_log_take(pick_log *l, const picked *p);
void pick_log_cut(pick_log *l, double time); // forgets what is after a time
bool pick_log_write(const pick_log *l, const char *path);

// ---- Keyframes of the camera.
void keys_add(view *v); // the camera as it is, at the time that is shown
bool keys_delete(view *v, size_t index);
void keys_go(view *v, size_t index);
char *keys_track(const view *v);  // lines of overrides, to be freed; NULL: there are none
char *keys_camera(const view *v); // its camera alone; NULL: it is as the scene says
char *keys_scene(const view *v);  // camera and picture as a part of a scene, to be freed; NULL: no memory

// ---- What they do.
void view_say(view *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_drop(view *v, const char *path); // a scene, a run or a mesh
void view_open(view *v, const char *path, bool run);
void view_restart(view *v);
void view_set(view *v, const char *name, const char *value); // live, or with the next restart
void view_reset(view *v, const char *name);
bool view_save_scene(view *v, const char *path);
bool view_save_view(view *v); // the camera, or its keyframes, into the scene's own file
bool view_save_picture(view *v, const char *path);
void view_screenshot(view *v, const char *path);
bool view_film(view *v, const char *path); // begins a movie of the window
bool view_film_end(view *v);
void view_play(view *v, bool play);
void view_do(view *v, const char *format, ...) __attribute__((format(printf, 2, 3))); // sim_do on both sides
void view_show(view *v, long index); // a kept frame; below 0: the newest
size_t view_frame_count(const view *v);
void view_color(view *v, const char *field);                  // NULL: none
void view_look(view *v, const char *name, const char *value); // of `picture`; NULL: as the scene says
void view_send_looks(view *v);
void view_range(view *v, const char *low, const char *high); // of the colours; both "": from the data
void view_thermograph(view *v);
bool view_mark(view *v, const char *name, bool on); // "neighbours", "grid", "cameras"; false: another name
void view_movie(view *v, const char *path);
bool view_render(view *v, const char *path, bool final); // by another process
bool view_opening(const view *v);
void view_use_tool(view *v, double x, double y); // at a pixel
void view_steer(view *v, const char *body);
const pending *view_pending(const view *v, const char *name);
void view_quit(view *v);

#endif
