// Cells of the field as a patch to be swept; only for files of this folder.
#ifndef FIELD_FIELD_PATCH_H
#define FIELD_FIELD_PATCH_H

#include "field/field_slump_lanes.h"
#include "field/field_state.h"

// These cells and so many around them: whole groups, as wide as lanes like it.
field_rect field_patch_around(field_rect cells, int32_t margin);
// Copies these cells, and marks in it all that is in motion. sweeps: only those that so many sweeps may
// reach; 0: all.
void field_patch_fill(const field_state *s, field_rect cells, int32_t sweeps, slump_patch *p);
// Its outermost cells become walls.
void field_patch_close(const field_state *s, slump_patch *p);
// Cells beside an open boundary take snow and stay as they are.
void field_patch_empty_outside(const field_state *s, field_rect cells, slump_patch *p);
// Some body may stand over the group of this cell.
bool field_group_has_roof(const field_state *s, size_t cell);

#endif
