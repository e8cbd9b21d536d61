// What the files of the simulation's thread share.
#ifndef VIEW_SIM_INSIDE_H
#define VIEW_SIM_INSIDE_H

#include <limits.h>

#include "sim.h"
#include "thread.h"
#include "touch.h"

enum { QUEUE = 256, COMMAND_ROOM = TOUCH_ROOM + 16 };

typedef struct request {
    char path[PATH_MAX];
    char **item; // overrides
    size_t count;
    unsigned generation;
    bool base, play, given;
} request;

typedef struct drag {
    char body[128]; // "": none
    sim_grip soft;  // model "": none
    firn_vec3 grip, target;
} drag;

typedef struct steering {
    char body[128]; // "": none
    firn_vec3 velocity;
    double turn; // rad/s
} steering;

struct sim {
    monitor *lock;
    worker *thread;
    void (*notify)(void *context);
    void *context;
    frames *frames;
    history *history;
    // Under the lock.
    bool quit, hungry;
    double hold; // s, no step begins from then on
    char queue[QUEUE][COMMAND_ROOM];
    size_t first, waiting;
    request next;
    drag drag;
    steering steering;
    sim_status status;
    settings settings;
    kept *newest;
    // Of the thread.
    firn_world *world;
    settings own; // the window copies `settings`
    unsigned generation;
    touches *touches;
    uint64_t steps_left;
    bool running, stopped, ended;
    double wall, time; // when pace began
    double seen_wall, seen_time;
    double published;
    uint64_t kept_frame;
    double dt;  // s, of the last step
    kept *good; // the last state that was handed over
};

// sim.c: does a touch and records it; false: it is refused, and that was said.
bool sim_touch(sim *s, const char *line);
// sim_hands.c: what is held or steered, before a step.
void sim_use_hands(sim *s);

#endif
