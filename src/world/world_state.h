// The inside of a world; only for files of this folder.
#ifndef WORLD_WORLD_STATE_H
#define WORLD_WORLD_STATE_H

#include <firn/snowfield.h>

#include "par/par.h"
#include "world/couple.h"
#include "world/surface.h"
#include "world/world.h"

typedef struct world_member {
    const model_class *kind;
    void *state;
    double seconds; // of wall time, in its steps; not part of the state
} world_member;

// Models that take the same steps (world_clocks.c).
enum { WORLD_CLOCKS = BODY_SLOWER_CLOCKS + 1 };
typedef struct world_rate {
    double dt_limit;       // s, of its members when the clocks were arranged
    double begin, end;     // s, of its present step
    uint32_t first, count; // its members, in world->clocks.order
} world_rate;

// A parameter that follows keyframes.
typedef struct world_track {
    const char *name;
    const param_row *row;
    void *at; // in the world's def
    const firn_key_value *keys;
    size_t count;
} world_track;

struct firn_world {
    firn_context *context; // in which it was made
    par_lock reading;      // held by a reader while a model works something out
    firn_world_def *def;   // its own copy, in `memory`
    firn_world_def *made;  // the same without live changes: what models are created from
    firn_world_def *start; // as the world was made, without additions
    text log;              // world_change.c: what was added and removed, record by record
    uint64_t identity;     // hash of the def as the world was made from it
    arena memory;          // of `start`, tracks and names
    arena lists;           // of `def` and `made`, once something was added or removed
    size_t *room;          // by map that may grow: items that its lists in def and made have room for
    world_track *tracks;
    size_t track_count;
    struct {
        double *value;  // of all parameters that may change live; NULL: nobody tried to change one yet
        double *before; // as the world was made
        size_t count;   // 0: as the world was made
    } live;
    world_clock clock;
    struct {
        bool on;     // rank 0 of several
        bool shared; // the others have the state of rank 0
        bool serves; // another rank
        bool slabs;  // divided fields show slabs of all items (model_class.ranks->gather)
    } ranks;
    struct {
        bool known;        // there is one to compare with
        bool driven;       // in this frame something was changed from outside
        double start;      // J, kinetic and potential, since it is known
        double moved_mass; // kg, in and out since the start of the world, then
    } energy;
    bool bodies_changed;  // bodies have come or gone
    bool for_frames;      // shown fields are loaded from frames: nothing is derived
    double budget;        // s of real time for a call; 0: none
    double call_deadline; // s, of clock_seconds, of the present call
    double call_end;      // s, simulated: where the present call goes to
    world_member *member; // bodies first
    size_t members;
    uint64_t *steps; // by member: steps that it made; the field world.steps
    struct {
        bool nested;                   // there may be several
        world_rate rate[WORLD_CLOCKS]; // from slow to fast
        size_t count, of_bodies;
        uint32_t *order; // numbers of the members but the bodies, by clock
    } clocks;
    coupling *couplings; // of models that this world has, in the order of couple_list.h
    coupling_sum *sums;  // of each; the field world.coupling
    size_t coupling_count;
    firn_field *field;  // fetched again after every step and load; room for every row of all members
    uint32_t *field_of; // number of the member of each
    size_t fields;
    struct {
        bool wanted; // somebody asked for changes of the snow field
        // What changed since it was asked for: first by tile; then, from `tiles` on, of tiles that are no
        // longer there or have another number now.
        struct tile_changes {
            int32_t column, row;
            firn_cells cells;
        } * list;
        size_t tiles, count, capacity;
    } changes;
    surface_source *surface;
    size_t surfaces, surface_capacity;
    struct world_events *events;   // NULL: nobody ever listened
    struct world_spheres *spheres; // query_particles.c: what rays hit; NULL: nobody ever asked
    bool spheres_known;            // they are those of the present state
};

