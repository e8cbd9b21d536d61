// Noise for the unevenness of snow: the same at the same place, on every machine.
#ifndef GEOM_RELIEF_H
#define GEOM_RELIEF_H

#include <stdint.h>

uint32_t relief_bits(int x, int y, int z);
// Smooth noise in -1..1 that changes over a length of 1, and its slope.
float relief_noise(const float at[3], float slope[3]);
// Height of snow over its smooth surface, and its slope: the largest of its bumps (clods), of a given size.
// rough: 0..1.
float relief_clods(const float rest[3], float size, float rough, float slope[3]);
// A unit normal bent by a slope.
void relief_bend(float normal[3], const float slope[3]);

#endif
