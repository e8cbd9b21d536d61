// Cells of the field as a patch to be swept; only for files of this folder.
#ifndef FIELD_FIELD_PATCH_H
#define FIELD_FIELD_PATCH_H

#include "field/field_slump_lanes.h"
#include "field/field_state.h"

// These cells and so many around them, as wide as lanes like it.
field_rect field_patch_around(field_rect cells, int32_t margin);
// Copies these cells, and marks in it all that is in motion.
void field_patch_fill(const field_state *s, field_rect cells, slump_patch *p);
// After heights are known: the outermost cells of a patch stay as they are. wall: they take nothing either.
void field_patch_freeze_rim(slump_patch *p, bool wall);
// What lies beside an open border takes snow and stays as it is.
void field_patch_empty_outside(const field_state *s, field_rect cells, slump_patch *p);
// A part of a tile, as cells of the field.
field_rect field_tile_part(const field_state *s, size_t t, field_rect r);

#endif
