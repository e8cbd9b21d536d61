// Slopes that are much too steep are brought to their limit at once; only for files of this folder.
#ifndef SNOWFIELD_FIELD_LIMIT_H
#define SNOWFIELD_FIELD_LIMIT_H

#include "snowfield/snowfield_limit_lanes.h"
#include "snowfield/snowfield_state.h"

// Cells of a row next to each other that change.
typedef struct limit_run {
    int32_t x0, x1, z; // of the grid
    uint32_t part;     // a run of the same part that came before, or itself; then the number of the part
} limit_run;

// A cell that changes.
typedef struct limit_cell {
    size_t cell;   // of the field
    float low, up; // E and U over the snow's surface, HEIGHT_UNIT
    float most;    // that it can give, HEIGHT_UNIT
} limit_cell;

// What came out of a region.
typedef struct limit_found {
    uint32_t steep, at_rim;
    int32_t missing[2 * LIMIT_MISSING][2], missed; // places of tiles that were not here
} limit_found;

// Scratch.
typedef struct snowfield_limit {
    snowfield_rect *region; // around what moves; they do not overlap
    size_t regions;
    snowfield_rect cells; // of the present one
    int32_t base;
    limit_grid grid;
    limit_front front[2]; // of E and of U
    float *heights, *rows;
    uint64_t *bits, *find; // find: what may be too steep
    limit_run *run;
    size_t runs;
    uint32_t *first; // by part: its first cell
    limit_cell *cell;
    size_t capacity[7];
} snowfield_limit;

// Items to make room for, so that memory is seldom asked for again.
static inline size_t limit_room(size_t count) {
    size_t room = 4096;
    while (room < count) room *= 2;
    return room;
}

// Cells that hang together get the mean of E and U with the mass that is there; snowfield_limit_parts.c.
firn_status snowfield_limit_settle(snowfield_state *s, snowfield_limit *l);
void snowfield_limit_touch(snowfield_state *s, const snowfield_limit *l); // the cells that changed

// Over ranks one does all of a region; without ranks they do nothing. region: the cells that move come to it;
// found, settled: the others learn what it found, and what it has changed.
void snowfield_ranks_region(snowfield_state *s, snowfield_rect cells, size_t rank);
void snowfield_ranks_found(snowfield_state *s, limit_found *found, size_t rank);
firn_status snowfield_ranks_settled(snowfield_state *s, size_t rank, bool steep);

#endif
