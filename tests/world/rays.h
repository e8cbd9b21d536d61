// Random vectors for tests of rays.
#ifndef TESTS_RAYS_H
#define TESTS_RAYS_H

#include "base/random.h"
#include "math/dvec.h"

// In a cube of edge 2 size around the origin.
static inline firn_vec3 random_vec(uint64_t seed, uint32_t i, uint32_t stream, double size) {
    random4 r = random_bits(seed, i, 0, stream);
    return dvec(size * (2 * (double)random_unit(r, 0) - 1), size * (2 * (double)random_unit(r, 1) - 1),
                size * (2 * (double)random_unit(r, 2) - 1));
}

#endif
