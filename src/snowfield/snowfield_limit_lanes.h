// Surfaces that are nowhere too steep, over lanes; only for files of this folder.
#ifndef SNOWFIELD_FIELD_LIMIT_LANES_H
#define SNOWFIELD_FIELD_LIMIT_LANES_H

#include <stddef.h>

#include "base/isa.h"
#include "snowfield/snowfield_units.h"

enum {
    LIMIT_GROUP = 16, // cells that are looked at together
    LIMIT_WORD = 64,  // groups of a word
    LIMIT_MISSING = 16,
};
#define LIMIT_WALL 3e9f  // HEIGHT_UNIT; above all snow
#define LIMIT_NONE 1e15f // as limit: never too steep

// A rectangle of cells with a rim of walls, row by row.
typedef struct limit_grid {
    int32_t width, length; // width: whole groups
    int32_t stride;        // of rows
    int32_t words;         // of the bits of a row, with one more at each end
} limit_grid;

// A surface that changes, and what is to be looked at. Bits of groups by row, with one more row at each end.
typedef struct limit_front {
    const limit_grid *grid;
    float *height;                                             // HEIGHT_UNIT over a base
    float *start;                                              // the snow's
    float *fall;                                               // limit over one cell
    uint64_t *known;                                           // groups that have been filled
    uint64_t *look;                                            // a cell there or beside it has changed
    uint64_t *ever;                                            // some cell there changed
    uint64_t *changed;                                         // scratch, one row
    float *row[3];                                             // scratch, of a row's length with its rim
    int32_t first, last;                                       // rows in which something was to be looked at
    int32_t most;                                              // sweeps over all rows
    void (*fill)(struct limit_front *f, int32_t x, int32_t z); // a group, when it is needed
    void *context;
    int32_t missing[LIMIT_MISSING][2], missed; // places of tiles that it would have needed
} limit_front;

static inline size_t limit_at(const limit_grid *g, int32_t x, int32_t z) {
    return (size_t)(z + 1) * (size_t)g->stride + (size_t)(x + LIMIT_GROUP);
}
static inline size_t limit_word(const limit_grid *g, int32_t z) { // the first of a row
    return (size_t)(z + 1) * (size_t)g->words + 1;
}
// Bits of the groups of a word of the row that exist.
static inline uint64_t limit_valid(const limit_grid *g, int32_t word) {
    int32_t left = g->width / LIMIT_GROUP - word * LIMIT_WORD;
    return left >= LIMIT_WORD ? ~0ull : (1ull << left) - 1;
}
// Groups changed: they and all around them are to be looked at.
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
    float most;     // kg/m3, denser snow stands no steeper
} limit_columns;
ISA_DECLARE(void, limit_fill, (const limit_columns *c, limit_front *f, size_t at));
// Marks around all cells of some groups of a row that are steeper than their limit and more.
ISA_DECLARE(int, limit_find, (limit_front * f, int32_t z, const uint64_t *groups, float more));
// The largest surface below the snow's that is nowhere too steep, and the smallest above it; from the marked
// cells on.
ISA_DECLARE(void, limit_erode, (limit_front * f));
ISA_DECLARE(void, limit_raise, (limit_front * f));

#endif
