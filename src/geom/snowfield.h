// Reading a snow field cell by cell, for pictures and exports.
#ifndef GEOM_SNOWFIELD_H
#define GEOM_SNOWFIELD_H

#include <firn/snowfield.h>

// Place of a cell in the arrays of tiles; SIZE_MAX where nothing happened yet. The cell lies in the field.
static inline size_t snowfield_item(const firn_snowfield *f, int32_t x, int32_t z) {
    int32_t t = f->tile[(size_t)(z / f->edge) * (size_t)f->columns + (size_t)(x / f->edge)];
    if (t < 0) return SIZE_MAX;
    size_t edge = (size_t)f->edge;
    return ((size_t)t * edge + (size_t)(z % f->edge)) * edge + (size_t)(x % f->edge);
}

#endif
