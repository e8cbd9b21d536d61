// A picture in at most 256 colours of its own, for GIF.
#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include "draw/canvas.h"

enum { PALETTE_COLORS = 256 };

typedef struct palette palette;

firn_status palette_create(palette **out);
void palette_free(palette *p); // NULL is fine
// The colours of a picture, opaque 0xAARRGGBB, and which of them each pixel has, rows `stride` bytes apart.
// What lies between two colours is dithered by a fixed pattern, so that what stands still looks the same in
// the next frame.
void palette_apply(palette *p, const canvas *picture, uint32_t colors[PALETTE_COLORS], uint8_t *indices,
                   size_t stride);

#endif
