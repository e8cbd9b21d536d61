// Which checkpoints stay: the newest two, and every n-th, n a power of two.
#include "world/checkpoint_plan.h"

uint64_t checkpoint_stride(uint64_t newest, uint64_t every) {
    uint64_t n = 1;
    while (newest / every / n > CHECKPOINTS_SPREAD) n *= 2;
    return n;
}

uint64_t checkpoints_kept(uint64_t frames, uint64_t every) {
    if (frames == 0) return 0;
    if (every == 0) every = 1;
    uint64_t n = checkpoint_stride(frames, every),
             before = (frames - 1) / every; // regular ones, but the last
    return 1 + before / n + (before % n != 0);
}
