// Touches: what a user does to the running world. Each is a line of text that is applied before a step and
// recorded with the number of that step, so that a run can be repeated to the same bits.
#ifndef VIEW_TOUCH_H
#define VIEW_TOUCH_H

#include <stdbool.h>
#include <stdio.h>

#include <firn/firn.h>

enum { TOUCH_ROOM = 512 };

// set NAME VALUE            a live parameter, as a scene writes it
// wind FROM SPEED           the inflow: degrees clockwise from north, where x is east and z south; m/s
// push BODY F AT            a force (N) at a point (m), during the next step
// target BODY AT SECONDS [W X Y Z]   moves a kinematic body, and turns it to a rotation
// ball NAME AT V RADIUS TYPE   a snowball: of the material point method or of phase if the scene has it,
//                           otherwise a rigid body
// water NAME AT RADIUS      water, if the scene has a liquid
// heap NAME X Z RADIUS KG   pours snow onto the snow field within 0.2 s
// dig AT RADIUS             removes particles
// heat AT RADIUS J/KG      heats what is within the radius, or cools it
// remove NAME               an item, by its name in a scene
// Points and vectors are three numbers; SI units.
firn_status touch_apply(firn_world *world, const char *line, char *why, size_t room);

// The undisturbed wind as the touch `wind` sets it; false: the scene has none.
bool touch_wind(const firn_world *world, double *from, double *speed);

// A recording: the scene, its overrides, and touches with the number of steps before them.
typedef struct touches touches;
touches *touches_create(void); // NULL: no memory
void touches_free(touches *t); // NULL is fine
// Begins anew; the file of touches_to, if any, is written again.
void touches_begin(touches *t, const char *scene, firn_overrides overrides);
void touches_add(touches *t, uint64_t step, const char *line);
// Forgets those at and after a step: the simulation went back to it.
void touches_cut(touches *t, uint64_t step);
size_t touches_count(const touches *t);
// Also writes to a file from now on. FIRN_IO: it could not be written, now or earlier (firn_last_error is not
// set: *why is).
bool touches_to(touches *t, const char *path, char *why, size_t room);
bool touches_write(const touches *t, const char *path, char *why, size_t room);
bool touches_failed(const touches *t); // the file could not be written

// Repeats a recording without a window, to its end, and compares the hashes in it. Prints the last one.
// Returns an exit code.
int touches_replay(const char *path, bool json);

#endif
