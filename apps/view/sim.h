// The simulation: a world that steps on a thread of its own and hands over saved states.
#ifndef VIEW_SIM_H
#define VIEW_SIM_H

#include "frames.h"
#include "history.h"
#include "settings_list.h"

typedef enum sim_phase { SIM_EMPTY, SIM_OPENING, SIM_PAUSED, SIM_RUNNING, SIM_STOPPED } sim_phase;

typedef struct sim_status {
    sim_phase phase;     // SIM_STOPPED: the watchdog stopped it; the states before stay
    unsigned generation; // of its world
    double time, duration;
    uint64_t step, frame;
    double factor;          // simulated seconds per second, measured; 0 while paused
    double speed;           // the same as wanted; 0: as fast as it can
    double step_ms;         // of wall time, of the last steps
    char message[512];      // of the last thing that did not work; "": none
    unsigned messages;      // counts them
    unsigned asked, obeyed; // orders of sim_do
    uint64_t hash, hash_step;
    unsigned hashes;              // counts the requests that were answered
    bool wind;                    // there is wind:
    double wind_from, wind_speed; // degrees clockwise from north, m/s
    size_t touches;
    bool recording, record_failed;
} sim_status;

typedef struct sim sim;
// notify is called on the simulation's thread when something has changed. NULL: no memory or thread.
sim *sim_start(size_t frame_bytes, void (*notify)(void *context), void *context);
// Does what was asked before and ends the thread, so that notify is no longer called; what it has handed over
// stays. NULL is fine.
void sim_stop(sim *s);
void sim_end(sim *s); // NULL is fine

// Replaces the world; `base`: the scene has no overrides but those of the command line. Copied.
void sim_open(sim *s, const char *path, firn_overrides overrides, unsigned generation, bool base, bool play);
// "play", "pause", "step N", "speed X" (0: as fast as it can), "branch INDEX" (of the kept frames), "hash",
// "record FILE", "touches FILE" (writes them), "touch LINE" (touch.h). Done between two steps, in order.
void sim_do(sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
// A body is held at a point of it, as by a spring, and pulled to `target`; name NULL: it is let go.
void sim_drag(sim *s, const char *body, firn_vec3 grip, firn_vec3 target);
// A particle and those within a radius of it (m) are held and pulled in the same way; model NULL: let go.
typedef struct sim_grip {
    char model[16];
    size_t item; // its number in the fields of the model, unless it has an id
    bool has_id;
    double id, radius;
} sim_grip;
void sim_drag_soft(sim *s, const sim_grip *grip, firn_vec3 target);
// A body is driven at a velocity (m/s): a dynamic one by a force at its origin, a kinematic one by targets.
// What is 0 of the velocity's height is left to gravity. turn: rad/s about the vertical through its origin.
// name NULL: it is let go.
void sim_steer(sim *s, const char *body, firn_vec3 velocity, double turn);

// It makes no step that begins at or after a time (s); INFINITY: as long as it likes.
void sim_hold(sim *s, double time);

sim_status sim_now(sim *s);
frames *sim_frames(sim *s);
history *sim_history(sim *s);
// The newest state, held; NULL: there is none yet. After it the next one is made.
kept *sim_newest(sim *s);
// Copies the parameters if they have changed since `to` was copied.
void sim_settings(sim *s, settings *to);

#endif