// world_clocks.c: room for the clocks of the models; a step of the slowest from the present time towards
// `until`, *dt long.
firn_status world_make_clocks(firn_world *world);
firn_status world_step_clocks(firn_world *world, double until, double *dt);
extern const field_row world_steps_row; // as state

size_t world_clock_of(const firn_world *world, size_t member); // its number, from slow to fast

// couplings.c: couples the models of the world; begins, before the first step, after a load and a change of
// parameters; acts after a step of a member, and after one of a clock and all faster ones.
firn_status world_couple(firn_world *world);
void world_couplings_begin(firn_world *world);
void world_uncouple(firn_world *world);
firn_status world_couple_after(firn_world *world, size_t member, double now, double dt);
double world_coupling_limit(const firn_world *world, size_t member); // s, of its next step
firn_status world_couple_clock(firn_world *world, size_t clock, double now, double dt);
extern const field_row world_coupling_row; // as state

// world_events.c: events of a call that steps. clear: before it; begin: before each step, which ends at that
// time (s), NULL if nobody listens; before and after: of each member's step; contacts: after a step of the
// bodies' clock and all faster ones; end: after the step of the world; restart: after a load.
typedef struct world_events world_events;
void world_events_clear(firn_world *world);
firn_event_list *world_events_begin(firn_world *world, double end);
void world_events_before(firn_world *world);
void world_events_after(firn_world *world, size_t member);
void world_events_contacts(firn_world *world);
void world_events_end(firn_world *world);
void world_events_restart(firn_world *world);
void world_events_free(world_events *events);

// After a step or load: adds what changed in the snow field.
firn_status world_note_changes(firn_world *world);

// world_ranks.c. step: before a step, of rank 0; gather_here and agree: of all. changed: the state is
// another.
firn_status world_ranks_step(firn_world *world, double until);
firn_status world_ranks_gather_here(firn_world *world, bool whole);
bool world_ranks_make_parts(const firn_world_def *def); // of a world that is made now
firn_status world_ranks_agree(const firn_world *world, firn_status status);
void world_ranks_changed(firn_world *world);
// world_step.c: the part of a step that all ranks make.
firn_status world_step_here(firn_world *world, double until);

// world_live.c: parameters that change.
firn_status world_take_tracks(firn_world *world, const firn_world_def *def); // from the def given
firn_status world_check_tracks(firn_world *world); // once the models are there: they may refuse
void world_follow_tracks(firn_world *world);       // at the present time; the models learn of it
extern const field_row world_live_row;             // the values, as state
firn_status world_live_resize(firn_world *world, size_t count);
firn_status world_live_loaded(firn_world *world);
void world_live_free(firn_world *world);
void world_tell_models(firn_world *world, bool loading); // that parameters have changed
// All live values of a def, from or (back) to an array; NULL: they are only counted.
size_t world_live_copy(firn_world_def *def, double *value, bool back);

// world_change.c: what is added and removed while the world runs.
extern const field_row world_log_row; // the log, as state
firn_status world_keep_start(firn_world *world);
double world_removed_bodies(const firn_world *world); // kg
// Parts of making a world; world.c.
// before: the world whose models are replaced, or NULL.
firn_status world_add_models(firn_world *world, const firn_world_def *def, const firn_world *before);
firn_status world_make_room(firn_world *world);
model_setting world_setting(const firn_world_def *def);

void world_fetch_fields(firn_world *world);
// The watchdog: FIRN_UNSTABLE with model, item and step if anything is not finite or too fast.
firn_status world_watch(const firn_world *world);
firn_status world_watch_member(const firn_world *world, size_t i, double time);
// world_energy.c: notes the energy to compare with, unless it is known; FIRN_UNSTABLE, with model, place and
// energy, if there is more of it at the end of a frame.
void world_energy_begin(firn_world *world);
firn_status world_energy_check(firn_world *world);
// FIRN_UNSTABLE if a ledger does not add up.
firn_status world_check_ledgers(const firn_world *world);

#endif
