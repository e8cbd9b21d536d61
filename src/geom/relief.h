// Noise for the unevenness of snow: the same at the same place, on every machine.
#ifndef GEOM_RELIEF_H
#define GEOM_RELIEF_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"

uint32_t relief_bits(int x, int y, int z);
// Smooth noise in -1..1 that changes over a length of 1, and its slope.
float relief_noise(const float at[3], float slope[3]);
// Height of snow over its smooth surface, and its slope: the largest of its bumps (clods), of a given size.
// rough: 0..1.
float relief_clods(const float rest[3], float size, float rough, float slope[3]);
// The same for the vertices begin..end of a mesh, which move along their normals; normals are bent.
typedef struct relief_mesh {
    float (*position)[3], (*normal)[3];
    const float (*rest)[4]; // of each vertex: where its matter was at rest, and how rough it is
    float size;
} relief_mesh;
ISA_DECLARE(void, relief_move, (const relief_mesh *m, size_t begin, size_t end));
// Bumps finer than meshes, from crumbs of 13 cm down to grains of half a centimetre, the same in every
// renderer. rough: 0 smooth as wind leaves snow, 1 torn; footprint: m, what is finer is left out. Returns how
// much brighter (heights) or darker (hollows) the place is than its surroundings, about -0.1..0.1.
enum { RELIEF_BUMPS = 5 };
extern const float relief_bump_size[RELIEF_BUMPS];
extern const float relief_bump_smooth[RELIEF_BUMPS], relief_bump_torn[RELIEF_BUMPS]; // slopes
float relief_bumps(const float rest[3], float rough, float footprint, float slope[3]);
// A unit normal bent by a slope.
void relief_bend(float normal[3], const float slope[3]);

#endif
