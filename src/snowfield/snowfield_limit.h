// Slopes that are much too steep are brought to their limit at once; only for files of this folder.
#ifndef SNOWFIELD_FIELD_LIMIT_H
#define SNOWFIELD_FIELD_LIMIT_H

#include "snowfield/snowfield_patch.h"

typedef enum limit_surface { SURFACE, ERODED, FILLED, LIMIT_SURFACES } limit_surface; // of the snow; E; U

// What is known of a cell of a region.
typedef struct limit_cell {
    uint32_t epoch; // otherwise nothing is known yet
    uint32_t state;
    float surface[LIMIT_SURFACES]; // HEIGHT_UNIT over the region's base
    float fall;                    // limit over one cell
} limit_cell;

// Scratch. A region is a rectangle of cells with a rim of walls, row by row.
typedef struct snowfield_limit {
    snowfield_rect *region; // around what moves; they do not overlap
    size_t regions;
    snowfield_rect cells; // of the present one
    int32_t width, base;
    float unit; // HEIGHT_UNIT in the length of a cell
    limit_cell *cell;
    uint32_t epoch;
    int32_t *queue, *list; // ring of cells to look at; cells that change
    size_t listed, room;
    size_t capacity[4];
} snowfield_limit;

#endif
