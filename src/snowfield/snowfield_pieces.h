// Cells in motion, grouped into pieces and swept; only for files of this folder.
#ifndef SNOWFIELD_FIELD_PIECES_H
#define SNOWFIELD_FIELD_PIECES_H

#include "snowfield/snowfield_patch.h"

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
firn_status snowfield_pieces_list(snowfield_state *s);
// Finds those that are alone with so much around them, and their patches; the others have none yet.
void snowfield_pieces_alone(snowfield_state *s, int32_t margin);
// Tiles for the patches.
firn_status snowfield_pieces_tiles(snowfield_state *s);
// Copies a piece out and sweeps it, at most so often.
void snowfield_piece_sweep(snowfield_state *s, snowfield_piece *piece, slump_patch *p, int32_t most);
// Memory for the results of pieces, snowfield_results.c. at_once: all are copied back as soon as they are
// swept.
firn_status snowfield_results_reserve(snowfield_state *s, bool at_once);
// The cells that changed in a piece.
void snowfield_piece_note(snowfield_state *s, snowfield_piece *piece, const slump_patch *p);
// Copies it back, masses and densities only; notes what went over the border. No other piece may overlap it.
void snowfield_piece_return(snowfield_state *s, snowfield_piece *piece, const slump_patch *p);
// The same in two: others may overlap it.
void snowfield_piece_keep(snowfield_state *s, snowfield_piece *piece, const slump_patch *p);
void snowfield_piece_return_kept(snowfield_state *s, snowfield_piece *piece);
// Cells that changed in its last sweep stay active in the next one.
void snowfield_piece_touch(snowfield_state *s, const snowfield_piece *piece);

#endif
