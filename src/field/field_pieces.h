// Cells in motion, grouped into pieces and swept; only for files of this folder.
#ifndef FIELD_FIELD_PIECES_H
#define FIELD_FIELD_PIECES_H

#include "field/field_patch.h"

enum {
    SLUMP_WORKERS = 8,
    LEAST_AT_ONCE = 8, // sweeps between two exchanges
    MOST_AT_ONCE = 16,
    // A piece is the active cells and 2 cells per sweep around them; its patch is as many cells larger.
    PIECE_ACTIVE = PATCH_MOST - 4 * PATCH_CELLS_PER_SWEEP * LEAST_AT_ONCE,
    // A piece that is alone in its patch needs no exchange: it is right until what moves comes near the rim.
    // It is small at first, because most touched cells hardly move.
    ALONE_FIRST = 8,
    ALONE_LATER = 32,
    ALONE_RIM = 2 * PATCH_CELLS_PER_SWEEP,
};

// All that may slide, as pieces.
firn_status field_pieces_list(field_state *s);
// Finds those that are alone with so much around them, and their patches; the others have none yet.
void field_pieces_alone(field_state *s, int32_t margin);
// Tiles for the patches.
firn_status field_pieces_tiles(field_state *s);
// Copies a piece out and sweeps it, at most so often.
void field_piece_sweep(field_state *s, field_piece *piece, slump_patch *p, int32_t most);
// Memory for the results of pieces, field_results.c. at_once: all are copied back as soon as they are swept.
firn_status field_results_reserve(field_state *s, bool at_once);
// The cells that changed in a piece.
void field_piece_note(field_state *s, field_piece *piece, const slump_patch *p);
// Copies it back, masses and densities only; notes what went over the border. No other piece may overlap it.
void field_piece_return(field_state *s, field_piece *piece, const slump_patch *p);
// The same in two: others may overlap it.
void field_piece_keep(field_state *s, field_piece *piece, const slump_patch *p);
void field_piece_return_kept(field_state *s, field_piece *piece);
// Cells that changed in its last sweep stay active in the next one.
void field_piece_touch(field_state *s, const field_piece *piece);

#endif
