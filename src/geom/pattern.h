// Materials of bodies in pictures: colour and unevenness as functions of the place on the body. The same
// formulas are in GLSL (shaders_pattern.c) for drafts; tests/draw/test_final.c holds the two against each
// other.
#ifndef GEOM_PATTERN_H
#define GEOM_PATTERN_H

#include <stdbool.h>

typedef enum pattern_kind { // as firn_material
    PATTERN_PAINT,          // even
    PATTERN_WOOD,           // planks along the horizontal, with grain
    PATTERN_BRICK,          // running bond with mortar; slopes have tiles
    PATTERN_STONE,
    PATTERN_BARK,
    PATTERN_CLOTH,
    PATTERN_METAL,   // brushed
    PATTERN_NEEDLES, // twigs with needles; bark on a trunk along the y axis
} pattern_kind;

// Bare surfaces mirror nothing.
static inline bool pattern_shines(pattern_kind kind) { return kind == PATTERN_PAINT || kind == PATTERN_METAL; }

// at (m) and unit normal in the body's own frame; pixel: m, what is finer is left out. color: linear RGB,
// changed in place; slope: of the surface there, in the body's frame.
void pattern_look(pattern_kind kind, const float at[3], const float normal[3], float pixel, float color[3],
                  float slope[3]);

#endif
