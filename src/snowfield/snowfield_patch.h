// Cells of the field as a patch to be swept; only for files of this folder.
#ifndef SNOWFIELD_FIELD_PATCH_H
#define SNOWFIELD_FIELD_PATCH_H

#include "snowfield/snowfield_slump_lanes.h"
#include "snowfield/snowfield_state.h"

// These cells and so many around them: whole groups, as wide as lanes like it.
snowfield_rect snowfield_patch_around(snowfield_rect cells, int32_t margin);
// Copies these cells, and marks in it all that is in motion. sweeps: only those that so many sweeps may
// reach; 0: all.
void snowfield_patch_fill(const snowfield_state *s, snowfield_rect cells, int32_t sweeps, slump_patch *p);
// Its outermost cells become walls.
void snowfield_patch_close(const snowfield_state *s, slump_patch *p);
// Cells beside an open boundary take snow and stay as they are.
void snowfield_patch_empty_outside(const snowfield_state *s, snowfield_rect cells, slump_patch *p);
// Some body may stand over the group of this cell.
bool snowfield_group_has_roof(const snowfield_state *s, size_t cell);

#endif
