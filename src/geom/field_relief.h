// Clods and cracks on the mesh of a snow field, as pictures and exports show them.
#ifndef GEOM_FIELD_RELIEF_H
#define GEOM_FIELD_RELIEF_H

#include "geom/height_mesh.h"

typedef struct field_relief {
    float (*rest)[4]; // of each vertex: where it was before, and how rough it is, 0..1
    size_t capacity;
} field_relief;
// packed: density (kg/m3) of snow that is pressed as hard as can be. Memory is kept from call to call.
firn_status field_relief_move(const firn_snowfield *field, float packed, height_mesh *mesh,
                              field_relief *out);

#endif
