// Internals of cover_surface.h: samples for marching cubes, at the centres of columns of cells, at the
// bottoms of the cells. Of the four layers around the domain the inner ones act as bodies.
#ifndef GEOM_COVER_COLUMNS_H
#define GEOM_COVER_COLUMNS_H

#include "geom/cover_surface.h"

typedef enum cover_kind {
    COVER_AIR,
    COVER_BODY,
    COVER_FLOOR, // bare: the lowest sample above a body or the ground
    COVER_SNOW,
    COVER_EDGE, // a floor beside snow, with next to none: there the snow has thinned out to nothing
    // Parts of bodies that count as snow:
    COVER_UNDER, // below snow, so that snow on a stair of cells hangs together
    COVER_GHOST, // beside snow, so that it reaches its walls
} cover_kind;

enum {
    COVER_MARGIN = 2,
    COVER_REACH = 2
}; // layers around; cells that snow may step up from column to column

typedef struct cover_columns {
    const cover_grid *in;
    uint32_t size[3]; // samples
    int32_t first;    // layer of cells of the first sample
    uint8_t *kind;    // COVER_AIR .. COVER_SNOW
    uint8_t *made;    // of floors COVER_EDGE, of bodies COVER_UNDER, COVER_GHOST; or 0
    float *value;     // for marching cubes; until the end: steepness of the floor that snow lies on
    // In cells above the domain's bottom: the snow at a sample of snow, under, ghost; bottom also of floors.
    float *top, *bottom;
} cover_columns;

firn_status cover_columns_build(const cover_grid *in, cover_columns *out); // size 0: no snow
void cover_columns_free(cover_columns *c);

// The first floor at or after a cell.
const cover_floor *cover_floor_find(const cover_grid *g, size_t cell);

static inline size_t cover_at(const cover_columns *c, uint32_t x, uint32_t y, uint32_t z) {
    return ((size_t)z * c->size[1] + y) * c->size[0] + x;
}
static inline bool cover_is_snow(const cover_columns *c, size_t s) {
    return c->kind[s] == COVER_SNOW || (c->kind[s] == COVER_FLOOR && c->made[s] == COVER_EDGE);
}
static inline bool cover_inside(const cover_columns *c, size_t s) {
    return c->kind[s] == COVER_SNOW || c->made[s];
}
// Steps to the eight neighbours within a layer.
static const int cover_near[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}};

#endif
