// How many checkpoints a run keeps: known here, where its cost is estimated, and to the cache that keeps
// them.
#ifndef WORLD_CHECKPOINT_PLAN_H
#define WORLD_CHECKPOINT_PLAN_H

#include <stdint.h>

// Beside the newest two, every n-th of the regular ones stays, n the power of two that leaves at most so
// many.
enum { CHECKPOINTS_SPREAD = 8 };
uint64_t checkpoint_stride(uint64_t newest, uint64_t every); // n when frame `newest` is reached
// After a run of so many frames with a checkpoint every so many of them.
uint64_t checkpoints_kept(uint64_t frames, uint64_t every);

#endif
