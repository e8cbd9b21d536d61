// Tiles that go again; only for files of this folder.
#ifndef SNOWFIELD_FIELD_PACK_H
#define SNOWFIELD_FIELD_PACK_H

#include "snowfield/snowfield_state.h"

enum { PACK_MOST_BYTES = 10 * TILE_MOST_EDGE * TILE_MOST_EDGE + 16 };

// Whole numbers without loss, small where neighbours are alike: differences from one to the next, zeros by
// their number. Returns the bytes written; at most 5 n + 5.
size_t pack_numbers(const uint32_t *in, size_t n, uint8_t *out);
// Bytes read; 0: not n packed numbers.
size_t unpack_numbers(const uint8_t *in, size_t bytes, uint32_t *out, size_t n);

#endif
