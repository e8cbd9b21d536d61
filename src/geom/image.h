// PNG files, the one place that knows libpng: grey maps of 16 bits (heights, densities, depths) and pictures.
#ifndef GEOM_IMAGE_H
#define GEOM_IMAGE_H

#include "base/memory.h"

typedef struct grey_map {
    uint16_t *value; // row by row from the top; 8-bit files are not accepted
    uint32_t width, height;
} grey_map;
// Only 16-bit grey PNG; anything else is FIRN_BAD_INPUT and says what the file is instead.
firn_status grey_map_read(const char *path, grey_map *out);
firn_status grey_map_parse(const char *data, size_t bytes, const char *name, grey_map *out);
firn_status grey_map_write(const grey_map *map, const char *path);
void grey_map_free(grey_map *map);

// A picture in sRGB from 4 bytes a pixel (the fourth is not written), row by row from the top. level: 0
// (large, fast) .. 9.
firn_status picture_write_png(const uint8_t *rgba, uint32_t width, uint32_t height, int level,
                              const char *path);

#endif
