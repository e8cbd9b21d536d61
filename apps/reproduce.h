// `firn reproduce`: what a thesis says, and what firn computes for the same setting, on one page.
#ifndef APPS_REPRODUCE_H
#define APPS_REPRODUCE_H

#include "command.h"

enum { REPRODUCE_SETS = 8, REPRODUCE_CASES = 32 };

// One run of a shipped scene with a picture of its last frame.
typedef struct reproduce_case {
    const char *name;                // of its run and picture
    const char *scene;               // a shipped one
    const char *set[REPRODUCE_SETS]; // overrides; ends in NULL
    const char *changed;             // "E 5 MPa": what differs from the case before
    const char *thesis;              // what the thesis says about it
    const char *why;                 // what differs from the thesis, and why; NULL: nothing
} reproduce_case;

// One reproduction in progress.
typedef struct reproduction {
    const arguments *given;
    const char *folder;
    bool quick;
    FILE *page; // Markdown
} reproduction;

// Where a run of this reproduction is; false if the path is too long.
bool reproduce_path(const reproduction *r, const char *below, const char *name, const char *end, char *path,
                    size_t size);
// Simulates a case, or continues it, and draws its last frame. `common`: further overrides; ends in NULL.
int reproduce_run(const reproduction *r, const reproduce_case *c, const char *const *common);
// The world of the run of a case at the end of a frame, as firn_run_world.
int reproduce_world(const reproduction *r, const reproduce_case *c, uint64_t frame, firn_world **world);
// Steps and seconds of computing that the run of a case has taken, over all its sittings.
bool reproduce_cost(const reproduction *r, const reproduce_case *c, double *steps, double *seconds);
// The command that makes a run, as a user types it.
void reproduce_command(const reproduction *r, const reproduce_case *c, const char *const *common);
// Steps per second of a scene after its first `before` steps, over at least a second.
int reproduce_rate(const char *scene, int before, double *rate, double *particles);

// What a picture of snow shows, as numbers.
typedef struct snow_shape {
    double particles;
    double height;          // m, under which 95 % of the snow lie
    double width;           // m, within which 95 % of the snow lie about its middle, seen from above
    double volume;          // m3 of the cubes of a cell that hold snow
    double plastic;         // mean J_P
    double pieces, largest; // that still hold together (J_P below 1.05), with at least a thousandth of the
                            // snow; share of the largest
} snow_shape;
bool snow_shape_of(const firn_world *world, double cell, snow_shape *out); // false: out of memory

int reproduce_mpm15(reproduction *r);

#endif
