// Reading a snow field cell by cell, for pictures and exports.
#ifndef GEOM_SNOWFIELD_H
#define GEOM_SNOWFIELD_H

#include <firn/snowfield.h>

#include "base/memory.h"

// A field of one tile that has all cells: for those who read many single cells of a field that is uneven
// where nothing happened. Memory is kept from copy to copy.
typedef struct snowfield_copy {
    firn_snowfield field;
    float *ground; // and depth, density behind it
    size_t capacity;
    int32_t tile, place[2];
} snowfield_copy;
firn_status snowfield_copy_make(const firn_snowfield *from, snowfield_copy *to);
void snowfield_copy_free(snowfield_copy *copy);

// Surface (m, y) and depth (m) at a place, bilinear between the middles of cells; beyond the border as there.
// NAN if the place is not a number.
void snowfield_sample(const firn_snowfield *f, double x, double z, double *surface, double *depth);

// Place of a cell in the arrays of tiles; SIZE_MAX where nothing happened yet. The cell lies in the field.
static inline size_t snowfield_item(const firn_snowfield *f, int32_t x, int32_t z) {
    int32_t t = f->tile[(size_t)(z / f->edge) * (size_t)f->columns + (size_t)(x / f->edge)];
    if (t < 0) return SIZE_MAX;
    size_t edge = (size_t)f->edge;
    return ((size_t)t * edge + (size_t)(z % f->edge)) * edge + (size_t)(x % f->edge);
}

#endif
