// Steps of the world as a program asks for them: one, up to a time, or to the end of a frame. How the models
// step in them is in world_clocks.c.
#include "world/world_state.h"

#include <math.h>

static double frame_end(const firn_world *world) {
    return (double)(world->clock.frame + 1) / world->def->fps;
}

// A moment this close to the end of a frame is the end of the frame.
static bool same_moment(const firn_world *world, double a, double b) {
    return fabs(a - b) * world->def->fps < 1e-6;
}

static void move_clock(firn_world *world, double dt, double until) {
    double end = frame_end(world), now = world->clock.time + dt;
    if (same_moment(world, now, until)) now = until;
    if (same_moment(world, now, end)) {
        now = end;
        world->clock.frame++;
    }
    world->clock.time = now;
    world->clock.step++;
}

// What a call did to the bodies, and what happened in it, is asked for after it.
static void begin_call(firn_world *world, double end) {
    world_events_clear(world);
    body_clear_reactions(world->member[0].state);
    world->spheres_known = false; // also if a step fails half-way
    world->call_end = end;
    world->call_deadline = world->budget > 0 ? clock_seconds() + world->budget : 0;
}

firn_status firn_world_set_budget(firn_world *world, double seconds) {
    IN_WORLD(world);
    NEED(world);
    if (!(seconds >= 0 && seconds < 1e9))
        return fail(FIRN_BAD_INPUT, "invalid budget %g s: must be 0 or more", seconds);
    world->budget = seconds;
    return FIRN_OK;
}

firn_status world_step_here(firn_world *world, double until) {
    double dt;
    if (world->ranks.serves) {
        body_clear_reactions(world->member[0].state);
        world_follow_tracks(world);
    }
    TRY(world_step_clocks(world, until, &dt));
    uint64_t frame = world->clock.frame;
    move_clock(world, dt, until);
    world_fetch_fields(world);
    world_events_end(world);
    TRY(world_note_changes(world));
    TRY(world_watch(world));
    if (world->clock.frame == frame) return FIRN_OK;
    TRY(world_ranks_gather_here(world, false));
    firn_status status = FIRN_OK;
    if (!world->ranks.serves) status = world_check_ledgers(world);
    if (!world->ranks.serves && status == FIRN_OK) status = world_energy_check(world);
    return world_ranks_agree(world, status);
}

static firn_status step_until(firn_world *world, double until) {
    world_follow_tracks(world);
    if (world->ranks.on && !world->energy.known) TRY(world_gather(world, false)); // the ledgers of all
    world_energy_begin(world);
    TRY(world_ranks_step(world, until));
    return world_step_here(world, until);
}

firn_status firn_world_step(firn_world *world) {
    IN_WORLD(world);
    NEED(world);
    begin_call(world, world->clock.time);
    return step_until(world, frame_end(world));
}

firn_status firn_world_advance_frame(firn_world *world) {
    IN_WORLD(world);
    NEED(world);
    uint64_t frame = world->clock.frame;
    begin_call(world, frame_end(world));
    while (world->clock.frame == frame) TRY(step_until(world, frame_end(world)));
    return FIRN_OK;
}

firn_status firn_world_advance(firn_world *world, double seconds) {
    IN_WORLD(world);
    NEED(world);
    if (!(seconds > 0 && seconds < 1e9))
        return fail(FIRN_BAD_INPUT, "invalid duration %g s: must be above 0", seconds);
    double target = world->clock.time + seconds;
    begin_call(world, target);
    while (world->clock.time < target && !same_moment(world, world->clock.time, target)) {
        double end = frame_end(world);
        TRY(step_until(world, target < end && !same_moment(world, target, end) ? target : end));
    }
    return FIRN_OK;
}
