// Pictures: a second world of the same scene, into which states are loaded and which is drawn, on a thread of
// its own. The window only shows the last picture.
#ifndef VIEW_DRAWER_H
#define VIEW_DRAWER_H

#include <stdio.h>

#include "sim.h"

enum { LOOKS = 32, LOOK_ROOM = 160, CAMERAS = 16 };

typedef struct picture {
    uint8_t *rgba;
    int width, height;
    firn_camera camera; // with which it was drawn
    double time;        // s, of what it shows
    uint64_t step;
    bool draft;
    unsigned number; // counts pictures
} picture;

// What a click hit, or what the pointer holds.
enum { PICK_NUMBERS = 16 };
typedef struct pick_number {
    char name[32], unit[16];
    double value;
} pick_number;
typedef struct picked {
    unsigned number;  // counts the answers
    unsigned subject; // counts what was picked: another one has another number
    double time;      // s, of the values
    bool has_id;      // a particle is known by its field "id", since its index may change
    double id;
    pick_number quantity[PICK_NUMBERS]; // that are plotted
    int quantities;
    firn_hit hit;
    bool air;        // a cell of the wind, at hit.point; hit.what is 0
    char name[128];  // of a body
    firn_vec3 grip;  // of a body: the point in its own frame
    bool movable;    // a dynamic body
    char text[1536]; // its values
} picked;

// What is drawn over pictures; flags.
enum {
    MARK_NEIGHBOURS = 1,
    MARK_GRID = 2,
    MARK_CAMERAS = 4,
    MARK_PREVIEW = 8 // cameras and domains until the first step is made
};

// What the particles of a model are sorted by.
typedef struct marks_cells {
    double edge; // m; 0: there is no such grid
    size_t cells, most;
    double mean; // particles in a cell that has any; most: in one of them
} marks_cells;

typedef struct drawer_status {
    bool opening;
    bool run;            // it plays a run
    unsigned generation; // of the world that is shown
    char path[4096];     // of its scene or run
    char message[2048];  // what did not work; "": all good
    unsigned messages;
    char camera[CAMERAS][64];
    size_t cameras;
    char field[64][64]; // that can colour a picture
    size_t fields;
    size_t run_frames;
    marks_cells grid;  // while MARK_GRID is drawn
    size_t neighbours; // of the picked particle, while MARK_NEIGHBOURS is
    bool culprit;      // what stopped the world is marked
    bool preview;      // domains and cameras are drawn, since no step was made
    double draw_ms;
    unsigned pictures;
    unsigned asked, served; // wishes of camera, look and frame; equal: the picture shows the last one
    double movie;           // share that is drawn; below 0: none is being made
    unsigned movies;        // finished
} drawer_status;

typedef struct drawer drawer;
drawer *drawer_start(sim *s, void (*notify)(void *context), void *context); // NULL: no memory or thread
void drawer_end(drawer *d);                                                 // NULL is fine

// Shows another scene, or the same with other overrides, and then has it simulated; what cannot be opened is
// reported, and the world before stays. base: overrides are of the command line. play: it runs at once.
void drawer_open(drawer *d, const char *path, firn_overrides overrides, bool base, bool play);
void drawer_open_run(drawer *d, const char *folder);
// Camera and size (pixels) of the pictures from now on; camera->name: one of the scene's.
void drawer_view(drawer *d, const firn_camera *camera, int width, int height);
// Overrides of `picture`: "picture.color=mpm.speed".
void drawer_look(drawer *d, const char look[][LOOK_ROOM], size_t count);
void drawer_mark(drawer *d, unsigned marks); // MARK_...
// What is shown: a kept frame, or a frame of the run; below 0: always the newest.
void drawer_show(drawer *d, long index);
void drawer_pick(drawer *d, firn_vec3 origin, firn_vec3 direction, const firn_vec3 *air); // as pick_find
// A movie of all kept frames, as seen now. track: lines of overrides that move the camera "main"; NULL: none.
void drawer_movie(drawer *d, const char *path, double fps, const char *track);
// What is shown, as lines of a job (proper_draw.c): "scene FILE", "set NAME=VALUE", or "run FOLDER".
void drawer_describe(drawer *d, FILE *out);
kept *drawer_held(drawer *d); // the state that is shown, held; NULL: the scene's start, or a run

void drawer_wake(drawer *d); // there is a newer state
drawer_status drawer_now(drawer *d);
picked drawer_picked(drawer *d);
// Exchanges `mine` for the newest picture if there is one that is newer; false: it is the newest.
bool drawer_take(drawer *d, picture *mine);

// What a ray hits. air not NULL: in a wind the cell of air nearest to that place, if what is hit is nothing
// or a fixed body outside of the wind's grid.
bool pick_find(const firn_world *world, const firn_ray *ray, const firn_vec3 *air, picked *p);
// The text, name and values of what was found.
void pick_describe(const firn_world *world, picked *p);

#endif
