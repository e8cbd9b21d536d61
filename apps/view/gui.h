// The window and its widgets: GLFW and Dear ImGui behind a C interface. gui.cpp is the only file that knows
// them; all calls come from the main thread.
#ifndef VIEW_GUI_H
#define VIEW_GUI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gui gui;

typedef struct gui_options {
    const char *title;
    int width, height;
    const char *layout; // file that remembers where windows are; NULL: none
    double scale;       // of the text
    bool light;         // theme
} gui_options;

// NULL: *why says what is missing (no display, no OpenGL 3.3).
gui *gui_open(const gui_options *options, char *why, size_t room);
void gui_close(gui *g);                // NULL is fine
void gui_wait(gui *g, double seconds); // for events, at most that long
bool gui_begin(gui *g);                // begins a frame; false: the user closes the window
// Ends it: draws the picture and the windows over it.
void gui_end(gui *g);
void gui_wake(void);                                  // from any thread: gui_wait returns
void gui_size(const gui *g, int *width, int *height); // pixels
void gui_title(gui *g, const char *title);
void gui_style(gui *g, double scale, bool light);
// The picture behind all windows from now on.
void gui_picture(gui *g, const uint8_t *rgba, int width, int height);
// One beside it, in the right half of the window; NULL: there is none from now on.
void gui_picture_right(gui *g, const uint8_t *rgba, int width, int height);
// A picture for ui_image; 0 on failure. It lives as long as the window.
unsigned gui_texture(gui *g, const uint8_t *rgba, int width, int height);
// The whole window as it was shown last: pixels to be freed.
uint8_t *gui_screenshot(gui *g, int *width, int *height);
// A file that was dropped onto the window since the last call; NULL: none.
const char *gui_dropped(gui *g);

typedef struct gui_mouse {
    double x, y, dx, dy; // pixels
    double wheel;
    bool down[3], pressed[3], released[3]; // left, right, middle
    bool over_window;                      // a widget has it
    bool shift, control, alt;
} gui_mouse;
gui_mouse gui_mouse_now(const gui *g);
// Whether a key was pressed in this frame, and no text field has the keyboard. Letters are upper case; names
// of others as gui_key_code takes them.
bool gui_key_pressed(const gui *g, int key);
bool gui_key_down(const gui *g, int key); // it is held, and no text field has the keyboard
int gui_key_code(const char *name);       // "space", "left", "f1", "a", "?"; 0: unknown

// Played input: it replaces that of the user from the next frame on.
void gui_play_mouse(gui *g, double x, double y, unsigned buttons, double wheel);
void gui_play_key(gui *g, int key);
void gui_play_text(gui *g, const char *text);
// The middle of the widget of that label as it was drawn last; false: there is none.
bool gui_find(const gui *g, const char *label, double *x, double *y);

// ---- Widgets, between gui_begin and gui_end. Those that return bool say whether they were used.
// A window at its usual place (pixels; height 0: as high as it needs), which the user may move; *open false
// afterwards: it was closed.
bool ui_window(gui *g, const char *title, double x, double y, double width, double height, bool *open);
void ui_window_end(void);
bool ui_button(gui *g, const char *label);
bool ui_toggle(gui *g, const char *label, bool *value);
bool ui_slider(gui *g, const char *label, double *value, double low, double high, const char *format);
bool ui_slider_whole(gui *g, const char *label, int *value, int low, int high);
// Scripts find its words as "LABEL/WORD" while it is open.
bool ui_choice(gui *g, const char *label, int *value, const char *const *words, int count);
bool ui_field(gui *g, const char *label, char *text, size_t room);  // true: Enter
bool ui_search(gui *g, const char *label, char *text, size_t room); // true: at every letter
bool ui_section(gui *g, const char *label, bool open);
bool ui_row(gui *g, const char *label);                       // a line that can be clicked
void ui_image(unsigned texture, double width, double height); // 0: an empty place
bool ui_visible(void);                                        // the last widget is not scrolled away
void ui_group(void); // widgets until ui_group_end are below each other, behind the one before
void ui_group_end(void);
void ui_text(const char *text);
void ui_text_wrapped(const char *text);
void ui_text_marked(const char *text); // stands out
void ui_text_dim(const char *text);
void ui_place(gui *g, const char *label); // scripts find the last widget by this label, too
void ui_help(const char *text);           // shown while the pointer is over the last widget
void ui_same_line(double x);              // x 0: right behind; otherwise at x pixels
void ui_width(double width);              // of the next widget; below 0: up to that far from the right
void ui_line(void);                       // a separator
void ui_id(int id);                       // widgets until ui_id_end have labels of their own
void ui_id_end(void);
void ui_plot(const char *label, const float *value, int count, double width, double height);
// A compass rose: where the wind comes from (degrees clockwise from north) and its speed, `most` at the rim.
// heading: the direction that is up. Scripts find its inner circle as "wind from N", E, S, W.
bool ui_rose(gui *g, const char *label, double *from, double *speed, double most, double heading);
void ui_scroll_box(const char *label, double height); // 0: the rest of the window
void ui_scroll_box_end(void);

#ifdef __cplusplus
}
#endif
#endif
