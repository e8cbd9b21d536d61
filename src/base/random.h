// Random numbers as a pure function of (seed, item, step, stream): stateless, so that results do not depend
// on the order or the number of threads.
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

// Four independent 32-bit numbers (Philox 4x32, 10 rounds; Salmon et al. 2011).
typedef struct random4 {
    uint32_t v[4];
} random4;
random4 random_bits(uint64_t seed, uint64_t item, uint32_t step, uint32_t stream);

// In [0, 1): the k-th (0..3) of the four.
static inline float random_unit(random4 r, int k) { return (float)(r.v[k] >> 8) * 0x1p-24f; }

#endif
