// Neighbour search on a uniform grid, filled by a stable sort. The grid is unbounded: coordinates are taken
// modulo its size, so that distant cells may share an entry and a far point costs nothing; adjacent cells
// never share one.
#ifndef GRID_NEIGHBOURS_H
#define GRID_NEIGHBOURS_H

#include "base/status.h"

#include <stdint.h>

typedef struct neighbour_grid {
    float inverse_cell; // 1/m
    uint32_t size[3];   // cells along each axis: powers of two, at least 4
    uint32_t shift[2];  // index of a cell: x + (y << shift[0]) + (z << shift[1])
    size_t cells, count;
    uint32_t *begin, *end; // by cell: its points, in `order`
    uint32_t *order;       // points, cell by cell; in a cell in the order of their numbers
    uint32_t *key;         // their cells
    uint32_t *scratch_key, *scratch_order;
    size_t cell_capacity[2], capacity[4];
} neighbour_grid;

void neighbour_grid_free(neighbour_grid *g);
// Points `stride` floats apart, in cells of edge `cell` (m). Points that are not finite land in an arbitrary
// cell.
firn_status neighbour_grid_build(neighbour_grid *g, const float *x, size_t stride, size_t count, double cell);

static inline int32_t neighbour_cell(const neighbour_grid *g, float x) {
    float c = x * g->inverse_cell;
    if (!(c > -1e9f && c < 1e9f)) return 0;
    int32_t i = (int32_t)c;
    return i - (c < (float)i);
}
static inline uint32_t neighbour_key(const neighbour_grid *g, int32_t x, int32_t y, int32_t z) {
    return ((uint32_t)x & (g->size[0] - 1)) | (((uint32_t)y & (g->size[1] - 1)) << g->shift[0]) |
           (((uint32_t)z & (g->size[2] - 1)) << g->shift[1]);
}

// Neighbours of every point, excluding itself: index[first[i] .. first[i + 1]), by ascending cell.
typedef struct neighbour_lists {
    uint32_t *first, *index;
    size_t count;
    size_t first_capacity, index_capacity;
} neighbour_lists;
void neighbour_lists_free(neighbour_lists *l);
// Lists all points within the search radius (at most the grid's cell). `accept` (may be NULL) filters them;
// with `half`, only those with a higher index.
typedef bool (*neighbour_filter)(void *context, uint32_t i, uint32_t j, float distance2);
firn_status neighbour_lists_build(neighbour_lists *l, const neighbour_grid *g, const float *x, size_t stride,
                                  double radius, bool half, neighbour_filter accept, void *context);
// The same, but only for the first `points`; the lists of the others are empty.
firn_status neighbour_lists_build_first(neighbour_lists *l, const neighbour_grid *g, const float *x,
                                        size_t stride, double radius, bool half, neighbour_filter accept,
                                        void *context, size_t points);

// Gauss-Seidel colouring for in-place work on a point and its neighbours: cells in blocks of 2 x 2 x 2,
// blocks in 8 colours. Points in different blocks of one colour share no neighbour, so that the blocks of a
// colour run in parallel; fn gets the points of one block in a fixed order. Same result for any number of
// threads.
typedef struct neighbour_colours {
    uint32_t *block;    // first of each block's points, in `point`; block_count + 1
    uint32_t *point;    // points, block by block
    uint32_t colour[9]; // first of each colour's blocks
    size_t block_capacity, point_capacity;
} neighbour_colours;
void neighbour_colours_free(neighbour_colours *c);
firn_status neighbour_colours_build(neighbour_colours *c, const neighbour_grid *g);
void neighbour_colours_run(const neighbour_colours *c,
                           void (*fn)(void *context, const uint32_t *points, size_t n), void *context);

#endif
