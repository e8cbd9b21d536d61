// Values over the ground, x by z, in formats of other programs: 16-bit pictures, rasters of floats or text;
// all with a JSON file that describes them.
#ifndef CACHE_EXPORT_RASTER_H
#define CACHE_EXPORT_RASTER_H

#include "cache/export.h"

enum { RASTER_LAYERS = 3 };

typedef struct raster {
    const char *name; // "field": files are field_<layer>_000042.png and so on
    int32_t nx, nz;   // values along x and z, rows along x
    double x0, z0, cell;
    int layers;
    const char *layer_name[RASTER_LAYERS], *layer_unit[RASTER_LAYERS];
    float *layer[RASTER_LAYERS];
    double black[RASTER_LAYERS], white[RASTER_LAYERS]; // of pictures
    size_t count;                                      // nx * nz
} raster;

firn_status raster_alloc(raster *r); // layers, from nx and nz
void raster_free(raster *r);
// Greys of a layer of lengths: a step is 0.1 mm, or 0.2, 0.4 .. if that does not reach from black to `high`.
void raster_scale(raster *r, int layer, double black, double high);

firn_status raster_write_png(const export_job *job, const raster *r, uint64_t number);
firn_status raster_write_float(const export_job *job, const raster *r, uint64_t number); // ESRI .flt, .hdr
firn_status raster_write_text(const export_job *job, const raster *r, uint64_t number);  // ESRI .asc

#endif
