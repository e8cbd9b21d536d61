// Touches: what a user does to the running world. Each is a line of text that is applied before a step and
// recorded with the number of that step, so that a run can be repeated to the same bits.
#ifndef VIEW_TOUCH_H
#define VIEW_TOUCH_H

#include <stdbool.h>
#include <stdio.h>

#include <firn/firn.h>

enum { TOUCH_ROOM = 4608 }; // a line may hold a path

// set NAME VALUE            a live parameter, as a scene writes it
// wind FROM SPEED           the inflow: degrees clockwise from north, where x is east and z south; m/s
// push BODY F AT            a force (N) at a point (m), during the next step
// target BODY AT SECONDS [W X Y Z]   moves a kinematic body, and turns it to a rotation
// ball NAME AT V RADIUS TYPE   a snowball: of the material point method or of phase if the scene has it,
//                           otherwise a rigid body
// water NAME AT RADIUS      water, if the scene has a liquid
// pour NAME AT RADIUS TYPE  snow that falls: of the material point method, of phase, or grains
// heap X Z RADIUS KG        puts snow on the snow field or the cover
// dig AT RADIUS             removes particles, and snow of the field and the cover
// shove AT RADIUS V         changes the velocity of particles
// heat AT RADIUS J/KG [BODY]   heats what is within the radius, or cools it; and a body
// mesh NAME AT HEIGHT KIND FILE   a mesh of that height: a body (dynamic, fixed) or snow (mpm, phase)
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
// Forgets all but the first: the simulation went back to where there were so many.
void touches_cut(touches *t, size_t count);
// Before it goes back: copies the file of touches_to, if any, to FILE.1, FILE.2, ...
bool touches_keep(const touches *t, char *why, size_t room);
size_t touches_count(const touches *t);
// Also writes to a file from now on. FIRN_IO: it could not be written, now or earlier (firn_last_error is not
// set: *why is).
bool touches_to(touches *t, const char *path, char *why, size_t room);
bool touches_write(const touches *t, const char *path, char *why, size_t room);
bool touches_failed(const touches *t); // the file could not be written

// Repeats the recording given->replay without a window: to its end, comparing the hashes in it and printing
// the last one; or as a run into the folder given->output. Returns an exit code.
struct arguments;
int touches_replay(const struct arguments *given);

#endif
