// Surfaces that are nowhere too steep, over lanes; only for files of this folder.
#ifndef SNOWFIELD_FIELD_LIMIT_LANES_H
#define SNOWFIELD_FIELD_LIMIT_LANES_H

#include <stddef.h>

#include "base/isa.h"
#include "snowfield/snowfield_units.h"

enum { LIMIT_GROUP = 16, LIMIT_WORD = 64 }; // cells that are looked at together; groups of a word
#define LIMIT_WALL 3e9f                     // HEIGHT_UNIT; above all snow
#define LIMIT_NONE 1e15f                    // as limit: never too steep

// A rectangle of cells with a rim of walls, row by row. Heights in HEIGHT_UNIT over a base.
typedef struct limit_grid {
    int32_t width, length; // width: whole groups
    int32_t stride;        // of rows
    int32_t words;         // of the bits of a row, with one more at each end
    float *surface;        // of the snow
    float *eroded;         // E
    float *filled;         // U
    float *fall;           // limit over one cell
} limit_grid;

// What is to be looked at while a surface changes. Bits of groups by row, with one more row at each end.
typedef struct limit_front {
    uint64_t *look;    // a cell there or beside it has changed
    uint64_t *ever;    // some cell there changed
    uint64_t *changed; // scratch, one row
    float *row[3];     // scratch, of a row's length with its rim
    int32_t most;      // sweeps over all rows
} limit_front;

static inline size_t limit_at(const limit_grid *g, int32_t x, int32_t z) {
    return (size_t)(z + 1) * (size_t)g->stride + (size_t)(x + LIMIT_GROUP);
}
static inline size_t limit_word(const limit_grid *g, int32_t z) { // the first of a row
    return (size_t)(z + 1) * (size_t)g->words + 1;
}
// A group changed: it and all around it are to be looked at.
static inline void limit_mark(const limit_grid *g, uint64_t *look, int32_t z, int32_t word, uint64_t groups) {
    for (int32_t row = z - 1; row <= z + 1; row++) {
        uint64_t *to = look + limit_word(g, row) + word;
        to[0] |= groups | groups << 1 | groups >> 1;
        to[-1] |= groups << (LIMIT_WORD - 1);
        to[1] |= groups >> (LIMIT_WORD - 1);
    }
}

// What the surface and the limit of a group of columns are.
typedef struct limit_columns {
    const int32_t *mass;
    const float *density, *ground;
    int32_t base;   // HEIGHT_UNIT
    float at, gain; // limit at density 0 and per kg/m3, HEIGHT_UNIT
} limit_columns;
ISA_DECLARE(void, limit_fill, (const limit_columns *c, float *surface, float *fall));
// Marks around all cells of some groups of a row that are steeper than their limit and more.
ISA_DECLARE(int, limit_find, (const limit_grid *g, int32_t z, const uint64_t *groups, float more,
                              uint64_t *look));
// The largest surface below the snow's that is nowhere too steep, and the smallest above it; from the marked
// cells on. g->eroded, g->filled: the snow's surface.
ISA_DECLARE(void, limit_erode, (const limit_grid *g, limit_front *f));
ISA_DECLARE(void, limit_raise, (const limit_grid *g, limit_front *f));

#endif
