// What the files of the drawing thread share: its state, and what they do for each other.
#ifndef VIEW_DRAWER_INSIDE_H
#define VIEW_DRAWER_INSIDE_H

#include <limits.h>

#include "drawer.h"
#include "thread.h"

typedef struct wish {
    bool given, base, play, run;
    char path[PATH_MAX];
    char **item;
    size_t count;
} wish;

// What is wanted of the pictures.
typedef struct scenery {
    firn_camera camera;
    char camera_name[64];
    int width, height;
    char look[LOOKS][LOOK_ROOM];
    size_t looks;
    unsigned look_version, view_version, asked, marks;
    long index;
} scenery;

// Pictures are made at these shares of the window's size: the finer the slower.
enum { SIZES = 5 };

struct drawer {
    sim *sim;
    monitor *lock;
    worker *thread;
    void (*notify)(void *context);
    void *context;
    // Under the lock.
    bool quit, woken;
    wish wish;
    scenery wanted;
    bool pick_wanted;
    firn_ray pick_ray;
    firn_vec3 pick_near;
    bool pick_air;
    picked picked;
    char movie[PATH_MAX];
    double movie_fps;
    char *movie_track;
    wish given;  // what the world was opened with
    kept *shown; // the state in it; NULL: none yet
    drawer_status status;
    picture ready; // the newest, to be taken
    // Of the thread.
    firn_world *world;
    firn_player *player;
    firn_renderer *renderer[SIZES]; // the first: full size
    uint8_t *pixels;
    size_t pixel_room;
    scenery now;
    char path[PATH_MAX], scene[PATH_MAX + 16];
    unsigned generation, drawn_view, drawn_look;
    long drawn_index;
    const char *track;      // overrides of the movie that is being made, one a line; NULL: none
    kept *last;             // newest state of the simulation
    bool preview;           // what the renderers are for
    bool fresh, last_draft; // fresh: another state is in the world
    double changed;         // when something last moved
    double begun;           // when the work on this picture began
    int size, late, early;  // of pictures while things move; how many in turn took too long, or not long
};

// drawer.c
void drawer_tell(drawer *d, const char *message); // a message for the user
bool drawer_asked_to_stop(void *context);
void drawer_take_state(drawer *d); // the state that is to be shown, if it is another one than before
// drawer_draw.c
void drawer_close_renderers(drawer *d);
void drawer_draw_next(drawer *d);
void drawer_make_movie(drawer *d, const char *path, double fps, const char *track);

#endif
