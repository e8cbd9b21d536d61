// States of the simulated world that are kept: to be drawn, to scrub back to, to branch from.
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <firn/firn.h>

// One saved state; shared by threads and freed by the last who lets go.
typedef struct kept {
    int users;
    unsigned generation; // of the world that it belongs to: another scene or other overrides have another
    void *data;          // of firn_world_save
    size_t bytes;
    double time; // s
    uint64_t step, frame;
    size_t touches; // that were recorded before it
} kept;

typedef struct frames frames;
frames *frames_create(size_t limit); // bytes; NULL: no memory
void frames_free(frames *f);         // NULL is fine

// Takes over `data`; NULL: no memory, and data is freed. The caller is its first user.
kept *kept_create(unsigned generation, void *data, size_t bytes, const firn_world *world);
kept *kept_hold(frames *f, kept *k); // one more user; NULL is fine
void kept_drop(frames *f, kept *k);  // one less; NULL is fine

// Adds a state at the end of the timeline. Beyond the limit every second of the older ones is dropped.
void frames_add(frames *f, kept *k);
void frames_clear(frames *f);
// Drops those after a step: the simulation goes on from there in another way.
void frames_cut(frames *f, uint64_t step);

typedef struct frames_state {
    size_t count, bytes;
    double first, last; // s
    uint64_t stride;    // every stride-th frame of the scene is kept
} frames_state;
frames_state frames_now(frames *f);
kept *frames_at(frames *f, size_t index); // held; NULL: there is none

#endif
