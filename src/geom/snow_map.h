// Snow on the ground from an earlier run: depth and mass of columns.
#ifndef GEOM_SNOW_MAP_H
#define GEOM_SNOW_MAP_H

#include "base/memory.h"

typedef struct snow_map {
    int32_t nx, nz;      // columns along x and z, rows along x
    double x0, z0, cell; // m, the corner of the first; edge of a column
    float *mass;         // kg/m2; NULL: no map
    float *depth;        // m
    float *height;       // m, of the snow's upper side
} snow_map;

// The wind model's cover in a frame. Implemented in cache/snow_map.c, which knows the files of runs; declared
// here, because models must not depend on src/cache.
firn_status snow_map_read(const char *frame, snow_map *out);
void snow_map_free(snow_map *map);

#endif
