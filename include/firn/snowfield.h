/* firn: the snow field for games and tools. A field is stored as named arrays of its world ("field.depth");
   the functions here read it by position, without knowledge of tiles. */
#ifndef FIRN_SNOWFIELD_H
#define FIRN_SNOWFIELD_H

#include <firn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Cells x0 <= x < x1, z0 <= z < z1. */
typedef struct firn_cells {
    int32_t x0, z0, x1, z1;
} firn_cells;

/* A view of the field of a world; no copy, valid until the next step. The centre of cell (x, z) is at
   x0 + (x + 0.5) * cell, z0 + (z + 0.5) * cell. */
typedef struct firn_snowfield {
    double x0, z0;  /* m, corner of cell (0, 0) */
    double cell;    /* m */
    int32_t nx, nz; /* cells along x and z */
    /* Untouched snow: where nothing has happened yet. */
    bool even;                        /* it is the same everywhere: */
    double plain_ground, plain_depth; /* m */
    double plain_density;             /* kg/m3 */
    /* If not even, it is a function of the position (cells of one tile at most); so are compressed tiles. */
    void (*untouched)(const void *source, firn_cells cells, float *ground, float *depth, float *density);
    const void *source;
    /* Everywhere else: tiles of edge x edge cells; cell (x, z) of tile t is item (t * edge + z) * edge + x.
     */
    int32_t edge, columns, rows;
    const int32_t *tile; /* index of the tile at each position, rows along x; -1: untouched */
    const float *ground, *depth, *density;
    /* Of snow that has heat (field.heat): degrees Celsius, and the share of its mass that is water; NULL: it
       has none. */
    const float *temperature, *wetness;
    double plain_temperature, plain_wetness; /* of untouched snow */
    size_t tiles;
    const int32_t *place;   /* of each tile: column and row */
    const int32_t *touched; /* of each tile: x0, z0, x1, z1 of the cells that changed in the last step */
} firn_snowfield;

/* FIRN_BAD_INPUT if the world has no snow field. */
FIRN_API firn_status firn_world_snowfield(const firn_world *world, firn_snowfield *field); /* [read] */

/* Copies cells, row by row along x, without gaps; any output may be NULL. Cells outside the field get the
   values at its edge. surface: m, height of the snow's surface; depth: m; density: kg/m3. */
FIRN_API void firn_snowfield_read(const firn_snowfield *field, firn_cells cells, float *surface, float *depth,
                                  float *density); /* [read] */
/* Height (m) of the surface at a position, interpolated between the centres of cells. */
FIRN_API double firn_snowfield_surface(const firn_snowfield *field, double x, double z); /* [read] */

/* The cells that changed since the last call, as rectangles that do not overlap; the first call returns all
   that differ from untouched snow. Returns the number of rectangles written; room: how many fit, the others
   are kept for the next call. With it a game keeps its own copy of the field up to date: it reads these cells
   with firn_snowfield_read. */
FIRN_API size_t firn_world_snowfield_changes(firn_world *world, firn_cells *changes,
                                             size_t room); /* [world] */

#ifdef __cplusplus
}
#endif
#endif
