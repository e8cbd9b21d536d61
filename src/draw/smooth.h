// Edges without stairs.
#ifndef DRAW_SMOOTH_H
#define DRAW_SMOOTH_H

#include "draw/canvas.h"

// Edges are smoothed along their length (the idea of FXAA, Lottes 2009): where brightness jumps across a side
// of a pixel, both ends of the jump are looked for, and the pixel is mixed with its neighbour as far as the
// edge has come across it. Lone bright or dark pixels are softened. `from` holds brightness in its alpha,
// `to` is another canvas of the same size; its alpha becomes 255.
void smooth_edges(const canvas *from, canvas *to);
// Averages squares of 2 x 2 pixels; `to` has half the size.
void smooth_halve(const canvas *from, canvas *to);
void smooth_none(const canvas *from, canvas *to);

#endif
