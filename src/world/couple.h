// Couplings: what passes between two models of a world. A new one is a file couple_<a>_<b>.c with a
// coupling_class, a line in couple_list.h and a section below `coupling` (couple_params.c).
#ifndef WORLD_COUPLE_H
#define WORLD_COUPLE_H

#include "body/offers.h"
#include "world/world.h"

typedef struct coupling coupling;

typedef enum coupling_passes { PASSES_MASS = 1, PASSES_IMPULSE = 2, PASSES_HEAT = 4 } coupling_passes;

typedef struct coupling_class {
    const char *name;                          // "wind_field": its key below `coupling`
    const model_class *a, *b;                  // a world that has both has the coupling
    const char *what;                          // a line for lists: "flakes land on the field"
    const char *help;                          // what passes, by which law, in plain words
    unsigned passes;                           // what: bits of coupling_passes
    bool (*wanted)(const firn_world_def *def); // what else it needs; NULL: nothing
    firn_status (*create)(coupling *c);        // `own`; may be NULL, like all others
    // Before the first step, after a load, and when parameters have changed: the coupling may have been
    // switched on or off.
    void (*begin)(coupling *c);
    // s, the longest step that either of both may take now; a function of the state. NULL: any.
    double (*max_dt)(coupling *c);
    // After a step of a or b, from `now` to now + dt. The other may be elsewhere in time.
    firn_status (*after_a)(coupling *c, double now, double dt);
    firn_status (*after_b)(coupling *c, double now, double dt);
    // After a step of the slower of both, dt long (s), when both have come to its end.
    firn_status (*exchange)(coupling *c, double now, double dt);
    void (*end)(coupling *c); // frees `own`
} coupling_class;

// What has passed from a to b since the start; state.
typedef struct coupling_sum {
    double mass;       // kg
    double impulse[3]; // N s
    double heat;       // J
} coupling_sum;
enum { COUPLING_SERIES = 3 * 64 }; // more than all classes have
enum { COUPLING_SUMS = sizeof(coupling_sum) / sizeof(double) };

struct coupling {
    const coupling_class *kind;
    size_t number; // among all classes
    firn_world *world;
    const void *params; // its section; begins with `bool on`
    bool on;
    void *a, *b;             // the models
    size_t a_index, b_index; // of the members
    void *own;               // the coupling's; not state
    coupling_sum *sum;
    double dt_limit; // s, by max_dt, and the steps of the world and of both for which it holds
    uint64_t dt_limit_of[3];
    double seconds; // of wall time; not state
};

// All that there are, whether a world has them or not.
const coupling_class *const *coupling_classes(size_t *count);
// The time series of all classes: what they pass, of mass, impulse and heat; NULL: there are no more.
const series_row *coupling_series_row(size_t index, const model_class **model);
// Those of a world, if out is not NULL; how many there are.
size_t coupling_series(const firn_world *world, firn_series *out);
// Its section in a def.
const void *coupling_section(const firn_coupling_def *def, size_t number);
bool coupling_on(const void *section);

#endif
