// Smooth uneven ground: gradient noise of four waves, each half as long and a good quarter as high as the one
// before.
#include <math.h>

#include "base/random.h"
#include "geom/proc.h"

enum { OCTAVES = 4 };

// Rises from 0 to 1 with two derivatives that vanish at both ends, so that the ground has no creases.
static double ease(double t) { return t * t * t * (t * (6 * t - 15) + 10); }

// Slope times offset at a node of the noise.
static double node(uint64_t seed, uint32_t octave, int64_t i, int64_t j, double dx, double dz) {
    uint64_t item = (uint64_t)i * 0x100000000u + (uint64_t)j;
    double angle = 2 * M_PI * (double)random_unit(random_bits(seed, item, octave, 17), 0);
    return cos(angle) * dx + sin(angle) * dz;
}

static double noise(uint64_t seed, uint32_t octave, double x, double z) {
    double fx = floor(x), fz = floor(z), dx = x - fx, dz = z - fz, s = ease(dx), t = ease(dz);
    int64_t i = (int64_t)fx, j = (int64_t)fz;
    double a = node(seed, octave, i, j, dx, dz), b = node(seed, octave, i + 1, j, dx - 1, dz);
    double c = node(seed, octave, i, j + 1, dx, dz - 1), d = node(seed, octave, i + 1, j + 1, dx - 1, dz - 1);
    double low = a + s * (b - a), high = c + s * (d - c);
    return low + t * (high - low);
}

void proc_hills(uint32_t nx, uint32_t nz, double cell, uint64_t seed, float *heights) {
    float least = INFINITY, most = -INFINITY;
    size_t count = (size_t)nx * nz;
    for (size_t k = 0; k < count; k++) {
        double x = cell * (double)(k % nx), z = cell * (double)(k / nx), y = 0, height = 1, waves = 1;
        for (uint32_t octave = 0; octave < OCTAVES; octave++, height *= 0.28, waves *= 2) {
            y += height * noise(seed, octave, x * waves, z * waves);
        }
        heights[k] = (float)y;
        least = fminf(least, heights[k]);
        most = fmaxf(most, heights[k]);
    }
    float range = most > least ? most - least : 1;
    for (size_t k = 0; k < count; k++) heights[k] = (heights[k] - least) / range;
}
